/* SPDX-License-Identifier: BSD-2-Clause */
/* What the system allows. */
#ifndef IPCTRACE_TRANSPORT_LIMITS_H
#define IPCTRACE_TRANSPORT_LIMITS_H

#include <stdint.h>

/* The number in a file of /proc/sys; `fallback` if it can't be read. */
long limit_read(const char *file, long fallback);

/*
 * Lets this process, and what it forks, have `count` descriptors for links besides all others, or
 * as many of them as it may. Who lacks one all the same is told by EMFILE.
 */
void limit_descriptors(uint64_t count);

#endif

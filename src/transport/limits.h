/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Defines how long a transport waits at most. Declares functions that read or raise system limits.
 */
#pragma once

#include <stdint.h>

/* How long send() and admit() wait at most. */
#define TRANSPORT_WAIT_MS 1000
#define TRANSPORT_WAIT_NS (TRANSPORT_WAIT_MS * 1000000ULL)

/* unix_dgram_sendmsg() keeps this much of the send buffer for itself. */
#define UNIX_SEND_BUFFER_RESERVED 32

/* The number in a file of /proc/sys; `fallback` if the file cannot be read. */
long limit_read(const char *file, long fallback);

/*
 * Lets this process and its children have `count` descriptors for links besides all others, as far
 * as its hard limit allows. Beyond that, opening one fails with EMFILE.
 */
void limit_descriptors(uint64_t count);

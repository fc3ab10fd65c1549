/* SPDX-License-Identifier: BSD-2-Clause */
/* What machine this is. */
#ifndef IPCTRACE_HOST_H
#define IPCTRACE_HOST_H

#include "core/spec.h"

/* What cannot be found out stays empty. */
void host_describe(struct host *host);

#endif

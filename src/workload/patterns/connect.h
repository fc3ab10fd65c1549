/* SPDX-License-Identifier: BSD-2-Clause */
/* Pattern "connect": a connection for each message, as in the LIPC experiment. */
#ifndef IPCTRACE_WORKLOAD_PATTERNS_CONNECT_H
#define IPCTRACE_WORKLOAD_PATTERNS_CONNECT_H

#include "workload/pattern.h"

extern const struct pattern connect_pattern;

#endif

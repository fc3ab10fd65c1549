/* SPDX-License-Identifier: BSD-2-Clause */
/* Pattern "push": on every tick the server sends one message to each client in turn. */
#ifndef IPCTRACE_WORKLOAD_PATTERNS_PUSH_H
#define IPCTRACE_WORKLOAD_PATTERNS_PUSH_H

#include "workload/pattern.h"

extern const struct pattern push_pattern;

#endif

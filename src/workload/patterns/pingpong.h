/* SPDX-License-Identifier: BSD-2-Clause */
/* Pattern "pingpong": each client sends a message, the server sends it back, and so on. */
#ifndef IPCTRACE_WORKLOAD_PATTERNS_PINGPONG_H
#define IPCTRACE_WORKLOAD_PATTERNS_PINGPONG_H

#include "workload/pattern.h"

extern const struct pattern pingpong_pattern;

#endif

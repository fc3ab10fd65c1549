/* SPDX-License-Identifier: BSD-2-Clause */
/* Pattern "flood": clients send as fast as they can, and nobody answers. */
#ifndef IPCTRACE_WORKLOAD_PATTERNS_FLOOD_H
#define IPCTRACE_WORKLOAD_PATTERNS_FLOOD_H

#include "workload/pattern.h"

extern const struct pattern flood_pattern;

#endif

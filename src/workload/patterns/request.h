/* SPDX-License-Identifier: BSD-2-Clause */
/* Pattern "request": clients ask, and one server answers them all, with a handler in between. */
#ifndef IPCTRACE_WORKLOAD_PATTERNS_REQUEST_H
#define IPCTRACE_WORKLOAD_PATTERNS_REQUEST_H

#include "workload/pattern.h"

extern const struct pattern request_pattern;

#endif

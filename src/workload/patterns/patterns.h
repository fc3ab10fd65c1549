/* SPDX-License-Identifier: BSD-2-Clause */
/* The table of all patterns, looked up by name or by index. */
#ifndef IPCTRACE_WORKLOAD_PATTERNS_PATTERNS_H
#define IPCTRACE_WORKLOAD_PATTERNS_PATTERNS_H

#include "workload/pattern.h"

/* NULL if there is none of that name. */
const struct pattern *pattern_find(const char *name);

/* All names, comma separated, for messages and help. Static. */
const char *pattern_names(void);

/* In table order; NULL past the end. */
const struct pattern *pattern_at(size_t i);

#endif

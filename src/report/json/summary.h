/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef IPCTRACE_REPORT_JSON_SUMMARY_H
#define IPCTRACE_REPORT_JSON_SUMMARY_H

#include "model/summary.h"

#include <jansson.h>

/* The "ipctrace.summary/1" object: a new reference, or NULL without memory. */
json_t *summary_json(const struct summary *summary);

/* The "host" and "workload" objects, for headers of other schemas. */
json_t *host_json(const struct host *host);
/* null for an attach. */
json_t *workload_json(const struct run_info *info);

/* Attach: every channel that is told apart; empty for a run. */
json_t *channels_json(const struct summary *summary);

#endif

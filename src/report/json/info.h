/* SPDX-License-Identifier: BSD-2-Clause */
/* The JSON objects "host" and "workload", which the headers of all schemas share. */
#ifndef IPCTRACE_REPORT_JSON_INFO_H
#define IPCTRACE_REPORT_JSON_INFO_H

#include "model/spec.h"

#include <jansson.h>

/* The objects "host" and "workload": new references, or NULL without memory. */
json_t *host_json(const struct host *host);
json_t *workload_json(const struct run_info *info); /* null for an attach */

#endif

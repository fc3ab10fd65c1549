/* SPDX-License-Identifier: BSD-2-Clause */
/* The JSON object of a run, or of an attach. */
#ifndef IPCTRACE_REPORT_JSON_SUMMARY_H
#define IPCTRACE_REPORT_JSON_SUMMARY_H

#include "model/summary.h"

#include <jansson.h>

/* The object of schema ipctrace.summary/1: a new reference, or NULL without memory. */
json_t *summary_json(const struct summary *summary);

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/* What the sinks share among themselves; everybody else uses sink.h. */
#ifndef IPCTRACE_REPORT_SINKS_H
#define IPCTRACE_REPORT_SINKS_H

#include "report/sink.h"

extern const struct report_format report_text;
extern const struct report_format report_json;
extern const struct report_format report_ndjson;

/* Hands what was written to the system. 0 or -errno, also of an earlier write to `out`. */
int report_flush(FILE *out);

#endif

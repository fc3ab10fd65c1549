/* SPDX-License-Identifier: BSD-2-Clause */
/* The last sentences of the text report: what dominates the latency. */
#ifndef IPCTRACE_REPORT_TEXT_VERDICT_H
#define IPCTRACE_REPORT_TEXT_VERDICT_H

#include "model/summary.h"
#include "report/text/layout.h"

/* One or two sentences: what dominates the latency of this run. Pure. */
void text_verdict(const struct summary *summary, struct paragraph *verdict);

#endif

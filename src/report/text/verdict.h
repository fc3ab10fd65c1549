/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef IPCTRACE_REPORT_TEXT_VERDICT_H
#define IPCTRACE_REPORT_TEXT_VERDICT_H

#include "model/summary.h"
#include "report/text/layout.h"

/* One plain sentence: what dominates the latency of this run. Pure. */
void text_verdict(const struct summary *summary, struct paragraph *verdict);

#endif

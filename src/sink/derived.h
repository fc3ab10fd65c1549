/* SPDX-License-Identifier: BSD-2-Clause */
/* Figures that follow from a summary and that several sinks show. Pure. */
#ifndef IPCTRACE_SINK_DERIVED_H
#define IPCTRACE_SINK_DERIVED_H

#include "core/summary.h"

uint64_t integrity_incomplete(const struct integrity *integrity); /* messages, for any reason */
uint64_t integrity_lost(const struct integrity *integrity);       /* records, of any kind */

/* Whether all that was sent was matched, nothing was lost, and every message adds up. */
bool integrity_clean(const struct integrity *integrity);

/* The paper's context switch: wakeup, run queue and switch. Mean; 0 without messages. */
double context_switch_ns(const struct summary *summary);

/* Of the mean latency; 0 without messages. */
double share_of_latency(const struct summary *summary, double mean_ns);

/* Range and peaks are of last latencies where there are rounds, of all latencies otherwise. */
bool has_range(const struct summary *summary);

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * From records to messages and a summary. The only entry for live runs and for recordings alike:
 *
 *	a = analysis__new(&info, on_message, ctx);
 *	analysis__record(a, record);		for every record, in any order
 *	analysis__finish(a);
 *	analysis__summary(a)
 *	analysis__free(a);
 *
 * Messages are handed out at WATERMARK records and at the end, in the order of their receive.
 * Memory is bounded; what does not fit is counted as incomplete.
 */
#ifndef IPCTRACE_ANALYSIS_ANALYSIS_H
#define IPCTRACE_ANALYSIS_ANALYSIS_H

#include "model/summary.h"

struct analysis;

/*
 * `info` is copied. `on_message`, which may be NULL, gets each finished message, warm-up excluded.
 * NULL: out of memory.
 */
struct analysis *analysis__new(const struct run_info *info, message_fn *on_message, void *ctx);
void analysis__free(struct analysis *a);

/* The record has passed record_check(). 0, -ENOMEM, or what `on_message` returned. */
int analysis__record(struct analysis *a,
		     const struct record *record); /* -E2BIG: see container/step_limit.h */

/* No more records. As analysis__record(). */
int analysis__finish(struct analysis *a);

/*
 * Attach: whether the result depends on STARVING records, as several threads are at one end of a
 * channel. They belong in front of each watermark then.
 */
bool analysis__needs_starving(const struct analysis *a);

/* Valid after analysis__finish(), until analysis__free(). */
const struct summary *analysis__summary(const struct analysis *a);

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Declares the analysis, which makes messages and a summary from records. The records come from
 * live tracing or from a recording. The caller uses an analysis in these steps:
 *
 *	a = analysis__new(&info, &request);
 *	analysis__record(a, record);		for every record, in any order
 *	analysis__finish(a);
 *	analysis__summary(a)
 *	analysis__free(a);
 *
 * Messages are handed out in the order of their receives, at each WATERMARK record and at the end.
 * A WATERMARK record contains an instant. Records of events before this instant have all come.
 * Memory is bounded. A message for which there is no room is counted as incomplete. Of a recording
 * of windows (model/window_records.h), only what lies in the windows is handed out.
 */
#pragma once

#include "analysis/request.h"
#include "model/stack_names.h"
#include "model/summary.h"

struct analysis;

/* Both are copied. `request` NULL: a zero-initialised one. NULL: out of memory. */
struct analysis *analysis__new(const struct run_info *info, const struct analysis_request *request);
void analysis__free(struct analysis *a);

/*
 * Inside of `on_unit`, for a unit with causes: what its sender and its receiver did from
 * MOMENTS_BEFORE_NS before it until its end, in the order of time. `moment` has room for `max`.
 * Returns how many there are; 0: that is not known any more.
 */
uint32_t analysis__moments(struct analysis *a, const struct unit *unit, struct moment *moment,
			   uint32_t max);

/*
 * After analysis__finish(), for units with causes: the functions of the stacks that these have. The
 * caller frees it. NULL: the recording has no stacks.
 */
struct stack_names *analysis__take_stack_names(struct analysis *a);

/*
 * The record has passed record_check(). 0, -ENOMEM, -E2BIG (see container/step_limit.h), or what
 * a function of the request returned.
 */
int analysis__record(struct analysis *a, const struct record *record);

/* No more records come. Returns the same as analysis__record(). */
int analysis__finish(struct analysis *a);

/*
 * Attach: whether several threads use one end of a channel. The result then depends on STARVING
 * records, which have to precede each watermark.
 */
bool analysis__needs_starving(const struct analysis *a);

/*
 * Attach: calls `fn` with what messages have shown so far and a later window of the recording
 * needs, as records. 0, or what it returned.
 */
typedef int analysis_fact_fn(void *ctx, const struct record *record);
int analysis__each_fact(const struct analysis *a, analysis_fact_fn *fn, void *ctx);

/*
 * Attach, before analysis__finish(): the latency of the slowest message or call so far, and the
 * receiver of the message or the server of the call; `to` is empty if that is not known. 0: there
 * is none.
 */
uint64_t analysis__slowest(const struct analysis *a, enum unit_kind unit, struct end_summary *to);

/*
 * How many records of that type the analysis has made nothing of, as none of its parts knows them.
 */
uint64_t analysis__left_out(const struct analysis *a, unsigned int type);

/* At the last watermark: messages and calls that are not complete yet began at or after this. */
uint64_t analysis__horizon_ns(const struct analysis *a);

/*
 * Valid after analysis__finish(), until analysis__free(). Before, it has the counts and latencies
 * of the messages and calls so far.
 */
const struct summary *analysis__summary(const struct analysis *a);

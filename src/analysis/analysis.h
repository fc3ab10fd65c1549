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

#include "model/call.h"
#include "model/spans.h"
#include "model/stack_names.h"
#include "model/summary.h"
#include "model/unit.h"

/*
 * What the caller wants. Zero-initialised: a summary, and nothing else. What a function returns is
 * returned by analysis__record() unless it is 0.
 */
struct analysis_request {
	void *ctx; /* of all functions */

	message_fn *on_message; /* gets each complete message after the warm-up */
	/*
	 * The same, but as soon as the message is built: its round is not known, and `dispatch` of
	 * an attach neither.
	 */
	message_fn *on_built;
	call_fn *on_call; /* attach: gets each call that is complete */
	/*
	 * The same, but as soon as an answer of the call has come: whether it was the last part of
	 * the answer is not known before the next request.
	 */
	call_fn *on_answered;

	/*
	 * Messages have no blame, unless their units need causes. The summary of a run is left
	 * empty, and that of an attach has calls, rounds, and how many messages were matched.
	 */
	bool has_no_statistics;

	bool has_units;      /* messages have their unit (struct message) */
	enum unit_kind kind; /* units of this kind ... */
	unit_fn *on_unit;    /* ... go to this function, each after its message */
	bool has_causes;     /* units have causes, which cost time */
	/*
	 * Only units that are under way in these spans need causes, which takes less time. The
	 * others have none, or too few. Borrowed; NULL: all need them.
	 */
	const struct spans *causes_within;
	/* Without causes: units have only their times and whether they are ambiguous. */
	bool has_no_identities;
	/*
	 * Gets what each traced thread did, and messages that need causes have their waits (struct
	 * unit). Each stretch of time comes once, when all of it is known, and before the messages
	 * that were received in it. With units only.
	 */
	thread_moments_fn *on_moments;
};

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

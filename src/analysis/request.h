/* SPDX-License-Identifier: BSD-2-Clause */
/* Defines what the caller of an analysis says once, before the first record. */
#pragma once

#include "model/call.h"
#include "model/spans.h"
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

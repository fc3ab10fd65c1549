/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A thread handles a message until it waits for further ones: in a receive call, or in a call that
 * watches channels. Other sleeps are part of the handling.
 */
#include "analysis/causes/handled.h"

#include "container/step_limit.h"
#include "analysis/history/thread_state.h"

/* So many changes are looked at. */
#define CHANGES_LOOKED_AT 256

/* Whether the thread waits for messages from this change on. */
static bool waits_for_messages(struct cutter *cutter, uint32_t tid, const struct change *change)
{
	enum thread_state state = state_after(change, false);
	uint32_t channel;

	if (state == STATE_POLLING)
		return true;
	return state == STATE_ASLEEP &&
	       receive_calls__at(cutter->history->calls, tid, change->at_ns, &channel);
}

bool handles_until(struct cutter *cutter, uint32_t tid, const struct thread_event *received,
		   uint64_t at_ns)
{
	struct timeline line = timelines__of(cutter->history->timelines, tid);
	size_t i = timeline_find(&line, at_ns), left = CHANGES_LOOKED_AT;

	for (; i && line.change[i - 1].at_ns > received->at_ns; i--) {
		if (!left-- || !step_limit_spend(1) ||
		    waits_for_messages(cutter, tid, &line.change[i - 1]))
			return false;
	}
	return true;
}

int handled_add(struct cutter *cutter, uint32_t tid, struct thread_event *received)
{
	struct thread_events events = thread_log__of(cutter->received, tid);
	const struct thread_event *last = events.cnt ? &events.event[events.cnt - 1] : NULL;

	received->since_ns = received->at_ns;
	if (last && last->other == received->other &&
	    handles_until(cutter, tid, last, received->at_ns))
		received->since_ns = last->since_ns;
	return thread_log__add(cutter->received, tid, received);
}

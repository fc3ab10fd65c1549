/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Looks for what ended a sleep among the recorded wakeups, among those within the process, and
 * among the messages that the thread received next.
 */
#include "analysis/causes/wakeups.h"

#include "container/step_limit.h"
#include "analysis/history/thread_state.h"

/* A wakeup between two threads of one process. */
static bool find_within(struct cutter *cutter, uint32_t tid, const struct change *began,
			const struct change *ended, struct wakeup *wakeup)
{
	struct thread_events woken = thread_log__of(cutter->woken, tid);
	size_t cnt = thread_events_until(&woken, ended->at_ns);

	if (!cnt || woken.event[cnt - 1].at_ns < began->at_ns)
		return false;
	*wakeup = (struct wakeup){.tid = woken.event[cnt - 1].other,
				  .at_ns = woken.event[cnt - 1].at_ns};
	return true;
}

/* Whether the thread slept in order to receive something. */
static bool waited_for_message(struct cutter *cutter, uint32_t tid, const struct change *began)
{
	enum thread_state state = state_after(began, false);
	uint32_t channel;

	return state == STATE_POLLING || state == STATE_WOKEN ||
	       receive_calls__at(cutter->history->calls, tid, began->at_ns, &channel);
}

/*
 *	sleeps                  woken            receives
 *	  |     sent   queued     |                 |
 *
 * The first message that a thread receives after its sleep ended it, if it came meanwhile.
 */
static bool find_message(struct cutter *cutter, uint32_t tid, const struct change *began,
			 const struct change *ended, struct wakeup *wakeup)
{
	struct thread_events received = thread_log__of(cutter->received, tid);
	size_t cnt = thread_events_until(&received, ended->at_ns);
	const struct thread_event *message;
	struct timeline line;

	if (cnt == received.cnt)
		return false;
	message = &received.event[cnt];
	if (message->sent_ns > ended->at_ns || message->queued_ns <= began->at_ns ||
	    !waited_for_message(cutter, tid, began))
		return false;
	line = timelines__of(cutter->history->timelines, tid);
	if (timeline_slept(&line, ended->at_ns, message->at_ns))
		return false;
	*wakeup = (struct wakeup){.tid = message->other, .at_ns = message->queued_ns};
	return true;
}

/* A message knows its sender, of which an interrupt on the way knows nothing. */
bool wakeup_find(struct cutter *cutter, uint32_t tid, const struct change *began,
		 const struct change *ended, struct wakeup *wakeup)
{
	struct waker waker;
	bool is_recorded = wakers__find(cutter->history->wakers, tid, ended->at_ns, &waker);
	bool is_thread = is_recorded && waker.kind == SLICE_TASK;

	if (is_thread && !waker.is_unsure && waker.tid) {
		*wakeup = (struct wakeup){.tid = waker.tid, .at_ns = waker.at_ns};
		return true;
	}
	if (find_message(cutter, tid, began, ended, wakeup) ||
	    find_within(cutter, tid, began, ended, wakeup))
		return true;
	if (!is_recorded || is_thread)
		return false;
	*wakeup = (struct wakeup){
		.tid = waker.tid,
		.at_ns = waker.at_ns,
		.from_interrupt = true,
		.kind = waker.kind,
		.number = waker.number,
	};
	return true;
}

struct blame wakeup_culprit(struct cutter *cutter, const struct wakeup *wakeup)
{
	const struct cpu_share interrupt = {
		.kind = wakeup->kind, .id = wakeup->number, .seen_ns = wakeup->at_ns};

	if (!wakeup->from_interrupt || wakeup->number == WAKER_NUMBER_NONE)
		return thread_culprit(cutter, wakeup->tid, wakeup->at_ns);
	return blame_of_share(cutter->names, &cutter->roles, &interrupt);
}

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Looks for what ended a sleep among the wakeups within the process, and among the messages that
 * the thread received next.
 */
#include "analysis/causes/wakeups.h"

#include "analysis/container/step_limit.h"
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
	const struct thread_event *message = &received.event[cnt];
	struct timeline line;

	if (cnt == received.cnt || message->sent_ns > ended->at_ns ||
	    message->queued_ns <= began->at_ns || !waited_for_message(cutter, tid, began))
		return false;
	line = timelines__of(cutter->history->timelines, tid);
	if (timeline_slept(&line, ended->at_ns, message->at_ns))
		return false;
	*wakeup = (struct wakeup){.tid = message->other, .at_ns = message->queued_ns};
	return true;
}

bool wakeup_find(struct cutter *cutter, uint32_t tid, const struct change *began,
		 const struct change *ended, struct wakeup *wakeup)
{
	return find_within(cutter, tid, began, ended, wakeup) ||
	       find_message(cutter, tid, began, ended, wakeup);
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* Looks for requests that each of two threads has sent to the other, and waits with. */
#include "analysis/causes/circles.h"

#include "analysis/causes/thread_cut.h"
#include "analysis/history/timeline.h"
#include "container/step_limit.h"

/* So many messages are looked at. */
#define MESSAGES_LOOKED_AT 64

/* Threads in one circle. */
#define CIRCLE_MAX 4

bool waits_for_messages(struct cutter *cutter, uint32_t tid, const struct change *change)
{
	enum thread_state state = state_after(change, false);
	uint32_t channel;

	if (state == STATE_POLLING)
		return true;
	return state == STATE_ASLEEP &&
	       history_call_at(cutter->history, tid, change->at_ns, &channel);
}

/* The change that put the thread into the sleep in which it is at `at_ns`; NULL: it is in none. */
static const struct change *sleep_at(struct cutter *cutter, uint32_t tid, uint64_t at_ns)
{
	struct timeline line = timelines__of(cutter->history->timelines, tid);
	size_t i = timeline_find(&line, at_ns);

	return i && state_is_asleep(state_after(&line.change[i - 1], false)) ? &line.change[i - 1]
									     : NULL;
}

/*
 * The thread that has to answer a request that waits on a new connection, maybe until that is
 * accepted; 0: not known. The request is all that `tid` has sent since it connected:
 *
 *	connect() exit |    sent   sent | asleep, for the answer
 *	               |--- one channel ---|
 */
static uint32_t asked_on_connection(struct cutter *cutter, uint32_t tid,
				    const struct thread_events *sent, size_t cnt)
{
	struct acceptors *acceptors = deep_events__acceptors(cutter->history->deep);
	const struct thread_event *last = &sent->event[cnt - 1];
	uint64_t connected_ns = acceptors_connected(acceptors, tid, last->at_ns);

	if (!cutter->shows_interrupts || !connected_ns)
		return 0;
	for (size_t i = cnt; i && cnt - i < MESSAGES_LOOKED_AT && step_limit_spend(1); i--) {
		const struct thread_event *one = &sent->event[i - 1];

		if ((one->at_ns >= connected_ns) != (one->channel == last->channel))
			return 0;
	}
	return acceptors_asked(acceptors, tid, last->at_ns);
}

/*
 * The thread that has to answer what `tid` has sent last, if that is a request; 0: it has answered,
 * or it is not known. Without that, what was sent may want no answer.
 */
static uint32_t asked_last(struct cutter *cutter, uint32_t tid, uint64_t at_ns,
			   struct thread_event *request)
{
	struct thread_events sent = thread_log_of(&cutter->sent, tid);
	struct thread_events received = thread_log_of(&cutter->received, tid);
	size_t cnt = thread_events_until(&sent, at_ns), i, left = MESSAGES_LOOKED_AT;
	uint32_t reader;

	if (!cnt)
		return 0;
	*request = sent.event[cnt - 1];
	reader = cutter->asks_on(cutter->ctx, request->channel)
			 ? cutter->reader_of(cutter->ctx, request->channel)
			 : asked_on_connection(cutter, tid, &sent, cnt);
	if (!reader)
		return 0;
	for (i = thread_events_until(&received, at_ns);
	     i && received.event[i - 1].at_ns > request->at_ns; i--) {
		if (!left-- || !step_limit_spend(1) || received.event[i - 1].other == reader)
			return 0;
	}
	return reader;
}

/* Whether it lies at its receiver still. */
static bool is_unread(struct cutter *cutter, uint32_t reader, const struct thread_event *request,
		      uint64_t at_ns)
{
	struct thread_events received = thread_log_of(&cutter->received, reader);
	size_t left = MESSAGES_LOOKED_AT;

	for (size_t i = thread_events_until(&received, at_ns);
	     i && received.event[i - 1].at_ns > request->at_ns; i--) {
		const struct thread_event *one = &received.event[i - 1];

		if (!left-- || !step_limit_spend(1) ||
		    (one->channel == request->channel && one->sent_ns >= request->at_ns))
			return false;
	}
	return true;
}

/* The process of a thread with a name is recorded where it has another number; 0: not known. */
static uint32_t process_of(struct cutter *cutter, uint32_t tid, uint64_t at_ns)
{
	struct blame thread = thread_culprit(cutter, tid, at_ns);

	return thread.comm[0] ? thread.pid ?: tid : 0;
}

static bool are_two_processes(struct cutter *cutter, uint32_t one, uint32_t other, uint64_t at_ns)
{
	uint32_t of_one = process_of(cutter, one, at_ns);
	uint32_t of_other = process_of(cutter, other, at_ns);

	return of_one && of_other && of_one != of_other;
}

/*
 * The thread for which another one waits at this instant: for an answer, or asleep until it wakes
 * that thread, as for a lock. 0: it does not wait, or that is not known. A thread of one process
 * may sleep until it has work, and another one of that process wakes it: only those of two
 * processes count then. `*is_stuck` is set if it is certain that nothing else ends the wait.
 */
static uint32_t waits_for(struct cutter *cutter, uint32_t tid, uint64_t at_ns, bool *is_stuck)
{
	const struct change *sleep = sleep_at(cutter, tid, at_ns);
	struct thread_event request;
	uint32_t other;

	if (!sleep)
		return 0;
	if (waits_for_messages(cutter, tid, sleep)) {
		other = asked_last(cutter, tid, at_ns, &request);
		*is_stuck |= other && is_unread(cutter, other, &request, at_ns);
		return other;
	}
	other = sleep_ended_by(cutter, tid, at_ns);
	if (!other || !are_two_processes(cutter, other, tid, at_ns))
		return 0;
	*is_stuck = true;
	return other;
}

/*
 * Whether the wait of `other` leads back to thread `tid`, which has asked it. One of the requests
 * in a circle is not received: a thread that waits for an answer receives none.
 */
static bool leads_back(struct cutter *cutter, uint32_t other, uint32_t tid, uint64_t at_ns,
		       bool is_stuck)
{
	for (int i = 0; other && i < CIRCLE_MAX; i++) {
		other = waits_for(cutter, other, at_ns, &is_stuck);
		if (other == tid)
			return is_stuck;
	}
	return false;
}

bool circles_close(struct cutter *cutter, uint32_t tid, const struct piece *piece,
		   struct piece *circle)
{
	struct thread_event request;
	uint32_t other;
	bool is_stuck;

	if (piece->reason != REASON_TIMEOUT && piece->reason != REASON_TIMEOUT_DATA)
		return false;
	if (!piece->is_for_data)
		return false;
	other = asked_last(cutter, tid, piece->from_ns, &request);
	if (!other)
		return false;
	is_stuck = is_unread(cutter, other, &request, piece->to_ns - 1);
	if (other == tid ? !is_stuck : !leads_back(cutter, other, tid, piece->to_ns - 1, is_stuck))
		return false;
	*circle = *piece;
	circle->reason = other == tid ? REASON_CIRCLE_SELF : REASON_CIRCLE_CALL;
	if (other != tid) {
		circle->role = CAUSE_KEPT;
		circle->by = thread_culprit(cutter, other, piece->to_ns);
	}
	return true;
}

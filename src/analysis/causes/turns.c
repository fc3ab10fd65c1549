/* SPDX-License-Identifier: BSD-2-Clause */
/* Counts the calls that a thread answers before a message, and looks for threads that sleep. */
#include "analysis/causes/turns.h"

#include "analysis/causes/span_causes.h"
#include "analysis/history/stretches.h"
#include "container/step_limit.h"
#include "model/record_decode.h"

#include <string.h>

/* Calls of others that are open at once, and messages before the wait that may belong to them. */
#define OPEN_MAX    256
#define BEFORE_MAX  64
#define ANSWERS_MAX 4096

/* Connections that are looked at. */
#define RUN_MAX 256

/* Requests that the thread has received, and not answered yet. */
struct open_calls {
	struct {
		uint32_t client;
		uint32_t channel;
	} call[OPEN_MAX];
	uint32_t cnt;
};

/* Further parts of a request are no request. */
static void open_calls_add(struct open_calls *open, const struct thread_event *received)
{
	step_limit_spend(STEPS_OF_MESSAGE);
	for (uint32_t i = 0; i < open->cnt; i++) {
		if (open->call[i].client == received->other &&
		    open->call[i].channel == received->channel)
			return;
	}
	if (open->cnt == OPEN_MAX)
		return;
	open->call[open->cnt].client = received->other;
	open->call[open->cnt++].channel = received->channel;
}

/* Whether there was one. Further parts of an answer answer nothing. */
static bool open_calls_take(struct open_calls *open, uint32_t client)
{
	step_limit_spend(STEPS_OF_MESSAGE);
	for (uint32_t i = 0; i < open->cnt; i++) {
		if (open->call[i].client != client)
			continue;
		open->cnt--;
		memmove(&open->call[i], &open->call[i + 1],
			(open->cnt - i) * sizeof(open->call[0]));
		return true;
	}
	return false;
}

/*
 *	  queued                                          received
 *	A    |  answer A    B   answer B    C   answer C     |
 *
 * Three calls came before.
 */
static uint32_t answered_before(struct cutter *cutter, const struct message *message)
{
	uint32_t tid = message->receiver.tid, cnt = 0;
	struct thread_events received = thread_log_of(&cutter->received, tid);
	struct thread_events sent = thread_log_of(&cutter->sent, tid);
	size_t from = thread_events_until(&received, message->queued_ns);
	size_t next = from > BEFORE_MAX ? from - BEFORE_MAX : 0, answer;
	struct open_calls open;

	if (next == received.cnt)
		return 0;
	open.cnt = 0;
	answer = thread_events_until(&sent, received.event[next].at_ns);
	for (size_t left = ANSWERS_MAX; answer < sent.cnt && left; answer++, left--) {
		const struct thread_event *one = &sent.event[answer];

		if (one->at_ns >= message->recv_ns)
			break;
		while (next < received.cnt && received.event[next].at_ns <= one->at_ns)
			open_calls_add(&open, &received.event[next++]);
		cnt += open_calls_take(&open, cutter->reader_of(cutter->ctx, one->channel)) &&
		       one->at_ns > message->queued_ns;
	}
	return cnt;
}

/* Whether the thread was kept from receiving by something else in this time. */
static bool is_kept(struct cutter *cutter, const struct message *message,
		    const struct segment *segment)
{
	uint32_t tid = message->receiver.tid;
	struct thread_events received = thread_log_of(&cutter->received, tid);
	size_t cnt;

	if (segment->component == COMPONENT_BUSY)
		return true;
	if (segment->component != COMPONENT_BLOCKED)
		return false;
	cnt = thread_events_until(&received, segment->from_ns);
	return cnt && handles_until(cutter, tid, &received.event[cnt - 1], segment->from_ns);
}

/* The listener of all connections of the thread, as far as is known; 0: there are several. */
static uint64_t listener_of_thread(struct acceptors *acceptors, const struct message *message)
{
	bool is_unix = message->transport == TRANSPORT_UDS_STREAM ||
		       message->transport == TRANSPORT_UDS_SEQPACKET;
	bool is_tcp = message->transport == TRANSPORT_TCP || message->transport == TRANSPORT_TCP6;
	struct events events = acceptors_until(acceptors, message->receiver.tid, message->recv_ns);
	const struct acceptance *acceptance = events.event;
	uint64_t listener = 0;

	for (size_t i = 0; i < events.cnt && i < RUN_MAX && step_limit_spend(1); i++) {
		const struct acceptance *one = &acceptance[events.cnt - 1 - i];

		if (one->is_unix != is_unix)
			continue;
		if (listener && one->listener != listener)
			return 0;
		listener = one->listener;
	}
	return is_unix || is_tcp ? listener : 0;
}

/* Connections that the thread accepted last, without a message in between. */
static uint32_t accepted_at_once(struct cutter *cutter, struct acceptors *acceptors,
				 const struct message *message)
{
	uint32_t tid = message->receiver.tid;
	struct events events = acceptors_until(acceptors, tid, message->recv_ns);
	struct thread_events received = thread_log_of(&cutter->received, tid);
	const struct acceptance *acceptance = events.event;
	uint32_t cnt = 0;
	size_t before = 0;

	for (size_t i = events.cnt; i && cnt < RUN_MAX && step_limit_spend(STEPS_OF_MESSAGE); i--) {
		size_t has = thread_events_until(&received, acceptance[i - 1].exit_ns);

		if (cnt && has != before)
			break;
		before = has;
		cnt++;
	}
	return cnt;
}

/* For how long of a time the thread sleeps and waits for connections of this listener. */
static uint64_t waits_ns(struct cutter *cutter, struct acceptors *acceptors, uint32_t tid,
			 uint64_t listener, const struct segment *segment)
{
	struct timeline line = timelines__of(cutter->history->timelines, tid);
	struct stretch_walk walk = stretch_walk(&line, segment->from_ns, segment->to_ns);
	struct stretch stretch;
	uint64_t ns = 0;

	while (stretch_next(&walk, &stretch)) {
		step_limit_spend(STEPS_OF_CHANGE);
		if ((stretch.state == STATE_ASLEEP || stretch.state == STATE_POLLING) &&
		    acceptors_waits(acceptors, tid, stretch.from_ns, listener,
				    stretch.state == STATE_POLLING, change_syscall(stretch.began)))
			ns += stretch.to_ns - stretch.from_ns;
	}
	return ns;
}

/* Adds a thread that accepts from the listener: the one that slept longest is named. */
static void turn_add_other(struct cutter *cutter, const struct message *message, uint32_t tid,
			   uint64_t ns, struct unit_turn *turn)
{
	turn->others += ns && ns >= turn->waited_ns - ns;
	if (ns <= turn->other_ns)
		return;
	turn->other_ns = ns;
	turn->other = thread_culprit(cutter, tid, message->recv_ns);
}

static void find_others(struct cutter *cutter, struct acceptors *acceptors,
			const struct message *message, struct unit_turn *turn)
{
	uint64_t listener = listener_of_thread(acceptors, message);
	uint32_t cnt = 0;
	const uint32_t *tid = listener ? acceptors_of(acceptors, listener, &cnt) : NULL;

	for (uint32_t i = 0; i < cnt; i++) {
		uint64_t ns = 0;

		for (uint32_t k = 0; tid[i] != message->receiver.tid && k < message->segment_cnt;
		     k++) {
			if (is_kept(cutter, message, &message->segment[k]))
				ns += waits_ns(cutter, acceptors, tid[i], listener,
					       &message->segment[k]);
		}
		turn_add_other(cutter, message, tid[i], ns, turn);
	}
}

struct unit_turn turn_of(struct cutter *cutter, const struct message *message, bool is_first)
{
	struct acceptors *acceptors = deep_events__acceptors(cutter->history->deep);
	struct unit_turn turn = {0};

	for (uint32_t i = 0; i < message->segment_cnt && step_limit_spend(1); i++) {
		if (is_kept(cutter, message, &message->segment[i]))
			turn.waited_ns += message->segment[i].to_ns - message->segment[i].from_ns;
	}
	if (!turn.waited_ns)
		return turn;
	turn.before = answered_before(cutter, message);
	if (is_first)
		turn.accepted = accepted_at_once(cutter, acceptors, message);
	find_others(cutter, acceptors, message, &turn);
	return turn;
}

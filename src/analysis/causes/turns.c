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

/* What a thread may wait for that could have got the message. */
struct alternative {
	enum turn_share share;
	uint64_t listener; /* SOCKET, PORT */
	uint64_t epoll;    /* EPOLL, PORT: 0: not known */
};

/* Whether the thread, which sleeps from `at_ns` on, waits for this. */
static bool turn_waits_for(struct acceptors *acceptors, uint32_t tid, const struct stretch *stretch,
			   const struct alternative *what)
{
	bool polls = stretch->state == STATE_POLLING;
	uint64_t at_ns = stretch->from_ns;

	if (polls && what->epoll && acceptors_sleeps_in(acceptors, tid, at_ns, what->epoll))
		return true;
	return what->listener && acceptors_waits(acceptors, tid, at_ns, what->listener, polls,
						 change_syscall(stretch->began));
}

/* For how long of this time the thread sleeps and waits for that. */
static uint64_t waits_ns(struct cutter *cutter, uint32_t tid, const struct alternative *what,
			 uint64_t from_ns, uint64_t to_ns)
{
	struct acceptors *acceptors = deep_events__acceptors(cutter->history->deep);
	struct timeline line = timelines__of(cutter->history->timelines, tid);
	struct stretch_walk walk = stretch_walk(&line, from_ns, to_ns);
	struct stretch stretch;
	uint64_t ns = 0;

	while (stretch_next(&walk, &stretch)) {
		step_limit_spend(STEPS_OF_CHANGE);
		if ((stretch.state == STATE_ASLEEP || stretch.state == STATE_POLLING) &&
		    turn_waits_for(acceptors, tid, &stretch, what))
			ns += stretch.to_ns - stretch.from_ns;
	}
	return ns;
}

/*
 * The same, less the times in which the receiver handles an earlier message of this channel. An
 * epoll may keep what comes meanwhile from others (EPOLLONESHOT).
 *
 *	 from                    to
 *	  | B  |  this  |  B  |  C |    received last
 *	  |<-->|        |<-------->|    counts
 */
static uint64_t waits_behind_others_ns(struct cutter *cutter, const struct message *message,
				       uint32_t tid, const struct alternative *what,
				       const struct segment *segment)
{
	struct thread_events received = thread_log_of(&cutter->received, message->receiver.tid);
	size_t next = thread_events_until(&received, segment->from_ns);
	uint64_t from_ns = segment->from_ns, ns = 0;

	while (from_ns < segment->to_ns && step_limit_spend(STEPS_OF_MESSAGE)) {
		uint64_t to_ns = segment->to_ns;

		if (next < received.cnt && received.event[next].at_ns < to_ns)
			to_ns = received.event[next].at_ns;
		if (next && received.event[next - 1].channel != message->channel)
			ns += waits_ns(cutter, tid, what, from_ns, to_ns);
		from_ns = to_ns;
		next++;
	}
	return ns;
}

/* Adds a thread: the one that slept longest is named. */
static void turn_add_other(struct cutter *cutter, const struct message *message, uint32_t tid,
			   const struct alternative *what, struct unit_turn *turn)
{
	uint64_t ns = 0;

	for (uint32_t i = 0; tid != message->receiver.tid && i < message->segment_cnt; i++) {
		const struct segment *segment = &message->segment[i];

		if (!is_kept(cutter, message, segment))
			continue;
		ns += what->share == SHARE_EPOLL
			      ? waits_behind_others_ns(cutter, message, tid, what, segment)
			      : waits_ns(cutter, tid, what, segment->from_ns, segment->to_ns);
	}
	turn->others += ns && ns >= turn->waited_ns - ns;
	if (ns <= turn->other_ns)
		return;
	turn->share = what->share;
	turn->other_ns = ns;
	turn->other = thread_culprit(cutter, tid, message->recv_ns);
}

/* Threads that listen on the port of the receiver, each once. */
struct beside {
	uint32_t tid[ACCEPTORS_MAX];
	uint32_t cnt;
};

static bool beside_add(struct beside *beside, uint32_t tid)
{
	for (uint32_t i = 0; i < beside->cnt && step_limit_spend(1); i++) {
		if (beside->tid[i] == tid)
			return false;
	}
	if (beside->cnt == ACCEPTORS_MAX)
		return false;
	beside->tid[beside->cnt++] = tid;
	return true;
}

/* Threads of the same program that have other sockets on the port of the listener. */
static void find_beside(struct cutter *cutter, struct acceptors *acceptors,
			const struct message *message, uint64_t listener, struct unit_turn *turn)
{
	uint32_t receiver = message->receiver.tid;
	const struct port_listener *port = NULL;
	struct beside beside = {.cnt = 0};

	while ((port = acceptors_beside(acceptors, listener, port))) {
		const struct alternative what = {SHARE_PORT, port->id, port->epoll};
		uint32_t accepting, polling;
		const uint32_t *accepts = acceptors_of(acceptors, port->id, &accepting);
		const uint32_t *polls = acceptors_in_epoll(acceptors, port->epoll, &polling);

		for (uint32_t i = 0; i < accepting + polling; i++) {
			uint32_t tid = i < accepting ? accepts[i] : polls[i - accepting];

			if (acceptors_are_one_program(acceptors, receiver, tid) &&
			    beside_add(&beside, tid))
				turn_add_other(cutter, message, tid, &what, turn);
		}
	}
}

static void find_others(struct cutter *cutter, struct acceptors *acceptors,
			const struct message *message, struct unit_turn *turn)
{
	struct alternative what = {
		.share = SHARE_EPOLL,
		.epoll = acceptors_epoll_of(acceptors, message->channel, message->recv_ns),
	};
	uint64_t socket;
	uint32_t cnt = 0;
	const uint32_t *tid = acceptors_in_epoll(acceptors, what.epoll, &cnt);

	/* All threads in an epoll get what comes there, whichever accepted the connection. */
	if (cnt <= 1) {
		what.share = SHARE_SOCKET;
		what.epoll = 0;
		what.listener = listener_of_thread(acceptors, message);
		tid = acceptors_of(acceptors, what.listener, &cnt);
	}
	for (uint32_t i = 0; i < cnt; i++)
		turn_add_other(cutter, message, tid[i], &what, turn);
	socket =
		what.listener ?: acceptors_socket_of(acceptors, message->channel, message->recv_ns);
	if (what.share == SHARE_SOCKET && socket && !turn->other_ns)
		find_beside(cutter, acceptors, message, socket, turn);
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

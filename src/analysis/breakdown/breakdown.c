/* SPDX-License-Identifier: BSD-2-Clause */
/* A component ends when the message reaches its next step, or the receiver's state changes. */
#include "analysis/breakdown/breakdown.h"

#include "analysis/history/timeline.h"
#include "container/step_limit.h"
#include "model/blocked_calls.h"

#include <string.h>

/* A time in which the receiver stays in one state. The part before `from_ns` has been cut. */
struct stretch {
	enum thread_state state;
	uint64_t since_ns;
	uint64_t from_ns;
	uint16_t cpu; /* as in struct segment */
};

static int incomplete(enum incomplete reason)
{
	return -(1 + (int)reason);
}

static uint16_t cpu_after(const struct change *change)
{
	if (state_is_asleep(state_after(change, true)))
		return change_syscall(change);
	return change->kind == CHANGE_THROTTLE ? SEGMENT_CPU_THROTTLED : change->cpu;
}

static int breakdown_add_segment(struct breakdown *breakdown, enum component component,
				 uint64_t from_ns, uint64_t to_ns, uint16_t cpu)
{
	if (from_ns == to_ns)
		return 0;
	if (breakdown->segment_cnt == BREAKDOWN_SEGMENTS_MAX)
		return incomplete(INCOMPLETE_OVERFLOW);
	breakdown->segment[breakdown->segment_cnt++] = (struct segment){
		.from_ns = from_ns, .to_ns = to_ns, .component = component, .cpu = cpu};
	breakdown->component_ns[component] += to_ns - from_ns;
	return 0;
}

/*
 * A sleep is a wait for this channel if it began before the message was queued, and in the receive
 * call of this message or of an earlier message of the same socket:
 *
 *	receive call of message 1                    of message 2
 *	|---- asleep ----|----------|                |----------|
 *	           1 and 2 queued
 *
 * A sleep in a call that watches many channels (poll, epoll) counts too: a receiver that goes on to
 * receive here watched this channel, unless its send found it `unwatched`.
 * Any other sleep is for something else, except the short one until a wakeup is complete. A thread
 * that is stopped waits for nothing.
 */
static bool sleeps_on_channel(const struct breakdown_input *in, const struct stretch *sleep)
{
	bool polls = sleep->state == STATE_POLLING;

	if (sleep->state == STATE_WOKEN)
		return true;
	if (sleep->since_ns >= in->queued_ns || (polls && in->unwatched) ||
	    sleep->cpu == CALL_STOPPED)
		return false;
	return polls || sleep->since_ns >= in->enter_ns ||
	       (in->was_receiving && in->was_receiving(in->ctx, sleep->since_ns));
}

/* The instant in [from_ns, to_ns] at which the receive call of this message begins. */
static uint64_t call_began(const struct breakdown_input *in, uint64_t from_ns, uint64_t to_ns)
{
	if (in->hides_calls || in->enter_ns < from_ns)
		return from_ns;
	return in->enter_ns > to_ns ? to_ns : in->enter_ns;
}

/* Cuts the rest of the stretch, which ends at `to_ns`. */
static int cut_stretch(const struct breakdown_input *in, struct breakdown *breakdown,
		       const struct stretch *stretch, uint64_t to_ns)
{
	uint64_t from_ns = stretch->from_ns, call_ns;
	uint16_t cpu = stretch->cpu;
	int err;

	switch (stretch->state) {
	case STATE_ASLEEP:
	case STATE_POLLING:
	case STATE_WOKEN:
		return breakdown_add_segment(breakdown,
					     sleeps_on_channel(in, stretch) ? COMPONENT_WAKEUP
									    : COMPONENT_BLOCKED,
					     from_ns, to_ns, cpu);
	case STATE_RUNNABLE:
		return breakdown_add_segment(breakdown, COMPONENT_RUNQUEUE, from_ns, to_ns, cpu);
	case STATE_SWITCHING:
		return breakdown_add_segment(breakdown, COMPONENT_SWITCH, from_ns, to_ns, cpu);
	case STATE_RUNNING:
		call_ns = call_began(in, from_ns, to_ns);
		err = breakdown_add_segment(breakdown, COMPONENT_BUSY, from_ns, call_ns, cpu);
		return err ? err
			   : breakdown_add_segment(breakdown, COMPONENT_RECEIVE, call_ns, to_ns,
						   cpu);
	default:
		return incomplete(INCOMPLETE_HISTORY);
	}
}

static enum path breakdown_path_of(const struct breakdown_input *in, const struct stretch *stretch)
{
	switch (stretch->state) {
	case STATE_ASLEEP:
	case STATE_POLLING:
	case STATE_WOKEN:
		return sleeps_on_channel(in, stretch) ? PATH_SLEPT : PATH_BLOCKED;
	case STATE_RUNNABLE:
		return PATH_RUNNABLE;
	default:
		return PATH_RUNNING;
	}
}

/* The last change up to `queued`; -1: none. */
static long change_at_queued(const struct breakdown_input *in)
{
	const struct timeline *line = &in->timeline;
	long i = (long)timeline_find_near(line, in->queued_ns, in->change_end) - 1;

	/* The receiver has no changes yet: these belong to an older thread with the same id. */
	if (!in->change_end)
		return -1;
	/* If `queued` is `recv`, changes of that same instant may belong to the next message. */
	while (i >= 0 && line->change[i].at_ns == in->queued_ns &&
	       line->change[i].index >= in->change_end && step_limit_spend(1))
		i--;
	return i;
}

static struct stretch stretch_after(const struct breakdown_input *in, const struct change *change)
{
	return (struct stretch){
		.state = state_after(change, in->shows_switch),
		.since_ns = change->at_ns,
		.from_ns = change->at_ns,
		.cpu = cpu_after(change),
	};
}

/*
 * What the receiver was doing at `queued`: the state after change `i`, the last one before.
 * `*index` becomes the index of the change that ends this state.
 *
 * A thread whose first change is later was running until then, because tracing a thread begins at
 * its fork or in a syscall of its own. If that first change is the end of a wait for a CPU, another
 * thread's syscall began the tracing, and the thread was runnable. The time before a thread is
 * forked counts as its own.
 */
static struct stretch stretch_at_queued(const struct breakdown_input *in, long i, uint64_t *index)
{
	const struct timeline *line = &in->timeline;
	const struct change *next = i + 1 < (long)line->cnt ? &line->change[i + 1] : NULL;
	/* A new thread has the thread id from this change on, which is in time. */
	bool is_first = next && !next->index && next->at_ns <= in->recv_ns;
	struct stretch stretch = {.state = STATE_RUNNING};

	*index = 0;
	if (i >= 0 && !is_first) {
		stretch = stretch_after(in, &line->change[i]);
		*index = line->change[i].index + 1;
	} else if (in->change_end && is_first &&
		   (next->kind == CHANGE_SWITCH || next->kind == CHANGE_RESUME)) {
		stretch.state = STATE_RUNNABLE;
		stretch.cpu = SEGMENT_CPU_UNKNOWN;
	}
	stretch.from_ns = in->queued_ns;
	return stretch;
}

/* 0 if this change can end the stretch. */
static int check_change(const struct breakdown_input *in, const struct stretch *stretch,
			const struct change *change)
{
	if (!state_can_end(stretch->state, change->kind))
		return incomplete(state_is_asleep(stretch->state) ? INCOMPLETE_NO_WAKEUP
								  : INCOMPLETE_HISTORY);
	if (change->at_ns < stretch->from_ns || change->at_ns > in->recv_ns)
		return incomplete(INCOMPLETE_ORDER);
	return 0;
}

/* This change ends the stretch and begins the next one. */
static int pass_change(const struct breakdown_input *in, struct breakdown *breakdown,
		       struct stretch *stretch, const struct change *change)
{
	int err = check_change(in, stretch, change);

	if (err)
		return err;
	/* The wakeup has begun; the thread still sleeps for the same reason. */
	if (state_is_asleep(stretch->state) && change->kind == CHANGE_WOKEN)
		return 0;
	/* The thread runs on another CPU than it waited for: its migration is not recorded. */
	if (stretch->state == STATE_RUNNABLE && change->kind != CHANGE_MIGRATE &&
	    change->cpu != stretch->cpu && stretch->cpu != SEGMENT_CPU_THROTTLED)
		stretch->cpu = SEGMENT_CPU_UNKNOWN;
	breakdown->unseen_switch |= change->kind == CHANGE_RESUME;
	breakdown->unseen_wakeup |= state_unseen_wakeup(stretch->state, change->kind);
	err = cut_stretch(in, breakdown, stretch, change->at_ns);
	*stretch = stretch_after(in, change);
	return err;
}

/*
 * The receiver's part, from `queued` to `recv`:
 *
 *	queued                                                              recv
 *	  |  asleep   | runnable | switching |        running                 |
 *	  |  wakeup   | runqueue |  switch   | busy (until enter) | receive   |
 *	            WAKE      SWITCH        RUN                 sys_exit
 *
 * A receiver that polls memory before it sleeps (`looks_first`) may look before the message is
 * there and fall asleep after: then the sleep counts from the look.
 */
static int cut_receiver(const struct breakdown_input *in, struct breakdown *breakdown)
{
	const struct timeline *line = &in->timeline;
	long i = change_at_queued(in);
	uint64_t index;
	struct stretch stretch = stretch_at_queued(in, i, &index);
	bool looked_early;
	int err;

	if (index > in->change_end)
		return incomplete(INCOMPLETE_HISTORY);
	breakdown->path = breakdown_path_of(in, &stretch);
	breakdown->found_ns = stretch.since_ns;
	breakdown->found_moved = i >= 0 && line->change[i].kind == CHANGE_MIGRATE;
	looked_early =
		in->looks_first && !state_is_asleep(stretch.state) && in->enter_ns < in->queued_ns;
	for (; index < in->change_end && step_limit_spend(STEPS_OF_CHANGE); index++) {
		if ((size_t)++i >= line->cnt || line->change[i].index != index)
			return incomplete(INCOMPLETE_HISTORY);
		err = pass_change(in, breakdown, &stretch, &line->change[i]);
		if (err)
			return err;
		if (looked_early && state_is_asleep(stretch.state)) {
			stretch.since_ns = in->enter_ns;
			looked_early = false;
		}
	}
	if (stretch.state != STATE_RUNNING)
		return incomplete(INCOMPLETE_HISTORY);
	return cut_stretch(in, breakdown, &stretch, in->recv_ns);
}

/* The end of the sleep that begins with change `i`; before `end_ns`. 0: a change is missing. */
static uint64_t wakeup_after(const struct timeline *line, size_t i, uint64_t end_ns)
{
	for (i++; i < line->cnt && line->change[i].at_ns < end_ns; i++) {
		if (!timeline_follows(line, i))
			return 0;
		if (line->change[i].kind != CHANGE_WOKEN)
			return line->change[i].at_ns;
	}
	return end_ns;
}

/*
 * The sender's part, from `send` to `queued`:
 *
 *	send                                                full       queued
 *	  |  running |  asleep  | runnable |    running      | returned   |
 *	  |       send path   room       send path           |    room    |
 *	           ROOM       WAKE
 *
 * Each sleep for room, and the time from `full` on, belongs to `room`.
 */
static int cut_sender(const struct breakdown_input *in, struct breakdown *breakdown)
{
	const struct timeline *line = &in->sender;
	bool has_full = in->full_ns > in->send_ns && in->full_ns < in->queued_ns;
	uint64_t from_ns = in->send_ns, end_ns = has_full ? in->full_ns : in->queued_ns, awake_ns;
	size_t i = from_ns ? timeline_find(line, from_ns - 1) : 0;
	int err = 0;

	for (; in->shows_room && !err && i < line->cnt && line->change[i].at_ns < end_ns; i++) {
		const struct change *change = &line->change[i];

		if (!step_limit_spend(STEPS_OF_CHANGE) || !timeline_has_room_before(line, i))
			return incomplete(INCOMPLETE_HISTORY);
		if (change->kind != CHANGE_ROOM)
			continue;
		awake_ns = wakeup_after(line, i, end_ns);
		if (!awake_ns)
			return incomplete(INCOMPLETE_HISTORY);
		err = breakdown_add_segment(breakdown, COMPONENT_SEND_PATH, from_ns, change->at_ns,
					    0);
		if (!err)
			err = breakdown_add_segment(breakdown, COMPONENT_ROOM, change->at_ns,
						    awake_ns, 0);
		from_ns = awake_ns;
	}
	if (!err)
		err = breakdown_add_segment(breakdown, COMPONENT_SEND_PATH, from_ns, end_ns, 0);
	return err || !has_full
		       ? err
		       : breakdown_add_segment(breakdown, COMPONENT_ROOM, end_ns, in->queued_ns, 0);
}

static bool breakdown_in_order(const struct breakdown_input *in)
{
	return in->send_ns <= in->queued_ns && in->queued_ns <= in->recv_ns &&
	       in->enter_ns <= in->recv_ns &&
	       (!in->has_stamp || (in->stamp_ns <= in->send_ns && in->recv_ns <= in->user_ns));
}

int breakdown_cut(const struct breakdown_input *in, struct breakdown *breakdown)
{
	int err = 0;

	breakdown->segment_cnt = 0;
	breakdown->unseen_switch = breakdown->unseen_wakeup = false;
	memset(breakdown->component_ns, 0, sizeof(breakdown->component_ns));
	if (!in->queued_ns)
		return incomplete(INCOMPLETE_NO_ARRIVAL);
	if (!breakdown_in_order(in))
		return incomplete(INCOMPLETE_ORDER);

	if (in->has_stamp)
		err = breakdown_add_segment(breakdown, COMPONENT_DISPATCH, in->stamp_ns,
					    in->send_ns, 0);
	if (!err)
		err = cut_sender(in, breakdown);
	if (!err)
		err = cut_receiver(in, breakdown);
	if (!err && in->has_stamp)
		err = breakdown_add_segment(breakdown,
					    in->hides_calls ? COMPONENT_RECEIVE : COMPONENT_RETURN,
					    in->recv_ns, in->user_ns, 0);
	breakdown->latency_ns =
		in->has_stamp ? in->user_ns - in->stamp_ns : in->recv_ns - in->send_ns;
	return err;
}

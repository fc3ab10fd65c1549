/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Finds the baseline of a channel (one direction of a socket, pipe or queue). The baseline, or
 * leftover, is the amount of data that were in the channel when counting began. While no call is
 * under way, the leftover follows from the counters:
 *
 *	waiting = leftover + sent - received		leftover = waiting - sent + received
 *
 * On a busy channel some call may always be under way. The BPF programs then collect bounds:
 *
 * - A receiver reads the counter of sent data first, and then the amount of waiting data. A sender
 *   may have queued data that are not counted yet. The receiver's value is therefore exact or too
 *   high.
 * - With several receivers, the value may also be too low, because another receiver may have
 *   removed data that are not counted yet.
 * - A sender's value is only a hint. With one sender, the hint is exact or too low. With several
 *   senders, the hint may be too high.
 * - With one sender and one receiver, the programs compare the receiver's lowest value with the
 *   highest hint. If the two are equal at more than HINT_RECEIVES receives, the value is the
 *   baseline.
 *
 * In other cases, a receiver's value is the baseline if no other thread was sending or receiving
 * when the value was read. The ends of the calls show later which threads were active:
 *
 *	receiver            | reads |              ... 100 ms ... no thread was sending
 *	one sender  |- queued ---- counted -|      was sending
 *	another     |- asleep, for room ---|- queued ---- counted -|   was not sending yet
 *	another receiver |- receives ---- counted -|   was receiving: the value is too low
 */
#pragma once

#include "base/channel.bpf.h"
#include "timing.h"

#define WAITING_UNKNOWN -1

/* 1 or 0, without a branch: the verifier would walk through all combinations of a queue's. */
static __always_inline u64 is_same(u64 a, u64 b)
{
	u64 difference = a ^ b;

	barrier_var(difference);
	difference |= -difference;
	barrier_var(difference);
	return 1 - (difference >> 63);
}

VERIFIED_ONCE int baseline_emit(struct channel_state *channel, u64 leftover, u32 is_new)
{
	struct record_baseline record = {
		.head = record_head(RECORD_BASELINE, sizeof(record), bpf_get_smp_processor_id(),
				    first_user_tid()),
		.is_new = is_new,
		.leftover = leftover,
	};

	if (!channel)
		return 0;
	record.channel = channel->id;
	channel->baseline.is_known = 1;
	channel->baseline.most = leftover;
	emit(&record, sizeof(record));
	return 0;
}

/*
 * Call this before a send is counted of which a part may have been received without being counted:
 * the send was under way when tracing began, or its reader is not known yet.
 */
static __always_inline void baseline_lower(struct channel_state *channel, u64 part)
{
	__sync_fetch_and_add(&channel->baseline.least, -(s64)part);
}

/* Nothing was in the channel, and all receives from it have been counted. */
static __always_inline void baseline_of_new(struct channel_state *channel)
{
	channel->baseline.found_ns = 0;
	if (!channel->baseline.is_known)
		baseline_emit(channel, 0, true);
}

static __always_inline void baseline_meet(struct channel_state *channel)
{
	if (channel->baseline.least == channel->baseline.most)
		baseline_emit(channel, channel->baseline.least, channel->baseline.is_new);
	else if (channel->baseline.least > channel->baseline.most)
		baseline_emit(channel, BASELINE_UNKNOWN, false);
}

/*
 * After a receive: whether less is in the channel than its baseline says, because a receive was not
 * counted. `sent` was read before what is `waiting` now.
 */
static __always_inline bool baseline_shows_less(const struct channel_state *channel, s64 sent,
						s64 received, s64 waiting)
{
	return channel->baseline.is_known && waiting != WAITING_UNKNOWN &&
	       waiting - sent + received < channel->baseline.most;
}

/* After a send: whether more is in the channel, or was, than was sent. */
static __always_inline bool baseline_shows_more(const struct channel_state *channel, s64 sent,
						s64 received, s64 waiting)
{
	return channel->baseline.is_known && waiting != WAITING_UNKNOWN &&
	       waiting - sent + received > channel->baseline.most;
}

/*
 * Whether no other thread has received from the channel: it might not have counted that yet.
 * `thread` 0: a receiver that counts its message before another can receive the next.
 */
static __always_inline bool baseline_one_reader(struct channel_state *channel, u32 thread)
{
	if (thread && channel->reader_thread && channel->reader_thread != thread)
		channel->baseline.has_readers = 1;
	if (thread)
		channel->reader_thread = thread;
	return !channel->baseline.has_readers;
}

/* The same for senders. */
static __always_inline bool baseline_one_sender(struct channel_state *channel, u32 thread)
{
	if (channel->sender_thread && channel->sender_thread != thread)
		channel->baseline.has_senders = 1;
	channel->sender_thread = thread;
	return !channel->baseline.has_senders;
}

/* Since when the current receive may have changed the channel: not while it waited. */
static __always_inline u64 receive_began(const struct task_state *t)
{
	if (by_syscalls || t->receiving.is_partial || t->sched.resumed_ns < t->syscall.enter_ns)
		return t->syscall.enter_ns;
	return t->sched.resumed_ns;
}

/*
 * Before a receive is counted that may have happened at any instant since `began_ns`. Returns
 * whether the baseline was found while this thread had a message that it had not counted, unlike
 * the thread that found the baseline. Then the baseline is too low.
 */
static __always_inline bool baseline_was_too_low(struct channel_state *channel, u32 thread,
						 u64 began_ns)
{
	return !baseline_one_reader(channel, thread) && channel->baseline.is_known &&
	       began_ns <= channel->baseline.found_ns;
}

/* The same before another than the only sender so far counts a send: the baseline is too high. */
static __always_inline bool baseline_was_too_high(struct channel_state *channel, u32 thread,
						  u64 began_ns)
{
	return !baseline_one_sender(channel, thread) && channel->baseline.is_known &&
	       began_ns <= channel->baseline.found_ns;
}

/*
 * After a send or a receive was counted that may have happened at any instant since `began_ns`: a
 * value found in between is wrong.
 */
static __always_inline void baseline_disturb(struct channel_state *channel, u64 began_ns)
{
	if (channel->baseline.quiet_ns && began_ns <= channel->baseline.quiet_ns)
		channel->baseline.quiet_ns = 0;
}

/* After a send was counted, as above. `received` was read before what is `waiting` now. */
static __always_inline void baseline_from_sender(struct channel_state *channel, u32 thread,
						 u64 began_ns, s64 received, s64 waiting)
{
	s64 leftover = waiting - (s64)channel->sent + received;

	baseline_one_sender(channel, thread);
	baseline_disturb(channel, began_ns);
	if (waiting != WAITING_UNKNOWN && leftover > channel->baseline.hint)
		channel->baseline.hint = leftover;
}

/* A hint is believed after this many further receives. */
#define HINT_RECEIVES 16

/*
 * A receiver has found the lowest value. A sender that counted after the counter was read and
 * before the value was noted does not contradict it, nor does a sender that has queued a part and
 * sleeps: so both are looked for here.
 */
OUT_OF_LINE void baseline_sampled(struct channel_state *channel, s64 sent, s64 received)
{
	/* Loads that follow come later. */
	u64 others_ns = FETCH_ADD(&channel->baseline.quiet_ns, bpf_ktime_get_ns());

	if (others_ns || *(volatile u32 *)&channel->partial_senders ||
	    *(volatile s64 *)&channel->sent != sent ||
	    *(volatile s64 *)&channel->received != received)
		channel->baseline.quiet_ns = 0;
}

static __always_inline bool baseline_was_quiet(const struct channel_state *channel)
{
	return channel->baseline.quiet_ns &&
	       bpf_ktime_get_ns() > channel->baseline.quiet_ns + QUIET_NS;
}

/* The value is below all earlier ones that still count. */
static __always_inline void baseline_found_less(struct channel_state *channel, s64 leftover)
{
	channel->baseline.most = leftover;
	channel->baseline.found_ns = bpf_ktime_get_ns();
	channel->baseline.hint_receives = 0;
	channel->baseline.quiet_ns = 0;
}

/* No lower value will be found. */
static __always_inline void baseline_stands(struct channel_state *channel)
{
	if (channel->baseline.least >= channel->baseline.most)
		baseline_meet(channel);
	else
		baseline_emit(channel, channel->baseline.most, false);
}

/*
 * One reader and one sender, whose values have been equal for a while. With several senders, a
 * message of another might have been waiting all the time.
 */
static __always_inline void baseline_agree(struct channel_state *channel)
{
	if (channel->baseline.hint != channel->baseline.most || channel->baseline.has_senders ||
	    ++channel->baseline.hint_receives <= HINT_RECEIVES)
		return;
	channel->baseline.found_ns = bpf_ktime_get_ns();
	baseline_emit(channel, channel->baseline.most, false);
}

/*
 * With several readers a value may be too high or too low. One value counts at a time, until it is
 * contradicted or has stood long enough.
 */
static __always_inline void baseline_of_readers(struct channel_state *channel, s64 sent,
						s64 received, s64 leftover)
{
	if (baseline_was_quiet(channel)) {
		baseline_stands(channel);
	} else if (!channel->baseline.quiet_ns) {
		baseline_found_less(channel, leftover);
		baseline_sampled(channel, sent, received);
	}
}

/* After a receive was counted, as above. `sent` and `received` were read before `waiting`. */
static __always_inline void baseline_from_receiver(struct channel_state *channel, u32 thread,
						   u64 began_ns, s64 sent, s64 received,
						   s64 waiting)
{
	s64 leftover = waiting - sent + received;

	baseline_disturb(channel, began_ns);
	baseline_one_reader(channel, thread);
	if (channel->baseline.is_known || waiting == WAITING_UNKNOWN ||
	    (s64)READ_LATER(&channel->received) != received)
		return;
	if (channel->baseline.has_readers) {
		baseline_of_readers(channel, sent, received, leftover);
		return;
	}
	if (leftover < channel->baseline.most)
		baseline_found_less(channel, leftover);
	if (channel->baseline.hint > channel->baseline.most)
		channel->baseline.hint = NO_HINT;
	if (channel->baseline.least >= channel->baseline.most || baseline_was_quiet(channel))
		baseline_stands(channel);
	else
		baseline_agree(channel);
	if (!channel->baseline.is_known && !channel->baseline.quiet_ns &&
	    leftover == channel->baseline.most)
		baseline_sampled(channel, sent, received);
}

/*
 * After a send was counted in a channel as young as its sender's socket. It can only contain what
 * this sender sent before it was traced: then more was received than was sent.
 */
static __always_inline void baseline_of_new_socket(struct channel_state *channel)
{
	s64 more = *(volatile s64 *)&channel->received - (s64)channel->sent;

	if (channel->baseline.is_known || !channel->baseline.is_new)
		return;
	/* A message of another sender may have been received without being counted yet. */
	if (more > channel->baseline.least && !channel->baseline.has_senders)
		channel->baseline.least = more;
	if (more > 0)
		channel->baseline.is_new = 0;
	else if (channel->baseline.most > 0)
		channel->baseline.most = channel->baseline.found_ns = 0;
	baseline_meet(channel);
}

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Attach: what was in a channel, and not counted as sent, when its counting began. In a quiet
 * moment
 *
 *	waiting = leftover + sent - received		leftover = waiting - sent + received
 *
 * There may never be one: each end only knows its own counter for certain. But a receiver that
 * reads the other's counter first, and then what waits, can only come out too high: what was sent
 * in between, or before and is not counted yet, waits. A sender that does the same can only come
 * out too low, if it is the only one: what another has put there and not counted yet waits, too. So
 * what senders say is a hint. When the highest of it and the lowest that a receiver has found are
 * the same for a while, and nobody else has sent, it is known. With several receivers the lowest
 * may be too low, too: what another one has taken and not counted yet does not wait.
 *
 * Of several senders a receiver finds it out by itself: the moment at which it found the lowest was
 * quiet, if nobody was sending then. That shows when they are done:
 *
 *	receiver            | looks |               ... 100 ms ... it was quiet
 *	one sender  |- queued ---- counted -|       it was not
 *	another     |- asleep, for room ---|- queued ---- counted -|      it was, as for this one
 *	another receiver |- taken ---- counted -|  it was not, and found too little
 */
#ifndef IPCTRACE_BPF_ATTACH_BASELINE_H
#define IPCTRACE_BPF_ATTACH_BASELINE_H

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
 * Before a send is counted of which something may have been taken that nobody has counted, or will:
 * one that was under way when we came, or whose reader is not known yet.
 */
static __always_inline void baseline_lower(struct channel_state *channel, u64 part)
{
	__sync_fetch_and_add(&channel->baseline.least, -(s64)part);
}

/* Nothing can have been in it, and all that was taken out of it has been counted. */
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
 * A channel of which this was known, after a receive: whether less is in it now, for somebody has
 * taken something that was not counted. `sent` was read before what is `waiting` now.
 */
static __always_inline bool baseline_shows_less(const struct channel_state *channel, s64 sent,
						s64 taken, s64 waiting)
{
	return channel->baseline.is_known && waiting != WAITING_UNKNOWN &&
	       waiting - sent + taken < channel->baseline.most;
}

/* The same after a send: whether more is in it, or was, than was sent. */
static __always_inline bool baseline_shows_more(const struct channel_state *channel, s64 sent,
						s64 received, s64 waiting)
{
	return channel->baseline.is_known && waiting != WAITING_UNKNOWN &&
	       waiting - sent + received > channel->baseline.most;
}

/*
 * Whether no other thread has received from it, which may not have counted that yet. `thread` 0:
 * somebody whose messages are counted before another one can take the next.
 */
static __always_inline bool baseline_one_reader(struct channel_state *channel, u32 thread)
{
	if (thread && channel->reader_thread && channel->reader_thread != thread)
		channel->baseline.has_readers = 1;
	if (thread)
		channel->reader_thread = thread;
	return !channel->baseline.has_readers;
}

/* The same of who sends. */
static __always_inline bool baseline_one_sender(struct channel_state *channel, u32 thread)
{
	if (channel->sender_thread && channel->sender_thread != thread)
		channel->baseline.has_senders = 1;
	channel->sender_thread = thread;
	return !channel->baseline.has_senders;
}

/* Since when the present receive may have taken what is counted only now: not while it waited. */
static __always_inline u64 receive_began(const struct task_state *t)
{
	if (by_syscalls || t->receiving.is_partial || t->sched.resumed_ns < t->syscall.enter_ns)
		return t->syscall.enter_ns;
	return t->sched.resumed_ns;
}

/*
 * Before a receive is counted that may have been done at any instant since `began_ns`: whether the
 * start was found while this one may have had something taken, and not counted it, unlike him who
 * found it. Then it was found too low.
 */
static __always_inline bool baseline_was_too_low(struct channel_state *channel, u32 thread,
						 u64 began_ns)
{
	return !baseline_one_reader(channel, thread) && channel->baseline.is_known &&
	       began_ns <= channel->baseline.found_ns;
}

/* The same before a send is counted, unlike that of the only sender then: it was too high. */
static __always_inline bool baseline_was_too_high(struct channel_state *channel, u32 thread,
						  u64 began_ns)
{
	return !baseline_one_sender(channel, thread) && channel->baseline.is_known &&
	       began_ns <= channel->baseline.found_ns;
}

/*
 * After a send or a receive has been counted that may have been done at any instant since
 * `began_ns`: what somebody found in between, he has found wrong.
 */
static __always_inline void baseline_disturb(struct channel_state *channel, u64 began_ns)
{
	if (channel->baseline.quiet_ns && began_ns <= channel->baseline.quiet_ns)
		channel->baseline.quiet_ns = 0;
}

/* After a send has been counted, as above. `received` was read before what is `waiting` now. */
static __always_inline void baseline_from_sender(struct channel_state *channel, u32 thread,
						 u64 began_ns, s64 received, s64 waiting)
{
	s64 leftover = waiting - (s64)channel->sent + received;

	baseline_one_sender(channel, thread);
	baseline_disturb(channel, began_ns);
	if (waiting != WAITING_UNKNOWN && leftover > channel->baseline.hint)
		channel->baseline.hint = leftover;
}

/* After a receive of such a channel has been counted: a hint has to stand this many of them. */
#define HINT_RECEIVES 16

/*
 * A look has found the lowest. Whoever has counted his send before that was noted, and after the
 * counter was read, does not know of it; nor does who has put a part of one there and sleeps.
 */
OUT_OF_LINE void baseline_sampled(struct channel_state *channel, s64 sent, s64 received)
{
	/* What is read behind it is read later. */
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

/* A look has found less than all before it that still count. */
static __always_inline void baseline_found_less(struct channel_state *channel, s64 leftover)
{
	channel->baseline.most = leftover;
	channel->baseline.found_ns = bpf_ktime_get_ns();
	channel->baseline.hint_receives = 0;
	channel->baseline.quiet_ns = 0;
}

/* No less will be found. */
static __always_inline void baseline_stands(struct channel_state *channel)
{
	if (channel->baseline.least >= channel->baseline.most)
		baseline_meet(channel);
	else
		baseline_emit(channel, channel->baseline.most, false);
}

/*
 * Of a single reader and a single sender, who agree for a while. Another sender's may have waited
 * all the time.
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
 * Of several readers: what one finds may be too high and too low. One look counts at a time, until
 * somebody has disturbed it, or it has stood.
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

/*
 * After a receive has been counted, as above. `sent`, and `received` with it, were read before what
 * is `waiting` now.
 */
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
 * After a send has been counted, of a channel as young as its sender's socket: nothing can have
 * been in it but what this one has sent before he was traced, and then more has come out of it.
 */
static __always_inline void baseline_of_new_socket(struct channel_state *channel)
{
	s64 more = *(volatile s64 *)&channel->received - (s64)channel->sent;

	if (channel->baseline.is_known || !channel->baseline.is_new)
		return;
	/* Another one's may have come out of it, and not be counted yet. */
	if (more > channel->baseline.least && !channel->baseline.has_senders)
		channel->baseline.least = more;
	if (more > 0)
		channel->baseline.is_new = 0;
	else if (channel->baseline.most > 0)
		channel->baseline.most = channel->baseline.found_ns = 0;
	baseline_meet(channel);
}

#endif

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Marks send calls that sleep because a pipe or unix stream has no room. Such a call may queue a
 * part of its data, sleep, and queue the rest. Another thread may send during the sleep. The bytes
 * of this other thread lie between the two parts, but are counted first:
 *
 *	thread 1   |---- send: a part ... asleep ... the rest ----| counted
 *	thread 2                          |- send -| counted
 *
 * The positions (byte offsets) of both sends are then marked as ambiguous. TCP does not need this
 * file, because TCP data have sequence numbers.
 */
#pragma once

#include "attach/baseline.bpf.h"
#include "base/syscalls.bpf.h"

/* A pipe takes up to so many bytes as a whole. */
#define PIPE_BUF 4096

/* Whether this call cannot put a part of its data into a pipe and sleep. */
static __always_inline bool pipe_write_is_atomic(const struct pt_regs *regs)
{
	return call_number(regs) == __NR_write && call_argument(regs, 2) <= PIPE_BUF;
}

/* A unix stream splits what is longer than half of its buffer, which is at least twice this. */
#define UNIX_WHOLE 2048

/* The same for a unix stream. */
static __always_inline bool unix_send_is_atomic(const struct pt_regs *regs)
{
	long number = call_number(regs);

	return (number == __NR_write || number == __NR_sendto) &&
	       call_argument(regs, 2) <= UNIX_WHOLE;
}

/* The thread sleeps in a send on this channel, for the first time in this call. */
static __always_inline void partial_send_begin(struct task_state *t, const struct channel_key *key,
					       struct channel_state *channel)
{
	t->partial_send.key = *key;
	t->partial_send.channel = channel->id + 1;
	t->partial_send.sent_before = *(volatile u64 *)&channel->sent;
	__sync_fetch_and_add(&channel->partial_senders, 1);
	baseline_disturb(channel, t->syscall.enter_ns);
	/* What others have sent since this call began is counted already. */
	if (armed_ns)
		message_beside(t, channel->id);
}

/*
 * Since when the current call may have put something there. Its wait for room does not count,
 * unless a part of the message, or another message of the call, was there already.
 */
static __always_inline u64 send_began(const struct task_state *t,
				      const struct channel_state *channel)
{
	if (by_syscalls || t->partial_send.channel == channel->id + 1 ||
	    t->sched.resumed_ns < t->syscall.enter_ns)
		return t->syscall.enter_ns;
	return t->sched.resumed_ns;
}

/* The call is over. */
OUT_OF_LINE void partial_send_end(struct task_state *t)
{
	struct channel_key key = t->partial_send.key;
	struct channel_state *channel = channel_known(&key);

	/* The channel may have been deleted, and made again. */
	if (channel && channel->id + 1 == t->partial_send.channel)
		__sync_fetch_and_add(&channel->partial_senders, -1);
	t->partial_send.channel = 0;
}

/* Whether a send counted at `position` is SEND_AMBIGUOUS: others sent in the middle of it. */
static __always_inline bool send_is_ambiguous(const struct task_state *t,
					      const struct channel_state *channel, u64 position)
{
	bool slept = t->partial_send.channel == channel->id + 1;

	return channel->partial_senders > slept ||
	       (slept && t->partial_send.sent_before != position);
}

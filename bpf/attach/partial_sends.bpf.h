/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Attach: who sends more than there is room for puts a part of it there, sleeps, and goes on. What
 * others send into the same pipe or unix stream meanwhile gets in between, and is counted first:
 *
 *	thread 1   |---- send: a part ... asleep ... the rest ----| counted
 *	thread 2                          |- send -| counted
 *
 * So it is noted that it sleeps: then neither is certain. TCP needs none of this: its own numbers
 * tell where somebody else's bytes are.
 */
#ifndef IPCTRACE_BPF_ATTACH_PARTIAL_SENDS_H
#define IPCTRACE_BPF_ATTACH_PARTIAL_SENDS_H

#include "attach/baseline.bpf.h"
#include "base/syscalls.bpf.h"

/* What is no longer goes into a pipe as a whole. */
#define PIPE_BUF 4096

/* Whether this call cannot put a part of its data into a pipe and sleep. */
static __always_inline bool pipe_takes_whole(const struct pt_regs *regs)
{
	return call_number(regs) == NR_write && call_argument(regs, 2) <= PIPE_BUF;
}

/* A unix stream splits what is longer than half of its buffer, which is no less than twice this. */
#define UNIX_WHOLE 2048

/* The same for a unix stream. */
static __always_inline bool unix_takes_whole(const struct pt_regs *regs)
{
	long number = call_number(regs);

	return (number == NR_write || number == NR_sendto) && call_argument(regs, 2) <= UNIX_WHOLE;
}

/* Its thread sleeps in a send on this channel, for the first time in this call. */
static __always_inline void part_begins(struct task_state *t, const struct channel_key *key,
					struct channel_state *channel)
{
	t->part_key = *key;
	t->part_channel = channel->id + 1;
	t->part_sent = *(volatile u64 *)&channel->sent;
	__sync_fetch_and_add(&channel->in_parts, 1);
	start_disturb(channel, t->enter_ns);
	/* What others have sent since this call began is counted already. */
	if (armed_ns)
		message_beside(t, channel->id);
}

/*
 * Since when the present call may have put something there: not while it waited for room, but if a
 * part of it was there, or other messages that are counted when the call is over.
 */
static __always_inline u64 send_began(const struct task_state *t,
				      const struct channel_state *channel)
{
	if (by_calls || t->part_channel == channel->id + 1 || t->resumed_ns < t->enter_ns)
		return t->enter_ns;
	return t->resumed_ns;
}

/* The call is over. */
OUT_OF_LINE void part_ends(struct task_state *t)
{
	struct channel_key key = t->part_key;
	struct channel_state *channel = channel_known(&key);

	/* It may have been forgotten, and begun anew. */
	if (channel && channel->id + 1 == t->part_channel)
		__sync_fetch_and_add(&channel->in_parts, -1);
	t->part_channel = 0;
}

/* Whether a send that was counted at `position` is SEND_AMBIGUOUS: others were in the middle. */
static __always_inline bool part_doubt(const struct task_state *t,
				       const struct channel_state *channel, u64 position)
{
	bool slept = t->part_channel == channel->id + 1;

	return channel->in_parts > slept || (slept && t->part_sent != position);
}

#endif

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Attach: messages that are nothing but a wakeup. Their contents are in shared memory.
 *
 * futex: a call of one thread wakes another that sleeps in such a call. A channel is a pair of
 * threads; the waking is the send, and what the sleeper's call returns from is the receive:
 *
 *	sender:   sys_enter → sched_waking(receiver) → sys_exit
 *	receiver: sys_enter ... asleep ... → sys_exit
 *
 * eventfd: a write is a message if the counter was zero before, else it merges with one that waits;
 * a read takes it. A channel is one eventfd.
 */
#ifndef IPCTRACE_EVENTFD_BPF_H
#define IPCTRACE_EVENTFD_BPF_H

#include "address.bpf.h"
#include "handoff.bpf.h"
#include "peer.bpf.h"
#include "start.bpf.h"

#define EVENTFD_BYTES 8

/* "[eventfd]", the name of its file, but for the last letter. */
#define EVENTFD_NAME 0x6466746e6576655bULL

static __always_inline bool is_eventfd(struct file *file)
{
	u64 name = 0;

	bpf_probe_read_kernel(&name, sizeof(name), BPF_CORE_READ(file, f_path.dentry, d_name.name));
	return name == EVENTFD_NAME;
}

static __always_inline struct channel_state *eventfd_channel(struct file *file)
{
	struct channel_key key = {.sender = (u64)BPF_CORE_READ(file, private_data),
				  .receiver = TRANSPORT_EVENTFD};
	struct channel_state *known = channel_known(&key);

	if (known)
		return known;
	channel_make(&key, TRANSPORT_EVENTFD, 0, 0, key.sender);
	known = channel_made(&key);
	if (known && !known->is_started) {
		address_tell_file(known->id, file, 0);
		start_new(known);
	}
	return known;
}

/* After the write: the counter holds no more than this one has put in. */
static __always_inline bool eventfd_was_zero(struct file *file, u64 from_user)
{
	struct eventfd_ctx *ctx = (struct eventfd_ctx *)BPF_CORE_READ(file, private_data);
	u64 value = 0;

	bpf_probe_read_user(&value, sizeof(value), (void *)from_user);
	return BPF_CORE_READ(ctx, count) <= value;
}

static __always_inline void eventfd_used(struct task_state *t, struct pt_regs *regs, bool reads)
{
	struct file *file = file_of(call_argument(regs, 0));
	struct channel_state *channel;

	if (!file || !is_eventfd(file))
		return;
	if (!reads && (!is_counted(t) || !eventfd_was_zero(file, call_argument(regs, 1))))
		return;
	channel = eventfd_channel(file);
	if (!channel)
		return;
	if (reads)
		message_taken(t, channel->id, FETCH_ADD(&channel->received, 1), EVENTFD_BYTES);
	else
		message_sent(t, channel->id, FETCH_ADD(&channel->sent, 1), EVENTFD_BYTES,
			     t->woke_ns && t->woke_ns >= t->enter_ns ? t->woke_ns
								     : bpf_ktime_get_ns());
}

/* A call of a traced thread returns. */
static __always_inline void handoff_exit(struct task_state *t, struct pt_regs *regs, long number,
					 long ret)
{
	if (t->handoff_channel && call_is_futex(number)) {
		/* Its time was over, or a signal came: in the very moment of a wakeup, perhaps. */
		if (ret >= 0)
			message_taken(t, t->handoff_channel - 1, t->handoff_pos, 0);
		t->handoff_channel = 0;
	} else if (ret == EVENTFD_BYTES && !t->told && (number == NR_read || number == NR_write)) {
		eventfd_used(t, regs, number == NR_read);
	}
}

#endif

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Message queues. A channel is a POSIX queue, or one message type of a System V queue; positions
 * are messages, and right as long as there is one sender at a time and all have the same priority.
 * When a message becomes visible: see pipe.bpf.h.
 */
#ifndef IPCTRACE_QUEUE_BPF_H
#define IPCTRACE_QUEUE_BPF_H

#include "peer.bpf.h"
#include "start.bpf.h"

/* So that a System V channel's key is no address. */
#define SYSV_KEY (1ULL << 32)

static __always_inline struct channel_state *queue_channel(struct pt_regs *regs, bool posix)
{
	struct channel_key key = {};
	struct inode *inode;
	struct file *file;

	if (posix) {
		file = file_of(call_argument(regs, 0));
		inode = file ? BPF_CORE_READ(file, f_inode) : NULL;
		if (!inode)
			return NULL;
		key.sender = (u64)inode;
		key.receiver = BPF_CORE_READ(inode, i_ino);
	} else {
		key.sender = SYSV_KEY | (u32)call_argument(regs, 0);
		/* The message's type comes first, for both calls. */
		if (bpf_probe_read_user(&key.receiver, sizeof(key.receiver),
					(void *)call_argument(regs, 1)))
			return NULL;
	}
	if (!channel_known(&key))
		channel_make(&key, posix ? TRANSPORT_MQUEUE : TRANSPORT_SYSV, 0, 0, key.sender);
	return channel_made(&key);
}

/* Messages in it; who waits in a System V queue may wait for messages of any type. */
static __noinline s64 queue_waiting(struct pt_regs *regs, bool posix)
{
	struct mqueue_inode_info *queue;
	struct file *file;

	if (!posix)
		return WAITING_UNKNOWN;
	file = file_of(call_argument(regs, 0));
	queue = (struct mqueue_inode_info *)((u64)BPF_CORE_READ(file, f_inode) -
					     bpf_core_field_offset(struct mqueue_inode_info,
								   vfs_inode));
	return BPF_CORE_READ(queue, attr.mq_curmsgs);
}

static __always_inline void queue_sent(struct task_state *t, struct channel_state *channel,
				       struct pt_regs *regs, bool posix)
{
	u64 received = *(volatile u64 *)&channel->received;
	u64 position = FETCH_ADD(&channel->sent, 1);

	if (!attach || is_counted(t))
		message_sent(t, channel->id, position, call_argument(regs, 2),
			     t->woke_ns && t->woke_ns >= t->enter_ns ? t->woke_ns
								     : bpf_ktime_get_ns());
	if (attach && !channel->is_started)
		start_from_sender(channel, received, queue_waiting(regs, posix));
}

static __always_inline void queue_taken(struct task_state *t, struct channel_state *channel,
					struct pt_regs *regs, bool posix, long ret)
{
	u64 sent = *(volatile u64 *)&channel->sent;

	message_taken(t, channel->id, FETCH_ADD(&channel->received, 1), ret);
	if (attach && !channel->is_started)
		start_from_receiver(channel, sent, queue_waiting(regs, posix));
}

/* A call of a traced thread returns. */
static __always_inline void queue_exit(struct task_state *t, struct pt_regs *regs, long number,
				       long ret)
{
	bool posix = number == NR_mq_timedsend || number == NR_mq_timedreceive;
	bool sends = number == NR_mq_timedsend || number == NR_msgsnd;
	struct channel_state *channel;

	if (ret < 0 || (!posix && !sends && number != NR_msgrcv))
		return;
	channel = queue_channel(regs, posix);
	if (!channel)
		return;
	if (!sends)
		queue_taken(t, channel, regs, posix, ret);
	else if (!attach || is_counted(t) || is_under_way(t))
		queue_sent(t, channel, regs, posix);
}

#endif

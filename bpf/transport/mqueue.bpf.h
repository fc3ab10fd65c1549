/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Traces message queues. A channel is one priority of a POSIX queue, or one message type of a
 * System V queue. The position of a message is the number of earlier messages in its channel.
 * Positions are correct if only one thread sends at a time. pipe.bpf.h says when a message becomes
 * visible to the receiver.
 *
 * In attach mode (tracing of programs that run already), targets are the threads that the user
 * asked to trace. Every thread that uses a queue of a target is traced. A System V queue becomes
 * known only when a target calls msgsnd() or msgrcv().
 */
#pragma once

#include "attach/address.bpf.h"
#include "attach/baseline.bpf.h"
#include "attach/peer.bpf.h"
#include "base/syscalls.bpf.h"
#include "kernel/idr.bpf.h"

/* Counts a part of the list. 1: the end is reached, 0: there is more, -1: the list broke off. */
VERIFIED_ONCE int list_count_on(struct queue_sample *sample)
{
	u64 message;

	if (!sample)
		return -1;
	message = sample->next;
	for (int i = 0; i < QUEUE_SAMPLE_PART && message && message != sample->end; i++) {
		/* The list node is the first member. */
		sample->found +=
			is_same(BPF_CORE_READ((struct msg_msg *)message, m_type), sample->of);
		message = (u64)BPF_CORE_READ((struct list_head *)message, next);
	}
	sample->next = message;
	return !message ? -1 : message == sample->end;
}

/* Number of messages of a type in the list with this head. */
OUT_OF_LINE s64 list_waiting(struct queue_sample *sample, u64 head, u64 type)
{
	int at_end = 0;

	sample->of = type;
	sample->found = 0;
	sample->end = head;
	sample->next = (u64)BPF_CORE_READ((struct list_head *)head, next);
	for (int i = 0; i < QUEUE_SAMPLE_PARTS && !at_end; i++)
		at_end = list_count_on(sample);
	return at_end > 0 ? sample->found : WAITING_UNKNOWN;
}

/* The tree is balanced, and has at most as many priorities as the queue has messages. */
#define POSIX_LEVELS_MAX 16

/* Number of messages of a priority in the queue with this inode. */
OUT_OF_LINE s64 mqueue_posix_waiting(struct queue_sample *sample, u64 inode, s32 priority)
{
	struct mqueue_inode_info *queue = CONTAINER_OF(inode, struct mqueue_inode_info, vfs_inode);
	struct rb_node *node;

	if (!BPF_CORE_READ(queue, attr.mq_curmsgs))
		return 0;
	node = BPF_CORE_READ(queue, msg_tree.rb_node);
	for (int i = 0; i < POSIX_LEVELS_MAX && node; i++) {
		struct posix_msg_tree_node *leaf =
			CONTAINER_OF(node, struct posix_msg_tree_node, rb_node);
		s32 own = BPF_CORE_READ(leaf, priority);

		if (own == priority)
			return list_waiting(sample, (u64)&leaf->msg_list, priority);
		/* The order of msg_insert() in ipc/mqueue.c. */
		node = priority < own ? BPF_CORE_READ(node, rb_left)
				      : BPF_CORE_READ(node, rb_right);
	}
	return node ? WAITING_UNKNOWN : 0;
}

/* Index of the message queues in ipc_namespace's ids. */
#define IPC_MSG_IDS 1

/* The lower bits of a number are an index, the others count the uses of that index. */
#define IPC_INDEX_MASK 0x7fff

/* The address of the queue that a task knows by this number; 0: there is none. */
OUT_OF_LINE u64 mqueue_sysv_find(struct task_struct *task, u32 number)
{
	struct ipc_namespace *ns = BPF_CORE_READ(task, nsproxy, ipc_ns);
	u64 head = (u64)BPF_CORE_READ(ns, ids[IPC_MSG_IDS].ipcs_idr.idr_rt.xa_head);
	u64 entry = idr_entry(head, number & IPC_INDEX_MASK);

	if (!entry || (u32)BPF_CORE_READ((struct msg_queue *)entry, q_perm.id) != number)
		return 0;
	return entry;
}

/* Number of messages of a type in it. */
OUT_OF_LINE s64 mqueue_sysv_waiting(struct queue_sample *sample, u64 queue, u64 type)
{
	struct msg_queue *q = (struct msg_queue *)queue;

	if (!BPF_CORE_READ(q, q_qnum))
		return 0;
	return list_waiting(sample, (u64)&q->q_messages, type);
}

/* Keeps a System V channel's key apart from addresses. */
#define SYSV_KEY     (1ULL << 32)

#define MQUEUE_MAGIC 0x19800202

static __always_inline bool is_mqueue_posix(struct inode *inode)
{
	return BPF_CORE_READ(inode, i_sb, s_magic) == MQUEUE_MAGIC;
}

/* The queue of a call: its address, or in a run the number of a System V queue. 0: none. */
static __always_inline u64 mqueue_of(struct task_struct *task, struct pt_regs *regs, long number)
{
	u32 name = call_argument(regs, 0);
	struct file *file;

	if (call_uses_sysv(number))
		return attach ? mqueue_sysv_find(task, name) : SYSV_KEY | name;
	file = file_of_task(task, name);
	return file ? (u64)BPF_CORE_READ(file, f_inode) : 0;
}

/* The messages of a type are a channel. False: the type cannot be read. */
static __always_inline bool mqueue_key(struct channel_key *key, u64 queue, struct pt_regs *regs,
				       long number)
{
	key->sender = queue;
	if (!call_uses_sysv(number)) {
		key->receiver = BPF_CORE_READ((struct inode *)queue, i_ino);
		return true;
	}
	/* Both calls have the message's type first. */
	return !bpf_probe_read_user(&key->receiver, sizeof(key->receiver),
				    (void *)call_argument(regs, 1));
}

/* Number of messages in it, with this type or priority. */
static __noinline s64 mqueue_waiting(struct task_state *t, const struct channel_key *key,
				     const struct channel_state *channel, bool sysv)
{
	struct mqueue_inode_info *queue;

	if (sysv)
		return mqueue_sysv_waiting(&t->sample, key->sender, key->receiver);
	if (channel->priority)
		return mqueue_posix_waiting(&t->sample, key->sender, channel->priority - 1);
	queue = CONTAINER_OF(key->sender, struct mqueue_inode_info, vfs_inode);
	return BPF_CORE_READ(queue, attr.mq_curmsgs);
}

OUT_OF_LINE void mqueue_emit_address(u32 channel, struct pt_regs *regs, bool sysv)
{
	struct record_address record = {};
	struct file *file;

	if (sysv) {
		address_begin(&record, channel, 0);
		record.named = ADDRESS_IS_QUEUE;
		record.inode = (u32)call_argument(regs, 0);
		emit(&record, sizeof(record));
		return;
	}
	file = file_of(call_argument(regs, 0));
	if (file)
		address_emit_file(channel, file, 0);
}

static __always_inline struct channel_state *mqueue_channel(const struct channel_key *key,
							    struct pt_regs *regs, bool sysv)
{
	struct channel_state *known = channel_known(key);

	if (known)
		return known;
	channel_make(key, sysv ? TRANSPORT_SYSV : TRANSPORT_MQUEUE, 0, 0, key->sender);
	known = channel_made(key);
	if (known && attach)
		mqueue_emit_address(known->id, regs, sysv);
	return known;
}

/* The priority of what the call has sent or received, plus 1; 0: the caller did not ask for it. */
static __always_inline u32 mqueue_priority(struct pt_regs *regs, long number)
{
	u64 argument = call_argument(regs, 3);
	u32 priority = 0;

	if (call_sends(number))
		return argument + 1;
	if (!argument || bpf_probe_read_user(&priority, sizeof(priority), (void *)argument))
		return 0;
	return priority + 1;
}

/*
 * The messages of one priority stay in order, so that each priority is a channel: `queue` is that
 * of the first one. A caller that does not ask for the priority has received from the only channel.
 * If there are several, its channel is not known, and NULL is returned from then on.
 */
OUT_OF_LINE struct channel_state *mqueue_of_priority(struct channel_state *queue,
						     struct channel_key *key, struct pt_regs *regs,
						     long number)
{
	u32 priority = mqueue_priority(regs, number);
	struct channel_state *channel;

	queue->is_out_of_sync |= !priority && queue->has_priorities;
	if (queue->is_out_of_sync)
		return NULL;
	if (!queue->priority)
		queue->priority = priority;
	if (!priority || queue->priority == priority)
		return queue;
	queue->has_priorities = 1;
	key->receiver |= (u64)priority << 32;
	channel = mqueue_channel(key, regs, false);
	if (channel)
		channel->priority = priority;
	return channel;
}

/* A message is queued when its receiver is woken; without a wakeup, at the end of the call. */
static __always_inline void mqueue_emit_send(struct task_state *t, u32 channel, u64 position,
					     u32 bytes)
{
	t->sending.unwatched = attach && !has_woken_watcher(t);
	if (attach && !is_counted(t))
		message_beside(t, channel);
	else
		message_sent(t, channel, position, bytes, visible_ns(t));
}

static __always_inline void mqueue_sent(struct task_state *t, struct channel_state *channel,
					const struct channel_key *key, bool sysv, u32 bytes)
{
	u64 received = *(volatile u64 *)&channel->received;
	u64 position = FETCH_ADD(&channel->sent, 1);

	mqueue_emit_send(t, channel->id, position, bytes);
	if (attach && !channel->baseline.is_known)
		baseline_from_sender(channel, current_key(), t->syscall.enter_ns, received,
				     mqueue_waiting(t, key, channel, sysv));
}

static __always_inline void mqueue_received(struct task_state *t, struct channel_state *channel,
					    const struct channel_key *key, bool sysv, u32 bytes)
{
	u64 sent = *(volatile u64 *)&channel->sent, received;
	u32 thread = current_key();

	message_received(t, channel->id, FETCH_ADD(&channel->received, 1), bytes, 0);
	received = *(volatile u64 *)&channel->received;
	/* Another thread may have got a message in its sleep, and wait for a CPU since then. */
	if (attach && baseline_one_reader(channel, thread) && !channel->baseline.is_known)
		baseline_from_receiver(channel, thread, t->syscall.enter_ns, sent, received,
				       mqueue_waiting(t, key, channel, sysv));
}

/* Attach: a target sleeps in its call when tracing begins. */
static __always_inline void mqueue_waits(struct task_struct *task)
{
	struct pt_regs *regs = task_regs(task);
	long number = call_number(regs);

	if (call_uses_queue(number))
		note_end(mqueue_of(task, regs, number));
}

/* Attach: a thread that uses a queue of a target is traced from now on. NULL: no target's queue. */
OUT_OF_LINE struct task_state *mqueue_peer(struct pt_regs *regs, long number)
{
	if (!armed_ns || !is_end(mqueue_of(current_task(), regs, number)))
		return NULL;
	return call_sends(number) ? trace_sender() : trace_current();
}

/* The message of a sender that waits for room may have been queued in its sleep. */
static __always_inline bool mqueue_baseline_was_wrong(const struct task_state *t,
						      struct channel_state *channel, long number)
{
	u32 thread = current_key();

	return call_sends(number) ? baseline_was_too_high(channel, thread, t->syscall.enter_ns)
				  : baseline_was_too_low(channel, thread, receive_began(t));
}

/* A call on a queue has sent or received. Always 0: the results are in the state. */
VERIFIED_ONCE int mqueue_used(struct task_state *t, long number, long ret)
{
	struct task_struct *task = current_task();
	struct pt_regs *regs = task_regs(task);
	bool sysv = call_uses_sysv(number);
	struct channel_state *channel;
	struct channel_key key;
	u64 queue;

	if (!t)
		return 0;
	queue = mqueue_of(task, regs, number);
	if (!queue || !mqueue_key(&key, queue, regs, number))
		return 0;
	/* A target's queue. Earlier calls of others may be unseen, so counting begins anew. */
	if (attach && !t->is_peer && !is_end(key.sender)) {
		note_end(key.sender);
		bpf_map_delete_elem(&channels, &key);
	}
	channel = mqueue_channel(&key, regs, sysv);
	if (attach && channel && !sysv)
		channel = mqueue_of_priority(channel, &key, regs, number);
	if (attach && channel && mqueue_baseline_was_wrong(t, channel, number)) {
		if (call_sends(number))
			mqueue_emit_send(t, channel->id, POSITION_NONE, call_argument(regs, 2));
		bpf_map_delete_elem(&channels, &key); /* counting begins anew */
		return 0;
	}
	if (!channel)
		return 0;
	if (!call_sends(number))
		mqueue_received(t, channel, &key, sysv, ret);
	else
		mqueue_sent(t, channel, &key, sysv, call_argument(regs, 2));
	return 0;
}

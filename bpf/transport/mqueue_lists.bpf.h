/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Finds System V queues in the kernel's data structures. Counts the messages that wait in POSIX
 * and System V queues.
 */
#pragma once

#include "attach/baseline.bpf.h"
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

/* SPDX-License-Identifier: GPL-2.0 */
/* Attach: System V message queues as the kernel keeps them. They have no file, only a number. */
#pragma once

#include "kernel/idr.bpf.h"
#include "transport/mqueue_lists.bpf.h"

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

/* SPDX-License-Identifier: GPL-2.0 */
/* Attach: lists of messages as System V and POSIX queues keep them. */
#ifndef IPCTRACE_BPF_TRANSPORT_MQUEUE_LISTS_H
#define IPCTRACE_BPF_TRANSPORT_MQUEUE_LISTS_H

#include "attach/baseline.bpf.h"

/* A part of it. 1: that was its end, 0: there is more, -1: it broke off. */
VERIFIED_ONCE int list_count_on(struct queue_sample *look)
{
	u64 message;

	if (!look)
		return -1;
	message = look->next;
	for (int i = 0; i < QUEUE_SAMPLE_PART && message && message != look->end; i++) {
		/* Its place in the list comes first in it. */
		look->found += is_same(BPF_CORE_READ((struct msg_msg *)message, m_type), look->of);
		message = (u64)BPF_CORE_READ((struct list_head *)message, next);
	}
	look->next = message;
	return !message ? -1 : message == look->end;
}

/* Messages of a type in a list, the head of which this is. */
OUT_OF_LINE s64 list_waiting(struct queue_sample *look, u64 head, u64 type)
{
	int at_end = 0;

	look->of = type;
	look->found = 0;
	look->end = head;
	look->next = (u64)BPF_CORE_READ((struct list_head *)head, next);
	for (int i = 0; i < QUEUE_SAMPLE_PARTS && !at_end; i++)
		at_end = list_count_on(look);
	return at_end > 0 ? look->found : WAITING_UNKNOWN;
}

#endif

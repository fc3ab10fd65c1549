/* SPDX-License-Identifier: GPL-2.0 */
/* Attach: counts messages in the lists of System V and POSIX queues. */
#pragma once

#include "attach/baseline.bpf.h"

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

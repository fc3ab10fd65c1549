/* SPDX-License-Identifier: BSD-2-Clause */
#include "model/blocked_calls.h"

#include <stdlib.h>

/* The entry of a call, or the one that has room for it: the last one is for all others. */
static struct wait *entry_of(struct waits *waits, uint16_t call)
{
	struct wait *wait;

	for (uint32_t i = 0; i < waits->cnt; i++) {
		if (waits->wait[i].call == call)
			return &waits->wait[i];
	}
	if (waits->cnt == WAITS_MAX)
		return &waits->wait[WAITS_MAX - 1];
	wait = &waits->wait[waits->cnt++];
	*wait = (struct wait){.call = waits->cnt == WAITS_MAX ? CALL_OTHERS : call};
	return wait;
}

void waits_add(struct waits *waits, uint16_t call, uint64_t ns, uint64_t cnt)
{
	struct wait *wait = entry_of(waits, call);

	wait->ns += ns;
	wait->cnt += cnt;
}

void waits_merge(struct waits *waits, const struct waits *one)
{
	for (uint32_t i = 0; i < one->cnt; i++)
		waits_add(waits, one->wait[i].call, one->wait[i].ns, 1);
}

void waits_of_message(const struct message *message, struct waits *waits)
{
	waits->cnt = 0;
	for (uint32_t i = 0; i < message->segment_cnt; i++) {
		const struct segment *segment = &message->segment[i];

		if (segment->component == COMPONENT_BLOCKED)
			waits_add(waits, segment->cpu, segment->to_ns - segment->from_ns, 1);
	}
}

static int longest_first(const void *a, const void *b)
{
	const struct wait *x = a, *y = b;

	if (x->ns != y->ns)
		return x->ns < y->ns ? 1 : -1;
	return (x->call > y->call) - (x->call < y->call);
}

void waits_sort(struct waits *waits)
{
	qsort(waits->wait, waits->cnt, sizeof(waits->wait[0]), longest_first);
}

uint64_t waits_ns(const struct waits *waits)
{
	uint64_t ns = 0;

	for (uint32_t i = 0; i < waits->cnt; i++)
		ns += waits->wait[i].ns;
	return ns;
}

uint16_t wait_call(const struct change *change)
{
	return change->kind == CHANGE_SLEEP_IN || change->kind == CHANGE_POLL_IN ? change->cpu
										 : CALL_UNKNOWN;
}

/* SPDX-License-Identifier: BSD-2-Clause */
#include "model/blocked_calls.h"

#include <stdlib.h>

/* The entry of a call, or the one that has room for it: the last one is for all others. */
static struct blocked_call *entry_of(struct blocked_calls *waits, uint16_t call)
{
	struct blocked_call *wait;

	for (uint32_t i = 0; i < waits->cnt; i++) {
		if (waits->wait[i].call == call)
			return &waits->wait[i];
	}
	if (waits->cnt == BLOCKED_CALLS_MAX)
		return &waits->wait[BLOCKED_CALLS_MAX - 1];
	wait = &waits->wait[waits->cnt++];
	*wait = (struct blocked_call){.call = waits->cnt == BLOCKED_CALLS_MAX ? CALL_OTHERS : call};
	return wait;
}

void blocked_calls_add(struct blocked_calls *waits, uint16_t call, uint64_t ns, uint64_t cnt)
{
	struct blocked_call *wait = entry_of(waits, call);

	wait->ns += ns;
	wait->cnt += cnt;
}

void blocked_calls_merge(struct blocked_calls *waits, const struct blocked_calls *one)
{
	for (uint32_t i = 0; i < one->cnt; i++)
		blocked_calls_add(waits, one->wait[i].call, one->wait[i].ns, 1);
}

void blocked_calls_of_message(const struct message *message, struct blocked_calls *waits)
{
	waits->cnt = 0;
	for (uint32_t i = 0; i < message->segment_cnt; i++) {
		const struct segment *segment = &message->segment[i];

		if (segment->component == COMPONENT_BLOCKED)
			blocked_calls_add(waits, segment->cpu, segment->to_ns - segment->from_ns,
					  1);
	}
}

static int longest_first(const void *a, const void *b)
{
	const struct blocked_call *x = a, *y = b;

	if (x->ns != y->ns)
		return x->ns < y->ns ? 1 : -1;
	return (x->call > y->call) - (x->call < y->call);
}

void blocked_calls_sort(struct blocked_calls *waits)
{
	qsort(waits->wait, waits->cnt, sizeof(waits->wait[0]), longest_first);
}

uint64_t blocked_calls_ns(const struct blocked_calls *waits)
{
	uint64_t ns = 0;

	for (uint32_t i = 0; i < waits->cnt; i++)
		ns += waits->wait[i].ns;
	return ns;
}

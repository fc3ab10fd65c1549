/* SPDX-License-Identifier: BSD-2-Clause */
/* Adds up the time for which threads were blocked in each system call. */
#include "model/blocked_calls.h"

#include <stdlib.h>

/* Finds or makes the entry of a syscall. The last entry is for all that have none of their own. */
static struct blocked_call *blocked_calls_entry_of(struct blocked_calls *blocked, uint16_t call)
{
	struct blocked_call *entry;

	for (uint32_t i = 0; i < blocked->cnt; i++) {
		if (blocked->entry[i].call == call)
			return &blocked->entry[i];
	}
	if (blocked->cnt == BLOCKED_CALLS_MAX)
		return &blocked->entry[BLOCKED_CALLS_MAX - 1];
	entry = &blocked->entry[blocked->cnt++];
	*entry = (struct blocked_call){.call = blocked->cnt == BLOCKED_CALLS_MAX ? CALL_OTHERS
										 : call};
	return entry;
}

void blocked_calls_add(struct blocked_calls *blocked, uint16_t call, uint64_t ns, uint64_t cnt)
{
	struct blocked_call *entry = blocked_calls_entry_of(blocked, call);

	entry->ns += ns;
	entry->cnt += cnt;
}

void blocked_calls_merge(struct blocked_calls *blocked, const struct blocked_calls *one)
{
	for (uint32_t i = 0; i < one->cnt; i++)
		blocked_calls_add(blocked, one->entry[i].call, one->entry[i].ns, 1);
}

void blocked_calls_of_message(const struct message *message, struct blocked_calls *blocked)
{
	blocked->cnt = 0;
	for (uint32_t i = 0; i < message->segment_cnt; i++) {
		const struct segment *segment = &message->segment[i];

		if (segment->component == COMPONENT_BLOCKED)
			blocked_calls_add(blocked, segment->cpu, segment->to_ns - segment->from_ns,
					  1);
	}
}

static int blocked_calls_longest_first(const void *a, const void *b)
{
	const struct blocked_call *x = a, *y = b;

	if (x->ns != y->ns)
		return x->ns < y->ns ? 1 : -1;
	return (x->call > y->call) - (x->call < y->call);
}

void blocked_calls_sort(struct blocked_calls *blocked)
{
	qsort(blocked->entry, blocked->cnt, sizeof(blocked->entry[0]), blocked_calls_longest_first);
}

bool blocked_calls_is_stopped(const struct blocked_calls *blocked)
{
	return blocked->cnt && blocked->entry[0].call == CALL_STOPPED;
}

uint64_t blocked_calls_ns(const struct blocked_calls *blocked)
{
	uint64_t ns = 0;

	for (uint32_t i = 0; i < blocked->cnt; i++)
		ns += blocked->entry[i].ns;
	return ns;
}

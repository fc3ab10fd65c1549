/* SPDX-License-Identifier: BSD-2-Clause */
/* Appends changes to those of a thread, and drops the oldest ones. */
#include "recording/flight/changes_tail.h"

#include <string.h>

/* Whether the thread that these belong to is younger: the kernel reuses thread ids. */
static int is_of_new_thread(const struct changes_tail *tail, uint64_t first, uint64_t base_ns)
{
	return !first && base_ns > tail->base_ns;
}

void changes_tail_add(struct changes_tail *tail, const uint64_t *change, size_t cnt, uint64_t first,
		      uint64_t base_ns)
{
	uint64_t end = tail->first + tail->cnt;
	size_t kept;

	if (tail->cnt && first < end && !is_of_new_thread(tail, first, base_ns))
		return;
	if (cnt > CHANGES_TAIL_MAX) {
		change += cnt - CHANGES_TAIL_MAX;
		first += cnt - CHANGES_TAIL_MAX;
		cnt = CHANGES_TAIL_MAX;
	}
	if (first != end)
		tail->cnt = 0; /* those in between are lost */
	kept = CHANGES_TAIL_MAX - cnt < tail->cnt ? CHANGES_TAIL_MAX - cnt : tail->cnt;
	memmove(tail->change, tail->change + tail->cnt - kept, kept * sizeof(*change));
	memcpy(tail->change + kept, change, cnt * sizeof(*change));
	tail->first = first - kept;
	tail->cnt = kept + cnt;
	tail->base_ns = base_ns;
}

const struct record *changes_tail_record(const struct changes_tail *tail, uint32_t tid,
					 uint64_t *word)
{
	struct record_changes *changes = (void *)word;

	*changes = (struct record_changes){
		.head = {.type = RECORD_CHANGES,
			 .words = RECORD_WORDS(*changes) + tail->cnt,
			 .tid = tid},
		.base_ns = tail->base_ns,
		.first = tail->first,
	};
	memcpy(changes + 1, tail->change, tail->cnt * sizeof(tail->change[0]));
	return &changes->head;
}

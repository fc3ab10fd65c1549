/* SPDX-License-Identifier: BSD-2-Clause */
#include "core/timeline.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <uthash.h>

struct thread {
	uint32_t tid;
	bool sorted;
	struct change *change;
	size_t cnt;
	size_t capacity;
	UT_hash_handle hh;
};

struct timelines {
	struct thread *thread; /* hash by tid */
};

struct timelines *timelines__new(void)
{
	return calloc(1, sizeof(struct timelines));
}

void timelines__free(struct timelines *lines)
{
	struct thread *thread, *next;

	if (!lines)
		return;
	HASH_ITER (hh, lines->thread, thread, next) {
		HASH_DEL(lines->thread, thread);
		free(thread->change);
		free(thread);
	}
	free(lines);
}

/*
 *	base - 2^46          change                base
 *	    |------------------|---------------------|
 *
 * The change is at the only time in this window whose low bits fit.
 */
struct change change_unpack(uint64_t packed, uint64_t index, uint64_t base_ns)
{
	uint64_t age_ns = (base_ns - packed) & CHANGE_TIME_MASK;

	return (struct change){
		.at_ns = base_ns - age_ns,
		.index = index,
		.cpu = packed >> CHANGE_TIME_BITS & CHANGE_CPU_MASK,
		.kind = packed >> (CHANGE_TIME_BITS + CHANGE_CPU_BITS),
	};
}

static struct thread *thread_of(struct timelines *lines, uint32_t tid, bool make)
{
	struct thread *thread;

	HASH_FIND(hh, lines->thread, &tid, sizeof(tid), thread);
	if (thread || !make)
		return thread;
	thread = calloc(1, sizeof(*thread));
	if (!thread)
		return NULL;
	thread->tid = tid;
	thread->sorted = true;
	HASH_ADD(hh, lines->thread, tid, sizeof(tid), thread);
	return thread;
}

static int compare_changes(const void *a, const void *b)
{
	const struct change *x = a, *y = b;

	return (x->index > y->index) - (x->index < y->index);
}

static void sort(struct thread *thread)
{
	if (!thread->sorted)
		qsort(thread->change, thread->cnt, sizeof(*thread->change), compare_changes);
	thread->sorted = true;
}

static void drop_oldest(struct thread *thread, size_t cnt)
{
	if (!cnt)
		return;
	thread->cnt -= cnt;
	memmove(thread->change, thread->change + cnt, thread->cnt * sizeof(*thread->change));
}

static int reserve(struct thread *thread, size_t cnt)
{
	size_t capacity = thread->capacity ? thread->capacity : 64;
	struct change *change;

	if (thread->cnt + cnt > TIMELINE_CHANGES_MAX) {
		sort(thread);
		drop_oldest(thread, thread->cnt / 2);
	}
	while (capacity < thread->cnt + cnt)
		capacity *= 2;
	if (capacity == thread->capacity)
		return 0;
	change = realloc(thread->change, capacity * sizeof(*change));
	if (!change)
		return -ENOMEM;
	thread->change = change;
	thread->capacity = capacity;
	return 0;
}

int timelines__add(struct timelines *lines, uint32_t tid, const uint64_t *change, size_t cnt,
		   uint64_t first, uint64_t base_ns)
{
	struct thread *thread;

	if (!cnt)
		return 0;
	thread = thread_of(lines, tid, true);
	if (!thread || reserve(thread, cnt))
		return -ENOMEM;
	if (thread->cnt && thread->change[thread->cnt - 1].index > first)
		thread->sorted = false;
	for (size_t i = 0; i < cnt; i++)
		thread->change[thread->cnt++] = change_unpack(change[i], first + i, base_ns);
	return 0;
}

struct timeline timelines__of(struct timelines *lines, uint32_t tid)
{
	struct thread *thread = thread_of(lines, tid, false);

	if (!thread)
		return (struct timeline){0};
	sort(thread);
	return (struct timeline){.change = thread->change, .cnt = thread->cnt};
}

size_t timeline_find(const struct timeline *line, uint64_t at_ns)
{
	size_t low = 0, high = line->cnt;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (line->change[middle].at_ns <= at_ns)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static bool is_sleep(const struct change *change)
{
	return change->kind == CHANGE_SLEEP || change->kind == CHANGE_POLL ||
	       change->kind == CHANGE_WOKEN;
}

uint64_t timeline_awake_ns(const struct timeline *line, uint64_t from_ns, uint64_t until_ns)
{
	size_t end = timeline_find(line, until_ns);

	for (size_t i = end; i && line->change[i - 1].at_ns >= from_ns; i--) {
		if (is_sleep(&line->change[i - 1]))
			return line->change[i < end ? i : i - 1].at_ns;
	}
	return from_ns;
}

void timelines__trim(struct timelines *lines, uint64_t horizon_ns)
{
	struct thread *thread, *next;

	HASH_ITER (hh, lines->thread, thread, next) {
		size_t old = 0;

		sort(thread);
		while (old + 1 < thread->cnt && thread->change[old + 1].at_ns <= horizon_ns)
			old++;
		if (old)
			drop_oldest(thread, old);
	}
}

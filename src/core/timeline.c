/* SPDX-License-Identifier: BSD-2-Clause */
#include "core/timeline.h"

#include "core/recent.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* Changes that one which comes late is put in front of; if there are more, all are sorted anew. */
#define OVERTAKEN_MAX 256

struct thread {
	uint32_t id; /* tid */
	uint32_t used;
	bool sorted;
	bool is_quiet; /* has not changed since it was trimmed */
	struct change *change;
	size_t cnt;
	size_t capacity;
	UT_hash_handle hh;
};

struct timelines {
	struct thread *first; /* hash by id, see recent.h */
	uint32_t clock;
	size_t cnt; /* changes of all threads */
};

struct timelines *timelines__new(void)
{
	return calloc(1, sizeof(struct timelines));
}

static void forget(struct timelines *lines, struct thread *thread)
{
	lines->cnt -= thread->cnt;
	HASH_DEL(lines->first, thread);
	free(thread->change);
	free(thread);
}

void timelines__free(struct timelines *lines)
{
	struct thread *thread, *next;

	if (!lines)
		return;
	HASH_ITER (hh, lines->first, thread, next)
		forget(lines, thread);
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

	HASH_FIND(hh, lines->first, &tid, sizeof(tid), thread);
	if (thread)
		RECENT_USE(lines, thread);
	if (thread || !make)
		return thread;
	if (RECENT_OLDEST(lines, RECENT_THREADS_MAX))
		forget(lines, lines->first);
	thread = calloc(1, sizeof(*thread));
	if (!thread)
		return NULL;
	thread->id = tid;
	thread->sorted = true;
	HASH_ADD(hh, lines->first, id, sizeof(thread->id), thread);
	return thread;
}

/* By time: the number may have been another thread's before, which counted from 0, too. */
static int compare_changes(const void *a, const void *b)
{
	const struct change *x = a, *y = b;

	if (x->at_ns != y->at_ns)
		return x->at_ns > y->at_ns ? 1 : -1;
	return (x->index > y->index) - (x->index < y->index);
}

static void sort(struct thread *thread)
{
	if (!thread->sorted)
		qsort(thread->change, thread->cnt, sizeof(*thread->change), compare_changes);
	thread->sorted = true;
}

static void drop_oldest(struct timelines *lines, struct thread *thread, size_t cnt)
{
	if (!cnt)
		return;
	lines->cnt -= cnt;
	thread->cnt -= cnt;
	memmove(thread->change, thread->change + cnt, thread->cnt * sizeof(*thread->change));
}

static int reserve(struct timelines *lines, struct thread *thread, size_t cnt)
{
	size_t capacity = thread->capacity ? thread->capacity : 16;
	struct change *change;

	if (thread->cnt + cnt > TIMELINE_CHANGES_MAX) {
		sort(thread);
		drop_oldest(lines, thread, thread->cnt / 2);
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

/* Records of one CPU overtake those of another, mostly by a few: not worth to sort them all. */
static void insert(struct thread *thread, struct change change)
{
	size_t at = thread->cnt;

	while (thread->sorted && at && compare_changes(&thread->change[at - 1], &change) > 0) {
		if (thread->cnt - at == OVERTAKEN_MAX)
			thread->sorted = false;
		else
			at--;
	}
	if (!thread->sorted)
		at = thread->cnt;
	memmove(thread->change + at + 1, thread->change + at, (thread->cnt - at) * sizeof(change));
	thread->change[at] = change;
	thread->cnt++;
}

int timelines__add(struct timelines *lines, uint32_t tid, const uint64_t *change, size_t cnt,
		   uint64_t first, uint64_t base_ns)
{
	struct thread *thread;

	if (!cnt)
		return 0;
	thread = thread_of(lines, tid, true);
	if (!thread || reserve(lines, thread, cnt))
		return -ENOMEM;
	for (size_t i = 0; i < cnt; i++)
		insert(thread, change_unpack(change[i], first + i, base_ns));
	lines->cnt += cnt;
	thread->is_quiet = false;
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
	return change->kind == CHANGE_SLEEP || change->kind == CHANGE_SLEEP_IN ||
	       change->kind == CHANGE_POLL || change->kind == CHANGE_POLL_IN ||
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

size_t timelines__cnt(const struct timelines *lines)
{
	return lines->cnt;
}

/* Of the many threads that sleep, and of those that have ended, little is kept. */
static void shrink(struct thread *thread)
{
	struct change *change;

	if (!thread->is_quiet || thread->capacity == thread->cnt)
		return;
	change = realloc(thread->change, thread->cnt * sizeof(*change));
	if (!change)
		return;
	thread->change = change;
	thread->capacity = thread->cnt;
}

void timelines__trim(struct timelines *lines, uint64_t horizon_ns)
{
	struct thread *thread, *next;

	HASH_ITER (hh, lines->first, thread, next) {
		size_t old = 0;

		sort(thread);
		while (old + 1 < thread->cnt && thread->change[old + 1].at_ns <= horizon_ns)
			old++;
		drop_oldest(lines, thread, old);
		shrink(thread);
		thread->is_quiet = true;
	}
}

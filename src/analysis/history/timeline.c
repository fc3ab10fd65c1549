/* SPDX-License-Identifier: BSD-2-Clause */
/* Keeps changes in deques. A very late one leaves its deque unsorted until the next search. */
#include "analysis/history/timeline.h"

#include "container/deque.h"
#include "container/lru_table.h"
#include "container/step_limit.h"
#include "container/time_search.h"
#include "model/blocked_calls.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <utlist.h>

/* A late change is inserted in front of up to this many; beyond, it waits until the thread is
 * read. */
#define OVERTAKEN_MAX 256

struct thread {
	uint32_t id; /* tid */
	uint32_t used;
	bool is_quiet;      /* no change has been added since the last trim */
	size_t mixed;       /* the last changes, from the first one on that is out of order */
	size_t near;        /* the last result of a search: callers go on from there */
	uint64_t room_ns;   /* its first wait for room since its last send; 0: none */
	uint64_t shown_ns;  /* see timelines__each() */
	uint64_t kept_from; /* see struct timeline */
	uint64_t known_ns;  /* the same */
	struct change *change;
	struct deque deque;                   /* of changes */
	struct thread *prev_busy, *next_busy; /* NULL: not in the list */
	UT_hash_handle hh;
};

struct timelines {
	LRU_TABLE(struct thread);
	struct thread *busy; /* list of the threads that can have something to trim */
	size_t cnt;          /* changes of all threads */
	uint64_t room_ns;    /* the last wait for room of any thread; 0: none */
	uint64_t open_ns;
};

struct timelines *timelines__new(void)
{
	return calloc(1, sizeof(struct timelines));
}

static void timeline_forget(struct timelines *lines, struct thread *thread)
{
	lines->cnt -= thread->deque.cnt;
	if (thread->prev_busy)
		DL_DELETE2(lines->busy, thread, prev_busy, next_busy);
	LRU_DELETE(lines, thread);
	deque_free(&thread->deque, &thread->change, sizeof(*thread->change));
	free(thread);
}

void timelines__free(struct timelines *lines)
{
	while (lines && lines->first)
		timeline_forget(lines, lines->first);
	free(lines);
}

/*
 *	base - 2^46          change                base
 *	    |------------------|---------------------|
 *
 * The change is at the only instant of this window whose low bits match.
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

bool change_has_cpu(const struct change *change)
{
	switch (change->kind) {
	case CHANGE_PREEMPT:
	case CHANGE_WAKE:
	case CHANGE_MIGRATE:
	case CHANGE_SWITCH:
	case CHANGE_RUN:
	case CHANGE_RESUME:
		return true;
	default:
		return false;
	}
}

uint16_t change_syscall(const struct change *change)
{
	bool is_known = change->kind == CHANGE_SLEEP_IN || change->kind == CHANGE_POLL_IN ||
			change->kind == CHANGE_ROOM;

	return is_known ? change->cpu : CALL_UNKNOWN;
}

/* By time first: another thread may have had the id before, and its indices begin at 0 too. */
static int compare_changes(const void *a, const void *b)
{
	const struct change *x = a, *y = b;

	if (x->at_ns != y->at_ns)
		return x->at_ns > y->at_ns ? 1 : -1;
	return (x->index > y->index) - (x->index < y->index);
}

static const struct change *oldest_mixed(const struct thread *thread)
{
	const struct change *end = thread->change + thread->deque.cnt;
	const struct change *oldest = end - thread->mixed;

	for (const struct change *change = oldest; change < end; change++) {
		if (compare_changes(change, oldest) < 0)
			oldest = change;
	}
	return oldest;
}

/* How many of the first changes stay where they are. */
static size_t sorted_part(const struct thread *thread)
{
	const struct change *oldest = oldest_mixed(thread);
	size_t low = 0, high = thread->deque.cnt - thread->mixed;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (compare_changes(&thread->change[middle], oldest) > 0)
			high = middle;
		else
			low = middle + 1;
	}
	return low;
}

/*
 * A thread that is read again and again may have very many changes, and late ones each time: only
 * those from the oldest late one on are sorted.
 *
 *	|  stay  |  sorted, but younger  |  mixed  |
 */
static void timeline_sort(struct thread *thread)
{
	size_t from, cnt;

	if (!thread->mixed)
		return;
	if (step_limit_spend(thread->mixed)) {
		from = sorted_part(thread);
		cnt = thread->deque.cnt - from;
		if (step_limit_spend_sort(cnt))
			qsort(thread->change + from, cnt, sizeof(*thread->change), compare_changes);
	}
	thread->mixed = 0;
}

static void timeline_drop_oldest(struct timelines *lines, struct thread *thread, size_t cnt)
{
	lines->cnt -= cnt;
	thread->near -= cnt < thread->near ? cnt : thread->near;
	deque_drop(&thread->deque, &thread->change, cnt, sizeof(*thread->change));
}

static int timeline_reserve(struct timelines *lines, struct thread *thread, size_t cnt)
{
	if (thread->deque.cnt + cnt > TIMELINE_CHANGES_MAX) {
		timeline_sort(thread);
		timeline_drop_oldest(lines, thread, thread->deque.cnt / 2);
	}
	return deque_reserve(&thread->deque, &thread->change, cnt, sizeof(*thread->change));
}

/* Whether so many changes are younger that the late one is only added behind them. */
static bool is_too_late(const struct thread *thread, const struct change *change)
{
	size_t cnt = thread->deque.cnt;

	return cnt > OVERTAKEN_MAX &&
	       compare_changes(&thread->change[cnt - 1 - OVERTAKEN_MAX], change) > 0;
}

/* Records of one CPU overtake those of another by a few: inserting costs less than sorting. */
static void timeline_insert(struct thread *thread, struct change change)
{
	size_t cnt = thread->deque.cnt, at = cnt;

	if (thread->mixed || is_too_late(thread, &change))
		thread->mixed++;
	while (!thread->mixed && at && compare_changes(&thread->change[at - 1], &change) > 0)
		at--;
	step_limit_spend(cnt - at);
	if (at < cnt)
		memmove(thread->change + at + 1, thread->change + at, (cnt - at) * sizeof(change));
	thread->change[at] = change;
	thread->deque.cnt++;
}

static void note_room(struct timelines *lines, struct thread *thread, const struct change *change)
{
	if (change->kind != CHANGE_ROOM)
		return;
	if (!thread->room_ns || change->at_ns < thread->room_ns)
		thread->room_ns = change->at_ns;
	if (change->at_ns > lines->room_ns)
		lines->room_ns = change->at_ns;
}

int timelines__add(struct timelines *lines, uint32_t tid, const uint64_t *change, size_t cnt,
		   uint64_t first, uint64_t base_ns)
{
	struct thread *thread;

	if (!cnt) {
		timelines__known(lines, tid, base_ns);
		return 0;
	}
	LRU_FIND_OR_ADD(lines, tid, thread, LRU_THREADS_MAX, timeline_forget);
	if (!thread || timeline_reserve(lines, thread, cnt))
		return -ENOMEM;
	for (size_t i = 0; i < cnt; i++) {
		struct change unpacked = change_unpack(change[i], first + i, base_ns);

		timeline_insert(thread, unpacked);
		note_room(lines, thread, &unpacked);
	}
	lines->cnt += cnt;
	if (base_ns > thread->known_ns)
		thread->known_ns = base_ns;
	thread->is_quiet = false;
	if (!thread->prev_busy)
		DL_APPEND2(lines->busy, thread, prev_busy, next_busy);
	return 0;
}

void timelines__sent(struct timelines *lines, uint32_t tid)
{
	struct thread *thread = LRU_GET(lines, tid);

	if (thread)
		thread->room_ns = 0;
}

void timelines__known(struct timelines *lines, uint32_t tid, uint64_t at_ns)
{
	struct thread *thread = LRU_GET(lines, tid);

	if (thread && at_ns > thread->known_ns)
		thread->known_ns = at_ns;
}

uint64_t timelines__room_ns(const struct timelines *lines)
{
	return lines->room_ns;
}

void timelines__complete(struct timelines *lines, uint64_t before_ns)
{
	lines->open_ns = before_ns == UINT64_MAX ? 0 : before_ns;
}

static struct timeline line_of(const struct timelines *lines, struct thread *thread)
{
	timeline_sort(thread);
	return (struct timeline){.change = thread->change,
				 .cnt = thread->deque.cnt,
				 .open_ns = lines->open_ns,
				 .kept_from = thread->kept_from,
				 .known_ns = thread->known_ns,
				 .near = &thread->near};
}

struct timeline timelines__of(struct timelines *lines, uint32_t tid)
{
	struct thread *thread = LRU_GET(lines, tid);

	if (!thread)
		return (struct timeline){0};
	LRU_USE(lines, thread);
	return line_of(lines, thread);
}

size_t timeline_find(const struct timeline *line, uint64_t at_ns)
{
	struct time_array changes = TIME_SEARCH(line->change, line->cnt, at_ns);
	size_t near = line->near ? *line->near : time_search_guess(changes, at_ns);
	size_t cnt = time_search_count(changes, at_ns, near);

	if (line->near)
		*line->near = cnt;
	return cnt;
}

/* Where none are lost, indices are consecutive. */
size_t timeline_find_near(const struct timeline *line, uint64_t at_ns, uint64_t index)
{
	size_t near =
		line->cnt && index > line->change[0].index ? index - line->change[0].index : 0;

	return time_search_count(TIME_SEARCH(line->change, line->cnt, at_ns), at_ns, near);
}

static bool is_sleep(const struct change *change)
{
	return change->kind == CHANGE_SLEEP || change->kind == CHANGE_SLEEP_IN ||
	       change->kind == CHANGE_POLL || change->kind == CHANGE_POLL_IN ||
	       change->kind == CHANGE_WOKEN || change->kind == CHANGE_ROOM;
}

uint64_t timeline_awake_ns(const struct timeline *line, uint64_t from_ns, uint64_t until_ns)
{
	/* Callers ask about recent changes: the search begins at the last one. */
	size_t end =
		time_search_count(TIME_SEARCH(line->change, line->cnt, at_ns), until_ns, line->cnt);

	for (size_t i = end; i && line->change[i - 1].at_ns >= from_ns && step_limit_spend(1);
	     i--) {
		if (is_sleep(&line->change[i - 1]))
			return line->change[i < end ? i : i - 1].at_ns;
	}
	return from_ns;
}

static bool fell_asleep(const struct timeline *line, uint64_t from_ns, uint64_t until_ns,
			bool counts_room)
{
	size_t end =
		time_search_count(TIME_SEARCH(line->change, line->cnt, at_ns), until_ns, line->cnt);

	for (size_t i = end; i && line->change[i - 1].at_ns > from_ns && step_limit_spend(1); i--) {
		if (is_sleep(&line->change[i - 1]) &&
		    (counts_room || line->change[i - 1].kind != CHANGE_ROOM))
			return true;
	}
	return false;
}

bool timeline_slept(const struct timeline *line, uint64_t from_ns, uint64_t until_ns)
{
	return fell_asleep(line, from_ns, until_ns, true);
}

bool timeline_waited(const struct timeline *line, uint64_t from_ns, uint64_t until_ns)
{
	return fell_asleep(line, from_ns, until_ns, false);
}

int timelines__each(struct timelines *lines, timeline_fn *fn, void *ctx)
{
	struct thread *thread;
	int err = 0;

	DL_FOREACH2 (lines->busy, thread, next_busy) {
		struct timeline line;

		if (err || !step_limit_spend(STEPS_OF_THREAD))
			break;
		line = line_of(lines, thread);
		err = fn(ctx, thread->id, &line, &thread->shown_ns);
	}
	return err;
}

size_t timelines__cnt(const struct timelines *lines)
{
	return lines->cnt;
}

/* What the thread did in a send call under way is needed when that send has been recorded. */
static uint64_t timeline_horizon_of(const struct thread *thread, uint64_t horizon_ns,
				    uint64_t oldest_ns)
{
	if (!thread->room_ns || thread->room_ns > horizon_ns)
		return horizon_ns;
	return thread->room_ns > oldest_ns ? thread->room_ns - 1 : oldest_ns;
}

/* Drops the changes before change `first`. */
static void drop_before(struct timelines *lines, struct thread *thread, size_t first)
{
	const struct change *change = &thread->change[first];
	bool keeps_room = !thread->room_ns || change->at_ns <= thread->room_ns;

	if (!first)
		return;
	thread->kept_from = keeps_room && change->index == change[-1].index + 1 ? change->index : 0;
	timeline_drop_oldest(lines, thread, first);
}

void timelines__trim(struct timelines *lines, uint64_t horizon_ns, uint64_t oldest_ns)
{
	struct thread *thread, *next;

	DL_FOREACH_SAFE2 (lines->busy, thread, next, next_busy) {
		size_t old;

		if (!step_limit_spend(STEPS_OF_THREAD))
			break;
		timeline_sort(thread);
		old = time_search_count(TIME_SEARCH(thread->change, thread->deque.cnt, at_ns),
					timeline_horizon_of(thread, horizon_ns, oldest_ns), 1);
		if (old)
			drop_before(lines, thread, old - 1);
		/* Little memory is kept for the many threads that sleep or have ended. */
		if (thread->is_quiet)
			deque_shrink(&thread->deque, &thread->change, sizeof(*thread->change));
		else
			deque_fit(&thread->deque, &thread->change, sizeof(*thread->change));
		/* A quiet thread with one change has nothing to trim: it leaves the list. */
		if (thread->is_quiet && thread->deque.cnt <= 1) {
			DL_DELETE2(lines->busy, thread, prev_busy, next_busy);
			thread->prev_busy = thread->next_busy = NULL;
		}
		thread->is_quiet = true;
	}
}

enum thread_state state_after(const struct change *change, bool shows_switch)
{
	switch (change->kind) {
	case CHANGE_SLEEP:
	case CHANGE_SLEEP_IN:
	case CHANGE_ROOM:
		return STATE_ASLEEP;
	case CHANGE_POLL:
	case CHANGE_POLL_IN:
		return STATE_POLLING;
	case CHANGE_WOKEN:
		return STATE_WOKEN;
	case CHANGE_PREEMPT:
	case CHANGE_THROTTLE:
	case CHANGE_WAKE:
	case CHANGE_MIGRATE:
		return STATE_RUNNABLE;
	case CHANGE_SWITCH:
		return shows_switch ? STATE_SWITCHING : STATE_RUNNING;
	case CHANGE_RUN:
	case CHANGE_RESUME:
		return STATE_RUNNING;
	default:
		return STATE_UNKNOWN;
	}
}

bool state_is_asleep(enum thread_state state)
{
	return state == STATE_ASLEEP || state == STATE_POLLING || state == STATE_WOKEN;
}

bool state_unseen_wakeup(enum thread_state state, uint16_t kind)
{
	return state_is_asleep(state) && (kind == CHANGE_SWITCH || kind == CHANGE_RESUME);
}

bool state_can_end(enum thread_state state, uint16_t kind)
{
	switch (kind) {
	case CHANGE_SLEEP:
	case CHANGE_SLEEP_IN:
	case CHANGE_POLL:
	case CHANGE_POLL_IN:
	case CHANGE_ROOM:
	case CHANGE_PREEMPT:
		return state == STATE_RUNNING;
	case CHANGE_WOKEN:
	case CHANGE_THROTTLE:
		return state == STATE_RUNNING || state_is_asleep(state);
	case CHANGE_WAKE:
		return state_is_asleep(state);
	case CHANGE_MIGRATE:
		return state == STATE_RUNNABLE;
	case CHANGE_SWITCH:
	case CHANGE_RESUME:
		return state == STATE_RUNNABLE || state_unseen_wakeup(state, kind);
	case CHANGE_RUN:
		return state == STATE_SWITCHING;
	default:
		return false;
	}
}

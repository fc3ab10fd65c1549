/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Keeps the wakeups of each thread in a deque, in the order of time. A hash table finds the deque
 * of a thread.
 */
#include "analysis/history/wakers.h"

#include "analysis/container/deque.h"
#include "analysis/container/lru_table.h"
#include "analysis/container/step_limit.h"
#include "analysis/container/time_search.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct wakeup {
	uint64_t wake_ns;
	uint64_t at_ns;
	uint32_t tid; /* of the waker's context */
	uint32_t number;
	uint16_t cpu;
	uint8_t flags;
};

struct sleeper {
	uint32_t id; /* tid */
	uint32_t used;
	struct wakeup *wakeup; /* in the deque, by `wake_ns` */
	struct deque deque;
	UT_hash_handle hh;
};

struct wakers {
	LRU_TABLE(struct sleeper);
	size_t cnt; /* wakeups of all threads */
};

struct wakers *wakers__new(void)
{
	return calloc(1, sizeof(struct wakers));
}

static void forget(struct wakers *wakers, struct sleeper *sleeper)
{
	wakers->cnt -= sleeper->deque.cnt;
	LRU_DELETE(wakers, sleeper);
	deque_free(&sleeper->deque, &sleeper->wakeup, sizeof(*sleeper->wakeup));
	free(sleeper);
}

void wakers__free(struct wakers *wakers)
{
	while (wakers && wakers->first)
		forget(wakers, wakers->first);
	free(wakers);
}

static void drop_oldest(struct wakers *wakers, struct sleeper *sleeper, size_t cnt)
{
	wakers->cnt -= cnt;
	deque_drop(&sleeper->deque, &sleeper->wakeup, cnt, sizeof(*sleeper->wakeup));
}

static int reserve(struct wakers *wakers, struct sleeper *sleeper)
{
	if (sleeper->deque.cnt == WAKERS_MAX)
		drop_oldest(wakers, sleeper, sleeper->deque.cnt / 2);
	return deque_reserve(&sleeper->deque, &sleeper->wakeup, 1, sizeof(*sleeper->wakeup));
}

/* How many were woken at or before that instant. `near`: a guess. */
static size_t woken_by(const struct sleeper *sleeper, uint64_t at_ns, size_t near)
{
	return time_search_count(TIME_SEARCH(sleeper->wakeup, sleeper->deque.cnt, wake_ns), at_ns,
				 near);
}

int wakers__add(struct wakers *wakers, const struct record_waker *record)
{
	struct sleeper *sleeper;
	size_t at, later;

	LRU_FIND_OR_ADD(wakers, record->woken, sleeper, LRU_THREADS_MAX, forget);
	if (!sleeper || reserve(wakers, sleeper))
		return -ENOMEM;
	at = woken_by(sleeper, record->wake_ns, sleeper->deque.cnt);
	later = sleeper->deque.cnt - at;
	step_limit_spend(later);
	memmove(sleeper->wakeup + at + 1, sleeper->wakeup + at, later * sizeof(*sleeper->wakeup));
	sleeper->wakeup[at] = (struct wakeup){
		.wake_ns = record->wake_ns,
		.at_ns = record->at_ns,
		.tid = record->head.tid,
		.cpu = record->head.cpu,
		.number = record->number,
		.flags = record->head.flags,
	};
	sleeper->deque.cnt++;
	wakers->cnt++;
	return 0;
}

static enum slice_kind kind_of(uint8_t flags)
{
	if (flags & WAKER_IRQ)
		return SLICE_IRQ;
	return flags & WAKER_SOFTIRQ ? SLICE_SOFTIRQ : SLICE_TASK;
}

bool wakers__find(struct wakers *wakers, uint32_t woken, uint64_t wake_ns, struct waker *waker)
{
	const struct wakeup *wakeup;
	struct sleeper *sleeper;
	struct time_array wakes;
	size_t cnt;

	LRU_FIND(wakers, woken, sleeper);
	if (!sleeper)
		return false;
	LRU_USE(wakers, sleeper);
	wakes = TIME_SEARCH(sleeper->wakeup, sleeper->deque.cnt, wake_ns);
	cnt = woken_by(sleeper, wake_ns, time_search_guess(wakes, wake_ns));
	if (!cnt || sleeper->wakeup[cnt - 1].wake_ns != wake_ns)
		return false;
	wakeup = &sleeper->wakeup[cnt - 1];
	*waker = (struct waker){
		.kind = kind_of(wakeup->flags),
		.from_interrupt = wakeup->flags & (WAKER_IRQ | WAKER_SOFTIRQ),
		.is_unsure = wakeup->flags & WAKER_UNSURE,
		.tid = wakeup->tid,
		.cpu = wakeup->cpu,
		.number = wakeup->number,
		.at_ns = wakeup->at_ns,
	};
	return true;
}

size_t wakers__cnt(const struct wakers *wakers)
{
	return wakers->cnt;
}

/* A thread without wakeups may have ended: its entry goes. */
void wakers__trim(struct wakers *wakers, uint64_t horizon_ns)
{
	struct sleeper *sleeper, *next;

	HASH_ITER (hh, wakers->first, sleeper, next) {
		size_t old = horizon_ns ? woken_by(sleeper, horizon_ns - 1, 0) : 0;

		if (!step_limit_spend(STEPS_OF_THREAD))
			break;
		if (old == sleeper->deque.cnt) {
			forget(wakers, sleeper);
			continue;
		}
		drop_oldest(wakers, sleeper, old);
		deque_fit(&sleeper->deque, &sleeper->wakeup, sizeof(*sleeper->wakeup));
	}
}

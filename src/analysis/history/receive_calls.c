/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Keeps the receive calls of each thread in a deque. A hash table finds the deque of a thread. An
 * unsorted deque is sorted before a search.
 */
#include "analysis/history/receive_calls.h"

#include "container/deque.h"
#include "container/lru_table.h"
#include "container/time_search.h"
#include "container/step_limit.h"

#include <errno.h>
#include <stdlib.h>

struct call {
	uint64_t enter_ns;
	uint64_t exit_ns;
	uint32_t channel;
};

struct caller {
	uint32_t id; /* tid */
	uint32_t used;
	bool is_mixed;     /* the last ones are out of order */
	struct call *call; /* in the deque; the calls of one thread do not overlap */
	struct deque deque;
	UT_hash_handle hh;
};

struct receive_calls {
	LRU_TABLE(struct caller);
	size_t cnt; /* calls of all threads */
};

struct receive_calls *receive_calls__new(void)
{
	return calloc(1, sizeof(struct receive_calls));
}

static void receive_calls_forget(struct receive_calls *calls, struct caller *caller)
{
	calls->cnt -= caller->deque.cnt;
	LRU_DELETE(calls, caller);
	deque_free(&caller->deque, &caller->call, sizeof(*caller->call));
	free(caller);
}

void receive_calls__free(struct receive_calls *calls)
{
	while (calls && calls->first)
		receive_calls_forget(calls, calls->first);
	free(calls);
}

static int compare_calls(const void *a, const void *b)
{
	const struct call *x = a, *y = b;

	return (x->enter_ns > y->enter_ns) - (x->enter_ns < y->enter_ns);
}

static void receive_calls_sort(struct caller *caller)
{
	if (caller->is_mixed && step_limit_spend_sort(caller->deque.cnt))
		qsort(caller->call, caller->deque.cnt, sizeof(*caller->call), compare_calls);
	caller->is_mixed = false;
}

static void receive_calls_drop_oldest(struct receive_calls *calls, struct caller *caller,
				      size_t cnt)
{
	calls->cnt -= cnt;
	deque_drop(&caller->deque, &caller->call, cnt, sizeof(*caller->call));
}

static int receive_calls_reserve(struct receive_calls *calls, struct caller *caller)
{
	if (caller->deque.cnt == RECEIVE_CALLS_MAX) {
		receive_calls_sort(caller);
		receive_calls_drop_oldest(calls, caller, caller->deque.cnt / 2);
	}
	return deque_reserve(&caller->deque, &caller->call, 1, sizeof(*caller->call));
}

int receive_calls__add(struct receive_calls *calls, uint32_t tid, uint32_t channel,
		       uint64_t enter_ns, uint64_t exit_ns)
{
	struct caller *caller;

	LRU_FIND_OR_ADD(calls, tid, caller, LRU_THREADS_MAX, receive_calls_forget);
	if (!caller || receive_calls_reserve(calls, caller))
		return -ENOMEM;
	if (caller->deque.cnt && caller->call[caller->deque.cnt - 1].enter_ns > enter_ns)
		caller->is_mixed = true;
	caller->call[caller->deque.cnt++] =
		(struct call){.enter_ns = enter_ns, .exit_ns = exit_ns, .channel = channel};
	calls->cnt++;
	return 0;
}

/* How many calls were entered at or before that instant; the caller is sorted. */
static size_t entered_by(const struct caller *caller, uint64_t at_ns)
{
	struct time_array calls = TIME_SEARCH(caller->call, caller->deque.cnt, enter_ns);

	return time_search_count(calls, at_ns, time_search_guess(calls, at_ns));
}

bool receive_calls__at(struct receive_calls *calls, uint32_t tid, uint64_t at_ns, uint32_t *channel)
{
	struct caller *caller;
	size_t cnt;

	LRU_FIND(calls, tid, caller);
	if (!caller)
		return false;
	LRU_USE(calls, caller);
	receive_calls_sort(caller);
	cnt = entered_by(caller, at_ns);
	if (!cnt || caller->call[cnt - 1].exit_ns <= at_ns)
		return false;
	*channel = caller->call[cnt - 1].channel;
	return true;
}

size_t receive_calls__cnt(const struct receive_calls *calls)
{
	return calls->cnt;
}

/* A thread without calls may have ended: its entry goes. */
void receive_calls__trim(struct receive_calls *calls, uint64_t horizon_ns)
{
	struct caller *caller, *next;

	HASH_ITER (hh, calls->first, caller, next) {
		size_t old = 0;

		if (!step_limit_spend(STEPS_OF_CALLER))
			break;
		receive_calls_sort(caller);
		while (old < caller->deque.cnt && caller->call[old].exit_ns < horizon_ns)
			old++;
		if (old == caller->deque.cnt) {
			receive_calls_forget(calls, caller);
			continue;
		}
		receive_calls_drop_oldest(calls, caller, old);
		deque_fit(&caller->deque, &caller->call, sizeof(*caller->call));
	}
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* Keeps the events of each thread in a deque. */
#include "analysis/causes/thread_log.h"

#include "container/deque.h"
#include "container/lru_table.h"
#include "container/step_limit.h"
#include "container/time_search.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct thread {
	uint32_t id; /* tid */
	uint32_t used;
	size_t near;                /* the last result of a search: callers go on from there */
	struct thread_event *event; /* in the deque */
	struct deque deque;
	UT_hash_handle hh;
};

struct thread_log {
	LRU_TABLE(struct thread);
	size_t cnt; /* of all threads */
};

struct thread_log *thread_log__new(void)
{
	return calloc(1, sizeof(struct thread_log));
}

static void thread_log_forget(struct thread_log *log, struct thread *thread)
{
	log->cnt -= thread->deque.cnt;
	LRU_DELETE(log, thread);
	deque_free(&thread->deque, &thread->event, sizeof(*thread->event));
	free(thread);
}

void thread_log__free(struct thread_log *log)
{
	while (log && log->first)
		thread_log_forget(log, log->first);
	free(log);
}

static void thread_log_drop_oldest(struct thread_log *log, struct thread *thread, size_t cnt)
{
	log->cnt -= cnt;
	thread->near -= cnt < thread->near ? cnt : thread->near;
	deque_drop(&thread->deque, &thread->event, cnt, sizeof(*thread->event));
}

int thread_log__add(struct thread_log *log, uint32_t tid, const struct thread_event *event)
{
	struct thread *thread;
	size_t at;

	LRU_FIND_OR_ADD(log, tid, thread, LRU_THREADS_MAX, thread_log_forget);
	if (!thread)
		return -ENOMEM;
	if (log->cnt >= THREAD_LOG_MAX)
		thread_log_drop_oldest(log, thread, (thread->deque.cnt + 1) / 2);
	if (deque_reserve(&thread->deque, &thread->event, 1, sizeof(*event)))
		return -ENOMEM;
	at = thread->deque.cnt++;
	for (; at && thread->event[at - 1].at_ns > event->at_ns && step_limit_spend(1); at--)
		thread->event[at] = thread->event[at - 1];
	thread->event[at] = *event;
	log->cnt++;
	return 0;
}

struct thread_events thread_log__of(struct thread_log *log, uint32_t tid)
{
	struct thread *thread;

	LRU_FIND(log, tid, thread);
	if (!thread)
		return (struct thread_events){0};
	LRU_USE(log, thread);
	return (struct thread_events){
		.event = thread->event, .cnt = thread->deque.cnt, .near = &thread->near};
}

size_t thread_events_until(const struct thread_events *events, uint64_t at_ns)
{
	size_t cnt = time_search_count(TIME_SEARCH(events->event, events->cnt, at_ns), at_ns,
				       events->near ? *events->near : 0);

	if (events->near)
		*events->near = cnt;
	return cnt;
}

/* A thread without recent events may have ended: its entry goes. */
void thread_log__trim(struct thread_log *log, uint64_t horizon_ns)
{
	struct thread *thread, *next;

	HASH_ITER (hh, log->first, thread, next) {
		const struct thread_events events = {.event = thread->event,
						     .cnt = thread->deque.cnt};
		size_t old = thread_events_until(&events, horizon_ns);

		if (!step_limit_spend(STEPS_OF_THREAD))
			break;
		if (old <= 1)
			continue;
		thread_log_drop_oldest(log, thread, old - 1);
		deque_fit(&thread->deque, &thread->event, sizeof(*thread->event));
	}
}

/* SPDX-License-Identifier: BSD-2-Clause */
#include "core/threads.h"

#include "core/recent.h"

#include <errno.h>
#include <stdlib.h>

struct traced_thread {
	uint32_t id; /* tid */
	uint32_t used;
	uint32_t pid;
	bool is_peer;
	uint64_t since_ns;
	UT_hash_handle hh;
};

struct threads {
	struct traced_thread *first; /* hash by id, see recent.h */
	uint32_t clock;
};

struct threads *threads__new(void)
{
	return calloc(1, sizeof(struct threads));
}

static void forget(struct threads *threads, struct traced_thread *thread)
{
	HASH_DEL(threads->first, thread);
	free(thread);
}

void threads__free(struct threads *threads)
{
	struct traced_thread *thread, *next;

	if (!threads)
		return;
	HASH_ITER (hh, threads->first, thread, next)
		forget(threads, thread);
	free(threads);
}

static struct traced_thread *find(const struct threads *threads, uint32_t tid)
{
	struct traced_thread *thread;

	HASH_FIND(hh, threads->first, &tid, sizeof(tid), thread);
	return thread;
}

static struct traced_thread *find_or_make(struct threads *threads, uint32_t tid)
{
	struct traced_thread *thread = find(threads, tid);

	if (thread) {
		RECENT_USE(threads, thread);
		return thread;
	}
	if (RECENT_OLDEST(threads, RECENT_THREADS_MAX))
		forget(threads, threads->first);
	thread = calloc(1, sizeof(*thread));
	if (!thread)
		return NULL;
	thread->id = tid;
	HASH_ADD(hh, threads->first, id, sizeof(thread->id), thread);
	return thread;
}

int threads__add(struct threads *threads, const struct record_thread *record)
{
	struct traced_thread *thread = find_or_make(threads, record->head.tid);

	if (!thread)
		return -ENOMEM;
	if (record->since_ns < thread->since_ns)
		return 0;
	thread->since_ns = record->since_ns;
	thread->pid = record->pid;
	thread->is_peer = record->is_peer;
	return 0;
}

void threads__use(struct threads *threads, uint32_t tid)
{
	struct traced_thread *thread = find(threads, tid);

	if (thread)
		RECENT_USE(threads, thread);
}

uint32_t threads__pid(const struct threads *threads, uint32_t tid)
{
	const struct traced_thread *thread = find(threads, tid);

	return thread ? thread->pid : 0;
}

bool threads__is_target(const struct threads *threads, uint32_t tid)
{
	const struct traced_thread *thread = find(threads, tid);

	return thread && !thread->is_peer;
}

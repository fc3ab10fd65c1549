/* SPDX-License-Identifier: BSD-2-Clause */
#include "core/threads.h"

#include <errno.h>
#include <stdlib.h>
#include <uthash.h>

struct traced_thread {
	uint32_t tid;
	uint32_t pid;
	bool is_peer;
	uint64_t since_ns;
	UT_hash_handle hh;
};

struct threads {
	struct traced_thread *thread; /* hash by tid */
};

struct threads *threads__new(void)
{
	return calloc(1, sizeof(struct threads));
}

void threads__free(struct threads *threads)
{
	struct traced_thread *thread, *next;

	if (!threads)
		return;
	HASH_ITER (hh, threads->thread, thread, next) {
		HASH_DEL(threads->thread, thread);
		free(thread);
	}
	free(threads);
}

static struct traced_thread *find(const struct threads *threads, uint32_t tid)
{
	struct traced_thread *thread;

	HASH_FIND(hh, threads->thread, &tid, sizeof(tid), thread);
	return thread;
}

int threads__add(struct threads *threads, const struct record_thread *record)
{
	struct traced_thread *thread = find(threads, record->head.tid);

	if (!thread) {
		thread = calloc(1, sizeof(*thread));
		if (!thread)
			return -ENOMEM;
		thread->tid = record->head.tid;
		HASH_ADD(hh, threads->thread, tid, sizeof(thread->tid), thread);
	}
	if (record->since_ns < thread->since_ns)
		return 0;
	thread->since_ns = record->since_ns;
	thread->pid = record->pid;
	thread->is_peer = record->is_peer;
	return 0;
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

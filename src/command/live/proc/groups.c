/* SPDX-License-Identifier: BSD-2-Clause */
/* Keeps the threads that were throttled, and when their groups were read last. */
#include "command/live/proc/groups.h"

#include "bpf/record.h"
#include "model/record_decode.h"
#include "util/cgroup.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <uthash.h>

/* The first ones are forgotten then. */
#define THREADS_MAX 4096

/* A drain must not last. */
#define READS_MAX 64

/* A thread may move to another group, and its number may become another thread's. */
#define READ_AGAIN_NS 1000000000ULL

struct throttled {
	uint32_t tid;
	uint64_t read_ns; /* 0: never */
	struct throttled *next_due;
	bool is_due;
	UT_hash_handle hh;
};

struct groups {
	struct throttled *throttled; /* hash by tid */
	struct throttled *first_due;
	const char *root;
	struct cgroup_place place;
	bool has_place;
};

struct groups *groups__new(const char *root)
{
	struct groups *groups = calloc(1, sizeof(*groups));

	if (!groups)
		return NULL;
	groups->root = root;
	groups->has_place = cgroup_find_cpu(root, &groups->place);
	return groups;
}

void groups__free(struct groups *groups)
{
	struct throttled *thread, *next;

	if (!groups)
		return;
	HASH_ITER (hh, groups->throttled, thread, next) {
		HASH_DEL(groups->throttled, thread);
		free(thread);
	}
	free(groups);
}

static bool has_throttle(const uint64_t *change, size_t cnt)
{
	for (size_t i = 0; i < cnt; i++) {
		if (change[i] >> (CHANGE_TIME_BITS + CHANGE_CPU_BITS) == CHANGE_THROTTLE)
			return true;
	}
	return false;
}

/* False: the first one is still to be read. */
static bool groups_forget_first(struct groups *groups)
{
	struct throttled *first = groups->throttled;

	if (first->is_due)
		return false;
	HASH_DEL(groups->throttled, first);
	free(first);
	return true;
}

static struct throttled *groups_find_or_make(struct groups *groups, uint32_t tid)
{
	struct throttled *thread;

	HASH_FIND(hh, groups->throttled, &tid, sizeof(tid), thread);
	if (thread)
		return thread;
	if (HASH_COUNT(groups->throttled) >= THREADS_MAX && !groups_forget_first(groups))
		return NULL;
	thread = calloc(1, sizeof(*thread));
	if (!thread)
		return NULL;
	thread->tid = tid;
	HASH_ADD(hh, groups->throttled, tid, sizeof(thread->tid), thread);
	return thread;
}

static void was_throttled(struct groups *groups, uint32_t tid)
{
	struct throttled *thread;

	if (tid_is_outside(tid))
		return;
	thread = groups_find_or_make(groups, tid);
	if (!thread || thread->is_due)
		return;
	thread->is_due = true;
	thread->next_due = groups->first_due;
	groups->first_due = thread;
}

void groups__see(struct groups *groups, const struct record *record)
{
	const uint64_t *change = NULL;
	size_t cnt = 0;

	if (!groups->has_place)
		return;
	if (record->type == RECORD_RECEIVE)
		change = receive_changes((const void *)record, &cnt);
	else if (record->type == RECORD_CHANGES)
		change = changes_changes((const void *)record, &cnt);
	if (has_throttle(change, cnt))
		was_throttled(groups, record->tid);
}

/* The end of a long path says more than its start. */
static int put_group(struct groups *groups, const struct throttled *thread, record_put_fn *put,
		     void *ctx)
{
	struct record_group record = {
		.head = {.type = RECORD_GROUP, .words = RECORD_WORDS(record), .tid = thread->tid},
		.since_ns = thread->read_ns};
	const char *group = groups->place.group;
	size_t length = strlen(group);

	if (length >= sizeof(record.text)) {
		group += length - (sizeof(record.text) - 1);
		length = sizeof(record.text) - 1;
	}
	memcpy(record.text, group, length);
	return put(ctx, &record.head);
}

static int groups_read_one(struct groups *groups, struct throttled *thread, uint64_t now_ns,
			   record_put_fn *put, void *ctx)
{
	char tid[16];

	thread->is_due = false;
	if (thread->read_ns && now_ns - thread->read_ns < READ_AGAIN_NS)
		return 0;
	snprintf(tid, sizeof(tid), "%u", thread->tid);
	if (!cgroup_find_group(groups->root, tid, &groups->place))
		return 0; /* the thread has ended */
	thread->read_ns = now_ns;
	cgroup_find_quota(groups->root, &groups->place);
	return put_group(groups, thread, put, ctx);
}

int groups__read(struct groups *groups, uint64_t now_ns, record_put_fn *put, void *ctx)
{
	int err = 0;

	for (int i = 0; groups->first_due && i < READS_MAX && !err; i++) {
		struct throttled *thread = groups->first_due;

		groups->first_due = thread->next_due;
		err = groups_read_one(groups, thread, now_ns, put, ctx);
	}
	return err;
}

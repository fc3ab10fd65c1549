/* SPDX-License-Identifier: BSD-2-Clause */
/* Keeps the control group of each thread in a hash table. */
#include "analysis/history/groups.h"

#include "container/lru_table.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct member {
	uint32_t id; /* tid */
	uint32_t used;
	char path[GROUP_LEN];
	UT_hash_handle hh;
};

struct thread_groups {
	LRU_TABLE(struct member);
};

struct thread_groups *thread_groups__new(void)
{
	return calloc(1, sizeof(struct thread_groups));
}

void thread_groups__free(struct thread_groups *groups)
{
	while (groups && groups->first)
		LRU_DROP(groups, groups->first);
	free(groups);
}

int thread_groups__add(struct thread_groups *groups, const struct record_group *record)
{
	uint32_t tid = record->head.tid;
	struct member *member;

	LRU_FIND_OR_ADD(groups, tid, member, LRU_THREADS_MAX, LRU_DROP);
	if (!member)
		return -ENOMEM;
	snprintf(member->path, sizeof(member->path), "%.*s", GROUP_LEN - 1, record->text);
	return 0;
}

const char *thread_groups__find(struct thread_groups *groups, uint32_t tid)
{
	struct member *member = NULL;

	if (groups)
		LRU_FIND(groups, tid, member);
	if (!member)
		return NULL;
	LRU_USE(groups, member);
	return member->path;
}

const char *group_name(const char *path)
{
	const char *last = strrchr(path, '/');

	return last && last[1] ? last + 1 : path;
}

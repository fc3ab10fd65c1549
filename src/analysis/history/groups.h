/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Holds the control groups of threads that bandwidth control has held back (--level deep). Keeps
 * only the LRU_THREADS_MAX most recently used threads.
 */
#pragma once

#include "bpf/deep.h"

#include <stdint.h>

struct thread_groups;

struct thread_groups *thread_groups__new(void); /* NULL: out of memory */
void thread_groups__free(struct thread_groups *groups);

/* 0 or -ENOMEM. */
int thread_groups__add(struct thread_groups *groups, const struct record_group *record);

/*
 * The path of the group with the quota, as it was last read; borrowed until the next record. Of a
 * long path it is the end. NULL: not known. `groups` may be NULL.
 */
const char *thread_groups__find(struct thread_groups *groups, uint32_t tid);

/* The last component of a path: "web.service". "/" if that is all of it. */
const char *group_name(const char *path);

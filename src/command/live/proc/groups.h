/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Finds the control groups whose CPU quota holds traced threads back, for GROUP records
 * (--level deep). The kernel's events do not have the group, and it is in /proc only while the
 * thread lives.
 */
#pragma once

#include "bpf/deep.h"

struct groups;

/* `root`: as in util/read_file.h. NULL: out of memory. */
struct groups *groups__new(const char *root);
void groups__free(struct groups *groups);

/* A record has come. Its changes show whether its thread was throttled. */
void groups__see(struct groups *groups, const struct record *record);

/*
 * Puts the groups of threads that were throttled and whose groups were not read for long. `now_ns`:
 * CLOCK_MONOTONIC. 0 or what `put` returned.
 */
int groups__read(struct groups *groups, uint64_t now_ns, record_put_fn *put, void *ctx);

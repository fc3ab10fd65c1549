/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Holds what records say for good: names, channels, processes and the like. Also holds what the
 * next records continue: the last changes of each thread, and the last slices of each CPU. An
 * analysis that begins in the middle needs them.
 */
#pragma once

#include "bpf/record.h"

#include <stddef.h>

/* Threads, channels and the like that are remembered, the last used ones. */
#define FACTS_OWNERS_MAX 131072

/* Records of one owner that differ in more than their time; then the oldest is forgotten. */
#define FACTS_OF_ONE_MAX 64

struct facts;

struct facts *facts__new(void); /* NULL: out of memory */
void facts__free(struct facts *facts);

/* In the order in which the records came. Most are no facts. 0 or -ENOMEM. */
int facts__add(struct facts *facts, const struct record *record);

/* Calls `fn` with each fact as a record, which is borrowed. 0, or what it returned. */
int facts__each(const struct facts *facts, record_put_fn *fn, void *ctx);

/* How many owners were forgotten for lack of room. */
size_t facts__forgotten(const struct facts *facts);

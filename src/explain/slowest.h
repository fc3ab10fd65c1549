/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Pass 1: remembers when the longest units were. Which of them are slow is known only after the
 * pass, so more are kept than are slow as far as is known:
 *
 *	latency    |................|::::::::::::::::::::|#########|
 *	           0         dropped_ns                 slow_above_ns
 *	            forgotten          kept               slow
 */
#pragma once

#include "explain/selection.h"
#include "model/spans.h"

struct slowest;

/* NULL: out of memory. `selection` is borrowed. */
struct slowest *slowest__new(const struct selection *selection);
void slowest__free(struct slowest *slowest);

/* A unit that passes the selection. 0 or -ENOMEM. */
int slowest__add(struct slowest *slowest, uint64_t from_ns, uint64_t to_ns);

/* Whether no unit that is longer than this has been forgotten. */
bool slowest__has_all(const struct slowest *slowest, uint64_t above_ns);

/*
 * The units that are longer than `above_ns`: as many spans, which the caller frees, in any order.
 * NULL: out of memory.
 */
struct span *slowest__spans(const struct slowest *slowest, uint64_t above_ns, size_t *cnt);

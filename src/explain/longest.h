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

struct longest {
	const struct selection *selection; /* borrowed */
	uint64_t units;                    /* so far */
	uint64_t dropped_ns;
	struct span *span; /* owned */
	size_t cnt;
	size_t room;
};

struct longest longest_begin(const struct selection *selection);
void longest_clean(struct longest *longest);

/* A unit that passes the selection. 0 or -ENOMEM. */
int longest_add(struct longest *longest, uint64_t from_ns, uint64_t to_ns);

/* Whether no unit that is longer than this has been forgotten. */
static inline bool longest_has_all(const struct longest *longest, uint64_t above_ns)
{
	return above_ns >= longest->dropped_ns;
}

/*
 * The units that are longer than `above_ns`: as many spans, which the caller frees, in any order.
 * NULL: out of memory.
 */
struct span *longest_spans(const struct longest *longest, uint64_t above_ns, size_t *cnt);

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Finds the events that made units slow. Slow units that overlap or touch belong to one event. The
 * largest events are listed, and all are counted.
 */
#pragma once

#include "explain/attributes.h"
#include "explain/causes_tree.h"

struct episodes;

/*
 * `tree` and `attributes` are borrowed: episodes are counted there, too. `base_mean_ns`: about the
 * mean of the base, which decides which episodes are among the largest. NULL: out of memory.
 */
struct episodes *episodes__new(struct causes_tree *tree, struct attributes *attributes,
			       double base_mean_ns);
void episodes__free(struct episodes *episodes);

/* Adds a slow unit, which was added to the tree and the attributes just before. 0 or -errno. */
int episodes__add(struct episodes *episodes, const struct unit *unit);

/*
 * Ends the last episode, and fills in the list and the period. `explanation` has the base.
 * `tick_ns`: up to which period events only show that of the units; 0: none. 0 or -errno.
 */
int episodes__finish(struct episodes *episodes, const struct culprits *culprits, uint64_t tick_ns,
		     struct explanation *explanation);

/* `hits` of `of` distances are a period, or a small multiple of it. Zeros: there is none. */
struct period {
	uint64_t ns;
	uint64_t hits;
	uint64_t of;
};

/*
 * Looks at the distances of `cnt` begins, which it sorts; there must be three at least. A distance
 * hits if it is within 2 % of the period (5 %, but at most 1 ms, of short ones), or of its double,
 * triple or fourfold, for an event may fail to come. Half of all distances hit, and four (or all
 * three). At least a third of these, and two, are the period itself. `tick_ns`: such a period,
 * and shorter ones, are those of the workload, and no finding; 0: none. 0 or -ENOMEM.
 */
int period_find(uint64_t *begin_ns, uint32_t cnt, uint64_t tick_ns, struct period *period);

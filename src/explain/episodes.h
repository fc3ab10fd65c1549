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

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Gives the causes of units the stacks that were recorded with --stacks, on their way to the caller
 * of the analysis.
 */
#pragma once

#include "analysis/history/stack_times.h"
#include "model/stack_names.h"
#include "model/unit.h"

/* Zero-initialised is empty, with the borrowed members to be set. */
struct unit_stacks {
	unit_fn *on_unit;           /* NULL: the caller wants no units */
	void *ctx;                  /* of that */
	struct stack_times *times;  /* NULL: none were recorded, up to now */
	struct stack_names **names; /* borrowed; points to the same */
};

void unit_stacks_clean(struct unit_stacks *stacks);

/* A record of stacks; others are ignored. 0 or -ENOMEM. */
int unit_stacks_add(struct unit_stacks *stacks, const struct record *record);

/* All records from before `before_ns` are here. */
void unit_stacks_trim(struct unit_stacks *stacks, uint64_t before_ns);

/*
 * Sets the stacks of a unit's causes, and passes it on to `on_unit`: what a thread slept in; what
 * the culprit of a wait for a CPU did; and what a thread did itself. `ctx`: a struct unit_stacks.
 * Returns what `on_unit` returned.
 */
int unit_stacks_put(void *ctx, const struct unit *unit);

/* SPDX-License-Identifier: BSD-2-Clause */
/* Counts which stacks the causes of slow units have. */
#pragma once

#include "explain/causes_tree.h"
#include "explain/tally.h"

/* Stacks of the unit that was added last to the tree, by node, kind and number. 0 or -ENOMEM. */
int stack_counts_add(struct tally *counts, const struct causes_tree *tree, const struct unit *unit);

/* Lists the stacks of all rows, not folded yet. 0 or -ENOMEM. */
int stack_counts_fill(struct tally *counts, const uint32_t *node_of_row,
		      struct explanation *explanation);

/*
 * After explain__finish(): gives the stacks their functions, and adds up those with equal ones.
 * `names` is the explanation's from now on; NULL: there are none, and no stacks then. 0 or -ENOMEM.
 */
int explanation_fold_stacks(struct explanation *explanation, struct stack_names *names);

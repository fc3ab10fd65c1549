/* SPDX-License-Identifier: BSD-2-Clause */
/* Turns the tree of causes into the rows of an explanation. */
#pragma once

#include "explain/causes_tree.h"
#include "model/explanation.h"

/*
 * Fills in the rows, and what ipctrace itself has caused. `node_of_row`: the node of each row,
 * which the caller frees, also after an error. 0 or -ENOMEM.
 */
int rows_fill(const struct causes_tree *tree, const struct culprits *culprits,
	      struct explanation *explanation, uint32_t **node_of_row);

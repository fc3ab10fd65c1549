/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Computes percentiles as if a culprit had taken no time. For each culprit, a histogram holds what
 * changes in that of all units: units with the culprit go from their latency to a shorter one.
 *
 * There is room for WITHOUT_CULPRITS_MAX culprits. If more occur, the one with least time in slow
 * units makes room, and gets no percentiles, even if it comes back.
 */
#pragma once

#include "explain/causes_tree.h"
#include "model/explanation.h"

#define WITHOUT_CULPRITS_MAX 32

struct without;

/* NULL: out of memory. */
struct without *without__new(void);
void without__free(struct without *without);

/*
 * Adds a unit; SIDE_BASE: any that is not slow. `culprit` has the number of each cause's culprit.
 * Only causes without a parent count. 0 or -ENOMEM.
 */
int without__add(struct without *without, const struct unit *unit, const uint32_t *culprit,
		 enum explain_side side);

/*
 * Fills in the percentiles of all `units`, of which all slow ones have been added, and those
 * without the culprits that contribute most to the difference. `node_of_row`: the node of each row.
 * 0 or -ENOMEM.
 */
int without__finish(const struct without *without, uint64_t units, const struct causes_tree *tree,
		    const uint32_t *node_of_row, struct explanation *explanation);

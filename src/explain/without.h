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
#include "explain/histogram.h"

#define WITHOUT_CULPRITS_MAX 32

/* What is known of a culprit, by its number. */
struct absent {
	uint64_t unit_ns;   /* of the unit that is being added */
	uint8_t slot;       /* 1 + index; 0: none */
	bool was_forgotten; /* it had one */
};

struct slot {
	uint32_t culprit;
	uint64_t slow_ns; /* in slow units */
	struct histogram change[NR_EXPLAIN_SIDES];
};

/* Zero-initialised is empty. */
struct without {
	struct histogram all[NR_EXPLAIN_SIDES];
	uint64_t cnt[NR_EXPLAIN_SIDES];
	uint64_t max_ns;
	struct absent absent[CULPRITS_MAX];
	struct slot slot[WITHOUT_CULPRITS_MAX];
	uint32_t slot_cnt;
};

void without_clean(struct without *without);

/*
 * Adds a unit; SIDE_BASE: any that is not slow. `culprit` has the number of each cause's culprit.
 * Only causes without a parent count. 0 or -ENOMEM.
 */
int without_add(struct without *without, const struct unit *unit, const uint32_t *culprit,
		enum explain_side side);

/*
 * Fills in the percentiles of all `units`, of which all slow ones have been added, and those
 * without the culprits that contribute most to the difference. `node_of_row`: the node of each row.
 * 0 or -ENOMEM.
 */
int without_finish(const struct without *without, uint64_t units, const struct causes_tree *tree,
		   const uint32_t *node_of_row, struct explanation *explanation);

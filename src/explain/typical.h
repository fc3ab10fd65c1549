/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Chooses the slow unit that is most like the mean of all slow units: the one whose times by
 * component and culprit differ least from the means, added up. A random sample of slow units
 * competes.
 */
#pragma once

#include "explain/causes_tree.h"

#define TYPICAL_CANDIDATES_MAX 128

struct candidate {
	struct unit unit; /* with its own causes */
	struct moment *moment;
	uint32_t moment_cnt;
	struct node_time *time; /* on culprits */
	uint32_t time_cnt;
};

/* Zero-initialised is empty. */
struct typical {
	struct candidate candidate[TYPICAL_CANDIDATES_MAX];
	uint32_t cnt;
	uint64_t slow; /* units so far */
	uint32_t last; /* index of the candidate that was added last */
};

void typical_clean(struct typical *typical);

/* Adds the slow unit that was added to the tree just before. 1: it is in the sample; 0; -ENOMEM. */
int typical_add(struct typical *typical, const struct unit *unit, const struct causes_tree *tree);

/* Copies the moments of the last unit in the sample. 0 or -ENOMEM. */
int typical_set_moments(struct typical *typical, const struct moment *moment, uint32_t cnt);

/* Fills in the typical unit, which then owns its lists. */
void typical_finish(struct typical *typical, const struct causes_tree *tree,
		    struct explanation *explanation);

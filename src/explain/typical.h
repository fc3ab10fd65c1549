/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Chooses the slow unit that is most like the mean of all slow units: the one whose times by
 * component and culprit differ least from the means, added up. A random sample of slow units
 * competes.
 */
#pragma once

#include "explain/causes_tree.h"
#include "model/explanation.h"

#define TYPICAL_CANDIDATES_MAX 128

struct typical;

/* NULL: out of memory. */
struct typical *typical__new(void);
void typical__free(struct typical *typical);

/* Adds the slow unit that was added to the tree just before. 1: it is in the sample; 0; -ENOMEM. */
int typical__add(struct typical *typical, const struct unit *unit, const struct causes_tree *tree);

/* Copies the moments of the last unit in the sample. 0 or -ENOMEM. */
int typical__set_moments(struct typical *typical, const struct moment *moment, uint32_t cnt);

/* Fills in the typical unit, which then owns its lists. */
void typical__finish(struct typical *typical, const struct causes_tree *tree,
		     struct explanation *explanation);

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Finds a place for stretches of time that come in any order, so that those in one place follow one
 * another. A place is a track of a file, or a sequence of its packets:
 *
 *	place 1   |---|   |-----|
 *	place 2      |------|    |--|
 *
 * A stretch goes where the last one ended latest before it begins.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct fit_place {
	uint64_t last_ns;     /* when its last stretch ends */
	uint64_t track;       /* the caller's; 0: not set yet */
	uint32_t left, right; /* places that are free earlier, or later; 0: none */
};

/* Zero-initialised is empty; fit_free() follows. */
struct fit {
	struct fit_place *place; /* by id */
	uint32_t root;           /* as left and right: the id plus 1 */
	uint32_t cnt;
	uint32_t room;
};

void fit_free(struct fit *fit);

/*
 * Sets `*id` to a place for [from_ns, to_ns]. `may_touch`: the one before may end at `from_ns`.
 * False: there is none.
 */
bool fit_take(struct fit *fit, uint64_t from_ns, uint64_t to_ns, bool may_touch, uint32_t *id);

/* A new place, which has the number of those before it. False: out of memory. */
bool fit_add(struct fit *fit, uint64_t to_ns, uint32_t *id);

/* Empties the place that would be free last, for a stretch that ends at `to_ns`. Its number. */
uint32_t fit_reuse(struct fit *fit, uint64_t to_ns);

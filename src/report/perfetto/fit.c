/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Keeps places in a treap: a search tree by the instants at which they become free, in which the
 * place with the larger priority stands above. Priorities are as good as random, so that the tree
 * is about as high as the logarithm of its size, in whatever order stretches come. Places are
 * numbered from 1 in it; 0 is none.
 */
#include "report/perfetto/fit.h"

#include <stdlib.h>

#define ROOM_LEAST 8

void fit_free(struct fit *fit)
{
	free(fit->place);
	*fit = (struct fit){0};
}

static struct fit_place *fit_place_of(const struct fit *fit, uint32_t number)
{
	return &fit->place[number - 1];
}

/* The last steps of MurmurHash3. */
static uint32_t fit_priority_of(uint32_t number)
{
	number = (number ^ number >> 16) * 0x85ebca6bU;
	number = (number ^ number >> 13) * 0xc2b2ae35U;
	return number ^ number >> 16;
}

/* Those that end before `at_ns`, or at it, go to the left. */
static void split(const struct fit *fit, uint32_t tree, uint64_t at_ns, bool may_touch,
		  uint32_t *left, uint32_t *right)
{
	while (tree) {
		struct fit_place *place = fit_place_of(fit, tree);

		if (place->last_ns < at_ns || (may_touch && place->last_ns == at_ns)) {
			*left = tree;
			left = &place->right;
			tree = place->right;
		} else {
			*right = tree;
			right = &place->left;
			tree = place->left;
		}
	}
	*left = *right = 0;
}

/* None of `left` ends after one of `right`. */
static uint32_t fit_merge(const struct fit *fit, uint32_t left, uint32_t right)
{
	uint32_t tree, *at = &tree;

	while (left && right) {
		if (fit_priority_of(left) > fit_priority_of(right)) {
			*at = left;
			at = &fit_place_of(fit, left)->right;
			left = *at;
		} else {
			*at = right;
			at = &fit_place_of(fit, right)->left;
			right = *at;
		}
	}
	*at = left ?: right;
	return tree;
}

/* The one that is free last. */
static uint32_t remove_last(const struct fit *fit, uint32_t *tree)
{
	uint32_t number;

	while (fit_place_of(fit, *tree)->right)
		tree = &fit_place_of(fit, *tree)->right;
	number = *tree;
	*tree = fit_place_of(fit, number)->left;
	return number;
}

/* Among places with equal ends, the youngest is used first. Returns its id. */
static uint32_t fit_insert(struct fit *fit, uint32_t number, uint64_t to_ns)
{
	uint32_t left, right;

	struct fit_place *place = fit_place_of(fit, number);

	*place = (struct fit_place){.last_ns = to_ns, .track = place->track};
	split(fit, fit->root, to_ns, true, &left, &right);
	fit->root = fit_merge(fit, fit_merge(fit, left, number), right);
	return number - 1;
}

bool fit_take(struct fit *fit, uint64_t from_ns, uint64_t to_ns, bool may_touch, uint32_t *id)
{
	uint32_t left, right, number;

	split(fit, fit->root, from_ns, may_touch, &left, &right);
	number = left ? remove_last(fit, &left) : 0;
	fit->root = fit_merge(fit, left, right);
	if (number)
		*id = fit_insert(fit, number, to_ns);
	return number;
}

static bool fit_grow(struct fit *fit)
{
	uint32_t room = fit->room ? 2 * fit->room : ROOM_LEAST;
	struct fit_place *place;

	if (fit->cnt < fit->room)
		return true;
	place = reallocarray(fit->place, room, sizeof(*place));
	if (!place)
		return false;
	fit->place = place;
	fit->room = room;
	return true;
}

bool fit_add(struct fit *fit, uint64_t to_ns, uint32_t *id)
{
	if (!fit_grow(fit))
		return false;
	fit->place[fit->cnt].track = 0;
	*id = fit_insert(fit, ++fit->cnt, to_ns);
	return true;
}

uint32_t fit_reuse(struct fit *fit, uint64_t to_ns)
{
	return fit_insert(fit, remove_last(fit, &fit->root), to_ns);
}

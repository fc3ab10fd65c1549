/* SPDX-License-Identifier: BSD-2-Clause */
/* Adds up the causes of a unit for its bar. */
#include "report/figure/pieces.h"

#include <string.h>

/*
 * There are at most NR_CAUSE_PARTS * NR_COSTS pieces without a culprit, and as many for the rest of
 * culprits: both always have room.
 */
#define CULPRITS_MAX 6
_Static_assert(CULPRITS_MAX + 2 * NR_CAUSE_PARTS * NR_COSTS <= PIECES_MAX, "room for all pieces");

/* A name is one culprit, as in the legend. */
static bool pieces_is_same_culprit(const struct blame *a, const struct blame *b)
{
	struct blame one = culprit_folded_by_name(a), other = culprit_folded_by_name(b);

	return culprit_is_same(&one, &other);
}

static bool is_same_piece(const struct piece *a, const struct piece *b)
{
	return a->part == b->part && a->cost == b->cost && a->role == b->role &&
	       a->is_rest == b->is_rest &&
	       (a->role != CAUSE_RAN || a->is_rest || pieces_is_same_culprit(&a->by, &b->by));
}

static struct piece *pieces_find(struct piece *piece, uint32_t cnt, const struct piece *wanted)
{
	for (uint32_t i = 0; i < cnt; i++) {
		if (is_same_piece(&piece[i], wanted))
			return &piece[i];
	}
	return NULL;
}

static uint32_t culprit_cnt(const struct piece *piece, uint32_t cnt)
{
	uint32_t culprits = 0;

	for (uint32_t i = 0; i < cnt; i++)
		culprits += piece[i].role == CAUSE_RAN && !piece[i].is_rest;
	return culprits;
}

/* Behind the others of its component. */
static struct piece *pieces_add(struct piece *piece, uint32_t *cnt, struct piece one)
{
	uint32_t at = *cnt;

	if (one.role == CAUSE_RAN && culprit_cnt(piece, *cnt) == CULPRITS_MAX) {
		struct piece *rest;

		one = (struct piece){
			.part = one.part, .cost = one.cost, .role = CAUSE_RAN, .is_rest = true};
		rest = pieces_find(piece, *cnt, &one);
		if (rest)
			return rest;
	}
	for (uint32_t i = 0; i < *cnt; i++) {
		if (piece[i].part == one.part && piece[i].cost == one.cost)
			at = i + 1;
	}
	memmove(&piece[at + 1], &piece[at], ((*cnt)++ - at) * sizeof(*piece));
	piece[at] = one;
	return &piece[at];
}

/* Those of one component stand side by side. */
static void sort_culprits(struct piece *piece, uint32_t cnt)
{
	for (uint32_t i = 1; i < cnt; i++) {
		struct piece one = piece[i];
		uint32_t at = i;

		if (one.role != CAUSE_RAN || one.is_rest)
			continue;
		while (at > 0 && piece[at - 1].part == one.part && piece[at - 1].cost == one.cost &&
		       piece[at - 1].by.ns < one.by.ns) {
			piece[at] = piece[at - 1];
			at--;
		}
		piece[at] = one;
	}
}

/* A piece of several threads, or of several priorities, has what these have in common. */
static void pieces_add_time(struct piece *piece, const struct cause *cause)
{
	uint64_t ns = piece->by.ns + cause->by.ns;

	if (piece->role == CAUSE_RAN && !piece->is_rest && !culprit_is_same(&piece->by, &cause->by))
		piece->by = culprit_folded_by_name(&piece->by);
	piece->by.ns = ns;
}

uint32_t pieces_of(const struct unit *unit, struct piece piece[PIECES_MAX])
{
	uint32_t cnt = 0;

	for (uint32_t i = 0; i < unit->cause_cnt; i++) {
		const struct cause *cause = &unit->cause[i];
		struct piece wanted = {
			.part = cause->part, .cost = cause->cost, .role = CAUSE_ITSELF};
		struct piece *found;

		if (cause->parent)
			continue;
		if (cause->cost == COMPONENT_RUNQUEUE && cause->role == CAUSE_RAN) {
			wanted.role = CAUSE_RAN;
			wanted.by = cause->by;
			wanted.by.ns = 0;
		}
		found = pieces_find(piece, cnt, &wanted) ?: pieces_add(piece, &cnt, wanted);
		pieces_add_time(found, cause);
	}
	sort_culprits(piece, cnt);
	return cnt;
}

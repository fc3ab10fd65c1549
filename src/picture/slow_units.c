/* SPDX-License-Identifier: BSD-2-Clause */
/* Keeps a heap of units, of which the fastest one makes room for a slower one. */
#include "picture/parts.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

void slow_units_clean(struct slow_units *slow)
{
	for (uint32_t i = 0; i < slow->cnt; i++)
		free((struct cause *)slow->unit[i].cause);
	slow->cnt = 0;
}

static int slow_units_compare(uint64_t a, uint64_t b)
{
	return a < b ? -1 : a > b;
}

/* The slower one first; of equally slow ones the earlier one. */
static int compare_units(const void *left, const void *right)
{
	const struct unit *a = left;
	const struct unit *b = right;

	return slow_units_compare(unit_latency_ns(b), unit_latency_ns(a))
		       ?: slow_units_compare(a->from_ns, b->from_ns)
		       ?: slow_units_compare(a->channel, b->channel)
		       ?: slow_units_compare(a->position, b->position);
}

static void slow_units_swap(struct unit *a, struct unit *b)
{
	struct unit kept = *a;

	*a = *b;
	*b = kept;
}

/* Moves a new last unit up to its place. */
static void slow_units_sift_up(struct slow_units *slow)
{
	uint32_t at = slow->cnt - 1;

	while (at && compare_units(&slow->unit[(at - 1) / 2], &slow->unit[at]) < 0) {
		slow_units_swap(&slow->unit[(at - 1) / 2], &slow->unit[at]);
		at = (at - 1) / 2;
	}
}

/* Moves a new first unit down to its place. */
static void slow_units_sift_down(struct slow_units *slow)
{
	uint32_t at = 0, below;

	while ((below = 2 * at + 1) < slow->cnt) {
		if (below + 1 < slow->cnt &&
		    compare_units(&slow->unit[below], &slow->unit[below + 1]) < 0)
			below++;
		if (compare_units(&slow->unit[below], &slow->unit[at]) <= 0)
			return;
		slow_units_swap(&slow->unit[below], &slow->unit[at]);
		at = below;
	}
}

int slow_units_add(struct slow_units *slow, const struct unit *unit)
{
	struct unit copy = *unit;
	bool is_full = slow->cnt == PICTURE_SLOWEST_MAX;
	struct cause *cause;

	if (is_full && compare_units(&copy, &slow->unit[0]) >= 0)
		return 0;
	cause = calloc(unit->cause_cnt ?: 1, sizeof(*cause));
	if (!cause)
		return -ENOMEM;
	if (unit->cause_cnt)
		memcpy(cause, unit->cause, unit->cause_cnt * sizeof(*cause));
	copy.cause = cause;
	if (is_full) {
		free((struct cause *)slow->unit[0].cause);
		slow->unit[0] = copy;
		slow_units_sift_down(slow);
	} else {
		slow->unit[slow->cnt++] = copy;
		slow_units_sift_up(slow);
	}
	return 0;
}

void slow_units_finish(struct slow_units *slow, struct picture *picture)
{
	qsort(slow->unit, slow->cnt, sizeof(slow->unit[0]), compare_units);
	memcpy(picture->slowest, slow->unit, slow->cnt * sizeof(slow->unit[0]));
	picture->slowest_cnt = slow->cnt;
	slow->cnt = 0;
}

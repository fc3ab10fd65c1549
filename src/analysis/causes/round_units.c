/* SPDX-License-Identifier: BSD-2-Clause */
/* Keeps the last message of each round until all messages of the round have arrived. */
#include "analysis/causes/round_units.h"

#include "container/hash_table.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <uthash.h>

struct round {
	uint64_t number;
	uint32_t size;    /* messages; 0: not known */
	uint32_t arrived; /* so many of them have */
	struct unit last; /* with causes that are owned */
	UT_hash_handle hh;
};

struct round_units {
	struct round *open; /* hash by number, oldest first */
	uint32_t full;
	unit_fn *on_unit;
	void *ctx; /* of that */
};

struct round_units *round_units__new(uint32_t full, unit_fn *on_unit, void *ctx)
{
	struct round_units *rounds = calloc(1, sizeof(*rounds));

	if (!rounds)
		return NULL;
	rounds->full = full;
	rounds->on_unit = on_unit;
	rounds->ctx = ctx;
	return rounds;
}

static void round_units_close_round(struct round_units *rounds, struct round *round)
{
	HASH_DEL(rounds->open, round);
	free((void *)round->last.cause);
	free(round);
}

void round_units__free(struct round_units *rounds)
{
	while (rounds && rounds->open)
		round_units_close_round(rounds, rounds->open);
	free(rounds);
}

static struct round *round_units_find_or_make(struct round_units *rounds, uint64_t number)
{
	struct round *round;

	HASH_FIND(hh, rounds->open, &number, sizeof(number), round);
	if (round)
		return round;
	if (HASH_COUNT(rounds->open) >= ROUND_UNITS_MAX)
		round_units_close_round(rounds, rounds->open);
	HASH_ADD_NEW(rounds->open, number, number, round);
	return round;
}

static int close_if_complete(struct round_units *rounds, struct round *round)
{
	int err = 0;

	if (!round->size || round->arrived < round->size)
		return 0;
	if (rounds->on_unit && round->size >= rounds->full) {
		round->last.kind = UNIT_ROUND;
		err = rounds->on_unit(rounds->ctx, &round->last);
	}
	round_units_close_round(rounds, round);
	return err;
}

/* The unit is the one that arrived last so far. */
static int round_units_keep(struct round *round, const struct unit *unit)
{
	size_t size = unit->cause_cnt * sizeof(*unit->cause);
	struct cause *cause = size ? realloc((void *)round->last.cause, size) : NULL;

	if (size && !cause)
		return -ENOMEM;
	if (size)
		memcpy(cause, unit->cause, size);
	else
		free((void *)round->last.cause);
	round->last = *unit;
	round->last.cause = cause;
	return 0;
}

int round_units__arrive(struct round_units *rounds, struct unit *unit, uint32_t size)
{
	struct round *round = round_units_find_or_make(rounds, unit->round);
	bool is_last;

	if (!round)
		return -ENOMEM;
	is_last = !round->arrived || unit->to_ns >= round->last.to_ns;
	unit->place = ++round->arrived;
	if (size)
		round->size = size;
	if (rounds->on_unit && is_last && round_units_keep(round, unit))
		return -ENOMEM;
	return close_if_complete(rounds, round);
}

int round_units__sent(struct round_units *rounds, uint64_t number, uint32_t size)
{
	struct round *round = round_units_find_or_make(rounds, number);

	if (!round)
		return -ENOMEM;
	round->size = size;
	return close_if_complete(rounds, round);
}

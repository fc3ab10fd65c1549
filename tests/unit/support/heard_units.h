/* SPDX-License-Identifier: BSD-2-Clause */
/* Keeps the units of a tape, and finds their causes. */
#pragma once

#include "support/build.h"

#include "model/unit.h"

#define UNITS_HEARD_MAX 16

struct heard_units {
	uint32_t cnt;
	struct unit unit[UNITS_HEARD_MAX]; /* the causes are copies */
	struct cause cause[UNITS_HEARD_MAX][CAUSES_MAX];
};

/* Plays the tape. Borrowed until the next call. */
const struct heard_units *hear_units(const struct run_info *info, const struct tape *tape,
				     enum unit_kind kind);

/*
 * The cause of this part of a unit; `below`: the one that it follows, or NULL. Fails without one.
 */
struct asked_cause {
	enum cause_part part;
	enum component cost;
	enum cause_role role;
	uint32_t by; /* tid */
	enum cause_reason reason;
	const struct cause *below;
};

const struct cause *cause_of(const struct unit *unit, struct asked_cause asked);

/* How many causes of the unit follow none. */
uint32_t causes_on_top(const struct unit *unit);

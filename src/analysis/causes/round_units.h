/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Makes units of rounds. A round's latency is that of its message that arrives last:
 *
 *	start   message 1      message 2        message 3
 *	  |--------|--------------|----------------|
 *	  |---------------- the unit --------------|
 */
#pragma once

#include "model/unit.h"

/* Rounds that are not complete; then the oldest one is forgotten. */
#define ROUND_UNITS_MAX 4096

struct round_units;

/*
 * Complete rounds go to `on_unit`; NULL: only the order of arrival is of interest. A round with
 * less than `full` messages is not complete. NULL: out of memory.
 */
struct round_units *round_units__new(uint32_t full, unit_fn *on_unit, void *ctx);
void round_units__free(struct round_units *rounds); /* NULL is ignored */

/*
 * The unit of a message, which begins with its round; sets its place in the round. `size`: of the
 * round; 0: not known yet. 0, -ENOMEM, or what `on_unit` returned.
 */
int round_units__arrive(struct round_units *rounds, struct unit *unit, uint32_t size);

/* The round has so many messages. Returns the same. */
int round_units__sent(struct round_units *rounds, uint64_t number, uint32_t size);

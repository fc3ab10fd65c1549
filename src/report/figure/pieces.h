/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Cuts the latency of a unit into pieces: its components in the order of time, of calls in each
 * part, and the run queue by culprit. The pieces add up to the latency.
 */
#pragma once

#include "model/picture.h"

#define PIECES_MAX 192

struct piece {
	uint8_t part; /* enum cause_part */
	uint8_t cost; /* enum component */
	uint8_t role; /* CAUSE_RAN: `by` ran meanwhile; else the piece has no culprit of its own */
	bool is_rest; /* culprits for which there was no room */
	struct blame by; /* `ns`: how long the piece is */
};

/* Returns how many. The culprits of one run queue: the one with most time first. */
uint32_t pieces_of(const struct unit *unit, struct piece piece[PIECES_MAX]);

/* SPDX-License-Identifier: BSD-2-Clause */
/* Adds up what units consist of, in bands of their latency. */
#pragma once

#include "model/picture.h"

/* Zero-initialised: no unit belongs to any band. */
struct bands {
	struct band_sum {
		uint64_t above_ns;
		uint64_t up_to_ns;
		uint64_t units;
		uint64_t known;
		unsigned __int128 weight;
		unsigned __int128 latency_ns; /* these two: each unit as often as it weighs */
		unsigned __int128 part_ns[NR_CAUSE_PARTS][NR_COSTS];
	} sum[NR_BANDS];
};

/* `latency`: that of all units. */
void bands_begin(struct bands *bands, const struct stat *latency);

/*
 * `component_ns`: the components of a message; NULL: its parts are those of its causes, and not
 * known if they do not add up. `weight`: for how many units it stands; 0: its parts do not count.
 */
void bands_add(struct bands *bands, const struct unit *unit, const uint64_t *component_ns,
	       uint64_t weight);

void bands_fill(const struct bands *bands, struct band band[NR_BANDS]);

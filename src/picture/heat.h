/* SPDX-License-Identifier: BSD-2-Clause */
/* Counts units by time and latency. */
#pragma once

#include "model/picture.h"

/* What pass 1 has shown of all units. */
struct extent {
	uint64_t units;
	uint64_t from_ns;  /* the first unit began */
	uint64_t to_ns;    /* the last one ended, or tracing did */
	uint64_t least_ns; /* latencies */
	uint64_t most_ns;
};

/*
 * Lays out columns and rows. No row has both slow units and others, which take `slow_above_ns` at
 * most. The caller frees the lists, also after an error. 0 or -ENOMEM.
 */
int heat_begin(struct heat_map *heat, const struct extent *extent, uint64_t slow_above_ns);

/* The column of an instant, at most the last one. There are columns. */
uint32_t heat_column(const struct heat_map *heat, uint64_t at_ns);

void heat_add(struct heat_map *heat, const struct unit *unit);

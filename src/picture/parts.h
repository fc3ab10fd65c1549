/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Declares the parts of a picture, each of which gets all units, or messages, of pass 2. The heat
 * map counts them by time and latency.
 */
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

/*
 * Adds up what ran on each CPU instead of slow units, in the columns of the heat map. A wait that
 * is longer than a column counts in all columns that it covers.
 */
struct strips;

/* NULL: out of memory. */
struct strips *strips__new(void);
void strips__free(struct strips *strips);

/* Adds the causes of a slow unit. 0 or -ENOMEM. */
int strips__add(struct strips *strips, const struct heat_map *heat, const struct unit *unit);

/* Fills in the culprits and the strips. 0 or -ENOMEM. */
int strips__finish(const struct strips *strips, struct picture *picture);

/* Adds up what units consist of, by latency. Zero-initialised: no unit belongs to any band. */
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

/* Percentiles with their 95 % bands, from so many blocks of consecutive units. */
#define CURVE_BLOCKS 20

struct curves;

/* `units`: so many will be added. free(). NULL: out of memory. */
struct curves *curves__new(uint64_t units);

/* In the order of the recording. */
void curves__add(struct curves *curves, uint64_t latency_ns);

/* `latency`: that of all units that were added. */
void curves__finish(const struct curves *curves, const struct stat *latency, struct curve *curve);

/* The slowest units in full. Zero-initialised is empty. */
struct slow_units {
	struct unit unit[PICTURE_SLOWEST_MAX]; /* the slowest one first */
	struct unit_moments moments[PICTURE_SLOWEST_MAX];
	uint32_t cnt;
	uint32_t last; /* index of the one that was added last */
};

void slow_units_clean(struct slow_units *slow);

/* Copies the unit if it is among the slowest so far. 1: it is; 0; -ENOMEM. */
int slow_units_add(struct slow_units *slow, const struct unit *unit);

/* Copies the moments of the unit that was copied last. 0 or -ENOMEM. */
int slow_units_set_moments(struct slow_units *slow, const struct moment *moment, uint32_t cnt);

/* Hands the units over, the slowest one first. */
void slow_units_finish(struct slow_units *slow, struct picture *picture);

/* The latencies of each client of a run by the numbers of its messages. */
struct series;

/* free(). NULL: out of memory. An attach has no series, and neither has a long run. */
struct series *series__new(const struct run_info *info);

/* `number`: of a message or call of this client, from 0, after the warm-up. */
void series__add(struct series *series, uint32_t client, uint64_t number, uint64_t latency_ns);

/* 0 or -ENOMEM. */
int series__finish(const struct series *series, struct picture *picture);

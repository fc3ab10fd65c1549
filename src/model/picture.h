/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Defines the picture of a run: what figures show of its units (model/unit.h) besides the summary
 * and the explanation. It has bins instead of units, so that its size does not depend on the length
 * of the recording.
 */
#pragma once

#include "model/cause.h"
#include "model/spec.h"
#include "model/stat.h"
#include "model/unit.h"

/*
 * How many units began in each column of time, by their latency. Columns have equal lengths. The
 * rows have equal heights on a logarithmic scale, but for one that ends where slow units begin:
 *
 *	bound_ns[rows] ...
 *	               |....|....|....|    row 1: bound_ns[1] <= latency < bound_ns[2]
 *	bound_ns[1]    |....|....|....|    row 0
 *	bound_ns[0]    |....|....|....|
 *	            from_ns          to_ns
 */
#define HEAT_LEVELS 2
#define HEAT_FINER  4

struct heat_map {
	uint64_t from_ns; /* the first unit began, the last one did; CLOCK_MONOTONIC */
	uint64_t to_ns;
	uint32_t columns; /* 0: there are no units */
	uint32_t rows;
	uint64_t *bound_ns; /* [rows + 1], owned */
	uint64_t *cnt;      /* [rows * columns], owned; that of row r, column c: r * columns + c */

	/* The same with columns that are HEAT_FINER times as many as in the level before. */
	uint64_t *finer[HEAT_LEVELS]; /* [rows * heat_level_columns()], owned; NULL: as `cnt` */
};

static inline uint32_t heat_level_columns(const struct heat_map *heat, uint32_t level)
{
	uint32_t columns = heat->columns * HEAT_FINER;

	for (; level; level--)
		columns *= HEAT_FINER;
	return columns;
}

/* A priority that a culprit had, and for how long slow units waited for it then. */
struct culprit_priority {
	uint32_t policy;
	uint32_t priority;
	uint64_t ns;
};

#define CULPRIT_PRIORITIES_MAX 4 /* others are left out */

/* A culprit of waits for a CPU: threads of one name are one. */
struct picture_culprit {
	struct blame by;                                          /* see culprit_folded_by_name() */
	uint64_t ns;                                              /* in all slow units */
	struct culprit_priority priority[CULPRIT_PRIORITIES_MAX]; /* most time first */
	uint32_t priority_cnt;
};

#define PICTURE_CULPRITS_MAX 64

/* What ran on a CPU instead of slow units, in one column of the heat map. */
struct strip_cell {
	uint32_t culprit; /* the one that ran longest: 1 + index; 0: none */
	uint64_t ns;      /* of this one */
	uint64_t all_ns;  /* of all of them */
};

struct cpu_strip {
	uint32_t cpu;
	uint64_t ns;             /* of all cells */
	struct strip_cell *cell; /* [columns of the heat map], owned */
};

/* So many CPUs with most time are listed. */
#define PICTURE_CPUS_MAX 16

/*
 * Bands of all units by their latency: 0 to 50 %, 50 to 90 %, 90 to 99 %, 99 to 99.9 %, the rest.
 */
#define NR_BANDS 5
extern const double band_percent[NR_BANDS + 1]; /* 0, 50, 90, 99, 99.9, 100 */

/* The units of one band, whose latency is in (above_ns, up_to_ns]. */
struct band {
	uint64_t above_ns;
	uint64_t up_to_ns;
	uint64_t units; /* 0: there is no such band, the units are too few */
	uint64_t known; /* units whose parts are known: all of them, or a sample */
	double mean_ns; /* latency of these: the parts add up to it */
	double part_ns[NR_CAUSE_PARTS][NR_COSTS]; /* means over `known` */
};

#define PICTURE_SLOWEST_MAX 100

/* A percentile of the latency with its 95 % band. */
struct curve_point {
	double percent;
	uint64_t ns;
	uint64_t low_ns;  /* 0: there is no band */
	uint64_t high_ns; /* 0: the units are too few to say how high it may be */
};

#define CURVE_POINTS_MAX 256

struct curve {
	uint64_t units;
	uint32_t point_cnt;
	struct curve_point
		point[CURVE_POINTS_MAX]; /* in ascending order; the last one: the maximum */
};

/* A message of one client. */
struct series_point {
	uint64_t number; /* from 0, after the warm-up */
	uint64_t latency_ns;
};

/* Of all clients together. A longer run has no series: its messages would lie on one another. */
#define SERIES_POINTS_MAX 800

struct client_series {
	uint32_t client;            /* 1..N */
	struct series_point *point; /* [point_cnt], owned: messages that were matched */
	uint32_t point_cnt;
};

#define PICTURE_CLIENTS_MAX 16

/* What the threads of a unit did; see struct moment. */
struct unit_moments {
	struct moment *moment; /* [cnt], owned, in the order of time; NULL: not known */
	uint32_t cnt;
};

struct picture {
	struct run_info info;
	enum unit_kind unit;
	uint64_t units;         /* all that pass the selection, as in the explanation */
	struct stat latency;    /* of these; owned */
	uint64_t slow_above_ns; /* longer units are the slow ones; UINT64_MAX: none is */
	struct heat_map heat;
	struct picture_culprit culprit[PICTURE_CULPRITS_MAX]; /* most time first */
	uint32_t culprit_cnt;
	uint32_t culprits_more;                   /* others, for which there was no room */
	struct cpu_strip strip[PICTURE_CPUS_MAX]; /* in the order of CPUs */
	uint32_t strip_cnt;
	uint32_t cpus_more; /* CPUs with time that are not listed */
	struct band band[NR_BANDS];
	struct unit slowest[PICTURE_SLOWEST_MAX]; /* with their causes, owned; longest first */
	struct unit_moments slowest_moments[PICTURE_SLOWEST_MAX]; /* of each of these */
	uint32_t slowest_cnt;
	struct curve curve;
	struct curve against; /* of the recording of --against; units 0: there is none */
	char against_name[128];
	struct client_series series[PICTURE_CLIENTS_MAX]; /* of a run: the first clients */
	uint32_t series_cnt;
	uint32_t clients_more; /* clients without a series */
};

void picture_clean(struct picture *picture);

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Finds the period of the rounds of an attach, which is the median distance between the starts of
 * consecutive rounds of one thread. Counts the rounds that missed it, by cause.
 */
#pragma once

#include "analysis/history/timeline.h"
#include "analysis/statistics/service.h"
#include "model/summary.h"

#include <stdbool.h>
#include <stdint.h>

/* What kept a thread from starting a round in time. */
struct late_start {
	bool is_known;
	enum component component; /* COMPONENT_BUSY, _RUNQUEUE or _BLOCKED: the longest */
	struct blame blame;       /* the largest share, if it is the run queue; ns 0: none */
};

/*
 *	previous start            due              start
 *	      |--------- period ---|---- looked at ---|
 *
 * What thread `tid` did between the two instants. `blame` may be NULL.
 */
struct late_start late_start_of(const struct timeline *line, uint32_t tid, uint64_t due_ns,
				uint64_t start_ns, struct service_blame *blame);

/* There is a period if so many distances are so near to the median, and most starts not caused. */
#define PERIOD_SHARE 0.6
#define PERIOD_NEAR  0.25

/* A round whose start is so many periods behind the one before began late. */
#define PERIOD_LATE 1.5

struct periods;

struct periods *periods__new(void); /* NULL: out of memory */
void periods__free(struct periods *periods);

/*
 * A round began `distance_ns` after the one before. `is_caused`: because of a message that its
 * thread received, so that the pace is the sender's of that one.
 */
void periods__start(struct periods *periods, uint64_t distance_ns, bool is_caused,
		    const struct late_start *late);

/*
 * The last message of a round. `is_long`: it may have taken longer than the period, which is not
 * known before the end.
 */
void periods__last(struct periods *periods, const struct peak *last, bool is_long);

/* Fills in the period, and what missed it. `summary` takes over the memory. */
void periods__finish(struct periods *periods, struct rounds_summary *summary);

/*
 * When a thread began its last rounds, to see whether the next one is late. The usual distance is
 * the median of the last ones:
 *
 *	start      start      start       due       start
 *	  |-- 10 ms --|-- 10 ms --|-- 10 ms --|-- late --|
 */
#define ROUND_STARTS_KEPT 15

/* Zero-initialised is empty. */
struct round_starts {
	uint64_t last_ns; /* start of the last round; 0: not known */
	uint64_t distance_ns[ROUND_STARTS_KEPT];
	uint64_t usual_ns; /* 0: too few are known */
	uint32_t cnt;      /* distances so far */
};

/* A round began. Returns the distance from the one before; 0: not known. */
uint64_t round_starts_add(struct round_starts *starts, uint64_t start_ns);

/* Rounds may have begun unseen. */
void round_starts_forget(struct round_starts *starts);

/* Whether a round that begins now may count as late. */
bool round_starts_is_late(const struct round_starts *starts, uint64_t start_ns);

/* When the next round is due, if that is known. */
uint64_t round_starts_due(const struct round_starts *starts);

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Finds the period of the rounds of an attach, which is the median distance between the starts of
 * consecutive rounds of one thread. Counts the rounds that missed it, by cause.
 */
#pragma once

#include "analysis/history/timeline.h"
#include "analysis/statistics/service.h"
#include "model/summary.h"

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

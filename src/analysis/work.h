/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Bounds the steps of an analysis. Records of a real run cost a few steps each; records that were
 * made up can make every loop of the analysis run over everything that is open. Each loop whose
 * length depends on the records spends its steps here, and leaves when none are left. The analysis
 * then fails with -E2BIG, so it does not matter in which state that leaves it.
 *
 * Of the calling thread. Without work_begin(), as in a live run, nothing is bounded.
 */
#ifndef IPCTRACE_ANALYSIS_WORK_H
#define IPCTRACE_ANALYSIS_WORK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Steps that a report may take at all, and more for each record. A step takes about a nanosecond.
 * Waits of seconds on a noisy machine need the most: 4,900 a record were measured at a UDP reader
 * with a backlog.
 */
#define WORK_PER_RECORD 8192
#define WORK_FLAT_RECORDS                                                                          \
	16384 /* as many steps are there from the beginning as so many records bring */

/* Steps that what lies anywhere in memory, or is handled at length, counts for. */
enum {
	STEPS_OF_CHANGE = 4, /* makes a segment of a message */
	STEPS_OF_END = 4,
	STEPS_OF_MESSAGE = 4,
	STEPS_OF_SLICE = 4,
	STEPS_OF_DOUBT = 5, /* what is marked is changed */
	STEPS_OF_CALL = 8,
	STEPS_OF_CALLER = 8,
	STEPS_OF_CONNECTION = 8,
	STEPS_OF_OVERLAP = 8, /* two messages are looked for */
	STEPS_OF_SENDER = 8,
	STEPS_OF_SHARE = 8, /* is added up in all that is shown */
	STEPS_OF_STREAM = 8,
	STEPS_OF_THREAD = 8,
	STEPS_OF_CPU = 16,
	STEPS_OF_INBOX = 16,
};

struct work {
	bool is_bounded;
	bool is_over; /* more steps were asked for than are left */
	uint64_t left;
	uint64_t per_record;
};

extern _Thread_local struct work work_of_thread;

static inline void work_begin(uint64_t per_record)
{
	work_of_thread = (struct work){.is_bounded = true,
				       .left = per_record * WORK_FLAT_RECORDS,
				       .per_record = per_record};
}

static inline void work_end(void)
{
	work_of_thread = (struct work){0};
}

/* Another record has come. */
static inline void work_record(void)
{
	work_of_thread.left += work_of_thread.per_record;
}

static inline bool work_is_over(void)
{
	return work_of_thread.is_over;
}

/* False: there are not that many left, and the caller leaves its loop. */
static inline bool work_spend(uint64_t steps)
{
	if (!work_of_thread.is_bounded)
		return true;
	if (steps > work_of_thread.left) {
		work_of_thread.is_over = true;
		work_of_thread.left = 0;
		return false;
	}
	work_of_thread.left -= steps;
	return true;
}

/* The same for sorting so many entries: about as many steps as a merge takes comparisons. */
static inline bool work_spend_sort(size_t cnt)
{
	return work_spend(cnt * (8 * sizeof(unsigned long long) - __builtin_clzll(cnt | 1)));
}

#endif

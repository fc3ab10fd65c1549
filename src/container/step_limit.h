/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Limits the work of an analysis. Genuine records need little work, but forged records can make
 * every loop visit all pending messages. Each loop whose length depends on the records therefore
 * counts its steps, and stops when the limit is reached. The analysis then fails with -E2BIG.
 *
 * Each thread has its own limit, which step_limit_begin() sets. Only `ipctrace report` sets a
 * limit. The limit is a thread-local variable, because a parameter would pass through most
 * functions of the analysis.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Each record allows this many steps, and the start of a report as many as so many records do. A
 * step takes about a nanosecond. The most that was measured in a real recording is 4,900 steps per
 * record: a UDP reader with a backlog, on a noisy machine where waits last seconds.
 */
#define STEPS_PER_RECORD   8192
#define STEPS_FLAT_RECORDS 16384

/* Steps of one entry that is scattered in memory, or costs more than a comparison. */
enum {
	STEPS_OF_CHANGE = 4, /* it becomes a segment of a message */
	STEPS_OF_END = 4,
	STEPS_OF_MESSAGE = 4,
	STEPS_OF_SLICE = 4,
	STEPS_OF_AMBIGUOUS = 5, /* marking it writes to it */
	STEPS_OF_CALL = 8,
	STEPS_OF_CALLER = 8,
	STEPS_OF_CONNECTION = 8,
	STEPS_OF_OVERLAP = 8, /* two messages are looked up */
	STEPS_OF_SENDER = 8,
	STEPS_OF_SHARE = 8, /* it is added to several sums */
	STEPS_OF_STREAM = 8,
	STEPS_OF_THREAD = 8,
	STEPS_OF_CPU = 16,
	STEPS_OF_INBOX = 16,
	STEPS_OF_WINDOW = 100000, /* an analysis is made anew */
};

struct step_limit {
	bool is_bounded;
	bool is_exceeded;
	uint64_t left;
	uint64_t per_record;
};

extern _Thread_local struct step_limit step_limit;

static inline void step_limit_begin(uint64_t per_record)
{
	step_limit = (struct step_limit){.is_bounded = true,
					 .left = per_record * STEPS_FLAT_RECORDS,
					 .per_record = per_record};
}

static inline void step_limit_end(void)
{
	step_limit = (struct step_limit){0};
}

/* Another record begins: its steps may be spent from now on. */
static inline void step_limit_add_record(void)
{
	step_limit.left += step_limit.per_record;
}

static inline bool step_limit_is_exceeded(void)
{
	return step_limit.is_exceeded;
}

/* False: fewer steps are left, and the caller leaves its loop. */
static inline bool step_limit_spend(uint64_t steps)
{
	if (!step_limit.is_bounded)
		return true;
	if (steps > step_limit.left) {
		step_limit.is_exceeded = true;
		step_limit.left = 0;
		return false;
	}
	step_limit.left -= steps;
	return true;
}

/* Spends the steps of sorting `cnt` entries: about the comparisons of a merge sort. */
static inline bool step_limit_spend_sort(size_t cnt)
{
	return step_limit_spend(cnt * (8 * sizeof(unsigned long long) - __builtin_clzll(cnt | 1)));
}

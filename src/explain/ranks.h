/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Pass 1: collects latencies, and derives which ones are slow and which are the base.
 *
 *	          base                          slow
 *	    |-------------|              |------------|- - - -
 *	 base_from     base_to      slow_above   outlier_above
 */
#pragma once

#include "explain/histogram.h"
#include "explain/selection.h"

/* Latencies of slow units are kept as a sample. */
#define SLOW_SAMPLE_MAX 256

/* So many of the slowest units are outliers, if there are enough others that are slow. */
#define OUTLIERS_MAX 10

struct bounds {
	uint64_t slow_above_ns; /* slow: longer than this */
	uint64_t base_from_ns;  /* base: not slow, and within these two */
	uint64_t base_to_ns;
	uint64_t outlier_above_ns; /* the slowest of the slow ones; UINT64_MAX: none */
	uint64_t slow_cnt; /* units; up to 0.1 % wrong for more than EXPLAIN_EXACT_MAX of them */
	uint64_t base_cnt;
	double base_mean_ns; /* likewise */
	uint64_t slow_sample_ns[SLOW_SAMPLE_MAX];
	uint32_t slow_sample_cnt;
};

/* Zero-initialised but for `exact_max`, which the caller sets, it is empty. */
struct ranks {
	uint64_t exact_max; /* more latencies than these go to a histogram */
	uint64_t *latency;  /* owned; NULL with a histogram */
	uint64_t cnt;
	uint64_t room;
	uint64_t min_ns;
	uint64_t max_ns;
	bool is_histogram;
	struct histogram histogram;
};

void ranks_clean(struct ranks *ranks);

/* 0 or -ENOMEM. */
int ranks_add(struct ranks *ranks, uint64_t latency_ns);

/*
 * See explain.h for the rule. No latency is slow for --message. Without latencies, all is 0. There
 * are outliers only where the selection does not say which units are slow.
 */
void ranks_choose(const struct ranks *ranks, const struct selection *selection,
		  struct bounds *bounds);

/* No latency belongs to the base. */
static inline void bounds_drop_base(struct bounds *bounds)
{
	bounds->base_from_ns = UINT64_MAX;
	bounds->base_to_ns = 0;
	bounds->base_cnt = 0;
	bounds->base_mean_ns = 0;
}

/* Whether a latency is slow, and one of the slowest; whether one that is not slow is base. */
static inline bool bounds_are_slow(const struct bounds *bounds, uint64_t latency_ns)
{
	return latency_ns > bounds->slow_above_ns;
}

static inline bool bounds_are_outliers(const struct bounds *bounds, uint64_t latency_ns)
{
	return latency_ns > bounds->outlier_above_ns;
}

static inline bool bounds_are_base(const struct bounds *bounds, uint64_t latency_ns)
{
	return latency_ns >= bounds->base_from_ns && latency_ns <= bounds->base_to_ns;
}

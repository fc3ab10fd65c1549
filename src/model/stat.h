/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Statistics of one quantity in bounded memory. Count, extremes and mean are exact, and so is the
 * standard deviation as long as squares fit into 128 bits (times below days). Percentiles come from
 * a histogram and are at most 1/1024 (0.1 %) too high, never too low.
 */
#ifndef IPCTRACE_MODEL_STAT_H
#define IPCTRACE_MODEL_STAT_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Log-linear buckets: values below 2^SUB_BITS have a bucket each; above, every octave [2^e,
 * 2^(e+1)) is cut into 2^SUB_BITS buckets of width 2^(e-SUB_BITS), so a bucket is at most
 * 2^-SUB_BITS of its values. An octave's counters are allocated when its first value comes: a
 * typical quantity uses three or four.
 */
#define STAT_SUB_BITS 10
#define STAT_OCTAVES  (64 - STAT_SUB_BITS + 1)

/* Zero-initialised is empty and valid. Owns its counters: stat_free(). */
struct stat {
	uint64_t count;
	uint64_t min;
	uint64_t max;
	unsigned __int128 sum;
	unsigned __int128 sum_of_squares;
	bool squares_overflow; /* values of centuries: the deviation comes from the histogram */
	uint64_t uncounted;    /* for lack of memory not in a bucket: percentiles lack them */
	uint32_t *octave[STAT_OCTAVES];
	uint32_t *carry[STAT_OCTAVES]; /* their upper halves; NULL: all are 0 */
};

void stat_add(struct stat *stat, uint64_t value);

/* As if 0 had been added so many times. */
void stat_add_zeros(struct stat *stat, uint64_t cnt);

/* As if all values of `more` had been added to `stat`. */
void stat_merge(struct stat *stat, const struct stat *more);

void stat_free(struct stat *stat);

/* 0 for an empty stat. */
double stat_mean(const struct stat *stat);

/* Of all values, not of a sample: divides by count. 0 for fewer than two values. */
double stat_stddev(const struct stat *stat);

/*
 * The smallest recorded value that at least `percent` of all values do not exceed (nearest rank),
 * rounded up to its bucket's last value, and never above the maximum. 0 for an empty stat.
 */
uint64_t stat_percentile(const struct stat *stat, double percent);

/* Values in buckets that lie wholly above `limit`, and the first value of the lowest of these. */
uint64_t stat_count_above(const struct stat *stat, uint64_t limit, uint64_t *lowest);

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Defines statistics of one quantity, in bounded memory. Count, minimum, maximum and mean are
 * exact. Percentiles come from a histogram. A percentile is at most 1/1024 (0.1 %) too high, and
 * never too low. The standard deviation comes from exact sums if the sum of squares fits into 128
 * bits, and otherwise from the histogram.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/*
 * Log-linear buckets: each value below 2^STAT_SUB_BITS has a bucket of its own. Above, every octave
 * [2^e, 2^(e+1)) is divided into 2^STAT_SUB_BITS buckets of width 2^(e-STAT_SUB_BITS), so a bucket
 * is at most 2^-STAT_SUB_BITS of its values wide. The counters of an octave are allocated at its
 * first value: a typical quantity uses three or four octaves.
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
	bool squares_overflow; /* then the deviation comes from the histogram */
	uint64_t uncounted; /* values without a bucket, for lack of memory: percentiles lack them */
	uint32_t *octave[STAT_OCTAVES];
	uint32_t *carry[STAT_OCTAVES]; /* upper halves of the counters; NULL: all are 0 */
};

void stat_add(struct stat *stat, uint64_t value);

/* Adds the value 0 `cnt` times. */
void stat_add_zeros(struct stat *stat, uint64_t cnt);

/* Adds all values of `more`. */
void stat_merge(struct stat *stat, const struct stat *more);

void stat_free(struct stat *stat);

/* Whether its parts agree as those of added values do. Its counts must be below 2^62. */
bool stat_is_possible(const struct stat *stat);

/* 0 for an empty stat. */
double stat_mean(const struct stat *stat);

/* Divides by count, as the values are not a sample of others. 0 for fewer than two values. */
double stat_stddev(const struct stat *stat);

/*
 * The smallest recorded value that at least `percent` of all values do not exceed (nearest rank),
 * rounded up to its bucket's last value, and never above the maximum. 0 for an empty stat.
 */
uint64_t stat_percentile(const struct stat *stat, double percent);

/*
 * The mean of the smallest `percent` of all values (at least one), each of which counts as the
 * first value of its bucket. 0 for an empty stat.
 */
double stat_mean_of_least(const struct stat *stat, double percent);

/*
 * Counts the values in buckets above `limit`; `*lowest` is the first value of the lowest of these.
 */
uint64_t stat_count_above(const struct stat *stat, uint64_t limit, uint64_t *lowest);

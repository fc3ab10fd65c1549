/* SPDX-License-Identifier: BSD-2-Clause */
/* Counts values in a histogram, and computes mean, standard deviation and percentiles. */
#include "model/stat.h"

#include <math.h>
#include <stdlib.h>

#define SUB_BUCKETS (1u << STAT_SUB_BITS)

/*
 * Octave 0 has the values below 2^STAT_SUB_BITS. Octave o > 0 has those whose highest bit is
 * STAT_SUB_BITS + o - 1.
 */
static unsigned int stat_octave_of(uint64_t value)
{
	return value < SUB_BUCKETS ? 0 : 64 - __builtin_clzll(value) - STAT_SUB_BITS;
}

/* How many low bits differ within a bucket of this octave. */
static unsigned int stat_shift_of(unsigned int octave)
{
	return octave ? octave - 1 : 0;
}

static unsigned int stat_bucket_of(uint64_t value, unsigned int octave)
{
	return (value >> stat_shift_of(octave)) & (SUB_BUCKETS - 1);
}

static uint64_t bucket_first(unsigned int octave, unsigned int bucket)
{
	return ((octave ? SUB_BUCKETS : 0) + (uint64_t)bucket) << stat_shift_of(octave);
}

static uint64_t bucket_last(unsigned int octave, unsigned int bucket)
{
	return bucket_first(octave, bucket) + ((1ULL << stat_shift_of(octave)) - 1);
}

static uint64_t count_of(const struct stat *stat, unsigned int octave, unsigned int bucket)
{
	uint64_t high = stat->carry[octave] ? stat->carry[octave][bucket] : 0;

	return high << 32 | stat->octave[octave][bucket];
}

/* Adds to the upper half of a counter. Few counters need one, so only these use the memory. */
static void carry(struct stat *stat, unsigned int octave, unsigned int bucket, uint32_t high)
{
	if (!stat->carry[octave])
		stat->carry[octave] = calloc(SUB_BUCKETS, sizeof(uint32_t));
	if (stat->carry[octave])
		stat->carry[octave][bucket] += high;
	else
		stat->uncounted += (uint64_t)high << 32;
}

static void count_in_bucket(struct stat *stat, unsigned int octave, unsigned int bucket,
			    uint64_t cnt)
{
	uint32_t *low;
	uint64_t sum;

	if (!stat->octave[octave])
		stat->octave[octave] = calloc(SUB_BUCKETS, sizeof(uint32_t));
	if (!stat->octave[octave]) {
		stat->uncounted += cnt;
		return;
	}
	low = &stat->octave[octave][bucket];
	sum = *low + cnt;
	*low = sum;
	if (sum >> 32)
		carry(stat, octave, bucket, sum >> 32);
}

static void stat_count(struct stat *stat, uint64_t value, uint64_t cnt)
{
	unsigned int octave = stat_octave_of(value);

	count_in_bucket(stat, octave, stat_bucket_of(value, octave), cnt);
}

void stat_add(struct stat *stat, uint64_t value)
{
	if (!stat->count || value < stat->min)
		stat->min = value;
	if (value > stat->max)
		stat->max = value;
	stat->count++;
	stat->sum += value;
	stat->squares_overflow |= __builtin_add_overflow(
		stat->sum_of_squares, (unsigned __int128)value * value, &stat->sum_of_squares);

	stat_count(stat, value, 1);
}

void stat_add_zeros(struct stat *stat, uint64_t cnt)
{
	if (!cnt)
		return;
	stat->min = 0;
	stat->count += cnt;
	stat_count(stat, 0, cnt);
}

void stat_merge(struct stat *stat, const struct stat *more)
{
	if (!more->count)
		return;
	if (!stat->count || more->min < stat->min)
		stat->min = more->min;
	if (more->max > stat->max)
		stat->max = more->max;
	stat->count += more->count;
	stat->sum += more->sum;
	stat->squares_overflow |= more->squares_overflow;
	stat->squares_overflow |= __builtin_add_overflow(stat->sum_of_squares, more->sum_of_squares,
							 &stat->sum_of_squares);
	stat->uncounted += more->uncounted;
	for (unsigned int octave = 0; octave < STAT_OCTAVES; octave++) {
		for (unsigned int i = 0; more->octave[octave] && i < SUB_BUCKETS; i++) {
			uint64_t cnt = count_of(more, octave, i);

			if (cnt)
				count_in_bucket(stat, octave, i, cnt);
		}
	}
}

void stat_free(struct stat *stat)
{
	for (unsigned int i = 0; i < STAT_OCTAVES; i++) {
		free(stat->octave[i]);
		free(stat->carry[i]);
		stat->octave[i] = stat->carry[i] = NULL;
	}
}

double stat_mean(const struct stat *stat)
{
	return stat->count ? (double)((long double)stat->sum / stat->count) : 0;
}

/* For values whose squares do not fit: each counts as the first value of its bucket. */
static double bucket_stddev(const struct stat *stat)
{
	long double mean = (long double)stat->sum / stat->count, squares = 0;

	for (unsigned int octave = 0; octave < STAT_OCTAVES; octave++) {
		for (unsigned int i = 0; stat->octave[octave] && i < SUB_BUCKETS; i++) {
			long double off = bucket_first(octave, i) - mean;

			squares += off * off * count_of(stat, octave, i);
		}
	}
	return sqrtl(squares / stat->count);
}

double stat_stddev(const struct stat *stat)
{
	long double mean, variance;

	if (stat->count < 2)
		return 0;
	if (stat->squares_overflow)
		return bucket_stddev(stat);
	/*
	 * The mean square minus the squared mean loses digits if the values are large and similar:
	 * use the exact integer n·Σx² − (Σx)² instead, while it fits into 128 bits.
	 */
	if (stat->sum <= UINT64_MAX &&
	    stat->sum_of_squares <= (~(unsigned __int128)0) / stat->count) {
		variance = stat->sum_of_squares * stat->count - stat->sum * stat->sum;
		return sqrtl(variance) / stat->count;
	}
	mean = (long double)stat->sum / stat->count;
	variance = (long double)stat->sum_of_squares / stat->count - mean * mean;
	return variance > 0 ? sqrtl(variance) : 0;
}

uint64_t stat_percentile(const struct stat *stat, double percent)
{
	uint64_t counted = stat->count - stat->uncounted, seen = 0, rank;

	if (!counted)
		return 0;
	/* 99.9 % of 1000 are 999, not the 999.0000000000001 of binary fractions. */
	rank = ceill((long double)percent * counted / 100 - 1e-6L);
	if (rank < 1)
		rank = 1;
	for (unsigned int octave = 0; octave < STAT_OCTAVES; octave++) {
		if (!stat->octave[octave])
			continue;
		for (unsigned int bucket = 0; bucket < SUB_BUCKETS; bucket++) {
			seen += count_of(stat, octave, bucket);
			if (seen >= rank) {
				uint64_t last = bucket_last(octave, bucket);

				return last < stat->max ? last : stat->max;
			}
		}
	}
	return stat->max;
}

double stat_mean_of_least(const struct stat *stat, double percent)
{
	uint64_t counted = stat->count - stat->uncounted, left, all;
	long double sum = 0;

	if (!counted)
		return 0;
	all = left = (uint64_t)(percent * (double)counted / 100) ?: 1;
	for (unsigned int octave = 0; octave < STAT_OCTAVES && left; octave++) {
		for (unsigned int i = 0; stat->octave[octave] && i < SUB_BUCKETS && left; i++) {
			uint64_t cnt = count_of(stat, octave, i);

			if (cnt > left)
				cnt = left;
			sum += (long double)bucket_first(octave, i) * cnt;
			left -= cnt;
		}
	}
	return (double)(sum / all);
}

uint64_t stat_count_above(const struct stat *stat, uint64_t limit, uint64_t *lowest)
{
	uint64_t count = 0;

	*lowest = 0;
	for (unsigned int octave = stat_octave_of(limit); octave < STAT_OCTAVES; octave++) {
		if (!stat->octave[octave])
			continue;
		for (unsigned int bucket = 0; bucket < SUB_BUCKETS; bucket++) {
			uint64_t first = bucket_first(octave, bucket);
			uint64_t cnt = count_of(stat, octave, bucket);

			if (first <= limit || !cnt)
				continue;
			if (!count)
				*lowest = first;
			count += cnt;
		}
	}
	return count;
}

/* Whether the value may be in the outermost bucket in use, which is searched for from `from` on. */
static bool is_outermost(const struct stat *stat, uint64_t value, int from, int step)
{
	for (int octave = from; octave >= 0 && octave < STAT_OCTAVES; octave += step) {
		for (int i = step > 0 ? 0 : SUB_BUCKETS - 1;
		     stat->octave[octave] && i >= 0 && i < (int)SUB_BUCKETS; i += step) {
			if (count_of(stat, octave, i))
				return (int)stat_octave_of(value) == octave &&
				       (int)stat_bucket_of(value, octave) == i;
		}
	}
	return !value;
}

/* Values and squares are not larger than the largest of them allows. */
static bool sums_are_possible(const struct stat *stat)
{
	long double squares = stat->sum_of_squares, sum = stat->sum, rounding = 1e-15L;

	if (stat->sum < (unsigned __int128)stat->min * stat->count ||
	    stat->sum > (unsigned __int128)stat->max * stat->count)
		return false;
	return stat->squares_overflow || (squares <= sum * stat->max * (1 + rounding) &&
					  squares * stat->count >= sum * sum * (1 - rounding));
}

bool stat_is_possible(const struct stat *stat)
{
	uint64_t cnt = stat->uncounted;

	for (unsigned int octave = 0; octave < STAT_OCTAVES; octave++) {
		for (unsigned int i = 0; stat->octave[octave] && i < SUB_BUCKETS; i++) {
			uint64_t more = count_of(stat, octave, i);

			if (more > stat->count || (cnt += more) > stat->count)
				return false;
		}
	}
	if (cnt != stat->count || stat->min > stat->max || !sums_are_possible(stat))
		return false;
	return stat->uncounted || (is_outermost(stat, stat->min, 0, 1) &&
				   is_outermost(stat, stat->max, STAT_OCTAVES - 1, -1));
}

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Counts the units of each block in a coarse histogram, and finds the percentiles with their 95 %
 * bands from these. Units are not independent: one event makes several of them slow. So the
 * uncertainty comes from blocks of consecutive units (batch means): how much the share of units
 * below a latency varies from block to block. It is never taken to be less than that of independent
 * units (Wilson's interval).
 *
 * Law, Kelton: Simulation Modeling and Analysis, chapter 9; Wilson, JASA 22 (1927), 209-212.
 */
#include "picture/parts.h"

#include <math.h>
#include <stdlib.h>

/* Log-linear, as struct stat: a bucket is at most 1/64 of its values wide. */
#define SUB_BITS 6
#define BUCKETS  ((64 - SUB_BITS + 1) << SUB_BITS)

/* Blocks with fewer units say nothing about the uncertainty. */
#define BLOCK_UNITS_LEAST 10

/* Quantiles of 97.5 %: Student's t with CURVE_BLOCKS - 1 degrees of freedom, and the normal one. */
#define STUDENT 2.093
#define NORMAL  1.960

/* Points for each factor of 10 of 1/(1 - p). */
#define POINTS_PER_DECADE 16

struct curves {
	uint64_t units; /* that will be added */
	uint64_t added;
	uint32_t block;     /* the current one */
	uint64_t block_end; /* so many units are in it and those before */
	uint64_t in_block[CURVE_BLOCKS];
	uint32_t cnt[CURVE_BLOCKS][BUCKETS];
};

/* Blocks have equally many units, but for one. */
static uint64_t block_end(uint64_t units, uint32_t block)
{
	return (uint64_t)((unsigned __int128)units * (block + 1) / CURVE_BLOCKS);
}

struct curves *curves__new(uint64_t units)
{
	struct curves *curves = calloc(1, sizeof(*curves));

	if (!curves)
		return NULL;
	curves->units = units;
	curves->block_end = block_end(units, 0);
	return curves;
}

static unsigned int curves_bucket_of(uint64_t value)
{
	unsigned int shift;

	if (value < 1u << SUB_BITS)
		return value;
	shift = 63 - __builtin_clzll(value) - SUB_BITS;
	return ((shift + 1) << SUB_BITS) + ((value >> shift) & ((1u << SUB_BITS) - 1));
}

static uint64_t curves_first_of(unsigned int bucket)
{
	unsigned int octave = bucket >> SUB_BITS, sub = bucket & ((1u << SUB_BITS) - 1);

	return octave ? (uint64_t)(sub + (1u << SUB_BITS)) << (octave - 1) : bucket;
}

static uint64_t curves_last_of(unsigned int bucket)
{
	unsigned int octave = bucket >> SUB_BITS;

	return curves_first_of(bucket) + (octave ? (1ULL << (octave - 1)) - 1 : 0);
}

void curves__add(struct curves *curves, uint64_t latency_ns)
{
	if (curves->added++ >= curves->block_end && curves->block + 1 < CURVE_BLOCKS) {
		curves->block++;
		curves->block_end = block_end(curves->units, curves->block);
	}
	curves->in_block[curves->block]++;
	curves->cnt[curves->block][curves_bucket_of(latency_ns)]++;
}

/* The share of units up to a bucket, with its limits. */
struct share {
	double low;
	double high;
};

/* Wilson's interval of a share of `units` independent ones, `z` deviations wide on each side. */
static struct share wilson(double share, double units, double z)
{
	double width = 1 + z * z / units, middle = (share + z * z / (2 * units)) / width;
	double half = z / width * sqrt(share * (1 - share) / units + z * z / (4 * units * units));

	return (struct share){middle - half, middle + half};
}

/* `below`: units of each block up to a bucket. */
static struct share curves_share_of(const struct curves *curves, const uint64_t below[CURVE_BLOCKS])
{
	double units = (double)curves->added, all = 0, share, between = 0, alone;

	for (int i = 0; i < CURVE_BLOCKS; i++)
		all += (double)below[i];
	share = all / units;
	if (curves->added < CURVE_BLOCKS * BLOCK_UNITS_LEAST)
		return wilson(share, units, NORMAL);
	for (int i = 0; i < CURVE_BLOCKS; i++) {
		double off = (double)below[i] / (double)curves->in_block[i] - share;

		between += off * off;
	}
	between /= CURVE_BLOCKS * (CURVE_BLOCKS - 1.0);
	alone = share * (1 - share) / units;
	/* As many independent units would vary as much. */
	if (between > alone)
		units *= alone / between;
	return wilson(share, units, STUDENT);
}

/* The buckets that first have shares above the wanted ones; both limits rise with the bucket. */
static void find_bands(const struct curves *curves, struct curve *curve)
{
	uint64_t below[CURVE_BLOCKS] = {0};
	uint32_t low = 0, high = 0;

	for (unsigned int bucket = 0; bucket < BUCKETS && high < curve->point_cnt; bucket++) {
		struct share share;
		bool is_empty = true;

		for (int i = 0; i < CURVE_BLOCKS; i++) {
			below[i] += curves->cnt[i][bucket];
			is_empty &= !curves->cnt[i][bucket];
		}
		if (is_empty)
			continue;
		share = curves_share_of(curves, below);
		for (; low < curve->point_cnt && curve->point[low].percent <= 100 * share.high;
		     low++)
			curve->point[low].low_ns = curves_first_of(bucket);
		for (; high < curve->point_cnt && curve->point[high].percent <= 100 * share.low;
		     high++)
			curve->point[high].high_ns = curves_last_of(bucket);
	}
}

/* The buckets are coarser than those of the percentile, which lies within its band. */
static void tidy_bands(const struct stat *latency, struct curve *curve)
{
	for (uint32_t i = 0; i < curve->point_cnt; i++) {
		struct curve_point *point = &curve->point[i];

		if (!point->low_ns || point->low_ns > point->ns)
			point->low_ns = point->ns;
		if (point->low_ns < latency->min)
			point->low_ns = latency->min;
		if (point->high_ns && point->high_ns < point->ns)
			point->high_ns = point->ns;
		if (point->high_ns > latency->max)
			point->high_ns = latency->max;
	}
}

static void add_point(const struct stat *latency, double percent, struct curve *curve)
{
	if (curve->point_cnt < CURVE_POINTS_MAX)
		curve->point[curve->point_cnt++] = (struct curve_point){
			.percent = percent, .ns = stat_percentile(latency, percent)};
}

/* As far as at least one unit is beyond. The median is no round number of decades. */
static void add_points(const struct stat *latency, struct curve *curve)
{
	bool has_median = false;

	for (int i = 0;; i++) {
		double beyond = pow(10, -(double)i / POINTS_PER_DECADE);
		double percent = 100 * (1 - beyond);

		if (i && beyond * (double)latency->count < 1)
			break;
		if (percent > 50 && !has_median) {
			add_point(latency, 50, curve);
			has_median = true;
		}
		add_point(latency, percent, curve);
	}
	add_point(latency, 100, curve);
}

void curves__finish(const struct curves *curves, const struct stat *latency, struct curve *curve)
{
	*curve = (struct curve){.units = latency->count};
	if (!latency->count)
		return;
	add_points(latency, curve);
	if (!curves->added)
		return;
	find_bands(curves, curve);
	tidy_bands(latency, curve);
}

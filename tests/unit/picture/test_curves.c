/* SPDX-License-Identifier: BSD-2-Clause */
/* The percentiles of a curve, and whether its bands hold the true ones. */
#include "support/build.h"

#include "picture/parts.h"

#include <math.h>
#include <stdlib.h>

static void curve_of(const uint64_t *latency_ns, size_t cnt, struct curve *curve)
{
	struct curves *curves = curves__new(cnt);
	struct stat latency = {0};

	assert_non_null(curves);
	for (size_t i = 0; i < cnt; i++) {
		curves__add(curves, latency_ns[i]);
		stat_add(&latency, latency_ns[i]);
	}
	curves__finish(curves, &latency, curve);
	for (uint32_t i = 0; i < curve->point_cnt; i++)
		assert_int_equal(curve->point[i].ns,
				 stat_percentile(&latency, curve->point[i].percent));
	stat_free(&latency);
	free(curves);
}

static const struct curve_point *point_at(const struct curve *curve, double percent)
{
	for (uint32_t i = 0; i < curve->point_cnt; i++) {
		if (fabs(curve->point[i].percent - percent) < 1e-9)
			return &curve->point[i];
	}
	fail_msg("no point at %f", percent);
	return NULL;
}

TEST(no_units_have_no_points)
{
	struct curve curve;

	curve_of(NULL, 0, &curve);
	assert_int_equal(curve.point_cnt, 0);
}

TEST(one_unit_has_two_points)
{
	const uint64_t one = 4711;
	struct curve curve;

	curve_of(&one, 1, &curve);
	assert_int_equal(curve.point_cnt, 2);
	assert_true(curve.point[1].percent == 100);
	assert_int_equal(curve.point[0].ns, 4711);
	assert_int_equal(curve.point[1].ns, 4711);
	assert_int_equal(curve.point[1].high_ns, 0);
}

/* Points rise, end at the maximum, and stop where less than one unit is beyond. */
TEST(points_reach_the_maximum)
{
	uint64_t latency_ns[10000];
	struct curve curve;

	for (size_t i = 0; i < ARRAY_SIZE(latency_ns); i++)
		latency_ns[i] = 1000 + i * 7919 % 10000;
	curve_of(latency_ns, ARRAY_SIZE(latency_ns), &curve);
	point_at(&curve, 50);
	point_at(&curve, 99);
	point_at(&curve, 99.9);
	assert_int_equal(curve.point[curve.point_cnt - 1].ns, 10999);
	assert_true(curve.point[curve.point_cnt - 2].percent <= 99.99 + 1e-9);
	for (uint32_t i = 0; i < curve.point_cnt; i++) {
		const struct curve_point *point = &curve.point[i];

		assert_true(point->low_ns <= point->ns);
		assert_true(!point->high_ns || point->high_ns >= point->ns);
		if (i)
			assert_true(point->percent > curve.point[i - 1].percent &&
				    point->ns >= curve.point[i - 1].ns &&
				    point->low_ns >= curve.point[i - 1].low_ns);
	}
	/* One unit beyond says nothing about how high the percentile may be. */
	assert_int_equal(curve.point[curve.point_cnt - 1].high_ns, 0);
	assert_true(point_at(&curve, 99)->high_ns > 0);
}

/* How many of 400 bands do not hold the true percentile. `run` units in a row are alike. */
static unsigned int misses(double percent, size_t run)
{
	static uint64_t latency_ns[4000];
	uint64_t seed = 11, truth = 1000 + (uint64_t)(percent * 1000);
	unsigned int missed = 0;

	for (int time = 0; time < 400; time++) {
		const struct curve_point *point;
		struct curve curve;

		for (size_t i = 0; i < ARRAY_SIZE(latency_ns); i++)
			latency_ns[i] =
				i % run ? latency_ns[i - 1] : 1000 + random_below(&seed, 100000);
		curve_of(latency_ns, ARRAY_SIZE(latency_ns), &curve);
		point = point_at(&curve, percent);
		missed += point->low_ns > truth || (point->high_ns && point->high_ns < truth);
	}
	return missed;
}

/* The 95 % bands miss in about 20 of 400, whether units are alike or not. */
TEST(bands_hold_the_truth)
{
	assert_in_range(misses(50, 1), 0, 32);
	assert_in_range(misses(99, 1), 0, 32);
	assert_in_range(misses(50, 20), 0, 36);
	assert_in_range(misses(90, 20), 0, 36);
}

/* Units that are alike in runs have wider bands than independent ones. */
TEST(dependent_units_have_wider_bands)
{
	static uint64_t alone_ns[4000], alike_ns[4000];
	struct curve alone, alike;
	uint64_t seed = 5;

	for (size_t i = 0; i < ARRAY_SIZE(alone_ns); i++) {
		alone_ns[i] = 1000 + random_below(&seed, 100000);
		alike_ns[i] = i % 50 ? alike_ns[i - 1] : 1000 + random_below(&seed, 100000);
	}
	curve_of(alone_ns, ARRAY_SIZE(alone_ns), &alone);
	curve_of(alike_ns, ARRAY_SIZE(alike_ns), &alike);
	assert_true(point_at(&alike, 50)->high_ns - point_at(&alike, 50)->low_ns >
		    2 * (point_at(&alone, 50)->high_ns - point_at(&alone, 50)->low_ns));
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* Statistics against the textbook: a sorted array, and two passes in long double. */
#include "support/build.h"

#include "model/stat.h"

#include <math.h>
#include <stdlib.h>

#define SAMPLES_MAX 4999 /* prime: no percentile below falls on a whole rank */

struct sample {
	uint64_t value[SAMPLES_MAX];
	size_t cnt;
	struct stat stat;
};

static int compare(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

/*
 * Random values below `scale`, half of them skewed towards 0, in the stat and sorted in the array.
 */
static struct sample *sample_new(uint64_t seed, uint64_t scale, size_t cnt)
{
	struct sample *sample = calloc(1, sizeof(*sample));

	assert_non_null(sample);
	for (size_t i = 0; i < cnt; i++) {
		uint64_t value = random_next(&seed) % scale;

		if (i % 2)
			value >>= random_below(&seed, 64);
		sample->value[sample->cnt++] = value;
		stat_add(&sample->stat, value);
	}
	qsort(sample->value, cnt, sizeof(sample->value[0]), compare);
	return sample;
}

static void sample_free(struct sample *sample)
{
	stat_free(&sample->stat);
	free(sample);
}

static const uint64_t scales[] = {2,          900,        1025,       100000,
				  2000000000, 1ULL << 40, 1ULL << 62, UINT64_MAX};
static const size_t counts[] = {1, 2, 3, 10, 103, SAMPLES_MAX};

static void assert_near(double got, long double expected, double relative)
{
	if (fabsl(got - expected) > relative * fabsl(expected))
		fail_msg("%.17g is not %.17Lg", got, expected);
}

TEST(an_empty_stat_is_all_zero)
{
	struct stat stat = {0};
	uint64_t lowest = 1;

	assert_true(stat_mean(&stat) == 0 && stat_stddev(&stat) == 0);
	assert_int_equal(stat_percentile(&stat, 50), 0);
	assert_int_equal(stat_count_above(&stat, 0, &lowest), 0);
	assert_int_equal(lowest, 0);
}

TEST(one_value_is_every_percentile)
{
	static const uint64_t values[] = {0, 1, 1023, 1024, 123456789, 1ULL << 63, UINT64_MAX};

	for (size_t i = 0; i < ARRAY_SIZE(values); i++) {
		struct stat stat = {0};

		stat_add(&stat, values[i]);
		assert_int_equal(stat.min, values[i]);
		assert_int_equal(stat.max, values[i]);
		assert_int_equal(stat_percentile(&stat, 0), values[i]);
		assert_int_equal(stat_percentile(&stat, 50), values[i]);
		assert_int_equal(stat_percentile(&stat, 100), values[i]);
		assert_true(stat_stddev(&stat) == 0);
		stat_free(&stat);
	}
}

static void check_percentiles(const struct sample *sample)
{
	static const unsigned int per_mille[] = {1,   10,  50,  100, 250, 500,
						 751, 900, 990, 999, 1000};

	for (size_t i = 0; i < ARRAY_SIZE(per_mille); i++) {
		size_t rank = (per_mille[i] * sample->cnt + 999) / 1000;
		uint64_t exact = sample->value[rank - 1];
		uint64_t got = stat_percentile(&sample->stat, per_mille[i] / 10.0);

		assert_true(got >= exact);
		assert_true(got - exact <= exact / 1024);
		assert_true(got <= sample->value[sample->cnt - 1]);
	}
}

TEST(percentiles_are_never_too_low_and_a_thousandth_too_high)
{
	for (size_t i = 0; i < ARRAY_SIZE(scales); i++) {
		for (size_t k = 0; k < ARRAY_SIZE(counts); k++) {
			struct sample *sample = sample_new(i * 100 + k, scales[i], counts[k]);

			check_percentiles(sample);
			sample_free(sample);
		}
	}
}

/* 99.9 % of 1000 values are 999 of them, although 99.9 / 100 * 1000 is a little more in binary. */
TEST(a_whole_rank_is_not_rounded_up)
{
	for (unsigned int cnt = 10; cnt <= 1000; cnt += 10) {
		struct stat stat = {0};

		for (unsigned int i = 1; i <= cnt; i++)
			stat_add(&stat, i);
		for (unsigned int per_mille = 1; per_mille <= 1000; per_mille++) {
			unsigned int rank = (per_mille * cnt + 999) / 1000;

			assert_int_equal(stat_percentile(&stat, per_mille / 10.0), rank);
		}
		stat_free(&stat);
	}
}

static void moments(const struct sample *sample, long double *mean, long double *deviation)
{
	long double sum = 0, squares = 0;

	for (size_t i = 0; i < sample->cnt; i++)
		sum += sample->value[i];
	*mean = sum / sample->cnt;
	for (size_t i = 0; i < sample->cnt; i++)
		squares += (sample->value[i] - *mean) * (sample->value[i] - *mean);
	*deviation = sqrtl(squares / sample->cnt);
}

static void check_moments(const struct sample *sample, double relative)
{
	long double mean, deviation;

	moments(sample, &mean, &deviation);
	assert_near(stat_mean(&sample->stat), mean, relative);
	assert_near(stat_stddev(&sample->stat), deviation, relative);
}

TEST(mean_and_stddev_are_exact)
{
	/* Up to 2^40 ns: 18 minutes. */
	for (size_t i = 0; i < ARRAY_SIZE(scales) - 2; i++) {
		for (size_t k = 0; k < ARRAY_SIZE(counts); k++) {
			struct sample *sample = sample_new(i * 100 + k, scales[i], counts[k]);

			check_moments(sample, 1e-15);
			sample_free(sample);
		}
	}
}

/* base, base + 2, base + 4: variance 8/3 */
static struct stat alike(uint64_t base)
{
	struct stat stat = {0};

	for (uint64_t i = 0; i < 3; i++)
		stat_add(&stat, base + 2 * i);
	assert_near(stat_mean(&stat), base + 2.0L, 1e-15);
	return stat;
}

static void check_alike(uint64_t base)
{
	struct stat stat = alike(base);

	assert_false(stat.squares_overflow);
	assert_near(stat_stddev(&stat), sqrtl(8.0L / 3), 1e-12);
	stat_free(&stat);
}

TEST(values_large_and_alike_keep_their_stddev)
{
	check_alike(1000000000ULL);
	check_alike(1ULL << 50);
	check_alike(1ULL << 62);
}

/* Beyond what 128 bits hold exactly, the deviation is right to a bucket's width. */
static void check_coarse_stddev(const struct stat *stat, long double expected)
{
	if (fabsl(stat_stddev(stat) - expected) > stat->max / 1024.0L)
		fail_msg("%.17g is not near %.17Lg", stat_stddev(stat), expected);
}

TEST(values_beyond_2_to_the_62_have_a_stddev_within_a_bucket)
{
	static const uint64_t bases[] = {(1ULL << 62) + (1ULL << 61), 1ULL << 63, UINT64_MAX - 4};

	for (size_t i = 0; i < ARRAY_SIZE(bases); i++) {
		struct stat stat = alike(bases[i]);

		check_coarse_stddev(&stat, sqrtl(8.0L / 3));
		stat_free(&stat);
	}
}

TEST(random_values_beyond_2_to_the_62_have_a_stddev_within_a_bucket)
{
	for (size_t i = ARRAY_SIZE(scales) - 2; i < ARRAY_SIZE(scales); i++) {
		for (size_t k = 1; k < ARRAY_SIZE(counts); k++) {
			struct sample *sample = sample_new(i * 100 + k, scales[i], counts[k]);
			long double mean, deviation;

			moments(sample, &mean, &deviation);
			assert_near(stat_mean(&sample->stat), mean, 1e-15);
			check_coarse_stddev(&sample->stat, deviation);
			sample_free(sample);
		}
	}
}

/* Not even their squares fit: 1/1024 is a bucket's width, twice that is certain. */
TEST(the_largest_values_do_not_spoil_the_stddev)
{
	struct stat stat = {0};

	stat_add(&stat, 0);
	stat_add(&stat, UINT64_MAX);
	stat_add(&stat, UINT64_MAX);
	assert_int_equal(stat.max, UINT64_MAX);
	assert_near(stat_mean(&stat), UINT64_MAX * 2.0L / 3, 1e-15);
	assert_true(stat.squares_overflow);
	assert_near(stat_stddev(&stat), UINT64_MAX * sqrtl(2.0L) / 3, 1.0 / 512);
	stat_free(&stat);
}

TEST(the_largest_values_have_percentiles)
{
	struct stat stat = {0};

	for (uint64_t i = 0; i < 10; i++)
		stat_add(&stat, i < 5 ? i : UINT64_MAX);
	assert_int_equal(stat_percentile(&stat, 50), 4);
	assert_int_equal(stat_percentile(&stat, 51), UINT64_MAX);
	assert_int_equal(stat.uncounted, 0);
	stat_free(&stat);
}

/* What it counts lies above the limit, and what it leaves out is at most a bucket above it. */
static void check_count_above(const struct sample *sample, uint64_t limit)
{
	uint64_t lowest, above = 0, from_lowest = 0, missed = 0;
	uint64_t count = stat_count_above(&sample->stat, limit, &lowest);

	for (size_t i = 0; i < sample->cnt; i++) {
		uint64_t value = sample->value[i];

		above += value > limit;
		from_lowest += count && value >= lowest;
		missed += value > limit && (!count || value < lowest);
		if (value > limit && (!count || value < lowest))
			assert_true(value - limit <= limit / 1024);
	}
	assert_int_equal(count, from_lowest);
	assert_int_equal(count + missed, above);
	if (count)
		assert_true(lowest > limit);
}

TEST(count_above_counts_whole_buckets_above_the_limit)
{
	for (size_t i = 0; i < ARRAY_SIZE(scales); i++) {
		struct sample *sample = sample_new(i, scales[i], SAMPLES_MAX);

		for (size_t k = 0; k < sample->cnt; k += 50)
			check_count_above(sample, sample->value[k]);
		check_count_above(sample, 0);
		check_count_above(sample, 1023);
		check_count_above(sample, 1024);
		check_count_above(sample, UINT64_MAX);
		sample_free(sample);
	}
}

TEST(small_values_are_counted_above_exactly)
{
	struct stat stat = {0};
	uint64_t lowest;

	for (uint64_t i = 0; i < 1024; i++)
		stat_add(&stat, i);
	for (uint64_t limit = 0; limit < 1024; limit++) {
		assert_int_equal(stat_count_above(&stat, limit, &lowest), 1023 - limit);
		assert_int_equal(lowest, limit == 1023 ? 0 : limit + 1);
	}
	stat_free(&stat);
}

static void assert_same_stat(const struct stat *a, const struct stat *b)
{
	assert_int_equal(a->count, b->count);
	assert_int_equal(a->min, b->min);
	assert_int_equal(a->max, b->max);
	assert_true(a->sum == b->sum && a->sum_of_squares == b->sum_of_squares);
	assert_int_equal(a->squares_overflow, b->squares_overflow);
	for (double percent = 0; percent <= 100; percent += 0.5)
		assert_int_equal(stat_percentile(a, percent), stat_percentile(b, percent));
}

/* The same as adding all values to one, in whichever order they are merged. */
TEST(merged_statistics_are_those_of_all_values)
{
	struct stat all = {0}, low = {0}, high = {0}, merged = {0}, other_way = {0};
	uint64_t seed = 7;

	for (int i = 0; i < 3000; i++) {
		uint64_t value = random_next(&seed) >> random_below(&seed, 64);

		stat_add(&all, value);
		stat_add(value < 5000 ? &low : &high, value);
	}
	stat_merge(&merged, &low);
	stat_merge(&merged, &high);
	stat_merge(&other_way, &high);
	stat_merge(&other_way, &low);
	assert_same_stat(&merged, &all);
	assert_same_stat(&other_way, &all);
	assert_int_equal(stat_mean(&merged), stat_mean(&all));
	stat_free(&all);
	stat_free(&low);
	stat_free(&high);
	stat_free(&merged);
	stat_free(&other_way);
}

TEST(an_empty_statistic_merges_into_nothing)
{
	struct stat some = {0}, empty = {0}, copy = {0};

	stat_add(&some, 5);
	stat_add(&some, 7000);
	stat_merge(&copy, &some);
	stat_merge(&copy, &empty);
	assert_same_stat(&copy, &some);
	stat_merge(&empty, &some); /* its minimum is not the 0 of an empty one */
	assert_same_stat(&empty, &some);
	stat_add(&copy, 9); /* the copy has counters of its own */
	assert_int_equal(some.count, 2);
	assert_int_equal(stat_percentile(&some, 50), 5);
	stat_free(&some);
	stat_free(&empty);
	stat_free(&copy);
}

TEST(squares_that_overflow_are_known_after_a_merge)
{
	struct stat one = {0}, two = {0};

	stat_add(&one, UINT64_MAX);
	stat_add(&two, UINT64_MAX);
	assert_false(one.squares_overflow || two.squares_overflow);
	stat_merge(&one, &two);
	assert_true(one.squares_overflow);
	stat_free(&one);
	stat_free(&two);
}

TEST(many_zeros_are_added_as_if_one_by_one)
{
	struct stat one_by_one = {0}, at_once = {0};

	stat_add_zeros(&at_once, 0);
	assert_int_equal(at_once.count, 0);
	stat_add(&one_by_one, 7000);
	stat_add(&at_once, 7000);
	for (int i = 0; i < 99; i++)
		stat_add(&one_by_one, 0);
	stat_add_zeros(&at_once, 99);
	assert_int_equal(at_once.count, 100);
	assert_int_equal(at_once.min, 0);
	assert_int_equal(at_once.max, 7000);
	assert_true(stat_mean(&at_once) == stat_mean(&one_by_one));
	assert_true(stat_stddev(&at_once) == stat_stddev(&one_by_one));
	assert_int_equal(stat_percentile(&at_once, 99), 0);
	assert_int_equal(stat_percentile(&at_once, 100), 7000);
	stat_free(&one_by_one);
	stat_free(&at_once);
}

/* More than 32 bits count. */
TEST(five_billion_zeros_do_not_come_round)
{
	struct stat stat = {0}, merged = {0};
	uint64_t lowest;

	stat_add(&stat, 1000000);
	stat_add_zeros(&stat, 2500000000);
	stat_merge(&merged, &stat);
	stat_merge(&merged, &stat);
	stat_add_zeros(&stat, 2500000000);
	for (const struct stat *each = &stat; each; each = each == &stat ? &merged : NULL) {
		assert_int_equal(stat_percentile(each, 50), 0);
		assert_int_equal(stat_percentile(each, 99.9), 0);
		assert_int_equal(stat_percentile(each, 100), 1000000);
	}
	assert_int_equal(stat_count_above(&stat, 0, &lowest), 1);
	assert_int_equal(stat_count_above(&merged, 0, &lowest), 2);
	stat_free(&stat);
	stat_free(&merged);
}

TEST(the_mean_of_the_least_leaves_out_the_largest)
{
	struct stat stat = {0};

	assert_true(stat_mean_of_least(&stat, 99) == 0);
	stat_add(&stat, 7);
	assert_true(stat_mean_of_least(&stat, 99) == 7); /* at least one */
	for (int i = 0; i < 98; i++)
		stat_add(&stat, 7);
	stat_add(&stat, 1000000000);
	assert_true(stat_mean_of_least(&stat, 99) == 7);
	assert_true(stat_mean_of_least(&stat, 100) > 9990000);
	stat_free(&stat);
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* Which latencies are slow and which are the base: exact, and by the histogram. */
#include "support/build.h"

#include "explain/histogram.h"
#include "explain/ranks.h"

#include <stdlib.h>
#include <string.h>

static struct bounds choose(const uint64_t *latency_ns, uint64_t cnt, uint64_t exact_max,
			    const struct selection *selection)
{
	struct ranks ranks = {.exact_max = exact_max};
	struct bounds bounds;

	for (uint64_t i = 0; i < cnt; i++)
		assert_int_equal(ranks_add(&ranks, latency_ns[i]), 0);
	assert_int_equal(ranks.cnt, cnt);
	ranks_choose(&ranks, selection, &bounds);
	ranks_clean(&ranks);
	return bounds;
}

#define COUNT(n) (&(struct selection){.slowest_cnt = (n)})
#define CHOSEN(selection, ...)                                                                     \
	choose((const uint64_t[]){__VA_ARGS__}, ARRAY_SIZE(((const uint64_t[]){__VA_ARGS__})),     \
	       1000, selection)

TEST(without_latencies_all_is_zero)
{
	struct bounds bounds = choose(NULL, 0, 1000, COUNT(5));

	assert_int_equal(bounds.slow_cnt, 0);
	assert_int_equal(bounds.base_cnt, 0);
}

TEST(fewer_than_are_wanted_are_all_slow)
{
	assert_int_equal(CHOSEN(COUNT(1), 7).slow_cnt, 1);
	assert_int_equal(CHOSEN(COUNT(1), 7).base_cnt, 0);
}

TEST(ties_at_the_limit_are_left_out)
{
	/* Two are wanted; three share the second place. */
	struct bounds bounds = CHOSEN(COUNT(2), 1, 2, 3, 4, 9, 9, 9, 10);

	assert_int_equal(bounds.slow_cnt, 1);
	assert_int_equal(bounds.slow_above_ns, 9);
}

TEST(ties_of_the_largest_are_slow_unless_they_are_many)
{
	assert_int_equal(CHOSEN(COUNT(2), 1, 2, 3, 4, 9, 9, 9, 9).slow_cnt, 4);
	assert_int_equal(CHOSEN(COUNT(2), 1, 2, 3, 9, 9, 9, 9, 9).slow_cnt, 0);
}

TEST(equal_latencies_are_not_slow)
{
	assert_int_equal(CHOSEN(COUNT(2), 4, 4, 4, 4).slow_cnt, 0);
	assert_int_equal(CHOSEN(COUNT(2), 0, 0, 0, 0).slow_cnt, 0);
}

TEST(both_limits_hold)
{
	struct selection selection = {.slowest_cnt = 3, .slower_than_ns = 6};

	assert_int_equal(CHOSEN(&selection, 1, 2, 3, 4, 5, 6, 7, 8).slow_cnt, 2);
	selection.slower_than_ns = 2;
	assert_int_equal(CHOSEN(&selection, 1, 2, 3, 4, 5, 6, 7, 8).slow_cnt, 3);
}

TEST(the_middle_half_has_its_limits)
{
	struct bounds bounds = CHOSEN(COUNT(1), 8, 1, 7, 2, 6, 3, 5, 4);

	assert_int_equal(bounds.base_from_ns, 2);
	assert_int_equal(bounds.base_to_ns, 6);
	assert_int_equal(bounds.base_cnt, 5);
	assert_true(bounds.base_mean_ns == 4);
}

TEST(slow_ones_are_not_in_the_base)
{
	struct bounds bounds = CHOSEN(COUNT(4), 8, 1, 7, 2, 6, 3, 5, 4);

	assert_int_equal(bounds.slow_cnt, 4);
	assert_int_equal(bounds.base_cnt, 3);
}

TEST(one_per_cent_of_few_is_one)
{
	struct selection selection = {0};

	assert_int_equal(selection_slow_max(&selection, 99), 1);
	assert_int_equal(selection_slow_max(&selection, 199), 1);
	assert_int_equal(selection_slow_max(&selection, 1000), 10);
	selection.slowest_percent = 0.1;
	assert_int_equal(selection_slow_max(&selection, 1000), 1);
	assert_int_equal(selection_slow_max(&selection, 3000), 3);
}

static int ascending(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

/* Against a sorted array, exact and by the histogram. */
TEST(random_latencies_agree_with_sorting)
{
	for (uint64_t seed = 1, i = 0; i < 300; i++) {
		uint64_t cnt = 1 + random_below(&seed, 3000), latency[3000], sorted[3000], above;
		struct selection selection = {.slowest_percent = 1 + random_below(&seed, 30)};
		uint64_t max = selection_slow_max(&selection, cnt);
		struct bounds exact, rough;

		for (uint64_t j = 0; j < cnt; j++)
			latency[j] =
				random_next(&seed) >> random_below(&seed, 60) >> (i % 2 ? 50 : 0);
		memcpy(sorted, latency, cnt * sizeof(latency[0]));
		qsort(sorted, cnt, sizeof(sorted[0]), ascending);
		exact = choose(latency, cnt, cnt, &selection);
		rough = choose(latency, cnt, cnt / 2, &selection);
		for (above = 0; above < cnt && sorted[cnt - 1 - above] > exact.slow_above_ns;)
			above++;
		assert_int_equal(exact.slow_cnt, above);
		if (sorted[cnt - max] < sorted[cnt - 1] || max == 1)
			assert_true(above <= 2 * max);
		if (sorted[cnt - max] > sorted[cnt - max - (max < cnt)])
			assert_true(above == max || max == cnt);
		assert_int_equal(exact.base_from_ns, sorted[percentile_rank(25, cnt) - 1]);
		assert_int_equal(exact.base_to_ns, sorted[percentile_rank(75, cnt) - 1]);
		assert_true(rough.base_from_ns <= exact.base_from_ns);
		assert_true(rough.base_from_ns >= exact.base_from_ns - exact.base_from_ns / 1024);
		assert_true(rough.base_to_ns >= exact.base_to_ns);
		assert_true(rough.base_to_ns - exact.base_to_ns <= exact.base_to_ns / 1024);
		assert_true(rough.slow_cnt <= 2 * max);
		assert_in_range(exact.slow_sample_cnt, exact.slow_cnt ? 1 : 0, SLOW_SAMPLE_MAX);
	}
}

TEST(a_histogram_agrees_with_the_statistics)
{
	for (uint64_t seed = 3, i = 0; i < 50; i++) {
		struct histogram histogram = {0};
		struct stat stat = {0};
		static const double percents[] = {0.1, 25, 50, 99, 99.9, 100};

		for (uint64_t j = random_below(&seed, 3000) + 1; j; j--) {
			uint64_t value = random_next(&seed) >> random_below(&seed, 64);

			assert_int_equal(histogram_add(&histogram, value, 1), 0);
			stat_add(&stat, value);
		}
		for (size_t j = 0; j < ARRAY_SIZE(percents); j++) {
			uint64_t rank = percentile_rank(percents[j], stat.count);
			uint64_t last = histogram_rank(&histogram, rank).last;

			assert_int_equal(last < stat.max ? last : stat.max,
					 stat_percentile(&stat, percents[j]));
		}
		histogram_free(&histogram);
		stat_free(&stat);
	}
}

TEST(a_change_takes_values_back)
{
	struct histogram all = {0}, change = {0};

	for (uint64_t i = 1; i <= 1000; i++)
		histogram_add(&all, i * 1000, 1);
	for (uint64_t i = 901; i <= 1000; i++) {
		histogram_add(&change, i * 1000, -1);
		histogram_add(&change, 5, 1);
	}
	assert_in_range(histogram_rank(&all, 990).last, 990000, 991000);
	assert_int_equal(histogram_merge(&all, &change, 1), 0);
	assert_in_range(histogram_rank(&all, 990).last, 890000, 891000);
	assert_int_equal(histogram_rank(&all, 100).last, 5);
	/* Above all ranks: the highest bucket. */
	assert_in_range(histogram_rank(&all, 5000).last, 900000, 901000);
	/* As often as asked for. */
	assert_int_equal(histogram_merge(&all, &change, 9), 0);
	assert_int_equal(histogram_rank(&all, 1000).last, 5);
	histogram_free(&all);
	histogram_free(&change);
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* Tests and intervals against published numbers, and against sums over all tables. */
#include "support/build.h"

#include "explain/significance.h"

#include <math.h>

static void assert_near(double got, double expected, double tolerance)
{
	if (!(fabs(got - expected) <= tolerance))
		fail_msg("%.12g is not %.12g", got, expected);
}

TEST(fishers_tea_tasting_is_known)
{
	/* 17/70: Fisher 1935, The Design of Experiments. */
	assert_near(fisher_more((struct share){3, 4}, (struct share){1, 4}), 2 * 17 / 70.0, 1e-12);
	assert_near(fisher_more((struct share){4, 4}, (struct share){0, 4}), 2 / 70.0, 1e-12);
}

TEST(less_frequent_is_no_finding)
{
	assert_near(fisher_more((struct share){1, 10}, (struct share){90, 100}), 1, 0);
	assert_near(fisher_more((struct share){0, 10}, (struct share){0, 100}), 1, 0);
	assert_near(fisher_more((struct share){10, 10}, (struct share){100, 100}), 1, 0);
}

static double choose(uint64_t n, uint64_t k)
{
	double ways = 1;

	if (k > n)
		return 0;
	for (uint64_t i = 1; i <= k; i++)
		ways = ways * (double)(n - k + i) / (double)i;
	return ways;
}

/* P(at least `least`), one term after the other. */
static double tail(uint64_t least, uint64_t drawn, uint64_t with, uint64_t all)
{
	double sum = 0;

	for (uint64_t k = least; k <= drawn && k <= with; k++)
		sum += choose(with, k) * choose(all - with, drawn - k) / choose(all, drawn);
	return sum;
}

TEST(small_tables_agree_with_all_their_terms)
{
	for (uint64_t m = 1; m < 12; m++) {
		for (uint64_t n = 1; n < 12; n++) {
			for (uint64_t x = 0; x <= m; x++) {
				for (uint64_t y = 0; y <= n; y++) {
					double p = tail(x, m, x + y, m + n);

					if (x * n <= y * m)
						continue;
					assert_near(fisher_more((struct share){x, m},
								(struct share){y, n}),
						    p < 0.5 ? 2 * p : 1, 1e-9);
				}
			}
		}
	}
}

TEST(the_least_p_is_that_of_the_most_extreme_table)
{
	for (uint64_t with = 0; with <= 20; with++) {
		uint64_t x = with < 8 ? with : 8;
		double expected = tail(x, 8, with, 20);

		assert_near(fisher_least(with, 8, 12), expected < 0.5 ? 2 * expected : 1, 1e-9);
	}
}

TEST(large_tables_do_not_overflow)
{
	double p = fisher_more((struct share){60000, 100000}, (struct share){300000, 1600000});

	assert_true(p >= 0 && p < 1e-100);
	p = fisher_more((struct share){1010, 100000}, (struct share){16000, 1600000});
	assert_true(p > 0.5 && p <= 1);
}

TEST(holm_multiplies_by_the_tests_that_are_left)
{
	assert_near(holm_corrected(0.01, 0, 4), 0.04, 1e-12);
	assert_near(holm_corrected(0.01, 3, 4), 0.01, 1e-12);
	assert_near(holm_corrected(0.4, 0, 4), 1, 0);
}

TEST(koopmans_example_has_his_interval)
{
	double low, high;

	ratio_interval((struct share){36, 40}, (struct share){16, 80}, &low, &high);
	assert_near(low, 2.94, 0.005);
	assert_near(high, 7.15, 0.005);
}

TEST(an_interval_may_have_no_end)
{
	double low, high;

	ratio_interval((struct share){5, 10}, (struct share){0, 100}, &low, &high);
	assert_true(low > 5 && low < 100);
	assert_true(isinf(high));
	ratio_interval((struct share){0, 10}, (struct share){50, 100}, &low, &high);
	assert_near(low, 0, 0);
	assert_true(high > 0 && high < 1);
	ratio_interval((struct share){0, 10}, (struct share){0, 100}, &low, &high);
	assert_near(low, 0, 0);
	assert_true(isinf(high));
	ratio_interval((struct share){10, 10}, (struct share){100, 100}, &low, &high);
	/* Where n (ratio - 1) and m (1 / ratio - 1) are the quantile. */
	assert_near(low, 1 / 1.3841459, 1e-6);
	assert_near(high, 1.03841459, 1e-6);
}

/* The ratio of random samples is in the interval about 95 times in 100. */
TEST(intervals_hold_the_true_ratio)
{
	uint64_t seed = 7;
	unsigned int inside = 0;

	for (unsigned int i = 0; i < 2000; i++) {
		struct share a = {0, 60}, b = {0, 300};
		double low, high;

		for (unsigned int j = 0; j < a.cnt; j++)
			a.with += random_below(&seed, 100) < 30;
		for (unsigned int j = 0; j < b.cnt; j++)
			b.with += random_below(&seed, 100) < 10;
		ratio_interval(a, b, &low, &high);
		inside += low <= 3 && high >= 3;
	}
	assert_in_range(inside, 1870, 1930);
}

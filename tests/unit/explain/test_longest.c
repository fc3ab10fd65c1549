/* SPDX-License-Identifier: BSD-2-Clause */
/* When the slowest units were, and whether some of them are forgotten. */
#include "support/build.h"

#include "explain/longest.h"

#include <stdlib.h>

static int compare(const void *left, const void *right)
{
	uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;

	return a < b ? -1 : a > b;
}

/* The longest of many random units, however these are ordered. */
TEST(the_slowest_are_kept)
{
	const size_t cnt = 300000;
	uint64_t *latency = calloc(cnt, sizeof(*latency)), seed = 5;

	for (int order = 0; order < 3; order++) {
		struct selection selection = {0};
		struct longest longest = longest_begin(&selection);
		size_t found;
		struct span *span;

		for (size_t i = 0; i < cnt; i++)
			latency[i] = order == 0   ? random_below(&seed, 1000000)
				     : order == 1 ? 3 * i
						  : 3 * (cnt - i);
		for (size_t i = 0; i < cnt; i++)
			assert_int_equal(longest_add(&longest, i * 1000, i * 1000 + latency[i]), 0);
		qsort(latency, cnt, sizeof(*latency), compare);
		assert_true(longest_has_all(&longest, latency[cnt - cnt / 100]));
		assert_false(longest_has_all(&longest, 0));
		span = longest_spans(&longest, latency[cnt - cnt / 100], &found);
		assert_non_null(span);
		assert_true(found <= cnt / 100 && found > cnt / 110);
		for (size_t i = 0; i < found; i++)
			assert_true(span[i].to_ns - span[i].from_ns > latency[cnt - cnt / 100]);
		free(span);
		longest_clean(&longest);
	}
	free(latency);
}

/* If nearly all are slow, it is said that some are forgotten. */
TEST(too_many_slow_ones_are_forgotten)
{
	struct selection selection = {.slower_than_ns = 100};
	struct longest longest = longest_begin(&selection);

	for (uint64_t i = 0; i < 600000; i++)
		assert_int_equal(longest_add(&longest, i, i + 50 + i % 1000), 0);
	assert_false(longest_has_all(&longest, 100));
	assert_true(longest_has_all(&longest, 1000));
	longest_clean(&longest);

	longest = longest_begin(&selection);
	assert_int_equal(longest_add(&longest, 0, 100), 0);
	assert_true(longest_has_all(&longest, 100)); /* it is not slower than that */
	longest_clean(&longest);
}

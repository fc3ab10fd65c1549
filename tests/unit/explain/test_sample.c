/* SPDX-License-Identifier: BSD-2-Clause */
/* Which units are slowest, and which of the others are a sample. */
#include "support/build.h"

#include "explain/sample.h"
#include "explain/slowest.h"

#include <stdlib.h>

#define LAST_NS 60000000000ULL

static void few_units_all_count(void **state)
{
	struct sample sample = sample_of(2 * SAMPLE_UNITS - 1, 1000, LAST_NS, 100000);

	assert_int_equal(sample.every, 0);
	assert_true(sample_has(&sample, 0));
	assert_true(sample_has(&sample, UINT64_MAX));
}

static void long_units_are_no_sample(void **state)
{
	assert_int_equal(sample_of(10000000, 0, LAST_NS, LAST_NS / 100).every, 0);
	assert_int_equal(sample_of(10000000, 0, LAST_NS, UINT64_MAX).every, 0);
	assert_int_equal(sample_of(10000000, 0, LAST_NS, UINT64_MAX - 1).every, 0);
	assert_int_equal(sample_of(10000000, 5, 5, 0).every, 0);
	/* Fewer and longer windows. */
	assert_in_range(sample_of(1000000, 0, LAST_NS, 10000000).groups, 64, 200);
}

/* One window of each group, not always at the same place, and all of its units. */
static void a_share_of_all_windows_counts(void **state)
{
	const struct sample sample = sample_of(1000000, 1000, LAST_NS, 100000);
	uint64_t windows = 0, places = 0;

	assert_int_equal(sample.every, 10);
	for (uint32_t group = 0; group < sample.groups; group++) {
		unsigned int in_group = 0;

		for (uint32_t i = 0; i < sample.every; i++) {
			uint64_t at_ns =
				sample.begin_ns + (group * sample.every + i) * sample.window_ns;
			bool has = sample_has(&sample, at_ns);

			assert_int_equal(sample_has(&sample, at_ns + sample.window_ns - 1), has);
			in_group += has;
			places |= (uint64_t)has << i;
		}
		assert_int_equal(in_group, 1);
		windows += in_group;
	}
	assert_int_equal(windows, sample.groups);
	assert_int_equal(places, (1 << 10) - 1);
	assert_false(sample_has(&sample, 0));
}

static void units_of_a_window_are_within_its_span(void **state)
{
	const struct sample sample = sample_of(1000000, 1000, LAST_NS, 100000);

	for (uint32_t group = 0; group < sample.groups; group++) {
		struct span span = sample_span(&sample, group, 100000);

		assert_true(sample_has(&sample, span.from_ns));
		assert_true(sample_has(&sample, span.to_ns - 100000));
		assert_false(group && sample_has(&sample, span.from_ns - 1) &&
			     sample_span(&sample, group - 1, 0).to_ns + 1 != span.from_ns);
	}
}

static void spans_are_found_in_any_order(void **state)
{
	static const struct span span[] = {{10, 20}, {30, 30}, {40, 60}};
	const struct spans spans = {span, ARRAY_SIZE(span)}, none = {0};
	size_t near = 0;

	assert_false(spans_meet(&none, 0, UINT64_MAX, &near));
	for (uint64_t from = 0; from < 70; from++) {
		for (uint64_t to = from; to < 70; to++) {
			bool meets = false;

			for (size_t i = 0; i < spans.cnt; i++)
				meets |= span[i].from_ns <= to && span[i].to_ns >= from;
			for (size_t start = 0; start <= spans.cnt; start++) {
				near = start;
				assert_int_equal(spans_meet(&spans, from, to, &near), meets);
			}
		}
	}
}

static int compare(const void *left, const void *right)
{
	uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;

	return a < b ? -1 : a > b;
}

/* The longest of many random units, however these are ordered. */
static void the_slowest_are_kept(void **state)
{
	const size_t cnt = 300000;
	uint64_t *latency = calloc(cnt, sizeof(*latency)), seed = 5;

	for (int order = 0; order < 3; order++) {
		struct selection selection = {0};
		struct slowest *slowest = slowest__new(&selection);
		size_t found;
		struct span *span;

		assert_non_null(slowest);
		for (size_t i = 0; i < cnt; i++)
			latency[i] = order == 0   ? random_below(&seed, 1000000)
				     : order == 1 ? 3 * i
						  : 3 * (cnt - i);
		for (size_t i = 0; i < cnt; i++)
			assert_int_equal(slowest__add(slowest, i * 1000, i * 1000 + latency[i]), 0);
		qsort(latency, cnt, sizeof(*latency), compare);
		assert_true(slowest__has_all(slowest, latency[cnt - cnt / 100]));
		assert_false(slowest__has_all(slowest, 0));
		span = slowest__spans(slowest, latency[cnt - cnt / 100], &found);
		assert_non_null(span);
		assert_true(found <= cnt / 100 && found > cnt / 110);
		for (size_t i = 0; i < found; i++)
			assert_true(span[i].to_ns - span[i].from_ns > latency[cnt - cnt / 100]);
		free(span);
		slowest__free(slowest);
	}
	free(latency);
}

/* If nearly all are slow, it is said that some are forgotten. */
static void too_many_slow_ones_are_forgotten(void **state)
{
	struct selection selection = {.slower_than_ns = 100};
	struct slowest *slowest = slowest__new(&selection);

	assert_non_null(slowest);
	for (uint64_t i = 0; i < 600000; i++)
		assert_int_equal(slowest__add(slowest, i, i + 50 + i % 1000), 0);
	assert_false(slowest__has_all(slowest, 100));
	assert_true(slowest__has_all(slowest, 1000));
	slowest__free(slowest);

	slowest = slowest__new(&selection);
	assert_non_null(slowest);
	assert_int_equal(slowest__add(slowest, 0, 100), 0);
	assert_true(slowest__has_all(slowest, 100)); /* it is not slower than that */
	slowest__free(slowest);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(few_units_all_count),
		cmocka_unit_test(long_units_are_no_sample),
		cmocka_unit_test(a_share_of_all_windows_counts),
		cmocka_unit_test(units_of_a_window_are_within_its_span),
		cmocka_unit_test(spans_are_found_in_any_order),
		cmocka_unit_test(the_slowest_are_kept),
		cmocka_unit_test(too_many_slow_ones_are_forgotten),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

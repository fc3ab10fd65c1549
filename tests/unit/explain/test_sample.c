/* SPDX-License-Identifier: BSD-2-Clause */
/* Which units that are not slow are a sample. */
#include "support/build.h"

#include "explain/sample.h"

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

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(few_units_all_count),
		cmocka_unit_test(long_units_are_no_sample),
		cmocka_unit_test(a_share_of_all_windows_counts),
		cmocka_unit_test(units_of_a_window_are_within_its_span),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

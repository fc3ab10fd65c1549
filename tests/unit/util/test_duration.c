/* SPDX-License-Identifier: BSD-2-Clause */
/* Durations have the largest unit of which they are at least one. */
#include "support/build.h"

#include "util/duration.h"

TEST(a_duration_has_the_largest_unit_that_fits)
{
	assert_string_equal(DURATION(64), "64 ns");
	assert_string_equal(DURATION(999), "999 ns");
	assert_string_equal(DURATION(1000), "1 us");
	assert_string_equal(DURATION(250000), "250 us");
	assert_string_equal(DURATION(10000000), "10 ms");
	assert_string_equal(DURATION(1500000000), "1.5 s");
}

TEST(a_duration_of_nothing_is_in_nanoseconds)
{
	assert_string_equal(DURATION(0), "0 ns");
}

TEST(a_duration_beyond_all_units_is_in_seconds)
{
	assert_string_equal(DURATION(86400000000000ULL), "86400 s");
}

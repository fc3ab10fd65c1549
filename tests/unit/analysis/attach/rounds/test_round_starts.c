/* SPDX-License-Identifier: BSD-2-Clause */
/* When a thread is late with its round. */
#include "support/build.h"

#include "analysis/statistics/periods.h"

static struct round_starts regular(uint64_t cnt)
{
	struct round_starts starts = {0};

	for (uint64_t i = 1; i <= cnt; i++)
		assert_int_equal(round_starts_add(&starts, 1000 * i), i > 1 ? 1000 : 0);
	return starts;
}

TEST(too_few_rounds_are_never_late)
{
	struct round_starts starts = regular(3);

	assert_false(round_starts_is_late(&starts, 100000));
	assert_int_equal(starts.usual_ns, 0);
}

TEST(a_round_is_late_if_its_distance_is_unusual)
{
	struct round_starts starts = regular(20);

	assert_int_equal(starts.usual_ns, 1000);
	assert_int_equal(round_starts_due(&starts), 21000);
	assert_false(round_starts_is_late(&starts, 21250));
	assert_true(round_starts_is_late(&starts, 21251));
}

/* Late rounds do not change what is usual; another rhythm does. */
TEST(the_usual_distance_is_a_median)
{
	struct round_starts starts = regular(20);

	round_starts_add(&starts, 30000);
	round_starts_add(&starts, 40000);
	assert_int_equal(starts.usual_ns, 1000);
	for (uint64_t i = 1; i <= ROUND_STARTS_KEPT; i++)
		round_starts_add(&starts, 40000 + 500 * i);
	assert_int_equal(starts.usual_ns, 500);
}

/* Records were lost: the next distance is not known. */
TEST(what_is_forgotten_gives_no_distance)
{
	struct round_starts starts = regular(20);

	round_starts_forget(&starts);
	assert_false(round_starts_is_late(&starts, 50000));
	assert_int_equal(round_starts_add(&starts, 50000), 0);
	assert_int_equal(round_starts_add(&starts, 51000), 1000);
	assert_int_equal(starts.usual_ns, 1000);
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* For how much of its time a receiving thread sleeps. */
#include "support/build.h"

#include "analysis/statistics/loop_times.h"

static struct loop_times *loops;

EACH_TEST_HAS(loops, loop_times__new(), loop_times__free)

/* The thread sleeps from 200 to 900. */
static const struct change sleeps[] = {
	{.at_ns = 50, .index = 1, .kind = CHANGE_RUN},
	{.at_ns = 200, .index = 2, .kind = CHANGE_POLL_IN, .cpu = 232},
	{.at_ns = 900, .index = 3, .kind = CHANGE_WAKE},
	{.at_ns = 950, .index = 4, .kind = CHANGE_SWITCH},
	{.at_ns = 960, .index = 5, .kind = CHANGE_RUN},
};

static void add(uint32_t tid, uint64_t recv_ns, struct loop_time *sum)
{
	const struct timeline line = {.change = sleeps, .cnt = ARRAY_SIZE(sleeps)};

	assert_int_equal(loop_times__add(loops, tid, recv_ns, &line, sum), 0);
}

TEST(a_thread_sleeps_between_its_messages)
{
	struct loop_time sum = {0};

	add(7, 100, &sum);
	assert_int_equal(sum.ns, 0);
	add(7, 1000, &sum);
	assert_int_equal(sum.ns, 900);
	assert_int_equal(sum.known_ns, 900);
	assert_int_equal(sum.asleep_ns, 700);
	add(7, 1100, &sum);
	assert_int_equal(sum.ns, 1000);
	assert_int_equal(sum.asleep_ns, 700);
}

TEST(each_thread_has_a_loop_of_its_own)
{
	struct loop_time sum = {0};

	add(7, 100, &sum);
	add(8, 1000, &sum);
	assert_int_equal(sum.ns, 0);
	add(7, 90, &sum); /* out of order */
	add(7, 150, &sum);
	assert_int_equal(sum.ns, 50);
	assert_int_equal(sum.asleep_ns, 0);
}

/* Its changes are forgotten, or were lost. */
TEST(time_of_which_nothing_is_known_counts_apart)
{
	const struct timeline line = {.change = &sleeps[3], .cnt = 2};
	struct loop_time sum = {0};

	add(7, 100, &sum);
	assert_int_equal(loop_times__add(loops, 7, 1000, &line, &sum), 0);
	assert_int_equal(sum.ns, 900);
	assert_int_equal(sum.known_ns, 0);
	assert_int_equal(sum.asleep_ns, 0);
}

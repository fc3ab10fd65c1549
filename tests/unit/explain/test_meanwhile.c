/* SPDX-License-Identifier: BSD-2-Clause */
/* What units wait behind on average, and which thread sleeps in most of them. */
#include "support/build.h"

#include "explain/meanwhile.h"

static struct meanwhile meanwhile;

static int meanwhile_clean(void **state)
{
	(void)state;
	meanwhile = (struct meanwhile){0};
	return 0;
}

EACH_TEST(NULL, meanwhile_clean)

static void add_turn(uint64_t waited_ns, uint32_t before, uint32_t other, uint64_t other_ns)
{
	const struct unit unit = {.turn = {.waited_ns = waited_ns,
					   .before = before,
					   .accepted = 10,
					   .other = {.tid = other},
					   .other_ns = other_ns,
					   .others = other_ns > 0}};

	meanwhile_add(&meanwhile, &unit);
}

TEST(without_a_wait_there_is_nothing)
{
	struct explain_meanwhile mean = meanwhile_finish(&meanwhile);

	assert_true(mean.waited_ns == 0 && mean.before == 0);
	add_turn(0, 0, 0, 0);
	assert_true(meanwhile_finish(&meanwhile).waited_ns == 0);
}

TEST(calls_are_a_mean_of_all_units_and_sleep_is_a_share_of_the_waits)
{
	struct explain_meanwhile mean;

	add_turn(1000, 3, 7, 900);
	add_turn(3000, 5, 7, 1100);
	add_turn(0, 0, 0, 0);
	add_turn(0, 0, 0, 0);
	mean = meanwhile_finish(&meanwhile);
	assert_true(mean.waited_ns == 1000);
	assert_true(mean.before == 2);
	assert_true(mean.accepted == 10);
	assert_true(mean.others == 1);
	assert_true(mean.other_share == 0.5);
	assert_int_equal(mean.other.tid, 7);
}

TEST(the_thread_of_most_units_is_named)
{
	add_turn(1000, 0, 7, 900);
	add_turn(1000, 0, 8, 900);
	add_turn(1000, 0, 0, 0);
	add_turn(1000, 0, 8, 900);
	assert_int_equal(meanwhile_finish(&meanwhile).other.tid, 8);
}

/* Sleeps of threads of different kinds are not added up. */
TEST(of_several_kinds_of_threads_those_that_slept_longest_count)
{
	struct unit unit = {.turn = {.waited_ns = 2000,
				     .share = SHARE_PORT,
				     .other = {.tid = 9},
				     .other_ns = 1500,
				     .others = 3}};
	struct explain_meanwhile mean;

	add_turn(1000, 0, 7, 900);
	add_turn(1000, 0, 7, 100);
	meanwhile_add(&meanwhile, &unit);
	mean = meanwhile_finish(&meanwhile);
	assert_int_equal(mean.share, SHARE_PORT);
	assert_int_equal(mean.other.tid, 9);
	assert_true(mean.other_share == 1500 / 4000.0);
	assert_true(mean.others == 1);
}

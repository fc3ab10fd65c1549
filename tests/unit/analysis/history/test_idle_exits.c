/* SPDX-License-Identifier: BSD-2-Clause */
/* When CPUs left idle for a thread. */
#include "support/build.h"

#include "analysis/history/deep_events.h"

EACH_TEST_HAS(*state, deep_events__new(), deep_events__free)

static void add(struct deep_events *exits, uint32_t cpu, uint64_t idle_ns, uint64_t left_ns,
		uint64_t switch_ns)
{
	const struct record_idle record = {
		.head = {.type = RECORD_IDLE, .words = RECORD_WORDS(record), .cpu = cpu, .tid = 7},
		.idle_ns = idle_ns,
		.left_ns = left_ns,
		.switch_ns = switch_ns,
	};

	assert_int_equal(deep_events__add(exits, &record.head), 0);
}

/* When it left; 0: not in this time. */
static uint64_t left(struct deep_events *exits, uint32_t cpu, uint64_t from_ns, uint64_t to_ns)
{
	struct idle_exit exit;

	if (!deep_events__idle_exit(exits, cpu, from_ns, to_ns, &exit))
		return 0;
	assert_true(exit.idle_ns < exit.left_ns && exit.left_ns <= exit.switch_ns);
	assert_int_equal(exit.tid, 7);
	return exit.left_ns;
}

TEST(the_last_exit_in_the_time_is_found)
{
	add(*state, 0, 10, 100, 110);
	add(*state, 0, 150, 200, 220);
	add(*state, 1, 10, 300, 310);
	assert_int_equal(left(*state, 0, 50, 99), 0);
	assert_int_equal(left(*state, 0, 50, 100), 100);
	assert_int_equal(left(*state, 0, 100, 199), 100);
	assert_int_equal(left(*state, 0, 50, 250), 200);
	assert_int_equal(left(*state, 1, 50, 400), 300);
	assert_int_equal(left(*state, 2, 0, 400), 0);
}

/* It was awake before the thread was woken. */
TEST(an_earlier_exit_is_none_of_this_wait)
{
	add(*state, 0, 10, 100, 110);
	assert_int_equal(left(*state, 0, 101, 200), 0);
}

TEST(old_ones_are_forgotten)
{
	add(*state, 0, 10, 100, 110);
	add(*state, 0, 150, 200, 220);
	deep_events__trim(*state, 200);
	assert_int_equal(deep_events__cnt(*state), 1);
	assert_int_equal(left(*state, 0, 0, 150), 0);
	assert_int_equal(left(*state, 0, 0, 200), 200);
}

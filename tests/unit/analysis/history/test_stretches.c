/* SPDX-License-Identifier: BSD-2-Clause */
#include "support/build.h"

#include "analysis/history/stretches.h"

#define LINE(...)                                                                                  \
	(struct timeline)                                                                          \
	{                                                                                          \
		.change = (struct change[]){__VA_ARGS__},                                          \
		.cnt = ARRAY_SIZE(((struct change[]){__VA_ARGS__}))                                \
	}

static void assert_next(struct stretch_walk *walk, enum thread_state state, uint64_t from_ns,
			uint64_t to_ns)
{
	struct stretch stretch;

	assert_true(stretch_next(walk, &stretch));
	assert_int_equal(stretch.state, state);
	assert_int_equal(stretch.from_ns, from_ns);
	assert_int_equal(stretch.to_ns, to_ns);
}

static void assert_over(struct stretch_walk *walk)
{
	struct stretch stretch;

	assert_false(stretch_next(walk, &stretch));
}

TEST(without_changes_nothing_is_known_but_what_the_caller_says)
{
	const struct timeline line = {0};
	struct stretch_walk walk = stretch_walk(&line, 200, 500);

	assert_next(&walk, STATE_UNKNOWN, 200, 500);
	assert_over(&walk);
	walk = stretch_walk_running(&line, 200, 500);
	assert_next(&walk, STATE_RUNNING, 200, 500);
	assert_over(&walk);
}

TEST(a_walk_of_no_length_has_no_stretch)
{
	const struct timeline line = LINE({.at_ns = 200, .index = 3, .kind = CHANGE_WAKE});
	struct stretch_walk walk = stretch_walk(&line, 200, 200);

	assert_over(&walk);
	walk = stretch_walk_running(&line, 300, 200);
	assert_over(&walk);
}

TEST(the_change_before_the_walk_shows_its_first_state)
{
	const struct timeline line = LINE({.at_ns = 100, .index = 3, .kind = CHANGE_SLEEP},
					  {.at_ns = 250, .index = 4, .kind = CHANGE_WAKE},
					  {.at_ns = 300, .index = 5, .kind = CHANGE_SWITCH},
					  {.at_ns = 600, .index = 6, .kind = CHANGE_SLEEP});
	struct stretch_walk walk = stretch_walk(&line, 200, 500);
	struct stretch stretch;

	assert_true(stretch_next(&walk, &stretch));
	assert_int_equal(stretch.state, STATE_ASLEEP);
	assert_ptr_equal(stretch.began, &line.change[0]);
	assert_ptr_equal(stretch.ended, &line.change[1]);
	assert_false(stretch.was_runnable);
	assert_next(&walk, STATE_RUNNABLE, 250, 300);
	assert_true(stretch_next(&walk, &stretch));
	assert_int_equal(stretch.state, STATE_RUNNING);
	assert_true(stretch.was_runnable);
	assert_null(stretch.ended);
	assert_int_equal(stretch.to_ns, 500);
	assert_over(&walk);
}

/* The end of a switch, and the start of a wakeup. */
TEST(a_change_that_repeats_the_state_ends_no_stretch)
{
	const struct timeline line = LINE({.at_ns = 100, .index = 3, .kind = CHANGE_SWITCH},
					  {.at_ns = 210, .index = 4, .kind = CHANGE_RUN},
					  {.at_ns = 250, .index = 5, .kind = CHANGE_POLL},
					  {.at_ns = 300, .index = 6, .kind = CHANGE_WOKEN},
					  {.at_ns = 400, .index = 7, .kind = CHANGE_WAKE});
	struct stretch_walk walk = stretch_walk(&line, 200, 500);

	assert_next(&walk, STATE_RUNNING, 200, 250);
	assert_next(&walk, STATE_POLLING, 250, 400);
	assert_next(&walk, STATE_RUNNABLE, 400, 500);
	assert_over(&walk);
}

TEST(where_a_change_is_missing_the_state_is_not_known)
{
	const struct timeline line = LINE({.at_ns = 100, .index = 3, .kind = CHANGE_SWITCH},
					  {.at_ns = 250, .index = 5, .kind = CHANGE_SLEEP},
					  {.at_ns = 300, .index = 6, .kind = CHANGE_WAKE},
					  {.at_ns = 600, .index = 8, .kind = CHANGE_WAKE});
	struct stretch_walk walk = stretch_walk(&line, 200, 500);

	assert_next(&walk, STATE_UNKNOWN, 200, 250);
	assert_next(&walk, STATE_ASLEEP, 250, 300);
	assert_next(&walk, STATE_UNKNOWN, 300, 500);
	assert_over(&walk);
}

TEST(a_change_that_cannot_end_the_state_shows_that_one_is_missing)
{
	const struct timeline line = LINE({.at_ns = 100, .index = 3, .kind = CHANGE_SLEEP},
					  {.at_ns = 250, .index = 4, .kind = CHANGE_PREEMPT},
					  {.at_ns = 300, .index = 5, .kind = CHANGE_SWITCH});
	struct stretch_walk walk = stretch_walk(&line, 200, 500);

	assert_next(&walk, STATE_UNKNOWN, 200, 250);
	assert_next(&walk, STATE_RUNNABLE, 250, 300);
	assert_next(&walk, STATE_RUNNING, 300, 500);
	assert_over(&walk);
}

/* A gap among changes that are younger than what is complete is none of the walk's. */
TEST(what_has_come_early_is_no_gap)
{
	struct timeline line = LINE({.at_ns = 100, .index = 3, .kind = CHANGE_SWITCH},
				    {.at_ns = 600, .index = 5, .kind = CHANGE_WAKE});
	struct stretch_walk walk;

	line.open_ns = 600;
	walk = stretch_walk(&line, 200, 500);
	assert_next(&walk, STATE_RUNNING, 200, 500);
	line.open_ns = 601;
	walk = stretch_walk(&line, 200, 500);
	assert_next(&walk, STATE_UNKNOWN, 200, 500);
}

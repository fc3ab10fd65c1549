/* SPDX-License-Identifier: BSD-2-Clause */
/* What a sender did from 1000, when its round was due, to 2000, when it began. */
#include "support/build.h"
#include "support/serving.h"

#include "analysis/statistics/periods.h"

enum { SENDER = 7, HOG = 9, CPU = 3, DUE = 1000, START = 2000 };

static struct serving serving;

static int setup(void **state)
{
	return serving_setup(&serving);
}

static int teardown(void **state)
{
	serving_teardown(&serving);
	return 0;
}

EACH_TEST(setup, teardown)

static struct late_start find(const struct change *change, size_t cnt)
{
	const struct timeline line = {.change = change, .cnt = cnt};

	return late_start_of(&line, SENDER, DUE, START, serving.blame);
}

static void assert_cause(const struct change *change, size_t cnt, enum component component)
{
	struct late_start late = find(change, cnt);

	assert_true(late.is_known);
	assert_int_equal(late.component, component);
	assert_int_equal(late.blame.ns, 0);
}

/* Its timer or its hardware is late. */
TEST(a_sender_that_is_woken_late_was_asleep)
{
	const struct change change[] = {
		{.at_ns = 500, .index = 4, .kind = CHANGE_SLEEP},
		{.at_ns = 1900, .index = 5, .kind = CHANGE_WAKE, .cpu = CPU},
		{.at_ns = 1950, .index = 6, .kind = CHANGE_SWITCH, .cpu = CPU},
	};

	assert_cause(change, ARRAY_SIZE(change), COMPONENT_BLOCKED);
}

/* What came before the round was due does not matter. */
TEST(a_sender_that_is_not_done_was_busy)
{
	const struct change change[] = {
		{.at_ns = 500, .index = 4, .kind = CHANGE_WAKE, .cpu = CPU},
		{.at_ns = 990, .index = 5, .kind = CHANGE_SWITCH, .cpu = CPU},
		{.at_ns = 1700, .index = 6, .kind = CHANGE_SLEEP},
		{.at_ns = 1900, .index = 7, .kind = CHANGE_WAKE, .cpu = CPU},
		{.at_ns = 1910, .index = 8, .kind = CHANGE_SWITCH, .cpu = CPU},
	};

	assert_cause(change, ARRAY_SIZE(change), COMPONENT_BUSY);
}

TEST(a_sender_without_a_cpu_waited_behind_what_ran)
{
	const struct change change[] = {
		{.at_ns = 500, .index = 4, .kind = CHANGE_SLEEP},
		{.at_ns = 1010, .index = 5, .kind = CHANGE_WAKE, .cpu = CPU},
		{.at_ns = 1990, .index = 6, .kind = CHANGE_SWITCH, .cpu = CPU},
	};
	const struct record_slice before = make_task(CPU, 0, SENDER, 500);
	const struct record_slice slice = make_task(CPU, 1, HOG, 1990);
	const struct record_name name = make_name(SLICE_TASK, HOG, 0, "hog");
	struct late_start late;

	assert_int_equal(names__add(serving.names, &name), 0);
	assert_int_equal(cpu_slices__add(serving.history.cpus, &before), 0);
	assert_int_equal(cpu_slices__add(serving.history.cpus, &slice), 0);
	late = find(change, ARRAY_SIZE(change));
	assert_true(late.is_known);
	assert_int_equal(late.component, COMPONENT_RUNQUEUE);
	assert_int_equal(late.blame.tid, HOG);
	assert_int_equal(late.blame.ns, 980);
	assert_string_equal(late.blame.comm, "hog");
}

/* A change before it is missing, or all are. */
TEST(a_history_with_a_gap_shows_nothing)
{
	struct change change[] = {
		{.at_ns = 500, .index = 4, .kind = CHANGE_SLEEP},
		{.at_ns = 1900, .index = 6, .kind = CHANGE_SWITCH, .cpu = CPU},
	};

	assert_false(find(change, ARRAY_SIZE(change)).is_known);
	change[0].at_ns = 1100;
	change[1].index = 5;
	assert_false(find(change, ARRAY_SIZE(change)).is_known);
	assert_false(find(change, 0).is_known);
}

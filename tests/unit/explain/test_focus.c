/* SPDX-License-Identifier: BSD-2-Clause */
/* What an explanation begins with, and what usual units consist of. */
#include "explain/scene.h"
#include "support/explained_rows.h"

#include <math.h>

/* Units that only receive, each a little longer than the one before. */
static void add_quick(size_t cnt, uint64_t latency_ns)
{
	for (size_t i = 0; i < cnt; i++) {
		scene_add(&scene, scene.cnt * 1000000, latency_ns + i % 100);
		scene_receive_rest(&scene);
	}
}

/* Units that sleep for so long. */
static void add_asleep(size_t cnt, uint64_t blocked_ns, uint64_t latency_ns)
{
	for (size_t i = 0; i < cnt; i++) {
		scene_add(&scene, scene.cnt * 1000000, latency_ns + i % 100);
		scene_cause(&scene, COMPONENT_BLOCKED, CAUSE_UNKNOWN, blocked_ns);
		scene_receive_rest(&scene);
	}
}

static void assert_focus(enum explain_focus focus)
{
	scene_explain(&scene);
	assert_int_equal(scene.explanation.focus, focus);
	check_rows_add_up(&scene.explanation);
}

TEST(slow_units_that_take_far_longer_come_first)
{
	add_quick(2000, 10000);
	add_asleep(20, 90000, 100000);
	assert_focus(FOCUS_DIFFERENCE);
	assert_true(fabs(scene.explanation.tail_share - 2.0 / 22) < 0.01);
	assert_true(fabs(scene.explanation.mean_ns - 22049500.0 / 2020) < 1000);
}

TEST(a_tail_with_most_of_the_time_is_said_to_have_it)
{
	add_quick(990, 10000);
	add_asleep(10, 9000000, 10000000);
	assert_focus(FOCUS_TAIL);
	assert_in_range(scene.explanation.tail_share * 1000, 900, 920);
}

TEST(a_wide_tail_comes_first_too)
{
	/* One unit of ten is slow: the slowest 1 % have little of the time, but stand for them. */
	add_quick(450, 10000);
	add_asleep(50, 290000, 300000);
	assert_focus(FOCUS_DIFFERENCE);
	assert_int_equal(scene.explanation.slow.count, 5);
}

TEST(slow_units_like_the_others_come_second)
{
	add_quick(2000, 10000);
	add_asleep(20, 5000, 15000);
	assert_focus(FOCUS_USUAL);
}

TEST(a_few_slow_units_come_second)
{
	add_quick(890, 10000);
	add_asleep(9, 90000, 100000);
	assert_focus(FOCUS_USUAL);
}

TEST(usual_waits_come_first)
{
	add_asleep(2000, 6000, 10000);
	add_asleep(20, 96000, 100000);
	assert_focus(FOCUS_USUAL);
	scene_free(&scene);
	add_asleep(2000, 4000, 10000);
	add_asleep(20, 94000, 100000);
	assert_focus(FOCUS_DIFFERENCE);
}

TEST(a_cpu_that_leaves_idle_is_no_usual_wait)
{
	for (size_t i = 0; i < 2000; i++) {
		scene_add(&scene, i * 1000000, 10000 + i % 100);
		scene_wait(&scene, 0, "", 8000)->by.class = BLAME_IDLE;
		scene_receive_rest(&scene);
	}
	add_asleep(20, 90000, 100000);
	assert_focus(FOCUS_DIFFERENCE);
}

TEST(the_user_decides_what_is_slow)
{
	add_asleep(2000, 9000, 10000);
	add_asleep(20, 96000, 100000);
	scene.choice.selection.slowest_cnt = 20;
	assert_focus(FOCUS_DIFFERENCE);
}

TEST(of_few_units_the_slowest_is_told)
{
	const struct explanation *e = &scene.explanation;

	add_quick(7, 10000);
	add_asleep(1, 240000, 250000);
	assert_focus(FOCUS_SLOWEST);
	assert_int_equal(e->outcome, EXPLAIN_TOO_FEW);
	assert_int_equal(e->slow.count, 1);
	assert_int_equal(e->base.count, 0);
	assert_int_equal(e->row[0].cost, COMPONENT_BLOCKED);
	assert_true(e->row[0].slow_ns == 240000);
	assert_int_equal(e->usual_cnt, 0);
	assert_true(e->typical.is_known);
}

TEST(usual_rows_add_up_to_the_mean_of_the_base)
{
	const struct explanation *e = &scene.explanation;
	struct explain_view view;
	double ns = 0;

	add_asleep(1000, 3000, 10000);
	for (size_t i = 0; i < 10; i++) {
		scene_add(&scene, scene.cnt * 1000000, 100000);
		scene_wait(&scene, 99, "hog", 60000);
		scene_receive_rest(&scene);
	}
	scene_explain(&scene);
	view = explanation_view(e, WEIGHT_USUAL);
	for (uint32_t i = 0; i < view.cnt; i++) {
		assert_true(view.row[i].base_ns > 0);
		assert_int_not_equal(view.row[i].cost, COMPONENT_RUNQUEUE);
		ns += view.row[i].is_component ? view_ns(&view, &view.row[i]) : 0;
	}
	assert_true(fabs(ns - view.all_ns) < 1e-3);
	/* The difference has the slow ones' wait first, the usual unit its own receive. */
	assert_int_equal(e->row[0].cost, COMPONENT_RUNQUEUE);
	assert_int_equal(view.row[0].cost, COMPONENT_RECEIVE);
	assert_int_equal(view.row[2].cost, COMPONENT_BLOCKED);
}

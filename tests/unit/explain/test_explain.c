/* SPDX-License-Identifier: BSD-2-Clause */
/* Both passes as a whole: outcomes, sets, and sums of random units. */
#include "explain/scene.h"
#include "support/explained_rows.h"

#include "explain/sample.h"

#include <math.h>

/* Latencies of 1001, 1002, ... ns, one after the other. */
static void add_rising(struct scene *scene, size_t cnt)
{
	for (size_t i = 0; i < cnt; i++) {
		scene_add(scene, i * 10000, 1001 + i);
		scene_receive_rest(scene);
	}
}

TEST(no_units_are_an_outcome)
{
	scene_explain(&scene);
	assert_int_equal(scene.explanation.outcome, EXPLAIN_NO_UNITS);
	assert_int_equal(scene.explanation.row_cnt, 0);
}

TEST(units_of_other_kinds_do_not_count)
{
	scene = (struct scene){.choice = {.kind = UNIT_CALL}};
	add_rising(&scene, 100);
	scene_explain(&scene);
	assert_int_equal(scene.explanation.outcome, EXPLAIN_NO_UNITS);
}

TEST(few_units_are_an_outcome)
{
	add_rising(&scene, EXPLAIN_UNITS_MIN - 1);
	scene_explain(&scene);
	assert_int_equal(scene.explanation.outcome, EXPLAIN_TOO_FEW);
	assert_int_equal(scene.explanation.units, EXPLAIN_UNITS_MIN - 1);
	add_rising(&scene, 1);
	scene.unit[EXPLAIN_UNITS_MIN - 1].to_ns += 1000000;
	scene_explain(&scene);
	assert_int_equal(scene.explanation.outcome, EXPLAIN_DONE);
	assert_int_equal(scene.explanation.slow.count, 1);
}

TEST(equal_latencies_have_no_slow_ones)
{
	for (size_t i = 0; i < 1000; i++)
		scene_add(&scene, i * 10000, 5000);
	scene_explain(&scene);
	assert_int_equal(scene.explanation.outcome, EXPLAIN_NONE_SLOW);
}

TEST(the_slowest_are_held_against_the_middle_half)
{
	const struct explanation *e = &scene.explanation;

	add_rising(&scene, 1000);
	scene_explain(&scene);
	assert_int_equal(e->outcome, EXPLAIN_DONE);
	assert_int_equal(e->slow.count, 10);
	assert_int_equal(e->slow.least_ns, 1991);
	assert_int_equal(e->slow.most_ns, 2000);
	assert_int_equal(e->base.least_ns, 1250);
	assert_int_equal(e->base.most_ns, 1750);
	assert_int_equal(e->base.count, 501);
	assert_string_equal(e->slow.select, "slowest 1%");
	assert_string_equal(e->base.select, "middle half");
}

TEST(all_others_can_be_the_base)
{
	scene = (struct scene){.choice.selection = {.slowest_cnt = 5, .against = AGAINST_OTHERS}};
	add_rising(&scene, 1000);
	scene_explain(&scene);
	assert_int_equal(scene.explanation.slow.count, 5);
	assert_int_equal(scene.explanation.base.count, 995);
}

TEST(nothing_is_left_if_all_are_slow)
{
	scene = (struct scene){.choice.selection.slower_than_ns = 1000};
	add_rising(&scene, 100);
	scene_explain(&scene);
	assert_int_equal(scene.explanation.outcome, EXPLAIN_NO_BASE);
	scene.choice.selection.slower_than_ns = 5000;
	scene_explain(&scene);
	assert_int_equal(scene.explanation.outcome, EXPLAIN_NONE_SLOW);
}

TEST(a_unit_of_exactly_the_limit_is_not_slower)
{
	scene = (struct scene){.choice.selection.slower_than_ns = 1998};
	add_rising(&scene, 1000);
	scene_explain(&scene);
	assert_int_equal(scene.explanation.slow.count, 2);
}

TEST(one_message_is_held_against_the_middle_half)
{
	scene = (struct scene){.choice.selection = {
				       .has_message = true,
				       .message_channel = 1,
				       .message_position = 600,
			       }};
	add_rising(&scene, 1000);
	scene_explain(&scene);
	assert_int_equal(scene.explanation.outcome, EXPLAIN_DONE);
	assert_int_equal(scene.explanation.slow.count, 1);
	assert_int_equal(scene.explanation.slow.least_ns, 1600);
	assert_int_equal(scene.explanation.base.count, 500); /* without itself */
	assert_true(scene.explanation.typical.is_known);
	assert_int_equal(scene.explanation.typical.unit.position, 600);
	assert_int_equal(scene.explanation.typical.moment_cnt, 1);
	assert_string_equal(scene.explanation.slow.select, "message 1/600");
	scene.choice.selection.message_position = 1001;
	scene_explain(&scene);
	assert_int_equal(scene.explanation.outcome, EXPLAIN_NONE_SLOW);
}

TEST(one_message_needs_no_others)
{
	const struct explanation *e = &scene.explanation;

	scene = (struct scene){.choice.selection = {.has_message = true, .message_channel = 1}};
	add_rising(&scene, 3);
	scene.choice.selection.message_position = scene.unit[1].position;
	scene_explain(&scene);
	assert_int_equal(e->outcome, EXPLAIN_DONE);
	assert_int_equal(e->slow.count, 1);
	assert_true(e->typical.is_known);
	scene.cnt = 0;
	add_rising(&scene, 1);
	scene.choice.selection.message_position = scene.unit[0].position;
	scene_explain(&scene);
	assert_int_equal(e->outcome, EXPLAIN_DONE);
	assert_int_equal(e->base.count, 0);
	assert_true(e->typical.is_known);
	assert_int_equal((uint64_t)e->difference_ns, e->slow.sum_ns); /* all of it */
	check_rows_add_up(e);
}

/*
 * 300,000 units, of which 1 % wait for a hog: of the others, a third are enough. What is said of
 * all is as with all of them.
 */
TEST(a_sample_stands_for_many_others)
{
	const struct explanation *e = &scene.explanation;
	const size_t cnt = 3 * SAMPLE_UNITS;

	for (size_t i = 0; i < cnt; i++) {
		bool hog = i % 100 == 42;

		scene_add(&scene, i * 100000, hog ? 510000 : 10000 + i % 1000);
		scene_wait(&scene, 5, "worker", 1000 + i % 1000);
		if (hog)
			scene_wait(&scene, 77, "hog", 499000);
		scene_receive_rest(&scene);
	}
	scene_explain(&scene);
	assert_int_equal(e->outcome, EXPLAIN_DONE);
	assert_int_equal(e->units, cnt);
	assert_int_equal(e->slow.count, cnt / 100);
	assert_int_equal(e->slow.sampled_of, 0);
	assert_in_range(e->base.sampled_of, cnt / 2 - cnt / 100, cnt / 2 + cnt / 100);
	assert_in_range(e->base.count, e->base.sampled_of * 9 / 30, e->base.sampled_of * 11 / 30);
	check_rows_add_up(e);
	assert_true(fabs(e->difference_ns - 499500) < 50);
	assert_string_equal(e->row[1].by.comm, "hog");
	assert_true(e->row[1].slow_ns == 499000);
	assert_in_range(e->p99_ns, 10990, 11020);
	assert_in_range(e->p999_ns, 509000, 511000);
	assert_in_range(e->without[0].p999_ns, 10990, 11020);
}

/* Pass 1 of many units, each thousandth of which takes `slow_ns`. */
static const struct spans *rank_and_ask(struct explain *explain, size_t cnt, uint64_t slow_ns)
{
	const struct spans *spans;

	for (size_t i = 0; i < cnt; i++) {
		struct unit unit = {.from_ns = i * 100000,
				    .to_ns = i * 100000 + (i % 1000 ? 10000 : slow_ns),
				    .channel = 1,
				    .position = i};

		assert_int_equal(explain__rank(explain, &unit), 0);
	}
	spans = explain__needed(explain);
	assert_non_null(spans);
	return spans;
}

/* When these units and those of the sample are under way, and no more than that. */
TEST(only_the_causes_of_some_are_needed)
{
	struct explain_choice choice = {0};
	struct explain *explain = explain__new(&choice);
	const size_t cnt = 3 * SAMPLE_UNITS;
	uint64_t needed = 0;
	size_t near = 0;
	const struct spans *spans = rank_and_ask(explain, cnt, 990000);

	for (size_t i = 0; i < cnt; i++) {
		bool is_slow = i % 1000 == 0, needs;

		needs = spans_meet(spans, i * 100000, i * 100000 + (is_slow ? 990000 : 10000),
				   &near);
		assert_true(needs || !is_slow);
		needed += needs;
	}
	assert_in_range(needed, cnt * 3 / 10, cnt * 4 / 10);
	explain__free(explain);
}

/* What sets one message apart is not asked for. */
TEST(one_message_needs_the_sample_and_itself)
{
	struct explain_choice choice = {
		.selection = {.has_message = true, .message_channel = 1, .message_position = 77}};
	struct explain *explain = explain__new(&choice);
	const size_t cnt = 3 * SAMPLE_UNITS;
	uint64_t needed = 0;
	size_t near = 0;
	const struct spans *spans = rank_and_ask(explain, cnt, 10000);

	assert_true(spans_meet(spans, 77 * 100000, 77 * 100000 + 10000, &near));
	for (size_t i = 0; i < cnt; i++)
		needed += spans_meet(spans, i * 100000, i * 100000 + 10000, &near);
	assert_in_range(needed, cnt * 3 / 10, cnt * 4 / 10);
	explain__free(explain);
}

TEST(ambiguous_units_are_left_out_and_counted)
{
	add_rising(&scene, 1000);
	scene.unit[999].is_ambiguous = true;
	scene_explain(&scene);
	assert_int_equal(scene.explanation.ambiguous, 1);
	assert_int_equal(scene.explanation.units, 999);
	assert_int_equal(scene.explanation.slow.most_ns, 1999);
}

TEST(filters_come_before_ranks)
{
	scene = (struct scene){.choice.selection = {.channel = {2}, .channel_cnt = 1}};
	add_rising(&scene, 1000);
	for (size_t i = 0; i < 200; i++)
		scene.unit[i].channel = 2;
	scene_explain(&scene);
	assert_int_equal(scene.explanation.units, 200);
	assert_int_equal(scene.explanation.slow.count, 2);
	assert_int_equal(scene.explanation.slow.most_ns, 1200);
	assert_string_equal(scene.explanation.slow.select, "slowest 1%, channel 2");
}

TEST(another_recording_is_the_base)
{
	struct scene scene = {
		.choice = {.selection.against = AGAINST_FILE, .against_file = "before.ipctrace"}};
	struct scene others = {0};

	add_rising(&scene, 1000);
	for (size_t i = 0; i < 7; i++) {
		scene_add(&others, i, 100);
		scene_receive_rest(&others);
	}
	scene_explain_against(&scene, &others);
	assert_int_equal(scene.explanation.outcome, EXPLAIN_DONE);
	assert_int_equal(scene.explanation.base.count, 7);
	assert_int_equal(scene.explanation.base.most_ns, 100);
	assert_int_equal(scene.explanation.slow.count, 10);
	assert_string_equal(scene.explanation.base.select, "before.ipctrace");
	scene_explain_against(&scene, NULL);
	assert_int_equal(scene.explanation.outcome, EXPLAIN_NO_BASE);
	scene_free(&scene);
	scene_free(&others);
}

static const char *const names[] = {"hog", "kworker/0:1", "kworker/1:2", "redis", "x"};

/* Any parts, costs, roles and culprits, some of which follow others. */
static void add_random(struct scene *scene, uint64_t *seed)
{
	uint64_t latency =
		random_below(seed, 100) ? random_below(seed, 20000) : random_below(seed, 50000000);
	uint64_t left = latency;

	scene_add(scene, scene->cnt * 7000, latency);
	for (unsigned int i = random_below(seed, 6); i; i--) {
		uint64_t ns = random_below(seed, left + 1);
		struct cause *cause = scene_wait(scene, random_below(seed, 9),
						 names[random_below(seed, ARRAY_SIZE(names))], ns);

		cause->part = random_below(seed, NR_CAUSE_PARTS);
		cause->cost = random_below(seed, NR_COSTS);
		cause->role = random_below(seed, NR_CAUSE_ROLES);
		cause->by.class = random_below(seed, NR_BLAME_CLASSES);
		left -= ns;
	}
	scene_receive_rest(scene);
	if (random_below(seed, 2)) {
		scene_wait(scene, 3, "follower", latency / 3)->parent = 1;
		scene->unit[scene->cnt - 1].cause = NULL;
	}
}

TEST(rows_of_random_units_add_up)
{
	for (uint64_t seed = 1, i = 0; i < 200; i++) {
		struct scene scene = {.choice.selection.against = i % 2};
		size_t cnt = EXPLAIN_UNITS_MIN + random_below(&seed, 2000);

		for (size_t j = 0; j < cnt; j++)
			add_random(&scene, &seed);
		scene_explain(&scene);
		assert_int_equal(scene.explanation.outcome, EXPLAIN_DONE);
		check_rows_add_up(&scene.explanation);
		scene_free(&scene);
	}
}

TEST(a_unit_with_too_many_causes_is_not_cut)
{
	struct cause many[CAUSES_MAX + 1] = {0};
	struct explain_choice choice = {0};
	struct explain *explain = explain__new(&choice);
	struct unit unit = {.to_ns = 1000, .cause = many, .cause_cnt = CAUSES_MAX + 1};
	struct explanation e;

	for (size_t i = 0; i < 100; i++) {
		unit.to_ns = 1000 + i;
		explain__rank(explain, &unit);
	}
	for (size_t i = 0; i < 100; i++) {
		unit.to_ns = 1000 + i;
		assert_in_range(explain__add(explain, &unit), 0, 1);
	}
	explain__finish(explain, &e);
	assert_int_equal(e.row_cnt, 2);
	assert_int_equal(e.row[0].cost, COST_UNKNOWN);
	assert_int_equal(e.not_cut, e.slow.count + e.base.count);
	explanation_clean(&e);
	explain__free(explain);
}

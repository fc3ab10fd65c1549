/* SPDX-License-Identifier: BSD-2-Clause */
/* The stacks of slow units, by row, and folded by their functions. */
#include "explain/scene.h"
#include "support/stacks.h"

#include "explain/stacks.h"

#define TEXTS(...)                                                                                 \
	(const char *const[])                                                                      \
	{                                                                                          \
		__VA_ARGS__                                                                        \
	}

enum { FAST = 980, SLOW = 20, HOG = 4711 };

/* Slow units wait for a hog. `stack`, `kind`: of the i-th slow one. */
static void add_units(struct scene *scene, const uint32_t *stack, const uint8_t *kind)
{
	for (int i = 0; i < FAST + SLOW; i++) {
		bool slow = i >= FAST;
		struct cause *wait;

		scene_add(scene, i * 10000000ull, slow ? 1000000 + i : 1000 + i);
		if (slow) {
			wait = scene_wait(scene, HOG, "hog", 900000);
			wait->stack = stack[i - FAST];
			wait->stack_kind = kind ? kind[i - FAST] : STACK_RAN;
		}
		scene_receive_rest(scene);
	}
	scene->choice.selection.slowest_cnt = SLOW;
	scene_explain(scene);
	assert_int_equal(scene->explanation.slow.count, SLOW);
}

static struct stack_names *two_stacks(void)
{
	struct stack_names *names = stack_names__new();

	assert_non_null(names);
	add_named_stack(names, 1, 0, 2, TEXTS("spin (a.c:1)", "main"));
	add_named_stack(names, 2, 0, 2, TEXTS("spin (a.c:2)", "main"));
	add_named_stack(names, 3, 0, 2, TEXTS("rest (a.c:3)", "main"));
	return names;
}

static void assert_stack(const struct explanation *e, uint32_t i, uint32_t stack, uint64_t count)
{
	assert_true(i < e->stack_cnt);
	assert_int_equal(e->stack[i].stack, stack);
	assert_int_equal(e->stack[i].count, count);
	assert_string_equal(e->row[e->stack[i].row].by.comm, "hog");
}

TEST(equal_functions_are_one_stack)
{
	const uint32_t stack[SLOW] = {1, 2, 2, 2, 3, 3, 1, 0, 2, 1};
	struct explanation *e = &scene.explanation;

	add_units(&scene, stack, NULL);
	assert_int_equal(explanation_fold_stacks(e, two_stacks()), 0);
	assert_int_equal(e->stack_cnt, 2);
	assert_stack(e, 0, 2, 7);
	assert_stack(e, 1, 3, 2);
	assert_int_equal(e->stacks_of_row[e->stack[0].row], 9);
}

TEST(what_a_thread_did_comes_before_where_it_ended)
{
	const uint32_t stack[SLOW] = {1, 1, 1, 3};
	const uint8_t kind[SLOW] = {STACK_LEFT, STACK_LEFT, STACK_LEFT, STACK_RAN};

	add_units(&scene, stack, kind);
	assert_int_equal(explanation_fold_stacks(&scene.explanation, two_stacks()), 0);
	assert_stack(&scene.explanation, 0, 3, 1);
	assert_stack(&scene.explanation, 1, 1, 3);
}

TEST(only_the_most_frequent_ones_are_listed)
{
	const uint32_t stack[SLOW] = {1, 2, 3, 3, 4, 5, 5, 5, 6};
	struct stack_names *names = stack_names__new();

	assert_non_null(names);
	for (uint32_t i = 1; i <= 6; i++) {
		char name[] = "f0";

		name[1] += i;
		add_named_stack(names, i, 1, 0, TEXTS(name));
	}
	add_units(&scene, stack, NULL);
	assert_int_equal(explanation_fold_stacks(&scene.explanation, names), 0);
	assert_int_equal(scene.explanation.stack_cnt, EXPLAIN_STACKS_MAX);
	assert_stack(&scene.explanation, 0, 5, 3);
	assert_stack(&scene.explanation, 1, 3, 2);
	assert_int_equal(scene.explanation.stacks_of_row[scene.explanation.stack[0].row], 9);
}

TEST(without_names_or_stacks_there_are_none)
{
	const uint32_t stack[SLOW] = {1}, none[SLOW] = {0};
	struct scene scene = {0};

	add_units(&scene, stack, NULL);
	assert_int_equal(explanation_fold_stacks(&scene.explanation, NULL), 0);
	assert_int_equal(scene.explanation.stack_cnt, 0);
	scene_free(&scene);
	add_units(&scene, none, NULL);
	assert_int_equal(explanation_fold_stacks(&scene.explanation, two_stacks()), 0);
	assert_int_equal(scene.explanation.stack_cnt, 0);
	assert_non_null(scene.explanation.stack_names);
	scene_free(&scene);
}

/* The base may have the same culprits, but their stacks do not explain what is slow. */
TEST(stacks_of_the_base_do_not_count)
{
	for (int i = 0; i < 1000; i++) {
		scene_add(&scene, i * 10000000ull, 10000 + i);
		scene_wait(&scene, HOG, "hog", 500)->stack = i >= 990 ? 1 : 3;
		scene_receive_rest(&scene);
	}
	scene_explain(&scene);
	assert_int_equal(explanation_fold_stacks(&scene.explanation, two_stacks()), 0);
	assert_int_equal(scene.explanation.stack_cnt, 1);
	assert_stack(&scene.explanation, 0, 1, 10);
}

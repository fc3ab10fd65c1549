/* SPDX-License-Identifier: BSD-2-Clause */
/* Places for stretches of time, and lanes of slices. */
#include "support/build.h"

#include "report/perfetto/fit.h"

#define STRETCHES 2000

/* The logarithm of MANY is 13. */
#define MANY      10000
#define STEPS_MAX 48

static struct fit fit;

static int teardown(void **state)
{
	fit_free(&fit);
	return 0;
}

EACH_TEST(NULL, teardown)

static uint32_t add(uint64_t to_ns)
{
	uint32_t id;

	assert_true(fit_add(&fit, to_ns, &id));
	return id;
}

TEST(a_stretch_goes_where_the_least_time_is_lost)
{
	uint32_t id;

	assert_false(fit_take(&fit, 100, 110, true, &id));
	assert_int_equal(add(10), 0);
	assert_int_equal(add(30), 1);
	assert_int_equal(add(20), 2);
	assert_true(fit_take(&fit, 25, 40, true, &id));
	assert_int_equal(id, 2);
	assert_true(fit_take(&fit, 25, 26, true, &id));
	assert_int_equal(id, 0);
	assert_false(fit_take(&fit, 25, 26, true, &id));
}

TEST(stretches_touch_only_if_they_may)
{
	uint32_t id;

	add(10);
	assert_false(fit_take(&fit, 10, 20, false, &id));
	assert_true(fit_take(&fit, 10, 20, true, &id));
	assert_true(fit_take(&fit, 21, 21, false, &id));
	assert_false(fit_take(&fit, 21, 22, false, &id));
}

TEST(the_place_that_would_be_free_last_is_used_again)
{
	uint32_t id;

	add(10);
	add(50);
	add(30);
	assert_int_equal(fit_reuse(&fit, 5), 1);
	assert_true(fit_take(&fit, 6, 7, true, &id));
	assert_int_equal(id, 1);
}

/* Ends rise, as messages come, and begins do not. As few places as overlaps make necessary. */
TEST(random_stretches_overlap_in_no_place)
{
	static uint64_t last_ns[STRETCHES], from_ns[STRETCHES], to_ns[STRETCHES];
	uint64_t seed = 1, at_ns = 1000, most = 0;

	for (size_t i = 0; i < STRETCHES; i++) {
		uint32_t id;

		at_ns += random_below(&seed, 10);
		to_ns[i] = at_ns;
		from_ns[i] = at_ns - random_below(&seed, 200);
		if (!fit_take(&fit, from_ns[i], to_ns[i], false, &id))
			id = add(to_ns[i]);
		assert_true(!last_ns[id] || last_ns[id] < from_ns[i]);
		last_ns[id] = to_ns[i];
	}
	for (size_t i = 0; i < STRETCHES; i++) {
		uint64_t open = 0;

		for (size_t j = 0; j < STRETCHES; j++)
			open += from_ns[j] <= from_ns[i] && from_ns[i] <= to_ns[j];
		most = open > most ? open : most;
	}
	assert_true(fit.cnt >= most);
	assert_true(fit.cnt <= 2 * most);
}

static uint32_t height_of(uint32_t number)
{
	uint32_t left, right;

	if (!number)
		return 0;
	left = height_of(fit.place[number - 1].left);
	right = height_of(fit.place[number - 1].right);
	return 1 + (left > right ? left : right);
}

/*
 * A step of a search is one level of the tree: what a stretch costs hardly grows with their number.
 */
TEST(many_places_are_found_in_few_steps)
{
	uint64_t seed = 1;

	for (int order = 0; order < 3; order++) {
		for (uint64_t i = 0; i < MANY; i++)
			add(order == 0 ? i : order == 1 ? MANY - i : random_below(&seed, MANY));
		for (uint32_t i = 0, id; i < MANY; i++)
			assert_true(fit_take(&fit, MANY + 1 + i, 2 * MANY + i, true, &id));
		assert_true(height_of(fit.root) <= STEPS_MAX);
		fit_free(&fit);
	}
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* How many calls each call makes. */
#include "support/build.h"

#include "explain/nested.h"

#include <stdio.h>
#include <string.h>

static struct nested nested;

static int nested_clean(void **state)
{
	(void)state;
	nested = (struct nested){0};
	return 0;
}

EACH_TEST(NULL, nested_clean)

static void add(const char *callee, uint32_t calls, uint64_t ns, bool are_apart)
{
	struct unit_service service = {
		.nested = calls,
		.nested_ns = ns,
		.callee_calls = calls,
		.are_nested_apart = are_apart,
	};
	const struct unit unit = {.service = &service};

	snprintf(service.callee, sizeof(service.callee), "%s", callee);
	nested_add(&nested, &unit);
}

TEST(the_mean_is_of_all_units)
{
	struct explain_nested mean;

	add("backend", 200, 8000, true);
	add("backend", 100, 4000, true);
	add("", 0, 0, true);
	nested_add(&nested, &(struct unit){0});
	mean = nested_finish(&nested);
	assert_true(mean.calls == 75);
	assert_true(mean.ns == 3000);
	assert_true(mean.are_apart);
	assert_string_equal(mean.callee, "backend");
}

TEST(calls_that_overlap_do_not_follow_one_another)
{
	for (int i = 0; i < 98; i++)
		add("backend", 2, 10, true);
	add("backend", 2, 10, false);
	assert_false(nested_finish(&nested).are_apart);
	for (int i = 0; i < 10; i++)
		add("backend", 2, 10, true);
	assert_true(nested_finish(&nested).are_apart);
}

TEST(the_callee_of_most_units_has_its_name)
{
	add("other", 5, 50, true);
	for (int i = 0; i < 9; i++)
		add("backend", 5, 50, true);
	assert_string_equal(nested_finish(&nested).callee, "backend");
	assert_true(nested_finish(&nested).calls == 5);
	assert_false(nested_finish(&nested).has_others);
}

TEST(calls_to_several_are_not_those_of_one)
{
	struct unit_service service = {.nested = 8,
				       .nested_ns = 800,
				       .are_nested_apart = true,
				       .callee = "backend-0",
				       .callee_calls = 1};
	const struct unit unit = {.service = &service};

	nested_add(&nested, &unit);
	nested_add(&nested, &unit);
	assert_true(nested_finish(&nested).calls == 8);
	assert_true(nested_finish(&nested).has_others);
}

TEST(without_calls_there_are_none)
{
	nested_add(&nested, &(struct unit){0});
	assert_true(nested_finish(&nested).calls == 0);
}

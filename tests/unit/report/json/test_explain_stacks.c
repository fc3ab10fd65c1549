/* SPDX-License-Identifier: BSD-2-Clause */
/* The stacks of an explanation as JSON: all of their functions. */
#include "support/build.h"
#include "support/capture.h"
#include "support/explained.h"
#include "support/explained_stacks.h"
#include "support/json_report.h"

static json_t *json_of(struct explanation *explanation)
{
	return json_parse(explained_show("json", (struct report_style){0}, explanation));
}

TEST(losses_have_counts)
{
	const struct record_stacks counts = {.over_ns = 1000, .taken = 60, .lost = 3};
	static const char *const typed[] = {"i over_ns", "i taken", "i lost", "i no_room",
					    "i unknown_functions"};
	struct explanation *explanation = explained_lock();
	json_t *json;

	add_lock_stacks(explanation);
	stack_names__stacks(explanation->stack_names, &counts);
	json = json_of(explanation);
	assert_types(json_object_get(json, "stacks"), typed, ARRAY_SIZE(typed));
	assert_int_equal(json_number_at(json, "stacks.lost"), 3);
}

static json_t *stacks_of_lock(json_t *json)
{
	json_t *row;
	size_t i;

	json_array_foreach(json_object_get(json, "rows"), i, row)
	{
		if (json_array_size(json_object_get(row, "stacks")))
			return json_object_get(row, "stacks");
	}
	return NULL;
}

TEST(functions_are_listed_from_the_inside)
{
	struct explanation *explanation = explained_lock();
	json_t *json, *stacks, *first, *second;

	add_lock_stacks(explanation);
	json = json_of(explanation);
	stacks = stacks_of_lock(json);
	assert_int_equal(json_array_size(stacks), 2);
	first = json_array_get(stacks, 0);
	assert_text_at(first, "state", "slept");
	assert_int_equal(json_number_at(first, "count"), 40);
	assert_text_at(first, "kernel.0", "__schedule");
	assert_text_at(first, "user.3", "start_thread");
	assert_false(json_is_true(json_object_get(first, "user_is_cut")));
	second = json_array_get(stacks, 1);
	assert_int_equal(json_array_size(json_object_get(second, "user")), 1);
	assert_true(json_is_null(json_array_get(json_object_get(second, "user"), 0)));
	assert_true(json_is_true(json_object_get(second, "user_is_cut")));
}

TEST(without_stacks_the_counts_are_null)
{
	struct explanation *explanation = explained_lock();
	json_t *json = json_of(explanation);

	assert_true(json_is_null(json_object_get(json, "stacks")));
	assert_null(stacks_of_lock(json));
}

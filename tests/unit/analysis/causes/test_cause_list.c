/* SPDX-License-Identifier: BSD-2-Clause */
#include "support/build.h"

#include "analysis/causes/cause_list.h"

#include "model/blocked_calls.h"

static struct cause_list list;

static int setup(void **state)
{
	list.cnt = 0;
	return 0;
}

EACH_TEST(setup, NULL)

static struct cause make_cause(enum component cost, uint32_t by, uint64_t from_ns, uint64_t ns)
{
	return (struct cause){.cost = cost,
			      .role = CAUSE_RAN,
			      .call = CALL_UNKNOWN,
			      .from_ns = from_ns,
			      .by = {.tid = by, .cpu = 1, .ns = ns}};
}

static uint16_t add(enum component cost, uint32_t by, uint64_t from_ns, uint64_t ns)
{
	struct cause cause = make_cause(cost, by, from_ns, ns);

	return cause_list_add(&list, &cause);
}

static uint16_t add_below(uint16_t parent, uint32_t by, uint64_t from_ns, uint64_t ns)
{
	struct cause cause = make_cause(COST_ON_CPU, by, from_ns, ns);

	cause.parent = parent;
	return cause_list_add(&list, &cause);
}

TEST(one_culprit_is_added_up)
{
	struct cause cause = make_cause(COMPONENT_RUNQUEUE, 1, 50, 7);

	add(COMPONENT_RUNQUEUE, 1, 100, 10);
	add(COMPONENT_RUNQUEUE, 2, 110, 20);
	add(COMPONENT_DISPATCH, 1, 130, 30);
	cause.by.cpu = 0;
	assert_int_equal(cause_list_add(&list, &cause), 1);
	assert_int_equal(list.cnt, 3);
	assert_int_equal(list.cause[0].by.ns, 17);
	assert_int_equal(list.cause[0].from_ns, 50);
	assert_int_equal(list.cause[0].by.cpu, BLAME_CPU_SEVERAL);
}

static uint64_t sum_on_top(void)
{
	uint64_t ns = 0;

	for (uint32_t i = 0; i < list.cnt; i++)
		ns += list.cause[i].parent ? 0 : list.cause[i].by.ns;
	return ns;
}

TEST(what_finds_no_room_is_not_known)
{
	uint16_t last = 0;

	for (uint32_t i = 1; i <= 2 * CAUSES_MAX; i++) {
		add(COMPONENT_RUNQUEUE, i, i, 3);
		last = add(COMPONENT_DISPATCH, i, i, 4);
	}
	assert_int_equal(last, 0);
	assert_true(list.cnt <= CAUSES_MAX);
	assert_int_equal(sum_on_top(), 2 * CAUSES_MAX * (3 + 4));
	assert_int_equal(list.cause[list.cnt - 1].role, CAUSE_UNKNOWN);
	assert_int_equal(list.cause[list.cnt - 1].by.tid, 0);
	assert_int_equal(add_below(1, 9999, 1, 1), 0);
	assert_int_equal(sum_on_top(), 2 * CAUSES_MAX * (3 + 4));
}

TEST(causes_are_sorted_with_what_follows_them)
{
	uint16_t late = add(COMPONENT_RUNQUEUE, 1, 300, 10),
		 early = add(COMPONENT_BLOCKED, 2, 100, 90);
	uint16_t below = add_below(late, 3, 305, 5);

	add_below(below, 4, 305, 2);
	add_below(early, 5, 100, 50);
	add(COMPONENT_DISPATCH, 6, 200, 100);
	cause_list_sort(&list);
	for (uint32_t i = 1; i < list.cnt; i++)
		assert_true(list.cause[i].from_ns >= list.cause[i - 1].from_ns);
	assert_int_equal(list.cause[0].by.tid, 2);
	assert_int_equal(list.cause[1].by.tid, 5);
	assert_int_equal(list.cause[1].parent, 1);
	assert_int_equal(list.cause[3].by.tid, 1);
	assert_int_equal(list.cause[4].by.tid, 3);
	assert_int_equal(list.cause[4].parent, 4);
	assert_int_equal(list.cause[5].by.tid, 4);
	assert_int_equal(list.cause[5].parent, 5);
}

/* Only the causes of the part, with those below them. */
TEST(a_part_of_another_list_is_added)
{
	const struct cause other[] = {
		{.part = PART_SERVICE, .cost = COST_ON_CPU, .by = {.ns = 1}},
		{.part = PART_REQUEST, .cost = COMPONENT_BLOCKED, .by = {.ns = 2}},
		{.part = PART_REQUEST, .cost = COST_ON_CPU, .parent = 2, .by = {.ns = 1}},
	};

	add(COMPONENT_RUNQUEUE, 1, 0, 10);
	cause_list_append(&list, other, ARRAY_SIZE(other), PART_REQUEST, PART_RESPONSE);
	assert_int_equal(list.cnt, 3);
	assert_int_equal(list.cause[1].part, PART_RESPONSE);
	assert_int_equal(list.cause[1].by.ns, 2);
	assert_int_equal(list.cause[2].parent, 2);
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* Sets of stretches of time. */
#include "support/build.h"

#include "command/excerpt/span_set.h"

static struct span_set set;

static int teardown(void **state)
{
	span_set_free(&set);
	return 0;
}

EACH_TEST(NULL, teardown)

static void append(uint64_t from_ns, uint64_t to_ns)
{
	assert_true(span_set_append(&set, (struct span){from_ns, to_ns}, 4));
}

static void insert(uint64_t from_ns, uint64_t to_ns)
{
	assert_true(span_set_insert(&set, (struct span){from_ns, to_ns}));
}

static void assert_spans(size_t cnt, const struct span *expected)
{
	assert_int_equal(set.cnt, cnt);
	assert_memory_equal(set.span, expected, cnt * sizeof(*expected));
}

TEST(spans_that_meet_become_one)
{
	append(10, 20);
	append(30, 40);
	append(40, 50);
	append(55, 60);
	assert_spans(3, (const struct span[]){{10, 20}, {30, 50}, {55, 60}});
	append(15, 61);
	assert_spans(1, (const struct span[]){{10, 61}});
}

TEST(too_many_spans_lose_their_shortest_gaps)
{
	append(0, 1);
	append(5000000, 5000001);
	append(5500000, 5500001);
	append(90000000, 90000001);
	append(190000000, 190000001);
	assert_spans(4, (const struct span[]){{0, 1},
					      {5000000, 5500001},
					      {90000000, 90000001},
					      {190000000, 190000001}});
	append(290000000, 290000001);
	assert_true(set.cnt <= 4);
	assert_int_equal(set.span[0].from_ns, 0);
	assert_int_equal(set.span[set.cnt - 1].to_ns, 290000001);
}

TEST(spans_come_in_any_order)
{
	insert(50, 60);
	insert(10, 20);
	insert(30, 40);
	assert_spans(3, (const struct span[]){{10, 20}, {30, 40}, {50, 60}});
	insert(20, 25);
	insert(35, 55);
	assert_spans(2, (const struct span[]){{10, 25}, {30, 60}});
	insert(0, 100);
	assert_spans(1, (const struct span[]){{0, 100}});
}

TEST(gaps_are_what_is_in_no_span)
{
	struct span gap;

	assert_true(span_set_next_gap(&set, 5, 9, &gap));
	assert_memory_equal(&gap, (&(struct span){5, 9}), sizeof(gap));
	insert(10, 20);
	insert(30, 40);
	assert_true(span_set_next_gap(&set, 5, 50, &gap));
	assert_memory_equal(&gap, (&(struct span){5, 10}), sizeof(gap));
	assert_true(span_set_next_gap(&set, 10, 50, &gap));
	assert_memory_equal(&gap, (&(struct span){20, 30}), sizeof(gap));
	assert_true(span_set_next_gap(&set, 30, 50, &gap));
	assert_memory_equal(&gap, (&(struct span){40, 50}), sizeof(gap));
	assert_false(span_set_next_gap(&set, 12, 20, &gap));
	assert_false(span_set_next_gap(&set, 50, 50, &gap));
}

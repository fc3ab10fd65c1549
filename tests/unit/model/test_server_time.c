/* SPDX-License-Identifier: BSD-2-Clause */
/* A short list keeps what took most time. */
#include "support/build.h"

#include "model/server_time.h"

static void add(struct blame_top *top, uint32_t tid, uint64_t ns)
{
	const struct blame blame = {.class = BLAME_TASK, .tid = tid, .ns = ns, .comm = "x"};

	blame_top_add(top, &blame, 1);
}

TEST(the_times_of_one_thread_are_added_up)
{
	struct blame_top top = {0};

	add(&top, 1, 10);
	add(&top, 2, 15);
	add(&top, 1, 10);
	blame_top_sort(&top);
	assert_int_equal(top.cnt, 2);
	assert_int_equal(top.entry[0].tid, 1);
	assert_int_equal(top.entry[0].ns, 20);
}

/* A thread id that is used again is another thread. */
TEST(threads_of_other_names_are_others)
{
	struct blame_top top = {0};
	const struct blame again = {.class = BLAME_TASK, .tid = 1, .ns = 5, .comm = "y"};

	add(&top, 1, 10);
	blame_top_add(&top, &again, 1);
	assert_int_equal(top.cnt, 2);
}

/* It comes late, after many that took little. */
TEST(a_large_one_finds_room)
{
	struct blame_top top = {0};

	for (uint32_t i = 1; i <= 3 * BLAME_TOP_MAX; i++)
		add(&top, i, 5);
	add(&top, 99, 1000);
	add(&top, 98, 4);
	add(&top, 99, 1000);
	blame_top_sort(&top);
	assert_int_equal(top.cnt, BLAME_TOP_MAX);
	assert_int_equal(top.entry[0].tid, 99);
	assert_int_equal(top.entry[0].ns, 2000);
	assert_int_equal(top.entry[1].ns, 5);
}

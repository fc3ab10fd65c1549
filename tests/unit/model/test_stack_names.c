/* SPDX-License-Identifier: BSD-2-Clause */
/* The functions of stacks, from records. */
#include "support/build.h"
#include "support/stacks.h"

#define TEXTS(...)                                                                                 \
	(const char *const[])                                                                      \
	{                                                                                          \
		__VA_ARGS__                                                                        \
	}

EACH_TEST_HAS(*state, stack_names__new(), stack_names__free)

TEST(a_stack_has_its_functions)
{
	struct stack_frames frames;

	add_named_stack(*state, 3, 2, 1, TEXTS("futex_wait", "do_futex", "lock (a.c:7)"));
	assert_true(stack_names__find(*state, 3, &frames));
	assert_int_equal(frames.kernel_cnt, 2);
	assert_int_equal(frames.user_cnt, 1);
	assert_string_equal(stack_names__function(*state, frames.kernel[1]), "do_futex");
	assert_string_equal(stack_names__function(*state, frames.user[0]), "lock (a.c:7)");
	assert_false(frames.kernel_is_cut || frames.user_is_cut);
	assert_false(stack_names__find(*state, 4, &frames));
	assert_false(stack_names__find(*state, UINT32_MAX, &frames));
	assert_null(stack_names__function(*state, 0));
	assert_null(stack_names__function(*state, UINT32_MAX));
}

TEST(a_cut_stack_says_so)
{
	struct made_frames made = make_frames(1, 0, 1, (const uint32_t[]){1});
	struct stack_frames frames;

	made.frames.head.flags = FRAMES_USER_CUT;
	assert_int_equal(stack_names__frames(*state, &made.frames), 0);
	assert_true(stack_names__find(*state, 1, &frames));
	assert_true(frames.user_is_cut);
	assert_false(frames.kernel_is_cut);
}

/* A forged recording must not read behind a record. */
TEST(counts_beyond_the_record_are_ignored)
{
	struct made_frames frames = make_frames(1, 1, 1, (const uint32_t[]){1, 2});
	struct made_symbol symbol = make_symbol(1, "name");
	struct stack_frames found;

	frames.frames.user_cnt = 2;
	assert_int_equal(stack_names__frames(*state, &frames.frames), 0);
	assert_false(stack_names__find(*state, 1, &found));
	symbol.symbol.length = 9;
	assert_int_equal(stack_names__symbol(*state, &symbol.symbol), 0);
	assert_null(stack_names__function(*state, 1));
	symbol = make_symbol(0, "name");
	assert_int_equal(stack_names__symbol(*state, &symbol.symbol), 0);
	frames = make_frames(1u << 20, 1, 1, (const uint32_t[]){1, 2});
	assert_int_equal(stack_names__frames(*state, &frames.frames), 0);
}

TEST(stacks_with_the_same_functions_are_the_same)
{
	add_named_stack(*state, 1, 1, 2, TEXTS("futex", "lock (a.c:7)", "main (a.c:9)"));
	add_named_stack(*state, 2, 1, 2, TEXTS("futex", "lock (a.c:8)", "main (a.c:9)"));
	add_named_stack(*state, 3, 1, 2, TEXTS("futex", "lock", "main (b.c:9)"));
	add_named_stack(*state, 4, 1, 2, TEXTS("futex", "locks (a.c:7)", "main (a.c:9)"));
	add_named_stack(*state, 5, 2, 1, TEXTS("futex", "lock (a.c:7)", "main (a.c:9)"));
	add_named_stack(*state, 6, 1, 1, TEXTS("futex", "lock (a.c:7)"));
	assert_int_equal(stack_names__compare(*state, 1, 1), 0);
	assert_int_equal(stack_names__compare(*state, 1, 2), 0);
	assert_int_equal(stack_names__compare(*state, 1, 3), 0);
}

static void add_frames(struct stack_names *names, uint32_t stack, uint32_t symbol)
{
	struct made_frames made = make_frames(stack, 1, 0, &symbol);

	assert_int_equal(stack_names__frames(names, &made.frames), 0);
}

/* Any two stacks have an order, and any three of them one after another. */
TEST(other_stacks_have_an_order)
{
	enum { LAST = 8 };

	add_named_stack(*state, 1, 1, 2, TEXTS("futex", "lock (a.c:7)", "main (a.c:9)"));
	add_named_stack(*state, 2, 1, 2, TEXTS("futex", "locks (a.c:7)", "main (a.c:9)"));
	add_named_stack(*state, 3, 2, 1, TEXTS("futex", "lock (a.c:7)", "main (a.c:9)"));
	add_named_stack(*state, 4, 1, 1, TEXTS("futex", "lock (a.c:7)"));
	add_frames(*state, 5, 1000); /* a function without a name */
	add_frames(*state, 6, 1001);
	for (uint32_t a = 1; a <= LAST; a++) {
		for (uint32_t b = 1; b <= LAST; b++) {
			int order = stack_names__compare(*state, a, b);

			assert_int_equal(order == 0, a == b);
			assert_int_equal(order > 0, stack_names__compare(*state, b, a) < 0);
			for (uint32_t c = 1; c <= LAST; c++)
				assert_false(order > 0 && stack_names__compare(*state, b, c) > 0 &&
					     stack_names__compare(*state, a, c) <= 0);
		}
	}
}

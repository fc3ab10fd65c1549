/* SPDX-License-Identifier: BSD-2-Clause */
/* The stacks of an explanation as text. */
#include "support/build.h"
#include "support/capture.h"
#include "support/explained.h"
#include "support/explained_stacks.h"
#include "support/page.h"

static char *shown_whole(struct explanation *explanation)
{
	char *text = explained_show("text", (struct report_style){0}, explanation);

	assert_width(text, PAGE_WIDTH);
	return unwrapped(text);
}

TEST(a_row_has_its_stacks_from_the_inside_to_the_outside)
{
	struct explanation *explanation = explained_lock();
	char *text;

	add_lock_stacks(explanation);
	text = shown_whole(explanation);
	assert_has(text, "40 of 50 slept in lock_wait < take_lock (server.c:48) < handle_request "
			 "(server.c:56); kernel: futex_wait");
	assert_has_not(text, "__schedule");
	assert_has_not(text, "start_thread");
}

TEST(functions_without_a_name_are_not_known)
{
	struct explanation *explanation = explained_lock();

	add_lock_stacks(explanation);
	assert_has(shown_whole(explanation), "10 of 50 slept in ? < ...");
}

TEST(what_a_culprit_did_has_other_words)
{
	struct explanation *explanation = explained_lock();
	char *text;

	add_lock_stacks(explanation);
	explanation->stack[0].kind = STACK_RAN;
	explanation->stack[1].kind = STACK_LEFT;
	text = shown_whole(explanation);
	assert_has(text, "40 of 50 ran in lock_wait");
	assert_has(text, "10 of 50 left the CPU in ?");
}

TEST(losses_are_said)
{
	struct record_stacks counts = {.lost = 3, .no_room = 2, .overfull = 1};
	struct explanation *explanation = explained_lock();

	add_lock_stacks(explanation);
	stack_names__stacks(explanation->stack_names, &counts);
	assert_has(shown_whole(explanation), "6 stacks are missing: there was no room for them.");
}

TEST(without_stacks_nothing_is_said)
{
	struct explanation *explanation = explained_lock();

	assert_has_not(shown_whole(explanation), "stacks");
}

TEST(long_names_and_deep_stacks_are_cut)
{
	static const char *const name[] = {
		"std::function_with_a_name_that_goes_on_and_on_and_on_and_on_and_on_and_on()",
		"b",
		"c",
		"d",
		"e",
		"f",
		"g",
		"h"};
	struct explanation *explanation = explained_lock();
	uint32_t nine[8] = {16 * 3,     16 * 3 + 1, 16 * 3 + 2, 16 * 3 + 3,
			    16 * 3 + 4, 16 * 3 + 5, 16 * 3 + 6, 16 * 3 + 7};
	struct made_frames frames = make_frames(4, 0, 8, nine);

	add_lock_stacks(explanation);
	add_named_stack(explanation->stack_names, 3, 0, 8, name);
	frames.frames.head.flags = FRAMES_USER_CUT;
	assert_int_equal(stack_names__frames(explanation->stack_names, &frames.frames), 0);
	explanation->stack[0].stack = 4;
	assert_has(shown_whole(explanation), "... < b < c < d < e < f < g < h < ...");
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* The syscalls in which threads block: adding up, and their names. */
#include "support/build.h"

#include "model/blocked_calls.h"

#include <string.h>

enum { READ = 0, FUTEX = 202, NANOSLEEP = 230 }; /* x86_64 */

static void assert_wait(const struct blocked_calls *blocked, uint32_t i, uint16_t call, uint64_t ns,
			uint64_t cnt)
{
	assert_true(i < blocked->cnt);
	assert_int_equal(blocked->entry[i].call, call);
	assert_int_equal(blocked->entry[i].ns, ns);
	assert_int_equal(blocked->entry[i].cnt, cnt);
}

TEST(blocked_calls_add_up_by_call_longest_first)
{
	struct blocked_calls blocked = {0}, one = {0};

	blocked_calls_add(&blocked, READ, 10, 1);
	blocked_calls_add(&one, FUTEX, 30, 1);
	blocked_calls_add(&one, FUTEX, 5, 1);
	blocked_calls_add(&one, READ, 1, 1);
	blocked_calls_merge(&blocked, &one);
	blocked_calls_sort(&blocked);
	assert_int_equal(blocked.cnt, 2);
	assert_wait(&blocked, 0, FUTEX, 35, 1); /* one message, however often it slept there */
	assert_wait(&blocked, 1, READ, 11, 2);
	assert_int_equal(blocked_calls_ns(&blocked), 46);
}

TEST(further_calls_are_added_up)
{
	struct blocked_calls blocked = {0};

	for (uint16_t call = 0; call < BLOCKED_CALLS_MAX + 5; call++)
		blocked_calls_add(&blocked, call, 100 + call, 1);
	blocked_calls_add(&blocked, 3, 1000, 1);
	assert_int_equal(blocked.cnt, BLOCKED_CALLS_MAX);
	blocked_calls_sort(&blocked);
	assert_wait(&blocked, 0, 3, 1103, 2);
	assert_wait(&blocked, 1, CALL_OTHERS, 6 * 100 + 105, 6);
	assert_int_equal(blocked_calls_ns(&blocked), 1000 + 21 * 100 + 20 * 21 / 2);
}

TEST(only_blocked_segments_are_a_messages_waits)
{
	const struct segment segment[] = {
		{.from_ns = 0, .to_ns = 10, .component = COMPONENT_SEND_PATH},
		{.from_ns = 10, .to_ns = 30, .component = COMPONENT_BLOCKED, .cpu = FUTEX},
		{.from_ns = 30, .to_ns = 35, .component = COMPONENT_RUNQUEUE, .cpu = 1},
		{.from_ns = 35, .to_ns = 75, .component = COMPONENT_BLOCKED, .cpu = READ},
		{.from_ns = 75, .to_ns = 80, .component = COMPONENT_BLOCKED, .cpu = FUTEX},
		{.from_ns = 80, .to_ns = 90, .component = COMPONENT_WAKEUP, .cpu = READ},
	};
	const struct message message = {.segment = segment, .segment_cnt = ARRAY_SIZE(segment)};
	struct blocked_calls blocked;

	/* The old contents do not count. */
	memset(&blocked, 0xff, sizeof(blocked));
	blocked_calls_of_message(&message, &blocked);
	blocked_calls_sort(&blocked);
	assert_int_equal(blocked.cnt, 2);
	assert_int_equal(blocked.entry[0].call, READ);
	assert_int_equal(blocked.entry[0].ns, 40);
	assert_int_equal(blocked.entry[1].call, FUTEX);
	assert_int_equal(blocked.entry[1].ns, 25);
}

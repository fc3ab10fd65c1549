/* SPDX-License-Identifier: BSD-2-Clause */
/* Which stack a thread had in a stretch of time. */
#include "support/build.h"
#include "support/stacks.h"

#include "analysis/history/stack_times.h"

enum { TID = 7, OTHER = 8 };

EACH_TEST_HAS(*state, stack_times__new(), stack_times__free)

static void add(struct stack_times *times, enum stack_kind kind, uint32_t stack, uint64_t from_ns,
		uint64_t to_ns)
{
	const struct record_stack record = make_stack(kind, TID, stack, from_ns, to_ns);

	assert_int_equal(stack_times__add(times, &record), 0);
}

/* 0: none. */
static uint32_t asleep(struct stack_times *times, uint64_t from_ns, uint64_t to_ns)
{
	const struct stack_query query = {
		.tid = TID, .is_asleep = true, .from_ns = from_ns, .to_ns = to_ns};
	struct stack_answer answer;

	return stack_times__find(times, &query, &answer) ? answer.stack : 0;
}

static uint32_t on_cpu(struct stack_times *times, uint64_t from_ns, uint64_t to_ns)
{
	const struct stack_query query = {.tid = TID, .from_ns = from_ns, .to_ns = to_ns};
	struct stack_answer answer;

	return stack_times__find(times, &query, &answer) ? answer.stack : 0;
}

TEST(a_sleep_has_the_stack_that_covers_most_of_it)
{
	add(*state, STACK_BLOCKED, 1, 100, 200);
	add(*state, STACK_BLOCKED, 2, 300, 500);
	add(*state, STACK_BLOCKED, 3, 510, 520);
	assert_int_equal(asleep(*state, 100, 200), 1);
	assert_int_equal(asleep(*state, 150, 350), 1);
	assert_int_equal(asleep(*state, 190, 350), 2);
	assert_int_equal(asleep(*state, 400, 450), 2);
	assert_int_equal(asleep(*state, 0, 1000), 2);
}

TEST(between_and_beside_sleeps_there_is_none)
{
	const struct stack_query other = {
		.tid = OTHER, .is_asleep = true, .from_ns = 100, .to_ns = 200};
	struct stack_answer answer;

	add(*state, STACK_BLOCKED, 1, 100, 200);
	add(*state, STACK_BLOCKED, 2, 300, 400);
	assert_int_equal(asleep(*state, 200, 300), 0);
	assert_int_equal(asleep(*state, 0, 100), 0);
	assert_int_equal(asleep(*state, 400, 500), 0);
	assert_int_equal(on_cpu(*state, 100, 400), 0);
	assert_false(stack_times__find(*state, &other, &answer));
}

/* Where a thread goes to sleep says little about what it did before. */
TEST(a_tick_says_more_than_the_end)
{
	add(*state, STACK_RAN, 1, 100, 150);
	add(*state, STACK_RAN, 2, 100, 250);
	add(*state, STACK_LEFT, 3, 100, 300);
	assert_int_equal(on_cpu(*state, 100, 300), 1);
	assert_int_equal(on_cpu(*state, 160, 300), 2);
	assert_int_equal(on_cpu(*state, 260, 300), 3);
	assert_int_equal(on_cpu(*state, 100, 140), 3);
	assert_int_equal(asleep(*state, 100, 300), 0);
}

TEST(a_cpu_can_be_asked_for)
{
	struct record_stack record = make_stack(STACK_LEFT, TID, 1, 100, 200);
	struct stack_query query = {
		.tid = TID, .has_cpu = true, .cpu = 3, .from_ns = 100, .to_ns = 200};
	struct stack_answer answer;

	record.head.cpu = 2;
	assert_int_equal(stack_times__add(*state, &record), 0);
	assert_false(stack_times__find(*state, &query, &answer));
	query.cpu = 2;
	assert_true(stack_times__find(*state, &query, &answer));
	assert_int_equal(answer.kind, STACK_LEFT);
}

TEST(impossible_records_are_ignored)
{
	add(*state, NR_STACK_KINDS, 1, 100, 200);
	add(*state, STACK_BLOCKED, 1, 200, 100);
	add(*state, STACK_BLOCKED, 0, 100, 200);
	assert_int_equal(stack_times__cnt(*state), 0);
}

TEST(old_and_too_many_stacks_are_forgotten)
{
	enum { CNT = STACK_TIMES_MAX + 1 };

	for (uint64_t i = 0; i < CNT; i++)
		add(*state, STACK_BLOCKED, 1, i * 1000000, i * 1000000 + 500000);
	for (int i = 0; i < 20; i++)
		stack_times__trim(*state, CNT * 1000000ull);
	assert_in_range(stack_times__cnt(*state), 1, STACK_TIMES_MAX);
	assert_int_equal(asleep(*state, 0, 500000), 0);
	assert_int_equal(asleep(*state, (CNT - 1) * 1000000ull, CNT * 1000000ull), 1);
}

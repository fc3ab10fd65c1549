/* SPDX-License-Identifier: BSD-2-Clause */
#include "build.h"

#include "core/culprits.h"

#include <stdlib.h>
#include <string.h>

static int setup(void **state)
{
	*state = culprits__new();
	return *state ? 0 : -1;
}

static int teardown(void **state)
{
	culprits__free(*state);
	return 0;
}

static struct blame blame(uint32_t tid, uint64_t ns)
{
	return (struct blame){.class = BLAME_TASK, .kind = SLICE_TASK, .tid = tid, .ns = ns};
}

static void add(struct culprits *culprits, const struct blame *blames, uint32_t cnt)
{
	const struct message message = {.blame = blames, .blame_cnt = cnt};

	assert_int_equal(culprits__add(culprits, &message), 0);
}

static struct summary finish(struct culprits *culprits)
{
	struct summary summary = {0};

	assert_int_equal(culprits__finish(culprits, &summary), 0);
	return summary;
}

static void assert_sum(const struct blame_summary *sum, uint32_t tid, uint64_t ns,
		       uint64_t messages)
{
	assert_int_equal(sum->who.tid, tid);
	assert_int_equal(sum->who.ns, ns);
	assert_int_equal(sum->messages, messages);
}

static void nobody_is_a_culprit_of_nothing(void **state)
{
	struct summary summary;

	add(*state, NULL, 0);
	summary = finish(*state);
	assert_int_equal(summary.blame_cnt, 0);
	assert_null(summary.blame);
}

static void blame_adds_up_by_culprit_largest_first(void **state)
{
	const struct blame first[] = {blame(1, 100), blame(2, 30)};
	const struct blame second[] = {blame(2, 80), blame(3, 105)};
	struct summary summary;

	add(*state, first, 2);
	add(*state, second, 2);
	summary = finish(*state);
	assert_int_equal(summary.blame_cnt, 3);
	assert_sum(&summary.blame[0], 2, 110, 2);
	assert_sum(&summary.blame[1], 3, 105, 1);
	assert_sum(&summary.blame[2], 1, 100, 1);
	free(summary.blame);
}

static void who_it_is_stays_with_the_culprit(void **state)
{
	struct blame one = blame(7, 10);
	struct summary summary;

	one.class = BLAME_KTHREAD;
	one.policy = 1;
	one.priority = 49;
	strcpy(one.comm, "kworker/0:1");
	add(*state, &one, 1);
	add(*state, &one, 1);
	summary = finish(*state);
	assert_int_equal(summary.blame_cnt, 1);
	assert_sum(&summary.blame[0], 7, 20, 2);
	assert_int_equal(summary.blame[0].who.class, BLAME_KTHREAD);
	assert_int_equal(summary.blame[0].who.priority, 49);
	assert_string_equal(summary.blame[0].who.comm, "kworker/0:1");
	free(summary.blame);
}

static void a_thread_and_an_interrupt_of_one_number_are_two(void **state)
{
	struct blame both[] = {blame(5, 10), blame(5, 20)};
	struct summary summary;

	both[1].kind = SLICE_IRQ;
	both[1].class = BLAME_IRQ;
	add(*state, both, 2);
	summary = finish(*state);
	assert_int_equal(summary.blame_cnt, 2);
	assert_int_equal(summary.blame[0].who.class, BLAME_IRQ);
	assert_int_equal(summary.blame[1].who.class, BLAME_TASK);
	free(summary.blame);
}

static uint64_t total_ns(const struct summary *summary)
{
	uint64_t sum_ns = 0;

	for (uint32_t i = 0; i < summary->blame_cnt; i++)
		sum_ns += summary->blame[i].who.ns;
	return sum_ns;
}

static void add_many(struct culprits *culprits, uint32_t cnt)
{
	for (uint32_t i = 0; i < cnt; i++) {
		struct blame one = blame(1 + i, 10);

		add(culprits, &one, 1);
	}
}

static void more_culprits_than_fit_are_unknown_and_still_add_up(void **state)
{
	struct summary summary;

	add_many(*state, 2 * CULPRITS_MAX);
	summary = finish(*state);
	assert_int_equal(summary.blame_cnt, CULPRITS_MAX + 1);
	assert_int_equal(total_ns(&summary), 20 * CULPRITS_MAX);
	assert_int_equal(summary.blame[0].who.class, BLAME_UNKNOWN);
	assert_sum(&summary.blame[0], 0, 10 * CULPRITS_MAX, CULPRITS_MAX);
	free(summary.blame);
}

static void a_known_culprit_is_found_when_the_table_is_full(void **state)
{
	const struct blame again = blame(1, 500);
	struct summary summary;

	add_many(*state, CULPRITS_MAX);
	add(*state, &again, 1);
	summary = finish(*state);
	assert_int_equal(summary.blame_cnt, CULPRITS_MAX);
	assert_sum(&summary.blame[0], 1, 510, 2);
	free(summary.blame);
}

/* One message that two new culprits held up, when there is no room for either. */
static void a_message_counts_once_for_all_the_unknown(void **state)
{
	const struct blame both[] = {blame(1000001, 100), blame(1000002, 200)};
	struct summary summary;

	add_many(*state, CULPRITS_MAX);
	add(*state, both, 2);
	summary = finish(*state);
	assert_int_equal(summary.blame[0].who.class, BLAME_UNKNOWN);
	assert_sum(&summary.blame[0], 0, 300, 1);
	free(summary.blame);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(nobody_is_a_culprit_of_nothing),
		TEST(blame_adds_up_by_culprit_largest_first),
		TEST(who_it_is_stays_with_the_culprit),
		TEST(a_thread_and_an_interrupt_of_one_number_are_two),
		TEST(more_culprits_than_fit_are_unknown_and_still_add_up),
		TEST(a_known_culprit_is_found_when_the_table_is_full),
		TEST(a_message_counts_once_for_all_the_unknown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

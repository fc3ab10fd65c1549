/* SPDX-License-Identifier: BSD-2-Clause */
#include "support/build.h"

#include "analysis/statistics/blame_totals.h"

#include <stdlib.h>
#include <string.h>

static struct names *names;
static struct summary summary; /* has the blame of each test */

static int setup(void **state)
{
	names = names__new();
	*state = names ? blame_totals__new(names, NULL, NULL) : NULL;
	return *state ? 0 : -1;
}

static int teardown(void **state)
{
	blame_totals__free(*state);
	free(summary.blame);
	summary = (struct summary){0};
	names__free(names);
	return 0;
}

EACH_TEST(setup, teardown)

static struct blame blame(uint32_t tid, uint64_t ns)
{
	return (struct blame){.class = BLAME_TASK, .kind = SLICE_TASK, .tid = tid, .ns = ns};
}

static void add(struct blame_totals *totals, const struct blame *blames, uint32_t cnt)
{
	assert_int_equal(blame_totals__add(totals, blames, cnt, 1), 0);
}

static void finish(struct blame_totals *totals)
{
	assert_int_equal(blame_totals__finish(totals, &summary.blame, &summary.blame_cnt), 0);
}

static void assert_sum(const struct blame_summary *sum, uint32_t tid, uint64_t ns,
		       uint64_t messages)
{
	assert_int_equal(sum->total.tid, tid);
	assert_int_equal(sum->total.ns, ns);
	assert_int_equal(sum->messages, messages);
}

TEST(without_messages_there_is_no_blame)
{
	add(*state, NULL, 0);
	finish(*state);
	assert_int_equal(summary.blame_cnt, 0);
	assert_null(summary.blame);
}

TEST(blame_adds_up_by_thread_largest_first)
{
	const struct blame first[] = {blame(1, 100), blame(2, 30)};
	const struct blame second[] = {blame(2, 80), blame(3, 105)};

	add(*state, first, 2);
	add(*state, second, 2);
	finish(*state);
	assert_int_equal(summary.blame_cnt, 3);
	assert_sum(&summary.blame[0], 2, 110, 2);
	assert_sum(&summary.blame[1], 3, 105, 1);
	assert_sum(&summary.blame[2], 1, 100, 1);
}

TEST(an_entry_keeps_its_policy_and_priority)
{
	struct blame one = blame(7, 10);

	one.class = BLAME_KTHREAD;
	one.policy = 1;
	one.priority = 49;
	strcpy(one.comm, "kworker/0:1");
	add(*state, &one, 1);
	add(*state, &one, 1);
	finish(*state);
	assert_int_equal(summary.blame_cnt, 1);
	assert_sum(&summary.blame[0], 7, 20, 2);
	assert_int_equal(summary.blame[0].total.class, BLAME_KTHREAD);
	assert_int_equal(summary.blame[0].total.priority, 49);
	assert_string_equal(summary.blame[0].total.comm, "kworker/0:1");
}

TEST(a_thread_and_an_interrupt_of_one_number_are_two)
{
	struct blame both[] = {blame(5, 10), blame(5, 20)};

	both[1].kind = SLICE_IRQ;
	both[1].class = BLAME_IRQ;
	add(*state, both, 2);
	finish(*state);
	assert_int_equal(summary.blame_cnt, 2);
	assert_int_equal(summary.blame[0].total.class, BLAME_IRQ);
	assert_int_equal(summary.blame[1].total.class, BLAME_TASK);
}

TEST(a_thread_keeps_its_process)
{
	struct blame both[] = {blame(12, 20), blame(11, 10)};
	struct record_name worker = make_name(SLICE_TASK, 12, 0, "worker");
	struct record_name first = make_name(SLICE_TASK, 11, 0, "java");
	struct record_process process = make_process(12, 0, 11, "java");

	assert_int_equal(names__add(names, &worker), 0);
	assert_int_equal(names__add(names, &first), 0);
	names__add_process(names, &process);
	add(*state, both, 2);
	finish(*state);
	assert_int_equal(summary.blame_cnt, 2);
	assert_int_equal(summary.blame[0].pid, 11);
	assert_string_equal(summary.blame[0].process, "java");
	assert_int_equal(summary.blame[1].pid, 0);
}

static uint64_t total_ns(const struct summary *summary)
{
	uint64_t sum_ns = 0;

	for (uint32_t i = 0; i < summary->blame_cnt; i++)
		sum_ns += summary->blame[i].total.ns;
	return sum_ns;
}

static void add_many(struct blame_totals *totals, uint32_t cnt)
{
	for (uint32_t i = 0; i < cnt; i++) {
		struct blame one = blame(1 + i, 10);

		add(totals, &one, 1);
	}
}

/* The lesser half of the entries, and all further ones of that class. */
TEST(the_lesser_half_of_too_many_entries_is_folded)
{
	const struct blame large = blame(1, 500);

	add(*state, &large, 1);
	add_many(*state, 3 * BLAME_TOTALS_MAX);
	add(*state, &large, 1);
	finish(*state);
	assert_true(summary.blame_cnt <= BLAME_TOTALS_MAX + NR_BLAME_CLASSES);
	assert_int_equal(total_ns(&summary), 1000 + 30 * BLAME_TOTALS_MAX);
	assert_string_equal(summary.blame[0].total.comm, "others");
	assert_int_equal(summary.blame[0].total.class, BLAME_TASK);
	assert_int_equal(summary.blame[0].folded, 3 * BLAME_TOTALS_MAX - (summary.blame_cnt - 1));
	assert_int_equal(summary.blame[0].total.ns, 10 * summary.blame[0].folded);
	assert_sum(&summary.blame[1], 1, 1010, 3);
}

TEST(each_class_is_folded_into_one)
{
	for (uint32_t tid = 1; tid <= 2 * BLAME_TOTALS_MAX; tid++) {
		struct blame one = blame(tid, 10);

		one.class = tid % 2 ? BLAME_KTHREAD : BLAME_CLIENT;
		add(*state, &one, 1);
	}
	finish(*state);
	assert_true(summary.blame[0].folded && summary.blame[1].folded);
	assert_false(summary.blame[2].folded);
	assert_true(summary.blame[0].total.class != summary.blame[1].total.class);
	assert_int_equal(total_ns(&summary), 20 * BLAME_TOTALS_MAX);
}

/* A later thread with the same id is another entry, and so is the same thread in another class. */
TEST(a_thread_id_alone_is_no_entry)
{
	struct blame part[] = {blame(5, 10), blame(5, 20), blame(5, 40)};

	strcpy(part[0].comm, "first");
	strcpy(part[1].comm, "second");
	strcpy(part[2].comm, "second");
	part[2].class = BLAME_SERVER;
	for (int i = 0; i < 3; i++)
		add(*state, &part[i], 1);
	finish(*state);
	assert_int_equal(summary.blame_cnt, 3);
	assert_int_equal(summary.blame[0].total.class, BLAME_SERVER);
	assert_string_equal(summary.blame[2].total.comm, "first");
}

static struct blame named(uint32_t tid, uint64_t ns, uint32_t cpu)
{
	struct blame one = blame(tid, ns);

	one.cpu = cpu;
	strcpy(one.comm, "worker");
	return one;
}

TEST(the_longest_wait_is_kept_with_its_cpu)
{
	const struct blame first = named(1, 100, 3), longest = named(1, 300, 5);
	const struct blame last = named(1, 200, 7);

	add(*state, &first, 1);
	add(*state, &longest, 1);
	add(*state, &last, 1);
	finish(*state);
	assert_int_equal(summary.blame[0].worst_ns, 300);
	assert_int_equal(summary.blame[0].worst_cpu, 5);
}

/* One message waits for two threads of one name: it counts once. */
TEST(messages_that_wait_for_threads_of_one_name_count_once)
{
	const struct blame both[] = {named(1, 100, 0), named(2, 150, 1)};
	const struct blame one = named(2, 70, 1);

	add(*state, both, 2);
	add(*state, &one, 1);
	finish(*state);
	for (int i = 0; i < 2; i++) {
		assert_int_equal(summary.blame[i].alike.messages, 2);
		assert_int_equal(summary.blame[i].alike.worst_ns, 250);
		assert_int_equal(summary.blame[i].alike.worst_cpu, BLAME_CPU_SEVERAL);
		assert_int_equal(summary.blame[i].alike.entries, 2);
	}
	assert_int_equal(summary.blame[0].messages + summary.blame[1].messages, 3);
}

TEST(threads_of_another_priority_are_not_alike)
{
	struct blame both[] = {named(1, 100, 0), named(2, 150, 0)};

	both[1].priority = 120;
	add(*state, both, 2);
	finish(*state);
	assert_int_equal(summary.blame[0].alike.entries, 1);
	assert_int_equal(summary.blame[1].alike.entries, 1);
}

/* Thread 1 is a target; thread 2 becomes a peer when `*ctx` is set. */
static enum blame_relation relation(void *ctx, uint32_t tid, uint32_t pid, uint64_t at_ns)
{
	(void)pid;
	(void)at_ns;
	if (tid == 1)
		return RELATION_TARGET;
	return tid == 2 && *(bool *)ctx ? RELATION_PEER : RELATION_OTHER;
}

static void set_relation(void **state, bool *is_peer)
{
	blame_totals__free(*state);
	free(summary.blame);
	summary = (struct summary){0};
	*state = blame_totals__new(names, relation, is_peer);
	assert_non_null(*state);
}

TEST(threads_of_one_name_are_apart_by_relation)
{
	const struct blame all[] = {named(1, 300, 0), named(2, 200, 0), named(3, 100, 0)};
	bool is_peer = true;

	set_relation(state, &is_peer);
	add(*state, all, 3);
	finish(*state);
	assert_int_equal(summary.blame[0].relation, RELATION_TARGET);
	assert_int_equal(summary.blame[1].relation, RELATION_PEER);
	assert_int_equal(summary.blame[2].relation, RELATION_OTHER);
	for (int i = 0; i < 3; i++)
		assert_int_equal(summary.blame[i].alike.entries, 1);
}

/* Until then it was counted with the strangers: how many messages waited for peers is unknown. */
TEST(a_stranger_that_becomes_a_peer_is_not_alike)
{
	const struct blame both[] = {named(2, 200, 0), named(3, 100, 0)};
	bool is_peer = false;

	set_relation(state, &is_peer);
	add(*state, both, 2);
	is_peer = true;
	finish(*state);
	assert_int_equal(summary.blame[0].relation, RELATION_PEER);
	assert_int_equal(summary.blame[0].alike.entries, 0);
	assert_int_equal(summary.blame[1].relation, RELATION_OTHER);
	assert_int_equal(summary.blame[1].alike.entries, 2);
}

TEST(only_user_threads_have_a_relation)
{
	struct blame all[] = {named(1, 300, 0), named(1, 200, 0), named(0, 100, 0)};
	bool is_peer = true;

	all[0].kind = SLICE_IRQ;
	all[0].class = BLAME_IRQ;
	all[1].class = BLAME_KTHREAD;
	all[2].class = BLAME_IDLE;
	set_relation(state, &is_peer);
	add(*state, all, 3);
	finish(*state);
	for (int i = 0; i < 3; i++)
		assert_int_equal(summary.blame[i].relation, RELATION_NONE);
}

/* A sender in one message, in the way of another: a report shows one thread. */
TEST(the_sender_is_alike_with_others_of_its_relation)
{
	struct blame sender = named(1, 300, 0), other = named(1, 100, 0);
	bool is_peer = true;

	sender.class = BLAME_SERVER;
	set_relation(state, &is_peer);
	add(*state, &sender, 1);
	add(*state, &other, 1);
	finish(*state);
	assert_int_equal(summary.blame_cnt, 2);
	assert_int_equal(summary.blame[0].alike.entries, 2);
	assert_int_equal(summary.blame[0].alike.messages, 2);
}

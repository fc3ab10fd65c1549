/* SPDX-License-Identifier: BSD-2-Clause */
#include "support/build.h"

#include "container/lru_table.h"
#include "analysis/history/names.h"

#include <string.h>

EACH_TEST_HAS(*state, names__new(), names__free)

static void add(struct names *names, uint32_t kind, uint32_t id, uint64_t since_ns,
		const char *comm)
{
	struct record_name name = make_name(kind, id, since_ns, comm);

	assert_int_equal(names__add(names, &name), 0);
}

static void assert_comm(struct names *names, uint32_t kind, uint32_t id, uint64_t at_ns,
			const char *comm)
{
	const struct record_name *name = names__find(names, kind, id, at_ns);

	assert_non_null(name);
	assert_string_equal(name->comm, comm);
}

TEST(an_unknown_thread_has_no_name)
{
	add(*state, SLICE_TASK, 7, 100, "seven");
	assert_null(names__find(*state, SLICE_TASK, 8, 100));
	assert_null(names__find(*state, SLICE_IRQ, 7, 100));
	assert_null(names__find(*state, NR_SLICE_KINDS, 7, 100));
}

TEST(a_name_holds_from_its_instant_on)
{
	add(*state, SLICE_TASK, 7, 100, "seven");
	assert_comm(*state, SLICE_TASK, 7, 100, "seven");
	assert_comm(*state, SLICE_TASK, 7, UINT64_MAX, "seven");
}

/* A thread is announced at the end of its first slice: it had that name before, too. */
TEST(the_first_name_holds_before_its_instant_too)
{
	add(*state, SLICE_TASK, 7, 200, "second");
	add(*state, SLICE_TASK, 7, 100, "first");
	assert_comm(*state, SLICE_TASK, 7, 0, "first");
	assert_comm(*state, SLICE_TASK, 7, 99, "first");
}

/*
 *	100          200            300
 *	 |---bash-----|----make------|----cc1 ...	fork, exec, the number used again
 */
TEST(exec_and_tid_reuse_change_the_name)
{
	add(*state, SLICE_TASK, 7, 200, "make");
	add(*state, SLICE_TASK, 7, 300, "cc1");
	add(*state, SLICE_TASK, 7, 100, "bash");
	assert_comm(*state, SLICE_TASK, 7, 199, "bash");
	assert_comm(*state, SLICE_TASK, 7, 200, "make");
	assert_comm(*state, SLICE_TASK, 7, 299, "make");
	assert_comm(*state, SLICE_TASK, 7, 300, "cc1");
	assert_comm(*state, SLICE_TASK, 7, 1000, "cc1");
}

TEST(the_order_of_the_records_does_not_matter)
{
	static const char *const comms[] = {"a", "b", "c"};

	for (int order = 0; order < 27; order++) {
		int i = order % 3, j = order / 3 % 3, k = order / 9;
		struct names *names = names__new();

		if (i != j && j != k && i != k) {
			add(names, SLICE_TASK, 7, 100 * i, comms[i]);
			add(names, SLICE_TASK, 7, 100 * j, comms[j]);
			add(names, SLICE_TASK, 7, 100 * k, comms[k]);
			assert_comm(names, SLICE_TASK, 7, 50, "a");
			assert_comm(names, SLICE_TASK, 7, 150, "b");
			assert_comm(names, SLICE_TASK, 7, 250, "c");
		}
		names__free(names);
	}
}

TEST(threads_and_interrupts_of_one_number_are_not_mixed_up)
{
	add(*state, SLICE_TASK, 7, 100, "thread");
	add(*state, SLICE_IRQ, 7, 100, "nvme0");
	assert_comm(*state, SLICE_TASK, 7, 100, "thread");
	assert_comm(*state, SLICE_IRQ, 7, 100, "nvme0");
}

TEST(softirqs_are_always_known)
{
	static const char *const comms[] = {"hi",       "timer",   "net_tx", "net_rx",  "block",
					    "irq_poll", "tasklet", "sched",  "hrtimer", "rcu"};

	for (uint32_t i = 0; i < ARRAY_SIZE(comms); i++)
		assert_comm(*state, SLICE_SOFTIRQ, i, 0, comms[i]);
	assert_null(names__find(*state, SLICE_SOFTIRQ, ARRAY_SIZE(comms), 0));
}

TEST(a_name_without_an_end_is_ended)
{
	struct record_name name = make_name(SLICE_TASK, 7, 0, "");

	memset(name.comm, 'x', sizeof(name.comm));
	assert_int_equal(names__add(*state, &name), 0);
	assert_comm(*state, SLICE_TASK, 7, 0, "xxxxxxxxxxxxxxx");
}

TEST(flags_policy_and_priority_come_with_the_name)
{
	struct record_name name = make_name(SLICE_TASK, 7, 0, "kworker/0:1");
	const struct record_name *found;

	name.flags = NAME_KTHREAD;
	name.policy = 1;
	name.priority = 49;
	assert_int_equal(names__add(*state, &name), 0);
	found = names__find(*state, SLICE_TASK, 7, 0);
	assert_int_equal(found->flags, NAME_KTHREAD);
	assert_int_equal(found->policy, 1);
	assert_int_equal(found->priority, 49);
}

static void assert_process(struct names *names, uint32_t tid, uint64_t at_ns, uint32_t pid,
			   const char *comm)
{
	const struct record_process *process = names__process(names, tid, at_ns);

	assert_non_null(process);
	assert_int_equal(process->pid, pid);
	assert_string_equal(process->comm, comm);
}

/* The number of a thread is reused by a thread of another process. */
TEST(a_process_belongs_to_one_name_of_its_thread)
{
	struct record_process first = make_process(7, 100, 5, "java");
	struct record_process second = make_process(7, 300, 6, "python3");

	add(*state, SLICE_TASK, 7, 100, "worker");
	add(*state, SLICE_TASK, 7, 200, "first");
	add(*state, SLICE_TASK, 7, 300, "worker");
	names__add_process(*state, &second);
	names__add_process(*state, &first);
	assert_process(*state, 7, 150, 5, "java");
	assert_null(names__process(*state, 7, 250));
	assert_process(*state, 7, 300, 6, "python3");
}

TEST(a_process_without_a_name_of_its_thread_is_dropped)
{
	struct record_process process = make_process(7, 100, 5, "java");

	names__add_process(*state, &process);
	assert_null(names__process(*state, 7, 100));
	add(*state, SLICE_TASK, 7, 90, "worker");
	add(*state, SLICE_IRQ, 7, 100, "nvme0");
	names__add_process(*state, &process);
	assert_null(names__process(*state, 7, 100));
}

TEST(a_process_without_an_end_of_its_name_is_ended)
{
	struct record_process process = make_process(7, 0, 5, "");

	memset(process.comm, 'x', sizeof(process.comm));
	add(*state, SLICE_TASK, 7, 0, "worker");
	names__add_process(*state, &process);
	assert_process(*state, 7, 0, 5, "xxxxxxxxxxxxxxx");
}

/* Very many threads, of which one is used again and again. */
TEST(the_least_recently_used_of_very_many_are_forgotten)
{
	enum { SPOKEN_OF = 1, QUIET = 2, FIRST = 10, END = FIRST + 2 * LRU_THREADS_MAX };
	size_t known = 0;

	add(*state, SLICE_TASK, SPOKEN_OF, 0, "server");
	add(*state, SLICE_TASK, QUIET, 0, "quiet");
	for (uint32_t tid = FIRST; tid < END; tid++) {
		add(*state, SLICE_TASK, tid, 0, "passing");
		assert_comm(*state, SLICE_TASK, SPOKEN_OF, 0, "server");
	}
	assert_null(names__find(*state, SLICE_TASK, QUIET, 0));
	for (uint32_t tid = SPOKEN_OF; tid < END; tid++)
		known += names__find(*state, SLICE_TASK, tid, 0) != NULL;
	assert_int_equal(known, LRU_THREADS_MAX);
}

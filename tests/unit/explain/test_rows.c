/* SPDX-License-Identifier: BSD-2-Clause */
/* Rows of components, culprits, and what followed them. */
#include "explain/scene.h"
#include "explain/causes_tree.h"

#include <math.h>

#define UNITS 1000

/* 990 fast units of 5 us, and 10 slow ones, whose further causes `slow` adds. */
static void build(struct scene *scene, void (*slow)(struct scene *scene, uint64_t i),
		  uint64_t latency_ns)
{
	scene->choice.selection.slower_than_ns = 10000;
	for (uint64_t i = 0; i < UNITS; i++) {
		bool is_slow = i % 100 == 50;

		scene_add(scene, i * 1000000, is_slow ? latency_ns : 5000);
		if (is_slow)
			slow(scene, i / 100);
		else
			scene_wait(scene, 40, "quick", 1000);
		scene_receive_rest(scene);
	}
	scene_explain(scene);
	assert_int_equal(scene->explanation.outcome, EXPLAIN_DONE);
	assert_int_equal(scene->explanation.slow.count, 10);
}

static const struct explain_row *row_of(const struct scene *scene, enum component cost,
					const char *comm)
{
	for (uint32_t i = 0; i < scene->explanation.row_cnt; i++) {
		const struct explain_row *row = &scene->explanation.row[i];

		if (row->cost == cost && !row->is_component && !strcmp(row->by.comm, comm))
			return row;
	}
	fail_msg("no row of %s", comm);
	return NULL;
}

static void assert_near(double got, double expected)
{
	if (fabs(got - expected) > 1e-6)
		fail_msg("%.9g is not %.9g", got, expected);
}

static void one_hog(struct scene *scene, uint64_t i)
{
	scene_wait(scene, 77, "hog", 290000 + i)->by.cpu = 3;
}

TEST(the_planted_culprit_is_the_first_row)
{
	const struct explain_row *row;

	build(&scene, one_hog, 300000);
	row = scene.explanation.row;
	assert_true(row[0].is_component);
	assert_int_equal(row[0].cost, COMPONENT_RUNQUEUE);
	assert_near(row[0].slow_ns, 290004.5);
	assert_near(row[0].base_ns, 1000);
	assert_int_equal(row[0].slow_units, 10);
	assert_false(row[1].is_component);
	assert_string_equal(row[1].by.comm, "hog");
	assert_int_equal(row[1].by.tid, 77);
	assert_int_equal(row[1].by.cpu, 3);
	assert_int_equal(row[1].folded, 1);
	assert_int_equal(row[1].slow_units, 10);
	assert_int_equal(row[1].slow_episodes, 10);
	assert_int_equal(row[1].base_units, 0);
	assert_int_equal(row[1].largest_ns, 290009);
	assert_near(row[1].slow_ns, 290004.5);
	/* What the base has more of is a negative difference. */
	assert_string_equal(row[2].by.comm, "quick");
	assert_near(row[2].slow_ns - row[2].base_ns, -1000);
	assert_true(row[3].is_component);
	assert_int_equal(row[3].cost, COMPONENT_RECEIVE);
}

static void one_huge_unit(struct scene *scene, uint64_t i)
{
	scene_wait(scene, 77, "hog", i ? 20000 : 1000);
	if (!i) {
		scene->unit[scene->cnt - 1].to_ns += 90000000;
		scene_wait(scene, 78, "once", 90000000);
	}
}

TEST(a_huge_unit_shows_that_it_is_one)
{
	const struct explain_row *row;

	build(&scene, one_huge_unit, 30000);
	row = row_of(&scene, COMPONENT_RUNQUEUE, "once");
	assert_int_equal(row->slow_units, 1);
	assert_int_equal(row->slow_episodes, 1);
	assert_int_equal(row->largest_ns, 90000000);
	assert_int_equal(row_of(&scene, COMPONENT_RUNQUEUE, "hog")->slow_units, 10);
}

static void twins(struct scene *scene, uint64_t i)
{
	scene_wait(scene, 100, "twin", 50000)->by.cpu = 1;
	scene_wait(scene, 100 + i % 2, "twin", 30000)->by.cpu = i % 2 ? 2 : 1;
	scene_wait(scene, 200 + i, "lonely", 10)->by.priority = i == 3;
}

TEST(threads_of_one_name_and_priority_are_folded)
{
	const struct explain_row *row;

	build(&scene, twins, 100000);
	row = row_of(&scene, COMPONENT_RUNQUEUE, "twin");
	assert_int_equal(row->folded, 2);
	assert_int_equal(row->by.tid, 0);
	assert_int_equal(row->slow_units, 10); /* not 20 */
	assert_int_equal(row->largest_ns, 80000);
	assert_int_equal(row->by.cpu, BLAME_CPU_SEVERAL);
	row = row_of(&scene, COMPONENT_RUNQUEUE, "lonely");
	assert_int_equal(row->folded, 9);
	assert_int_equal(row->slow_units, 9);
}

static void workers(struct scene *scene, uint64_t i)
{
	static const char *const names[] = {"kworker/0:1", "kworker/u8:2-events", "kworker/1:0H"};
	struct cause *cause = scene_wait(scene, 300 + i, names[i % 3], 50000);

	cause->by.class = BLAME_KTHREAD;
	/* A user thread may call itself so, too. */
	scene_wait(scene, 400, "kworker/9:9", 1000);
}

TEST(all_kworkers_are_one_culprit)
{
	build(&scene, workers, 100000);
	assert_int_equal(row_of(&scene, COMPONENT_RUNQUEUE, "kworker")->folded, 10);
	assert_int_equal(row_of(&scene, COMPONENT_RUNQUEUE, "kworker")->slow_units, 10);
	assert_int_equal(row_of(&scene, COMPONENT_RUNQUEUE, "kworker/9:9")->folded, 1);
}

static void nameless(struct scene *scene, uint64_t i)
{
	scene_wait(scene, 500 + i % 2, "", 50000);
}

static void interrupts(struct scene *scene, uint64_t i)
{
	struct cause *cause = scene_wait(scene, 20 + i % 2, "virtio", 50000);

	cause->by.class = BLAME_IRQ;
	cause->by.kind = SLICE_IRQ;
}

static uint32_t culprit_rows(const struct explanation *e, const char *comm)
{
	uint32_t cnt = 0;

	for (uint32_t i = 0; i < e->row_cnt; i++)
		cnt += !e->row[i].is_component && !strcmp(e->row[i].by.comm, comm);
	return cnt;
}

TEST(interrupts_and_threads_without_a_name_keep_their_numbers)
{
	struct scene scene = {0};

	build(&scene, nameless, 100000);
	assert_int_equal(scene.explanation.row[1].by.tid + scene.explanation.row[2].by.tid, 1001);
	scene_free(&scene);
	build(&scene, interrupts, 100000);
	assert_int_equal(culprit_rows(&scene.explanation, "virtio"), 2);
	assert_in_range(row_of(&scene, COMPONENT_RUNQUEUE, "virtio")->by.tid, 20, 21);
	scene_free(&scene);
}

static void interrupted(struct scene *scene, uint64_t i)
{
	struct cause *cause = scene_wait(scene, 600 + i, "bystander", 80000);

	cause->cost = COMPONENT_BLOCKED;
	cause->role = CAUSE_WOKE;
	cause->from_interrupt = true;
	cause->call = 7;
}

static void woken_by_timer(struct scene *scene, uint64_t i)
{
	struct cause *cause = scene_wait(scene, 1, "timer", 80000);

	cause->cost = COMPONENT_BLOCKED;
	cause->role = CAUSE_WOKE;
	cause->from_interrupt = true;
	cause->by.class = BLAME_SOFTIRQ;
	cause->by.kind = SLICE_SOFTIRQ;
}

TEST(what_an_interrupt_interrupts_has_no_row)
{
	struct scene scene = {0};
	const struct explain_row *row;

	build(&scene, interrupted, 100000);
	row = &scene.explanation.row[1];
	assert_int_equal(row->cost, COMPONENT_BLOCKED);
	assert_int_equal(row->call, 7);
	assert_true(row->from_interrupt);
	assert_int_equal(row->by.comm[0], 0);
	assert_int_equal(row->slow_units, 10);
	scene_free(&scene);
	build(&scene, woken_by_timer, 100000);
	assert_string_equal(scene.explanation.row[1].by.comm, "timer");
	assert_true(scene.explanation.row[1].from_interrupt);
	scene_free(&scene);
}

/* blocked by owner; the owner waited behind a hog, and was itself blocked by another one. */
static void chain(struct scene *scene, uint64_t i)
{
	struct cause *cause = scene_wait(scene, 700, "owner", 80000);

	cause->cost = COMPONENT_BLOCKED;
	cause->role = CAUSE_WOKE;
	scene_wait(scene, 77, "hog", 50000)->parent = 1;
	cause = scene_wait(scene, 701, "other", 20000);
	cause->cost = COMPONENT_BLOCKED;
	cause->parent = 1;
	scene_wait(scene, 77, "hog", 15000)->parent = 3;
	scene_wait(scene, 99, "nothing", 0)->parent = 1;
	scene_wait(scene, 99, "orphan", 10)->parent = 5;
}

TEST(what_a_culprit_did_stands_below_it)
{
	const struct explain_row *row;

	build(&scene, chain, 100000);
	row = scene.explanation.row;
	assert_int_equal(row[0].cost, COMPONENT_BLOCKED);
	assert_true(row[0].is_component);
	assert_near(row[0].slow_ns, 80000);
	assert_string_equal(row[1].by.comm, "owner");
	assert_int_equal(row[1].depth, 0);
	assert_string_equal(row[2].by.comm, "hog");
	assert_int_equal(row[2].depth, 1);
	assert_near(row[2].slow_ns, 50000);
	assert_int_equal(row[2].slow_episodes, 10);
	assert_string_equal(row[3].by.comm, "other");
	assert_int_equal(row[3].depth, 1);
	assert_string_equal(row[4].by.comm, "hog");
	assert_int_equal(row[4].depth, 2);
	assert_near(row[4].slow_ns, 15000);
	assert_true(row[5].is_component);
	assert_int_equal(culprit_rows(&scene.explanation, "nothing"), 0);
	assert_int_equal(culprit_rows(&scene.explanation, "orphan"), 0);
}

static void ours(struct scene *scene, uint64_t i)
{
	scene_wait(scene, 900, "ipctrace", 40000)->by.class = BLAME_IPCTRACE;
	scene_wait(scene, 900, "ipctrace", 100)->parent = 1;
	scene->cause[scene->cnt - 1][1].by.class = BLAME_IPCTRACE;
}

TEST(what_ipctrace_did_is_said)
{
	build(&scene, ours, 105000);
	assert_near(scene.explanation.own_ns, 40000);
	assert_near(scene.explanation.own_share, 0.4);
}

/* Its threads, and the process that names functions for it. */
static void all_of_ipctrace(struct scene *scene, uint64_t i)
{
	static const char *const names[] = {"ipctrace", "reader", "ipctrace2717"};
	struct cause *cause = scene_wait(scene, 900 + i % 3, names[i % 3], 40000);

	cause->by.class = BLAME_IPCTRACE;
	cause->by.policy = i % 2;
	cause->by.priority = i % 2 ? 98 : 19;
}

TEST(all_threads_of_ipctrace_are_one_culprit)
{
	uint32_t cnt = 0;

	build(&scene, all_of_ipctrace, 105000);
	for (uint32_t i = 0; i < scene.explanation.row_cnt; i++) {
		const struct explain_row *row = &scene.explanation.row[i];

		cnt += !row->is_component && row->by.class == BLAME_IPCTRACE;
	}
	assert_int_equal(cnt, 1);
	assert_int_equal(row_of(&scene, COMPONENT_RUNQUEUE, "ipctrace")->folded, 3);
	assert_int_equal(row_of(&scene, COMPONENT_RUNQUEUE, "ipctrace")->slow_units, 10);
}

static void lacking(struct scene *scene, uint64_t i)
{
	scene_wait(scene, 77, "hog", 40000);
	scene->unit[scene->cnt - 1].to_ns -= 20000;
	scene_receive_rest(scene);
	scene->unit[scene->cnt - 1].to_ns += 20000;
	/* The one that build() adds. */
	scene_cause(scene, COST_UNKNOWN, CAUSE_UNKNOWN, 0);
	scene->unit[scene->cnt - 1].cause_cnt--;
}

TEST(what_no_cause_accounts_for_is_unknown)
{
	const struct explain_row *row;

	scene = (struct scene){.choice.selection.slower_than_ns = 10000};
	for (uint64_t i = 0; i < UNITS; i++) {
		bool is_slow = i % 100 == 50;

		scene_add(&scene, i * 1000000, is_slow ? 100000 : 5000);
		if (is_slow)
			lacking(&scene, i);
		else
			scene_receive_rest(&scene);
	}
	scene_explain(&scene);
	row = scene.explanation.row;
	assert_int_equal(scene.explanation.not_cut, 10);
	assert_int_equal(row[0].cost, COMPONENT_RUNQUEUE);
	assert_int_equal(row[2].cost, COMPONENT_RECEIVE);
	assert_int_equal(row[4].cost, COST_UNKNOWN);
	assert_true(row[4].is_component);
	assert_near(row[4].slow_ns, 20000);
	assert_int_equal(row[5].role, CAUSE_UNKNOWN);
	assert_near(row[5].slow_ns, 20000);
}

static void too_much(struct scene *scene, uint64_t i)
{
	struct cause *cause = scene_wait(scene, 77, "hog", 90000);

	if (i % 2)
		cause->by.ns = 200000; /* more than the latency */
	else
		cause->cost = NR_COSTS;
}

TEST(causes_that_cannot_be_right_are_not_used)
{
	scene = (struct scene){.choice.selection.slower_than_ns = 10000};
	for (uint64_t i = 0; i < UNITS; i++) {
		bool is_slow = i % 100 == 50;

		scene_add(&scene, i * 1000000, is_slow ? 100000 : 5000);
		if (is_slow)
			too_much(&scene, i / 100);
		else
			scene_receive_rest(&scene);
	}
	scene_explain(&scene);
	assert_int_equal(scene.explanation.not_cut, 10);
	assert_int_equal(scene.explanation.row[0].cost, COST_UNKNOWN);
	assert_near(scene.explanation.row[0].slow_ns, 100000);
	assert_int_equal(culprit_rows(&scene.explanation, "hog"), 0);
}

/* Each unit has a culprit of its own, and one that follows it. */
TEST(more_culprits_than_there_is_room_for_are_one_row)
{
	double culprits = 0, rest = 0;
	uint64_t cnt = 2 * NODES_MAX;

	scene = (struct scene){.choice.selection.slowest_percent = 10};
	for (uint64_t i = 0; i < cnt; i++) {
		char comm[16];

		snprintf(comm, sizeof(comm), "c%lu", (unsigned long)i);
		scene_add(&scene, i * 1000, i % 10 ? 500 + i % 300 : 800 + i);
		scene_wait(&scene, i, comm, 400);
		scene_wait(&scene, i, comm, 300)->parent = 1;
		scene_receive_rest(&scene);
	}
	scene_explain(&scene);
	for (uint32_t i = 0; i < scene.explanation.row_cnt; i++) {
		const struct explain_row *row = &scene.explanation.row[i];

		if (row->is_component || row->depth || row->cost != COMPONENT_RUNQUEUE)
			continue;
		culprits += row->slow_ns;
		if (row->is_rest) {
			rest += row->slow_ns;
			assert_int_equal(row->by.comm[0], 0);
			assert_int_equal(row->largest_ns, 400);
		}
	}
	assert_near(culprits, 400);
	assert_true(rest > 10 && rest < 390);
}

/* Few culprits, in so many calls that the nodes do not suffice. */
TEST(more_nodes_than_there_is_room_for_are_one_row)
{
	double culprits = 0, rest = 0;
	uint32_t rows = 0;

	scene = (struct scene){.choice.selection.slowest_percent = 10};
	for (uint64_t i = 0; i < 3 * NODES_MAX; i++) {
		struct cause *cause;

		scene_add(&scene, i * 1000, i % 10 ? 500 + i % 300 : 800 + i);
		cause = scene_wait(&scene, i % 7, "caller", 400);
		cause->cost = COMPONENT_BLOCKED;
		cause->role = i % 3 ? CAUSE_WOKE : CAUSE_KEPT;
		cause->call = i / 3;
		scene_receive_rest(&scene);
	}
	scene_explain(&scene);
	for (uint32_t i = 0; i < scene.explanation.row_cnt; i++) {
		const struct explain_row *row = &scene.explanation.row[i];

		if (row->is_component || row->cost != COMPONENT_BLOCKED)
			continue;
		rows++;
		culprits += row->slow_ns;
		rest += row->is_rest ? row->slow_ns : 0;
	}
	assert_near(culprits, 400);
	assert_true(rest > 10 && rest < 390);
	assert_true(rows <= NODES_MAX);
}

static void two_locks(struct scene *scene, uint64_t i)
{
	struct cause *cause = scene_cause(scene, COST_ON_CPU, CAUSE_ITSELF, 200000 + i);

	cause->reason = REASON_KERNEL_SPIN;
	strcpy(cause->function, "pipe_write");
	cause = scene_cause(scene, COST_ON_CPU, CAUSE_ITSELF, 100000 + i);
	cause->reason = REASON_KERNEL_SPIN;
	/* Bytes behind the end say nothing. */
	memset(cause->function, 'x', sizeof(cause->function));
	snprintf(cause->function, sizeof(cause->function), i % 2 ? "pipe_read" : "mmap_lock");
}

TEST(each_function_that_waits_for_a_lock_has_a_row)
{
	const char *const expected[] = {"pipe_write", "pipe_read", "mmap_lock"};
	uint32_t found = 0;

	build(&scene, two_locks, 400000);
	for (uint32_t i = 0; i < scene.explanation.row_cnt; i++) {
		const struct explain_row *row = &scene.explanation.row[i];

		if (row->reason != REASON_KERNEL_SPIN)
			continue;
		assert_true(found < ARRAY_SIZE(expected));
		assert_string_equal(row->function, expected[found]);
		assert_int_equal(row->slow_units, found ? 5 : 10);
		found++;
	}
	assert_int_equal(found, ARRAY_SIZE(expected));
}

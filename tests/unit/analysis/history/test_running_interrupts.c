/* SPDX-License-Identifier: BSD-2-Clause */
/* Interrupts and softirqs in the middle of a stretch in which a traced thread ran. */
#include "analysis/history/slices_fixture.h"

#include <string.h>

static void interrupts(struct cpu_slices *history, uint64_t from_ns, uint64_t to_ns)
{
	cpu_slices__interrupts(history, 0, from_ns, to_ns, &shares);
}

static void assert_part(uint32_t i, uint64_t from_ns, uint64_t to_ns, uint32_t kind, uint32_t id)
{
	assert_share(i, to_ns, kind, id);
	assert_int_equal(shares.share[i].from_ns, from_ns);
}

static void assert_unknown(uint64_t from_ns, uint64_t to_ns)
{
	assert_int_equal(shares.cnt, 1);
	assert_part(0, from_ns, to_ns, SHARE_UNKNOWN, 0);
}

TEST(only_interrupts_are_listed_and_cut_at_the_ends)
{
	add(*state, make_irq(0, 0, 4, 90, 110));
	add(*state, make_irq(0, 1, 5, 150, 160));
	add(*state, make_softirq(0, 2, 3, 190, 210));
	add(*state, make_irq(0, 3, 6, 220, 230));
	interrupts(*state, 100, 200);
	assert_int_equal(shares.cnt, 3);
	assert_part(0, 100, 110, SLICE_IRQ, 4);
	assert_part(1, 150, 160, SLICE_IRQ, 5);
	assert_part(2, 190, 200, SLICE_SOFTIRQ, 3);
	interrupts(*state, 160, 190);
	assert_int_equal(shares.cnt, 0);
}

/*
 *	|------softirq 3-----|		120..180
 *	    |irq 5|			130..140
 */
TEST(an_interrupt_in_a_softirq_takes_its_time_from_that)
{
	add(*state, make_irq(0, 0, 5, 130, 140));
	add(*state, make_softirq(0, 1, 3, 120, 180));
	interrupts(*state, 100, 200);
	assert_int_equal(shares.cnt, 3);
	assert_part(0, 120, 130, SLICE_SOFTIRQ, 3);
	assert_part(1, 130, 140, SLICE_IRQ, 5);
	assert_part(2, 140, 180, SLICE_SOFTIRQ, 3);
}

TEST(a_softirq_that_the_thread_raised_itself_is_marked)
{
	struct record_slice own = make_softirq(0, 0, 3, 120, 130);

	own.head.flags = SLICE_OWN;
	add(*state, own);
	add(*state, make_softirq(0, 1, 3, 140, 150));
	interrupts(*state, 100, 200);
	assert_int_equal(shares.cnt, 2);
	assert_true(shares.share[0].is_own);
	assert_false(shares.share[1].is_own);
}

TEST(a_cpu_without_records_has_no_interrupts)
{
	interrupts(*state, 100, 200);
	assert_int_equal(shares.cnt, 0);
	add(*state, make_irq(1, 0, 4, 110, 120));
	interrupts(*state, 100, 200);
	assert_int_equal(shares.cnt, 0);
}

/* It ended between the slices before and after it, wherever these are. */
TEST(a_lost_record_makes_the_stretch_unknown)
{
	add(*state, make_irq(0, 0, 4, 50, 60));
	add(*state, make_irq(0, 2, 4, 150, 160));
	add(*state, make_irq(0, 3, 4, 250, 260));
	add(*state, make_irq(0, 5, 4, 450, 460));
	interrupts(*state, 100, 200);
	assert_unknown(100, 200);
	interrupts(*state, 100, 140);
	assert_unknown(100, 140);
	interrupts(*state, 160, 240);
	assert_int_equal(shares.cnt, 0);
	interrupts(*state, 200, 260);
	assert_unknown(200, 260);
	interrupts(*state, 300, 400);
	assert_unknown(300, 400);
	interrupts(*state, 460, 500);
	assert_int_equal(shares.cnt, 0);
}

TEST(the_first_record_may_be_lost_too)
{
	add(*state, make_irq(0, 1, 4, 150, 160));
	interrupts(*state, 100, 200);
	assert_unknown(100, 200);
	interrupts(*state, 50, 100);
	assert_unknown(50, 100);
	interrupts(*state, 160, 200);
	assert_int_equal(shares.cnt, 0);
}

/* Another thread may wait for the CPU meanwhile, and end a task slice by leaving. */
TEST(task_slices_count_but_are_not_listed)
{
	add(*state, make_task(0, 0, 11, 100));
	add(*state, make_irq(0, 1, 4, 110, 120));
	add(*state, make_task(0, 2, 12, 150));
	add(*state, make_irq(0, 3, 5, 160, 170));
	add(*state, make_task(0, 4, 12, 200));
	interrupts(*state, 100, 200);
	assert_int_equal(shares.cnt, 2);
	assert_part(0, 110, 120, SLICE_IRQ, 4);
	assert_part(1, 160, 170, SLICE_IRQ, 5);
}

/* A thread that runs for minutes is interrupted all the time, while no task slice comes. */
TEST(old_interrupts_are_forgotten_without_task_slices)
{
	for (uint32_t i = 0; i < 1000; i++)
		add(*state, make_irq(0, i, 5, 100 * i + 10, 100 * i + 20));
	cpu_slices__trim(*state, 95000);
	assert_int_equal(cpu_slices__cnt(*state), 50);
	interrupts(*state, 95000, 96000);
	assert_int_equal(shares.cnt, 10);
	assert_part(0, 95010, 95020, SLICE_IRQ, 5);
	cpu_slices__trim(*state, 200000);
	assert_int_equal(cpu_slices__cnt(*state), 0);
	interrupts(*state, 200000, 300000);
	assert_int_equal(shares.cnt, 0);
	add(*state, make_irq(0, 1001, 5, 310000, 310010));
	interrupts(*state, 200000, 300000);
	assert_unknown(200000, 300000);
}

/* Long after the last task slice, and with the wait of another thread behind it. */
TEST(a_wait_after_forgotten_interrupts_is_known)
{
	add(*state, make_task(0, 0, 11, 5));
	for (uint32_t i = 0; i < 1000; i++)
		add(*state, make_irq(0, i + 1, 5, 100 * i + 10, 100 * i + 20));
	cpu_slices__trim(*state, 95000);
	assert_int_equal(cpu_slices__cnt(*state), 51);
	add(*state, make_task(0, 1001, 12, 100000));
	cut(*state, 0, 99900, 100000);
	assert_int_equal(shares.cnt, 3);
	assert_share(0, 99910, SLICE_TASK, 12);
	assert_share(1, 99920, SLICE_IRQ, 5);
	assert_share(2, 100000, SLICE_TASK, 12);
}

#define MOMENTS 2000

/* What interrupts each moment; 0: nothing. */
static uint32_t taken[MOMENTS];

/* Random interrupts, some in softirqs, in the order of their ends. */
static uint32_t add_random(struct cpu_slices *history, uint64_t *seed, uint32_t lost)
{
	uint32_t seq = 0;

	memset(taken, 0, sizeof(taken));
	for (uint32_t at = 0; at < MOMENTS - 40; at += 1 + random_below(seed, 60)) {
		uint32_t end = at + 8 + random_below(seed, 20);
		bool is_soft = random_below(seed, 2);

		for (uint32_t i = at; i < end; i++)
			taken[i] = is_soft ? 3 : 5;
		if (is_soft && random_below(seed, 2)) {
			for (uint32_t i = at + 2; i < at + 6; i++)
				taken[i] = 7;
			if (seq++ != lost)
				add(history, make_irq(0, seq - 1, 7, at + 2, at + 6));
		}
		if (seq++ != lost && is_soft)
			add(history, make_softirq(0, seq - 1, 3, at, end));
		else if (seq - 1 != lost)
			add(history, make_irq(0, seq - 1, 5, at, end));
		at = end;
	}
	return seq;
}

static void assert_as_taken(uint32_t from, uint32_t to)
{
	uint32_t seen[MOMENTS] = {0};

	for (uint32_t i = 0; i < shares.cnt; i++) {
		for (uint64_t at = shares.share[i].from_ns; at < shares.share[i].to_ns; at++) {
			assert_int_equal(seen[at], 0);
			seen[at] = shares.share[i].id;
		}
	}
	for (uint32_t at = 0; at < MOMENTS; at++)
		assert_int_equal(seen[at], at >= from && at < to ? taken[at] : 0);
}

/* A stretch is right, or it is unknown: never wrong, lost records or not, trimmed or not. */
TEST(random_stretches_are_right_or_unknown)
{
	uint64_t seed = 7;
	uint32_t known = 0, unknown = 0;

	for (int i = 0; i < 3000; i++) {
		struct cpu_slices *history = cpu_slices__new();
		uint32_t lost = i % 3 ? UINT32_MAX : random_below(&seed, 30);
		uint32_t horizon = i % 2 ? random_below(&seed, MOMENTS) : 0, from, to;

		add_random(history, &seed, lost);
		cpu_slices__trim(history, horizon);
		from = horizon + random_below(&seed, MOMENTS - horizon);
		to = from + random_below(&seed, MOMENTS - from);
		interrupts(history, from, to);
		if (shares.cnt == 1 && shares.share[0].kind == SHARE_UNKNOWN) {
			assert_int_not_equal(lost, UINT32_MAX);
			unknown++;
		} else {
			assert_as_taken(from, to);
			known++;
		}
		cpu_slices__free(history);
	}
	assert_true(known > 2000);
	assert_true(unknown > 100);
}

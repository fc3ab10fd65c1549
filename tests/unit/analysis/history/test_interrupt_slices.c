/* SPDX-License-Identifier: BSD-2-Clause */
/* Interrupts and softirqs take their time from the tasks that they interrupt. */
#include "analysis/history/slices_fixture.h"

/*
 *	0        100       200
 *	|---11----|---12----|
 *	      |irq 5|			80..120
 */
TEST(an_interrupt_takes_its_time_from_the_tasks)
{
	add(*state, make_task(0, 0, 11, 100));
	add(*state, make_irq(0, 1, 5, 80, 120));
	add(*state, make_task(0, 2, 12, 200));
	cut(*state, 0, 10, 200);
	assert_int_equal(shares.cnt, 4);
	assert_share(0, 80, SLICE_TASK, 11);
	assert_share(1, 100, SLICE_IRQ, 5);
	assert_share(2, 120, SLICE_IRQ, 5);
	assert_share(3, 200, SLICE_TASK, 12);
}

/*
 *	|--------------12-------------|		100..200
 *	     |------softirq 3-----|		120..180
 *	         |irq 5|  |irq 6|		130..140, 150..160
 */
TEST(an_interrupt_nested_in_a_softirq_takes_its_time_from_that)
{
	add(*state, make_task(0, 4, 12, 200));
	add(*state, make_irq(0, 2, 6, 150, 160));
	add(*state, make_irq(0, 1, 5, 130, 140));
	add(*state, make_softirq(0, 3, 3, 120, 180));
	add(*state, make_task(0, 0, 11, 100));
	cut(*state, 0, 100, 200);
	assert_int_equal(shares.cnt, 7);
	assert_share(0, 120, SLICE_TASK, 12);
	assert_share(1, 130, SLICE_SOFTIRQ, 3);
	assert_share(2, 140, SLICE_IRQ, 5);
	assert_share(3, 150, SLICE_SOFTIRQ, 3);
	assert_share(4, 160, SLICE_IRQ, 6);
	assert_share(5, 180, SLICE_SOFTIRQ, 3);
	assert_share(6, 200, SLICE_TASK, 12);
}

TEST(an_interrupt_around_the_wait_takes_all_of_it)
{
	add(*state, make_task(0, 0, 11, 80));
	add(*state, make_softirq(0, 1, 3, 90, 250));
	add(*state, make_task(0, 2, 13, 300));
	cut(*state, 0, 110, 190);
	assert_int_equal(shares.cnt, 1);
	assert_share(0, 190, SLICE_SOFTIRQ, 3);
}

TEST(interrupts_outside_of_the_wait_take_nothing)
{
	add(*state, make_task(0, 0, 11, 40));
	add(*state, make_irq(0, 1, 5, 50, 110));
	add(*state, make_irq(0, 2, 6, 190, 195));
	add(*state, make_task(0, 3, 12, 200));
	add(*state, make_irq(1, 0, 7, 110, 190));
	cut(*state, 0, 110, 190);
	assert_int_equal(shares.cnt, 1);
	assert_share(0, 190, SLICE_TASK, 12);
}

/*
 *	seq 0     1 lost   2     3 lost   4         5
 *	-11--|...|irq|...|irq 6|..|irq|..|---12---|---13---|
 *	    100          120-130	200	300	   what ran in 100..200 is unknown
 */
TEST(a_lost_interrupt_makes_the_task_unknown_but_no_other_slice)
{
	add(*state, make_task(0, 0, 11, 100));
	add(*state, make_irq(0, 2, 6, 120, 130));
	add(*state, make_task(0, 4, 12, 200));
	add(*state, make_task(0, 5, 13, 300));
	cut(*state, 0, 50, 300);
	assert_int_equal(shares.cnt, 5);
	assert_share(0, 100, SLICE_TASK, 11);
	assert_share(1, 120, SHARE_UNKNOWN, 0);
	assert_share(2, 130, SLICE_IRQ, 6);
	assert_share(3, 200, SHARE_UNKNOWN, 0);
	assert_share(4, 300, SLICE_TASK, 13);
}

/* Each of five interrupts alone, and each kind: none is lost without a trace. */
TEST(any_one_lost_interrupt_makes_the_task_unknown)
{
	for (uint32_t lost = 1; lost <= 5; lost++) {
		struct cpu_slices *history = cpu_slices__new();

		add(history, make_task(0, 6, 12, 200));
		add(history, make_task(0, 0, 11, 100));
		for (uint32_t seq = 1; seq <= 5; seq++) {
			uint64_t start_ns = 100 + 10 * seq;

			if (seq != lost)
				add(history,
				    seq % 2 ? make_irq(0, seq, 5, start_ns, start_ns + 5)
					    : make_softirq(0, seq, 3, start_ns, start_ns + 5));
		}
		cut(history, 0, 50, 200);
		assert_share(0, 100, SLICE_TASK, 11);
		for (uint32_t i = 1; i < shares.cnt; i++)
			assert_int_not_equal(shares.share[i].kind, SLICE_TASK);
		cpu_slices__free(history);
	}
}

TEST(an_interrupt_before_the_first_task_slice_may_be_lost_too)
{
	add(*state, make_task(0, 1, 11, 100));
	cut(*state, 0, 50, 100);
	assert_int_equal(shares.cnt, 1);
	assert_share(0, 100, SHARE_UNKNOWN, 0);
	add(*state, make_irq(0, 0, 5, 10, 20));
	cut(*state, 0, 50, 100);
	assert_int_equal(shares.cnt, 1);
	assert_share(0, 100, SLICE_TASK, 11);
}

/* The interrupts of CPU 1 fill no hole on CPU 0. */
TEST(interrupts_of_another_cpu_fill_no_hole)
{
	add(*state, make_task(0, 0, 11, 100));
	add(*state, make_irq(1, 1, 5, 120, 130));
	add(*state, make_task(0, 2, 12, 200));
	cut(*state, 0, 100, 200);
	assert_int_equal(shares.cnt, 1);
	assert_share(0, 200, SHARE_UNKNOWN, 0);
}

/*
 *	|--------------12-------------|		100..200
 *	     |------softirq 3-----|		120..180
 *	         |lost|				somewhere in 100..180
 * The softirq may have run all of its time or only a part of it.
 */
TEST(an_interrupt_lost_in_a_softirq_makes_that_unknown_too)
{
	add(*state, make_task(0, 0, 11, 100));
	add(*state, make_softirq(0, 2, 3, 120, 180));
	add(*state, make_task(0, 3, 12, 200));
	cut(*state, 0, 100, 200);
	for (uint32_t i = 0; i < shares.cnt; i++)
		assert_int_equal(shares.share[i].kind, SHARE_UNKNOWN);
}

TEST(an_interrupt_is_known_even_where_the_task_is_not)
{
	add(*state, make_irq(0, 0, 5, 120, 140));
	cut(*state, 0, 100, 200);
	assert_int_equal(shares.cnt, 3);
	assert_share(0, 120, SHARE_UNKNOWN, 0);
	assert_share(1, 140, SLICE_IRQ, 5);
	assert_share(2, 200, SHARE_UNKNOWN, 0);
}

/* What was lost before the trim is still lost after it. */
TEST(trimming_hides_no_lost_interrupt)
{
	for (uint64_t horizon_ns = 0; horizon_ns <= 200; horizon_ns += 50) {
		struct cpu_slices *history = cpu_slices__new();

		add(history, make_task(0, 0, 11, 100));
		add(history, make_irq(0, 1, 5, 110, 120));
		add(history, make_task(0, 2, 12, 200));
		add(history, make_task(0, 4, 13, 300));
		cpu_slices__trim(history, horizon_ns);
		cut(history, 0, 200, 300);
		assert_int_equal(shares.cnt, 1);
		assert_share(0, 300, SHARE_UNKNOWN, 0);
		cpu_slices__free(history);
	}
}

/* An interrupt that began before the horizon and ends after it is not forgotten. */
TEST(an_interrupt_across_the_trimmed_horizon_is_kept)
{
	add(*state, make_task(0, 0, 11, 100));
	add(*state, make_task(0, 1, 12, 200));
	add(*state, make_irq(0, 2, 5, 210, 250));
	add(*state, make_task(0, 3, 13, 300));
	cpu_slices__trim(*state, 230);
	cut(*state, 0, 230, 300);
	assert_int_equal(shares.cnt, 2);
	assert_share(0, 250, SLICE_IRQ, 5);
	assert_share(1, 300, SLICE_TASK, 13);
}

TEST(more_interrupts_than_fit_still_add_up)
{
	const uint32_t total = CPU_SHARES_MAX;
	uint64_t irq_ns = 0;

	add(*state, make_task(0, total, 11, 10 * total));
	for (uint32_t i = 0; i < total; i++)
		add(*state, make_irq(0, i, 5, 10 * i + 3, 10 * i + 6));
	cut(*state, 0, 0, 10 * total);
	assert_int_equal(shares.cnt, CPU_SHARES_MAX);
	for (uint32_t i = 0; i < shares.cnt; i++) {
		if (shares.share[i].kind == SLICE_IRQ)
			irq_ns += shares.share[i].to_ns - shares.share[i].from_ns;
	}
	assert_true(irq_ns > 0 && irq_ns <= 3 * total);
	assert_share(0, 3, SLICE_TASK, 11);
}

/* A long wait on a noisy machine has thousands of them. */
TEST(the_steps_of_a_wait_grow_with_its_interrupts_not_with_their_square)
{
	const uint32_t total = CPU_SHARES_MAX / 2;

	add(*state, make_task(0, total, 11, 10 * total));
	for (uint32_t i = 0; i < total; i++)
		add(*state, make_irq(0, i, 5, 10 * i + 3, 10 * i + 6));
	step_limit_begin(1);
	cut(*state, 0, 0, 10 * total);
	assert_false(step_limit_is_exceeded());
	step_limit_end();
	assert_int_equal(shares.cnt, CPU_SHARES_MAX);
}

/* Time whose interrupts have been dropped cannot be said to be a task's. */
TEST(when_interrupts_are_dropped_their_time_is_unknown)
{
	const uint32_t total = CPU_SLICES_MAX + 10;
	const uint64_t last_ns = 10 * (total - 1) + 103;

	add(*state, make_task(0, 0, 11, 100));
	add(*state, make_task(0, total + 1, 12, 20ULL * CPU_SLICES_MAX));
	for (uint32_t i = 0; i < total; i++)
		add(*state, make_irq(0, i + 1, 5, 10 * i + 103, 10 * i + 106));
	cut(*state, 0, 103, 106);
	assert_int_equal(shares.cnt, 1);
	assert_share(0, 106, SHARE_UNKNOWN, 0);
	cut(*state, 0, last_ns - 1, last_ns + 4);
	assert_int_equal(shares.cnt, 3);
	assert_share(0, last_ns, SHARE_UNKNOWN, 0);
	assert_share(1, last_ns + 3, SLICE_IRQ, 5);
	assert_share(2, last_ns + 4, SHARE_UNKNOWN, 0);
}

/* SPDX-License-Identifier: BSD-2-Clause */
#include "support/build.h"

#include "analysis/history/cpu_slices.h"
#include "analysis/container/step_limit.h"

static struct cpu_shares shares; /* too large for the stack */

static int setup(void **state)
{
	*state = cpu_slices__new();
	return *state ? 0 : -1;
}

static int teardown(void **state)
{
	cpu_slices__free(*state);
	return 0;
}

static void add(struct cpu_slices *history, struct record_slice slice)
{
	assert_int_equal(cpu_slices__add(history, &slice), 0);
}

/* Shares are contiguous and cover [from, to] whatever happens. */
static void cut_since(struct cpu_slices *history, uint32_t cpu, uint64_t began_ns, uint64_t from_ns,
		      uint64_t to_ns)
{
	const struct cpu_wait wait = {.cpu = cpu,
				      .held_kind = SHARE_THROTTLED,
				      .began_ns = began_ns,
				      .from_ns = from_ns,
				      .to_ns = to_ns};
	uint64_t at_ns = from_ns;

	cpu_slices__cut(history, &wait, &shares);
	for (uint32_t i = 0; i < shares.cnt; i++) {
		assert_int_equal(shares.share[i].from_ns, at_ns);
		assert_true(shares.share[i].to_ns > at_ns);
		at_ns = shares.share[i].to_ns;
	}
	assert_int_equal(at_ns, to_ns);
}

static void cut(struct cpu_slices *history, uint32_t cpu, uint64_t from_ns, uint64_t to_ns)
{
	cut_since(history, cpu, from_ns, from_ns, to_ns);
}

static void assert_share(uint32_t i, uint64_t to_ns, uint32_t kind, uint32_t id)
{
	assert_true(i < shares.cnt);
	assert_int_equal(shares.share[i].to_ns, to_ns);
	assert_int_equal(shares.share[i].kind, kind);
	assert_int_equal(shares.share[i].id, id);
}

/* CPU 0:	  100      200      300
 *	------11---|---12---|---13---|			*/
static void add_three(struct cpu_slices *history)
{
	add(history, make_task(0, 0, 11, 100));
	add(history, make_task(0, 1, 12, 200));
	add(history, make_task(0, 2, 13, 300));
}

static void a_wait_within_one_slice_is_its_threads(void **state)
{
	add_three(*state);
	cut(*state, 0, 120, 180);
	assert_int_equal(shares.cnt, 1);
	assert_share(0, 180, SLICE_TASK, 12);
}

static void the_first_slice_covers_the_wait_from_its_begin(void **state)
{
	add_three(*state);
	cut(*state, 0, 5, 100);
	assert_int_equal(shares.cnt, 1);
	assert_share(0, 100, SLICE_TASK, 11);
}

static void a_wait_across_slices_is_cut_at_their_ends(void **state)
{
	add_three(*state);
	cut(*state, 0, 50, 300);
	assert_int_equal(shares.cnt, 3);
	assert_share(0, 100, SLICE_TASK, 11);
	assert_share(1, 200, SLICE_TASK, 12);
	assert_share(2, 300, SLICE_TASK, 13);
}

static void a_slice_that_ends_where_the_wait_begins_is_not_in_it(void **state)
{
	add_three(*state);
	cut(*state, 0, 100, 150);
	assert_int_equal(shares.cnt, 1);
	assert_share(0, 150, SLICE_TASK, 12);
}

static void an_empty_wait_has_no_shares(void **state)
{
	add_three(*state);
	cut(*state, 0, 150, 150);
	assert_int_equal(shares.cnt, 0);
}

static void slices_in_any_order_give_the_same_shares(void **state)
{
	add(*state, make_task(0, 2, 13, 300));
	add(*state, make_task(0, 0, 11, 100));
	cut(*state, 0, 50, 90);
	add(*state, make_task(0, 1, 12, 200));
	cut(*state, 0, 50, 250);
	assert_int_equal(shares.cnt, 3);
	assert_share(0, 100, SLICE_TASK, 11);
	assert_share(1, 200, SLICE_TASK, 12);
	assert_share(2, 250, SLICE_TASK, 13);
}

static void a_cpu_without_slices_is_unknown(void **state)
{
	add_three(*state);
	cut(*state, 1, 50, 250);
	assert_int_equal(shares.cnt, 1);
	assert_share(0, 250, SHARE_UNKNOWN, 0);
}

static void time_after_the_last_slice_is_unknown(void **state)
{
	add_three(*state);
	cut(*state, 0, 250, 400);
	assert_int_equal(shares.cnt, 2);
	assert_share(0, 300, SLICE_TASK, 13);
	assert_share(1, 400, SHARE_UNKNOWN, 0);
}

/*
 *	seq 0     1 lost    2        3
 *	-11--|......|--13----|---14---|
 *	    100    ???      300      400	what ran in 100..300 cannot be said
 */
static void a_lost_slice_makes_the_time_to_the_next_one_unknown(void **state)
{
	add(*state, make_task(0, 0, 11, 100));
	add(*state, make_task(0, 2, 13, 300));
	add(*state, make_task(0, 3, 14, 400));
	cut(*state, 0, 60, 380);
	assert_int_equal(shares.cnt, 3);
	assert_share(0, 100, SLICE_TASK, 11);
	assert_int_equal(shares.share[1].to_ns - shares.share[1].from_ns, 200);
	assert_int_equal(shares.share[1].kind, SHARE_UNKNOWN);
	assert_share(2, 380, SLICE_TASK, 14);
}

static void an_unknown_share_names_nobody(void **state)
{
	add(*state, make_task(0, 0, 11, 100));
	add(*state, make_task(0, 2, 13, 300));
	cut(*state, 0, 150, 250);
	assert_int_equal(shares.cnt, 1);
	assert_share(0, 250, SHARE_UNKNOWN, 0);
}

static void a_slice_lost_before_the_wait_may_reach_into_it(void **state)
{
	add(*state, make_task(0, 0, 11, 100));
	add(*state, make_task(0, 2, 13, 300));
	cut(*state, 0, 200, 300);
	assert_int_equal(shares.cnt, 1);
	assert_int_equal(shares.share[0].kind, SHARE_UNKNOWN);
}

static void the_very_first_slice_may_be_lost_too(void **state)
{
	add(*state, make_task(0, 1, 12, 200));
	add(*state, make_task(0, 2, 13, 300));
	cut(*state, 0, 100, 300);
	assert_int_equal(shares.cnt, 2);
	assert_int_equal(shares.share[0].kind, SHARE_UNKNOWN);
	assert_share(1, 300, SLICE_TASK, 13);
}

/* The kernel saw that it had missed a switch: its slice is in the sequence, but of nobody. */
static void an_unseen_slice_is_unknown_and_no_loss(void **state)
{
	struct record_slice unseen = make_task(0, 1, 12, 200);

	unseen.kind = SLICE_UNSEEN;
	add(*state, make_task(0, 2, 13, 300));
	add(*state, unseen);
	add(*state, make_task(0, 0, 11, 100));
	cut(*state, 0, 50, 300);
	assert_int_equal(shares.cnt, 3);
	assert_share(0, 100, SLICE_TASK, 11);
	assert_share(1, 200, SHARE_UNKNOWN, 0);
	assert_share(2, 300, SLICE_TASK, 13);
}

/* After 2^32 slices the first one may be unknown, but is nobody else's; the next one is known. */
static void slice_numbers_may_wrap(void **state)
{
	add(*state, make_task(0, UINT32_MAX - 1, 10, 50));
	add(*state, make_task(0, UINT32_MAX, 11, 100));
	add(*state, make_task(0, 0, 12, 200));
	add(*state, make_task(0, 1, 13, 300));
	cut(*state, 0, 50, 300);
	assert_int_equal(shares.cnt, 3);
	assert_share(0, 100, SLICE_TASK, 11);
	if (shares.share[1].kind == SHARE_UNKNOWN)
		assert_share(1, 200, SHARE_UNKNOWN, 0);
	else
		assert_share(1, 200, SLICE_TASK, 12);
	assert_share(2, 300, SLICE_TASK, 13);
}

static void a_slice_lost_where_numbers_wrap_accuses_nobody(void **state)
{
	add(*state, make_task(0, UINT32_MAX, 11, 100));
	add(*state, make_task(0, 1, 13, 300));
	cut(*state, 0, 100, 300);
	assert_int_equal(shares.cnt, 1);
	assert_share(0, 300, SHARE_UNKNOWN, 0);
}

/*
 * Interrupts -2, -1, 0, task 1, interrupts 2..8, task 9. Any number of the last interrupts may be
 * lost.
 */
static void interrupts_lost_after_numbers_wrapped_accuse_nobody(void **state)
{
	for (uint32_t kept = 0; kept < 7; kept++) {
		struct cpu_slices *history = cpu_slices__new();

		for (uint32_t i = 0; i < 3; i++)
			add(history, make_irq(0, i - 2, 5, 10 * i + 10, 10 * i + 15));
		add(history, make_task(0, 1, 11, 100));
		for (uint32_t i = 0; i < kept; i++)
			add(history, make_irq(0, 2 + i, 5, 10 * i + 110, 10 * i + 115));
		add(history, make_task(0, 9, 12, 200));
		cut(history, 0, 180, 200);
		assert_int_equal(shares.cnt, 1);
		assert_share(0, 200, SHARE_UNKNOWN, 0);
		cpu_slices__free(history);
	}
	(void)state;
}

static void slices_of_one_instant_are_in_the_order_of_their_numbers(void **state)
{
	add(*state, make_task(0, 0, 11, 100));
	add(*state, make_task(0, 3, 14, 200));
	add(*state, make_task(0, 2, 13, 150));
	add(*state, make_task(0, 1, 12, 150));
	cut(*state, 0, 50, 200);
	assert_int_equal(shares.cnt, 3);
	assert_share(1, 150, SLICE_TASK, 12);
	assert_share(2, 200, SLICE_TASK, 14);
}

static void cpus_have_histories_of_their_own(void **state)
{
	add_three(*state);
	add(*state, make_task(1, 0, 21, 1000));
	cut(*state, 1, 50, 250);
	assert_int_equal(shares.cnt, 1);
	assert_share(0, 250, SLICE_TASK, 21);
}

/*
 *	0        100       200
 *	|---11----|---12----|
 *	      |irq 5|			80..120
 */
static void an_interrupt_takes_its_time_from_the_tasks(void **state)
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
static void an_interrupt_nested_in_a_softirq_takes_its_time_from_that(void **state)
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

static void an_interrupt_around_the_wait_takes_all_of_it(void **state)
{
	add(*state, make_task(0, 0, 11, 80));
	add(*state, make_softirq(0, 1, 3, 90, 250));
	add(*state, make_task(0, 2, 13, 300));
	cut(*state, 0, 110, 190);
	assert_int_equal(shares.cnt, 1);
	assert_share(0, 190, SLICE_SOFTIRQ, 3);
}

static void interrupts_outside_of_the_wait_take_nothing(void **state)
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
 *	    100          120-130	200	300	   who ran in 100..200 cannot be said
 */
static void a_lost_interrupt_makes_the_task_unknown_but_no_other_slice(void **state)
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
static void any_one_lost_interrupt_makes_the_task_unknown(void **state)
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
	(void)state;
}

static void an_interrupt_before_the_first_task_slice_may_be_lost_too(void **state)
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
static void interrupts_of_another_cpu_fill_no_hole(void **state)
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
static void an_interrupt_lost_in_a_softirq_makes_that_unknown_too(void **state)
{
	add(*state, make_task(0, 0, 11, 100));
	add(*state, make_softirq(0, 2, 3, 120, 180));
	add(*state, make_task(0, 3, 12, 200));
	cut(*state, 0, 100, 200);
	for (uint32_t i = 0; i < shares.cnt; i++)
		assert_int_equal(shares.share[i].kind, SHARE_UNKNOWN);
}

static void an_interrupt_is_known_even_where_the_task_is_not(void **state)
{
	add(*state, make_irq(0, 0, 5, 120, 140));
	cut(*state, 0, 100, 200);
	assert_int_equal(shares.cnt, 3);
	assert_share(0, 120, SHARE_UNKNOWN, 0);
	assert_share(1, 140, SLICE_IRQ, 5);
	assert_share(2, 200, SHARE_UNKNOWN, 0);
}

static void a_slice_of_no_known_kind_is_ignored(void **state)
{
	struct record_slice slice = make_irq(0, 1, 5, 120, 140);

	slice.kind = NR_SLICE_KINDS;
	add_three(*state);
	add(*state, slice);
	cut(*state, 0, 100, 200);
	assert_int_equal(shares.cnt, 1);
}

static void a_share_of_nobody_needs_no_history(void **state)
{
	(void)state;
	cpu_shares_single(&shares, 100, 200, SHARE_THROTTLED);
	assert_int_equal(shares.cnt, 1);
	assert_share(0, 200, SHARE_THROTTLED, 0);
	cpu_shares_single(&shares, 100, 100, SHARE_THROTTLED);
	assert_int_equal(shares.cnt, 0);
}

static void trimming_changes_no_wait_after_the_horizon(void **state)
{
	for (uint64_t horizon_ns = 0; horizon_ns <= 200; horizon_ns += 50) {
		struct cpu_slices *history = cpu_slices__new();

		add(history, make_irq(0, 3, 5, 150, 160));
		add(history, make_irq(0, 0, 5, 10, 20));
		add(history, make_task(0, 5, 12, 200));
		add(history, make_task(0, 1, 10, 50));
		add(history, make_softirq(0, 4, 3, 170, 180));
		add(history, make_task(0, 2, 11, 100));
		add(history, make_task(0, 7, 13, 300));
		add(history, make_irq(0, 6, 5, 210, 220));
		cpu_slices__trim(history, horizon_ns);
		cut(history, 0, horizon_ns, 200);
		for (uint32_t i = 0; i < shares.cnt; i++)
			assert_int_not_equal(shares.share[i].kind, SHARE_UNKNOWN);
		cut(history, 0, 200, 300);
		assert_int_equal(shares.cnt, 3);
		assert_share(0, 210, SLICE_TASK, 13);
		assert_share(1, 220, SLICE_IRQ, 5);
		assert_share(2, 300, SLICE_TASK, 13);
		cpu_slices__free(history);
	}
	(void)state;
}

/* What was lost before the trim is still lost after it. */
static void trimming_hides_no_lost_interrupt(void **state)
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
	(void)state;
}

/* An interrupt that began before the horizon and ends after it is not forgotten. */
static void an_interrupt_across_the_trimmed_horizon_is_kept(void **state)
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

static void a_wait_before_the_trimmed_horizon_is_unknown(void **state)
{
	add_three(*state);
	cpu_slices__trim(*state, 200);
	cut(*state, 0, 50, 300);
	assert_int_equal(shares.share[0].kind, SHARE_UNKNOWN);
	assert_share(shares.cnt - 1, 300, SLICE_TASK, 13);
}

static void more_tasks_than_fit_still_add_up(void **state)
{
	const uint32_t total = 2 * CPU_SHARES_MAX;

	for (uint32_t i = 0; i < total; i++)
		add(*state, make_task(0, i, 10 + i % 2, 10 * (i + 1)));
	cut(*state, 0, 0, 10 * total);
	assert_int_equal(shares.cnt, CPU_SHARES_MAX);
	assert_share(CPU_SHARES_MAX - 2, 10 * (CPU_SHARES_MAX - 1), SLICE_TASK, 10);
	assert_share(CPU_SHARES_MAX - 1, 10 * total, SHARE_UNKNOWN, 0);
}

static void exactly_as_many_tasks_as_fit_are_all_known(void **state)
{
	for (uint32_t i = 0; i < CPU_SHARES_MAX; i++)
		add(*state, make_task(0, i, 11, 10 * (i + 1)));
	cut(*state, 0, 0, 10 * CPU_SHARES_MAX);
	assert_int_equal(shares.cnt, CPU_SHARES_MAX);
	assert_share(CPU_SHARES_MAX - 1, 10 * CPU_SHARES_MAX, SLICE_TASK, 11);
}

static void more_interrupts_than_fit_still_add_up(void **state)
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
static void the_steps_of_a_wait_grow_with_its_interrupts_not_with_their_square(void **state)
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

/* The youngest are kept, the first of these is known to follow no one. */
static void a_full_history_drops_its_oldest_slices(void **state)
{
	const uint32_t total = CPU_SLICES_MAX + 10;

	for (uint32_t i = 0; i < total; i++)
		add(*state, make_task(0, i, 11, 10 * (i + 1)));
	cut(*state, 0, 0, 10);
	assert_int_equal(shares.share[0].kind, SHARE_UNKNOWN);
	cut(*state, 0, 10 * (total - 5), 10 * total);
	assert_int_equal(shares.cnt, 5);
	assert_share(0, 10 * (total - 4), SLICE_TASK, 11);
}

/* Time whose interrupts have been dropped cannot be said to be a task's. */
static void when_interrupts_are_dropped_their_time_is_unknown(void **state)
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

/* CPU 0:	  100      200      300      400
 *	------0----|---12---|---0----|---0----|		*/
static void add_idle(struct cpu_slices *history)
{
	add(history, make_task(0, 0, 0, 100));
	add(history, make_task(0, 1, 12, 200));
	add(history, make_task(0, 2, 0, 300)); /* ended by who moved away */
	add(history, make_task(0, 3, 0, 400));
}

static void a_cpu_that_goes_idle_beside_a_waiting_thread_may_not_run_it(void **state)
{
	add_idle(*state);
	cut(*state, 0, 50, 400);
	assert_int_equal(shares.cnt, 4);
	assert_share(0, 100, SLICE_TASK, 0);
	assert_share(1, 200, SLICE_TASK, 12);
	assert_share(2, 300, SHARE_THROTTLED, 0);
	assert_share(3, 400, SHARE_THROTTLED, 0);
}

static void a_cpu_that_was_idle_before_the_wait_leaves_idle(void **state)
{
	add_idle(*state);
	cut(*state, 0, 220, 400);
	assert_int_equal(shares.cnt, 2);
	assert_share(0, 300, SLICE_TASK, 0);
	assert_share(1, 400, SLICE_TASK, 0);
}

static void a_wait_that_began_before_the_stretch_tells_when_idle_began(void **state)
{
	add_idle(*state);
	cut_since(*state, 0, 150, 350, 390);
	assert_int_equal(shares.cnt, 1);
	assert_share(0, 390, SHARE_THROTTLED, 0);
	cut_since(*state, 0, 200, 350, 390);
	assert_int_equal(shares.cnt, 1);
	assert_share(0, 390, SLICE_TASK, 0);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_wait_within_one_slice_is_its_threads),
		TEST(the_first_slice_covers_the_wait_from_its_begin),
		TEST(a_wait_across_slices_is_cut_at_their_ends),
		TEST(a_slice_that_ends_where_the_wait_begins_is_not_in_it),
		TEST(an_empty_wait_has_no_shares),
		TEST(slices_in_any_order_give_the_same_shares),
		TEST(a_cpu_without_slices_is_unknown),
		TEST(time_after_the_last_slice_is_unknown),
		TEST(a_lost_slice_makes_the_time_to_the_next_one_unknown),
		TEST(an_unknown_share_names_nobody),
		TEST(a_slice_lost_before_the_wait_may_reach_into_it),
		TEST(the_very_first_slice_may_be_lost_too),
		TEST(an_unseen_slice_is_unknown_and_no_loss),
		TEST(slice_numbers_may_wrap),
		TEST(a_slice_lost_where_numbers_wrap_accuses_nobody),
		TEST(interrupts_lost_after_numbers_wrapped_accuse_nobody),
		TEST(slices_of_one_instant_are_in_the_order_of_their_numbers),
		TEST(cpus_have_histories_of_their_own),
		TEST(an_interrupt_takes_its_time_from_the_tasks),
		TEST(an_interrupt_nested_in_a_softirq_takes_its_time_from_that),
		TEST(an_interrupt_around_the_wait_takes_all_of_it),
		TEST(interrupts_outside_of_the_wait_take_nothing),
		TEST(a_lost_interrupt_makes_the_task_unknown_but_no_other_slice),
		TEST(any_one_lost_interrupt_makes_the_task_unknown),
		TEST(an_interrupt_before_the_first_task_slice_may_be_lost_too),
		TEST(interrupts_of_another_cpu_fill_no_hole),
		TEST(an_interrupt_lost_in_a_softirq_makes_that_unknown_too),
		TEST(an_interrupt_is_known_even_where_the_task_is_not),
		TEST(a_slice_of_no_known_kind_is_ignored),
		TEST(a_share_of_nobody_needs_no_history),
		TEST(a_cpu_that_goes_idle_beside_a_waiting_thread_may_not_run_it),
		TEST(a_cpu_that_was_idle_before_the_wait_leaves_idle),
		TEST(a_wait_that_began_before_the_stretch_tells_when_idle_began),
		TEST(trimming_changes_no_wait_after_the_horizon),
		TEST(trimming_hides_no_lost_interrupt),
		TEST(an_interrupt_across_the_trimmed_horizon_is_kept),
		TEST(a_wait_before_the_trimmed_horizon_is_unknown),
		TEST(more_tasks_than_fit_still_add_up),
		TEST(exactly_as_many_tasks_as_fit_are_all_known),
		TEST(more_interrupts_than_fit_still_add_up),
		TEST(the_steps_of_a_wait_grow_with_its_interrupts_not_with_their_square),
		TEST(a_full_history_drops_its_oldest_slices),
		TEST(when_interrupts_are_dropped_their_time_is_unknown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

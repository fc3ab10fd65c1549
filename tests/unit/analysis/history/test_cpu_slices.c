/* SPDX-License-Identifier: BSD-2-Clause */
/* What ran on a CPU during a wait, from SLICE records of tasks. */
#include "analysis/history/slices_fixture.h"

/* CPU 0:	  100      200      300
 *	------11---|---12---|---13---|			*/
static void add_three(struct cpu_slices *history)
{
	add(history, make_task(0, 0, 11, 100));
	add(history, make_task(0, 1, 12, 200));
	add(history, make_task(0, 2, 13, 300));
}

TEST(a_wait_within_one_slice_is_its_threads)
{
	add_three(*state);
	cut(*state, 0, 120, 180);
	assert_int_equal(shares.cnt, 1);
	assert_share(0, 180, SLICE_TASK, 12);
}

TEST(the_first_slice_covers_the_wait_from_its_begin)
{
	add_three(*state);
	cut(*state, 0, 5, 100);
	assert_int_equal(shares.cnt, 1);
	assert_share(0, 100, SLICE_TASK, 11);
}

TEST(a_wait_across_slices_is_cut_at_their_ends)
{
	add_three(*state);
	cut(*state, 0, 50, 300);
	assert_int_equal(shares.cnt, 3);
	assert_share(0, 100, SLICE_TASK, 11);
	assert_share(1, 200, SLICE_TASK, 12);
	assert_share(2, 300, SLICE_TASK, 13);
}

TEST(a_slice_that_ends_where_the_wait_begins_is_not_in_it)
{
	add_three(*state);
	cut(*state, 0, 100, 150);
	assert_int_equal(shares.cnt, 1);
	assert_share(0, 150, SLICE_TASK, 12);
}

TEST(an_empty_wait_has_no_shares)
{
	add_three(*state);
	cut(*state, 0, 150, 150);
	assert_int_equal(shares.cnt, 0);
}

TEST(slices_in_any_order_give_the_same_shares)
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

TEST(a_cpu_without_slices_is_unknown)
{
	add_three(*state);
	cut(*state, 1, 50, 250);
	assert_int_equal(shares.cnt, 1);
	assert_share(0, 250, SHARE_UNKNOWN, 0);
}

TEST(time_after_the_last_slice_is_unknown)
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
 *	    100    ???      300      400	what ran in 100..300 is unknown
 */
TEST(a_lost_slice_makes_the_time_to_the_next_one_unknown)
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

TEST(an_unknown_share_names_no_thread)
{
	add(*state, make_task(0, 0, 11, 100));
	add(*state, make_task(0, 2, 13, 300));
	cut(*state, 0, 150, 250);
	assert_int_equal(shares.cnt, 1);
	assert_share(0, 250, SHARE_UNKNOWN, 0);
}

TEST(a_slice_lost_before_the_wait_may_reach_into_it)
{
	add(*state, make_task(0, 0, 11, 100));
	add(*state, make_task(0, 2, 13, 300));
	cut(*state, 0, 200, 300);
	assert_int_equal(shares.cnt, 1);
	assert_int_equal(shares.share[0].kind, SHARE_UNKNOWN);
}

TEST(the_very_first_slice_may_be_lost_too)
{
	add(*state, make_task(0, 1, 12, 200));
	add(*state, make_task(0, 2, 13, 300));
	cut(*state, 0, 100, 300);
	assert_int_equal(shares.cnt, 2);
	assert_int_equal(shares.share[0].kind, SHARE_UNKNOWN);
	assert_share(1, 300, SLICE_TASK, 13);
}

/* The BPF program missed a switch: its slice is in the sequence, but names no thread. */
TEST(an_unseen_slice_is_unknown_and_no_loss)
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

/*
 * After 2^32 slices the first one may be unknown, but is no other thread's; the next one is known.
 */
TEST(slice_numbers_may_wrap)
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

TEST(a_slice_lost_where_numbers_wrap_blames_no_thread)
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
TEST(interrupts_lost_after_numbers_wrapped_blame_no_thread)
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
}

TEST(slices_of_one_instant_are_in_the_order_of_their_numbers)
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

TEST(cpus_have_histories_of_their_own)
{
	add_three(*state);
	add(*state, make_task(1, 0, 21, 1000));
	cut(*state, 1, 50, 250);
	assert_int_equal(shares.cnt, 1);
	assert_share(0, 250, SLICE_TASK, 21);
}

TEST(a_slice_of_no_known_kind_is_ignored)
{
	struct record_slice slice = make_irq(0, 1, 5, 120, 140);

	slice.kind = NR_SLICE_KINDS;
	add_three(*state);
	add(*state, slice);
	cut(*state, 0, 100, 200);
	assert_int_equal(shares.cnt, 1);
}

TEST(an_unknown_share_needs_no_history)
{
	cpu_shares_single(&shares, 100, 200, SHARE_THROTTLED);
	assert_int_equal(shares.cnt, 1);
	assert_share(0, 200, SHARE_THROTTLED, 0);
	cpu_shares_single(&shares, 100, 100, SHARE_THROTTLED);
	assert_int_equal(shares.cnt, 0);
}

TEST(trimming_changes_no_wait_after_the_horizon)
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
}

TEST(a_wait_before_the_trimmed_horizon_is_unknown)
{
	add_three(*state);
	cpu_slices__trim(*state, 200);
	cut(*state, 0, 50, 300);
	assert_int_equal(shares.share[0].kind, SHARE_UNKNOWN);
	assert_share(shares.cnt - 1, 300, SLICE_TASK, 13);
}

TEST(more_tasks_than_fit_still_add_up)
{
	const uint32_t total = 2 * CPU_SHARES_MAX;

	for (uint32_t i = 0; i < total; i++)
		add(*state, make_task(0, i, 10 + i % 2, 10 * (i + 1)));
	cut(*state, 0, 0, 10 * total);
	assert_int_equal(shares.cnt, CPU_SHARES_MAX);
	assert_share(CPU_SHARES_MAX - 2, 10 * (CPU_SHARES_MAX - 1), SLICE_TASK, 10);
	assert_share(CPU_SHARES_MAX - 1, 10 * total, SHARE_UNKNOWN, 0);
}

TEST(exactly_as_many_tasks_as_fit_are_all_known)
{
	for (uint32_t i = 0; i < CPU_SHARES_MAX; i++)
		add(*state, make_task(0, i, 11, 10 * (i + 1)));
	cut(*state, 0, 0, 10 * CPU_SHARES_MAX);
	assert_int_equal(shares.cnt, CPU_SHARES_MAX);
	assert_share(CPU_SHARES_MAX - 1, 10 * CPU_SHARES_MAX, SLICE_TASK, 11);
}

/* The youngest are kept, and the first of these shows that one before it is missing. */
TEST(a_full_history_drops_its_oldest_slices)
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

/* CPU 0:	  100      200      300      400
 *	------0----|---12---|---0----|---0----|		*/
static void add_idle(struct cpu_slices *history)
{
	add(history, make_task(0, 0, 0, 100));
	add(history, make_task(0, 1, 12, 200));
	add(history, make_task(0, 2, 0, 300)); /* ended by a migration */
	add(history, make_task(0, 3, 0, 400));
}

TEST(a_cpu_that_goes_idle_beside_a_waiting_thread_may_not_run_it)
{
	add_idle(*state);
	cut(*state, 0, 50, 400);
	assert_int_equal(shares.cnt, 4);
	assert_share(0, 100, SLICE_TASK, 0);
	assert_share(1, 200, SLICE_TASK, 12);
	assert_share(2, 300, SHARE_THROTTLED, 0);
	assert_share(3, 400, SHARE_THROTTLED, 0);
}

TEST(a_cpu_that_was_idle_before_the_wait_leaves_idle)
{
	add_idle(*state);
	cut(*state, 0, 220, 400);
	assert_int_equal(shares.cnt, 2);
	assert_share(0, 300, SLICE_TASK, 0);
	assert_share(1, 400, SLICE_TASK, 0);
}

TEST(a_wait_that_began_before_the_stretch_shows_when_idle_began)
{
	add_idle(*state);
	cut_since(*state, 0, 150, 350, 390);
	assert_int_equal(shares.cnt, 1);
	assert_share(0, 390, SHARE_THROTTLED, 0);
	cut_since(*state, 0, 200, 350, 390);
	assert_int_equal(shares.cnt, 1);
	assert_share(0, 390, SLICE_TASK, 0);
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* What rounds say of themselves: their peaks, and what their messages learn of them. */
#include "analysis/attach/rounds/round_fixture.h"

/* The sender was held up before its last send. The message itself was fast. */
TEST(what_comes_before_its_send_may_be_the_largest_part_of_a_peak)
{
	for (uint64_t i = 0; i < 30; i++)
		burst_of_three(i, 1000 * (i + 1));
	sleeps(SENDER, 100000);
	sends(SENDER, A, 30, 101000);
	sends(SENDER, B, 30, 106000);
	arrives(A, 30, 101000, 101100, false);
	arrives(B, 30, 106000, 106200, false);
	finish();
	assert_rounds(31);
	assert_int_equal(summary.peaks.count, 1);
	assert_int_equal(summary.peaks.cause[COMPONENT_DISPATCH], 1);
	assert_int_equal(summary.peaks.cause[COMPONENT_SEND_PATH], 0);
	assert_int_equal(summary.peaks.largest.latency_ns, 5200);
	assert_int_equal(summary.peaks.largest.component, COMPONENT_DISPATCH);
	assert_int_equal(summary.peaks.largest.component_ns, 5000);
	assert_int_equal(summary.peaks.largest.client, 2);
}

/* The time before the send is a part of it, but not the largest. */
TEST(the_largest_part_of_a_peak_may_be_its_own)
{
	for (uint64_t i = 0; i < 30; i++)
		burst_of_three(i, 1000 * (i + 1));
	sleeps(SENDER, 100000);
	sends(SENDER, A, 30, 101000);
	sends(SENDER, B, 30, 103000);
	arrives(A, 30, 101000, 101100, false);
	arrives(B, 30, 103000, 106200, false);
	finish();
	assert_int_equal(summary.peaks.count, 1);
	assert_int_equal(summary.peaks.cause[COMPONENT_SEND_PATH], 1);
	assert_int_equal(summary.peaks.largest.component, COMPONENT_SEND_PATH);
	assert_int_equal(summary.peaks.largest.component_ns, 3200);
}

static void keep(struct round_fate **kept)
{
	assert_non_null(fate);
	*kept = fate;
	fate = NULL;
}

TEST(messages_learn_of_their_round_when_it_is_complete)
{
	struct round_fate *first;

	asks = true;
	sends(SENDER, A, 0, 1000);
	sends(SENDER, B, 0, 1010);
	sleeps(SENDER, 1020);
	arrives(A, 0, 1000, 1100, false);
	keep(&first);
	assert_false(first->is_decided);
	arrives(B, 0, 1010, 1110, false);
	assert_ptr_equal(fate, first);
	round_fate_put(first);
	assert_true(fate->is_decided && fate->is_round);
	assert_int_equal(fate->round, 0);
	assert_int_equal(fate->start_ns, 1000);
	assert_int_equal(round_detector__client(detector, A), 1);
	assert_int_equal(round_detector__client(detector, B), 2);
	assert_int_equal(round_detector__client(detector, C), 0);
	finish();
}

/* An answer, a single channel, and a message that never comes. */
TEST(messages_learn_that_they_are_in_no_round)
{
	struct round_fate *never, *answered;

	asks = true;
	sends(SENDER, A, 0, 1000);
	sends(SENDER, B, 0, 1010);
	sleeps(SENDER, 1020);
	arrives(A, 0, 1000, 1100, false);
	keep(&answered);
	arrives(B, 0, 1010, 1110, true);
	assert_null(fate);
	assert_true(answered->is_decided && !answered->is_round);
	round_fate_put(answered);
	sends(SENDER, C, 0, 2000);
	sleeps(SENDER, 2010);
	arrives(C, 0, 2000, 2100, false);
	assert_null(fate);
	sends(SENDER, A, 1, 3000);
	sends(SENDER, B, 1, 3010);
	sleeps(SENDER, 3020);
	arrives(A, 1, 3000, 3100, false);
	keep(&never);
	finish();
	assert_true(never->is_decided && !never->is_round);
	round_fate_put(never);
}

/* The sender does not sleep, and sends to a channel again. */
TEST(messages_learn_at_once_that_their_burst_is_refused)
{
	struct round_fate *kept;

	asks = true;
	sends(SENDER, A, 0, 1000);
	sends(SENDER, B, 0, 1010);
	arrives(A, 0, 1000, 1100, false);
	keep(&kept);
	sends(SENDER, C, 0, 1200);
	sends(SENDER, B, 1, 1210);
	settle(1300);
	assert_true(kept->is_decided && !kept->is_round);
	round_fate_put(kept);
}

/* Twenty rounds, of which two are late, and one that takes longer than the period. */
TEST(rounds_know_their_period_and_what_missed_it)
{
	uint64_t at_ns = 1000;

	for (uint64_t i = 0; i < 20; i++) {
		burst_of_three(i, at_ns);
		at_ns += i == 9 ? 2100 : i == 14 ? 1700 : 1000;
	}
	sleeps(SENDER, at_ns - 10);
	sends(SENDER, A, 20, at_ns);
	sends(SENDER, B, 20, at_ns + 10);
	arrives(A, 20, at_ns, at_ns + 1500, false);
	arrives(B, 20, at_ns + 10, at_ns + 1600, false);
	finish();
	assert_rounds(21);
	assert_int_equal(summary.rounds.distance.count, 20);
	assert_int_equal(summary.rounds.period_ns, 1000);
	assert_int_equal(summary.rounds.tick_ns, 0);
	assert_int_equal(summary.rounds.missed.late, 2);
	assert_int_equal(summary.rounds.missed.skipped, 2);
	assert_int_equal(summary.rounds.missed.unfinished, 1);
	assert_int_equal(summary.rounds.missed.cause_cnt, 2);
	/* It slept just before only. */
	assert_true(summary.rounds.missed.cause[0].is_late);
	assert_true(summary.rounds.missed.cause[0].is_known);
	assert_int_equal(summary.rounds.missed.cause[0].component, COMPONENT_BUSY);
	assert_int_equal(summary.rounds.missed.cause[0].count, 2);
	assert_int_equal(summary.rounds.missed.cause[1].component, COMPONENT_SEND_PATH);
}

/* Each thread has its own starts: they alternate. */
TEST(distances_are_those_of_one_thread)
{
	for (uint64_t i = 0; i < 20; i++) {
		uint64_t at_ns = 1000 * (i + 1);

		sleeps(SENDER, at_ns - 50);
		sends(SENDER, A, i, at_ns);
		sends(SENDER, B, i, at_ns + 10);
		receives(SENDER, at_ns + 20);
		sleeps(SENDER + 1, at_ns + 250);
		sends(SENDER + 1, C, i, at_ns + 300);
		sends(SENDER + 1, C + 1, i, at_ns + 310);
		receives(SENDER + 1, at_ns + 320);
		arrives(A, i, at_ns, at_ns + 400, false);
		arrives(B, i, at_ns + 10, at_ns + 410, false);
		arrives(C, i, at_ns + 300, at_ns + 420, false);
		arrives(C + 1, i, at_ns + 310, at_ns + 430, false);
	}
	finish();
	assert_rounds(40);
	assert_int_equal(summary.rounds.distance.count, 38);
	assert_int_equal(summary.rounds.distance.min, 1000);
	assert_int_equal(summary.rounds.distance.max, 1000);
	assert_int_equal(summary.rounds.period_ns, 1000);
}

/* A client that is awake anyway gets no message. Messages to others begin no round. */
TEST(a_message_to_one_client_alone_is_a_start_as_well)
{
	for (uint64_t i = 0; i < 20; i++) {
		uint64_t at_ns = 1000 * (i + 1);

		if (i % 2) {
			sleeps(SENDER, at_ns - 10);
			sends(SENDER, A, i, at_ns);
			arrives(A, i, at_ns, at_ns + 100, false);
		} else {
			burst_of_three(i, at_ns);
		}
		sleeps(SENDER, at_ns + 200);
		sends(SENDER, C + 5, i, at_ns + 300);
		arrives(C + 5, i, at_ns + 300, at_ns + 400, false);
	}
	finish();
	assert_rounds(10);
	assert_int_equal(summary.rounds.distance.count, 19);
	assert_int_equal(summary.rounds.distance.min, 1000);
	assert_int_equal(summary.rounds.distance.max, 1000);
	assert_int_equal(summary.rounds.period_ns, 1000);
}

/* The start before it is not known. */
TEST(a_round_after_lost_events_has_no_distance)
{
	burst_of_three(0, 1000);
	burst_of_three(1, 2000);
	sleeps(SENDER, 2200);
	settle(2500);
	sends(SENDER, A, 9, 1990);
	burst_of_three(2, 4000);
	burst_of_three(3, 5000);
	finish();
	assert_rounds(4);
	assert_int_equal(summary.rounds.distance.count, 2);
	assert_int_equal(summary.rounds.distance.max, 1000);
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* Messages of an attach whose position is uncertain: several threads used one end at a time. */
#include "analysis/attach_fixture.h"

static void put_flagged(uint32_t tid, uint32_t channel, uint64_t position, uint8_t flags,
			uint64_t at)
{
	struct record_receive receive = make_receive(tid, channel, position, at + 150, at + 400);

	receive.bytes = 64;
	receive.head.flags = flags;
	put(&receive);
}

static void check_both_ambiguous(void)
{
	assert_int_equal(heard.cnt, 2);
	for (size_t i = 0; i < heard.cnt; i++) {
		assert_int_equal(heard.message[i].match, MATCH_AMBIGUOUS);
		assert_int_equal(heard.message[i].bytes, 64);
	}
}

/* The calls overlap, and each got its number at its end. */
TEST(receivers_that_overlap_and_number_late_are_ambiguous)
{
	put_threads();
	put_thread(NOBODY, TARGET_PID, false, "target");
	put_connection();
	put_sent(PEER, TO_TARGET, 0, 64, 10000);
	put_sent(PEER, TO_TARGET, 1, 64, 10050);
	put_flagged(TARGET, TO_TARGET, 0, RECEIVE_LATE, 10000);
	put_flagged(NOBODY, TO_TARGET, 1, RECEIVE_LATE, 10050);
	play(check_both_ambiguous);
}

/* The record of a receive that overlaps the request may be late, that of the answer not. */
TEST(an_answer_waits_for_its_request)
{
	put_threads();
	put_thread(NOBODY, TARGET_PID, false, "target");
	put_connection();
	for (uint64_t i = 0; i < 3; i++) {
		uint64_t at = 1000 + 10000 * i;

		put_sent(PEER, TO_TARGET, i, 64, at);
		put_flagged(i % 2 ? TARGET : NOBODY, TO_TARGET, i, RECEIVE_LATE, at);
		put_answer(i, at + 1000);
		if (i)
			put_watermark(&tape, at + 9000);
	}
	heard = hear(&info, &tape);
	assert_calls(3, 1200, 3 * 600, 1200);
	for (size_t i = 1; i < heard.cnt; i++)
		assert_true(heard.message[i].recv_ns > heard.message[i - 1].recv_ns);
}

/* Another thread may have received a part of the stream meanwhile. */
TEST(a_receive_with_the_flag_is_ambiguous)
{
	put_threads();
	put_connection();
	put_sent(PEER, TO_TARGET, 0, 64, 10000);
	put_sent(PEER, TO_TARGET, 1, 64, 20000);
	put_flagged(TARGET, TO_TARGET, 0, RECEIVE_AMBIGUOUS, 10000);
	put_flagged(TARGET, TO_TARGET, 1, RECEIVE_AMBIGUOUS, 20000);
	play(check_both_ambiguous);
}

static void put_late_outside(uint32_t tid, uint64_t position, uint64_t at)
{
	struct record_receive receive = make_receive(tid, TO_TARGET, position, at, at);

	receive.bytes = 64;
	receive.head.flags = RECEIVE_LATE;
	put(&receive);
}

/* Two threads send; neither has slept before. */
TEST(late_receives_outside_of_any_call_are_ambiguous)
{
	put_threads();
	put_thread(NOBODY, TARGET_PID, false, "target");
	put_connection();
	put_sent(PEER, TO_TARGET, 0, 64, 10000);
	put_sent(PEER, TO_TARGET, 1, 64, 10050);
	put_late_outside(TARGET, 0, 10400);
	put_late_outside(NOBODY, 1, 10450);
	play(check_both_ambiguous);
}

static void check_two_of_three_ambiguous(void)
{
	assert_counts(3, 0);
	assert_int_equal(heard.message[0].match, MATCH_AMBIGUOUS);
	assert_int_equal(heard.message[1].match, MATCH_AMBIGUOUS);
	assert_int_equal(heard.message[2].match, MATCH_EXACT);
}

static void put_part(uint32_t sender, uint32_t receiver, uint64_t position, uint64_t at)
{
	put_sent(sender, STREAM, position, 64, at);
	put_received(receiver, STREAM, position, 64, at);
}

/* Both are ambiguous and no other one, in whatever order the CPUs' records arrive. */
TEST(sends_that_overlap_on_one_connection_are_ambiguous)
{
	put_threads();
	put_channel(STREAM, TRANSPORT_TCP, PEER_END, TARGET_END);
	put_baseline(STREAM, 0, true);
	put_part(PEER, TARGET, 0, 1000);
	put_part(OTHER_PEER, TARGET, 64, 1050);
	put_part(PEER, TARGET, 128, 1200);
	play(check_two_of_three_ambiguous);
}

TEST(receives_that_overlap_are_ambiguous)
{
	put_threads();
	put_channel(STREAM, TRANSPORT_UDS_STREAM, PEER_END, TARGET_END);
	put_baseline(STREAM, 0, true);
	put_part(TARGET, PEER, 0, 1000);
	put_part(TARGET, OTHER_PEER, 64, 1200);
	put_part(TARGET, PEER, 128, 1500);
	play(check_two_of_three_ambiguous);
}

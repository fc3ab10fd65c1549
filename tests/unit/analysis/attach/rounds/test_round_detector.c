/* SPDX-License-Identifier: BSD-2-Clause */
/* Which sends of one thread are rounds. */
#include "analysis/attach/rounds/round_fixture.h"

/* It is over when the sender sleeps, or nothing more comes. */
TEST(a_burst_to_several_channels_is_a_round)
{
	burst_of_three(0, 1000);
	burst_of_three(1, 2000);
	finish();
	assert_rounds(2);
	assert_int_equal(stat_mean(&summary.rounds.first), 100);
	assert_int_equal(stat_mean(&summary.rounds.next), 10);
	assert_int_equal(stat_mean(&summary.rounds.last), 120);
	assert_int_equal(summary.client_cnt, 3);
	assert_int_equal(summary.client[1].client, 2);
	assert_int_equal(summary.client[1].tid, 100 + B);
	assert_string_equal(summary.client[1].comm, "listener");
	assert_int_equal(summary.client[1].position_sum, 4);
	assert_int_equal(stat_mean(&summary.client[1].latency), 110);
	/* Until its own send its message waited for those to the others. */
	assert_int_equal(summary.client[1].components.ns[COMPONENT_DISPATCH], 20);
	assert_int_equal(summary.client[1].components.ns[COMPONENT_SEND_PATH], 200);
}

/* A header and a body: the listener has all when the body is there, whenever the header was. */
TEST(of_several_messages_to_a_channel_the_last_one_counts)
{
	for (uint32_t i = 0; i < 3; i++) {
		sends(SENDER, A + i, 0, 1000 + 20 * i);
		if (A + i == B)
			arrives(B, 0, 1020, 1025, false);
		sends(SENDER, A + i, 1, 1010 + 20 * i);
	}
	arrives(A, 0, 1000, 1090, false);
	for (uint32_t i = 0; i < 3; i++)
		arrives(A + i, 1, 1010 + 20 * i, 1100 + 10 * i, false);
	arrives(C, 0, 1040, 1130, false);
	finish();
	assert_rounds(1);
	assert_int_equal(summary.client_cnt, 3);
	assert_int_equal(stat_mean(&summary.rounds.first), 100);
	assert_int_equal(stat_mean(&summary.rounds.next), 10);
	assert_int_equal(stat_mean(&summary.rounds.last), 120);
	for (uint32_t i = 0; i < 3; i++)
		assert_int_equal(summary.client[i].latency.count, 1);
	assert_int_equal(summary.client[1].components.ns[COMPONENT_DISPATCH], 30);
	assert_int_equal(summary.client[1].components.ns[COMPONENT_SEND_PATH], 80);
}

/* Its header does, though its body does not. */
TEST(the_first_of_several_messages_may_be_the_answer)
{
	sends(SENDER, A, 0, 1000);
	sends(SENDER, A, 1, 1010);
	sends(SENDER, B, 0, 1020);
	arrives(A, 0, 1000, 1100, true);
	arrives(A, 1, 1010, 1110, false);
	arrives(B, 0, 1020, 1120, false);
	finish();
	assert_rounds(0);
}

/* The sender was too late to sleep. */
TEST(the_first_channels_turn_begins_the_next_round)
{
	for (uint32_t i = 0; i < 6; i++)
		sends(SENDER, A + i % 3, i / 3, 1000 + 10 * i);
	for (uint32_t i = 0; i < 6; i++)
		arrives(A + i % 3, i / 3, 1000 + 10 * i, 1100 + 10 * i, false);
	burst_of_three(2, 2000);
	finish();
	assert_rounds(3);
}

/* The middle one of three gets something more. */
TEST(another_channel_that_comes_again_makes_no_round)
{
	const uint32_t channel[] = {A, A + 1, A + 2, A + 1};

	for (uint32_t i = 0; i < 4; i++)
		sends(SENDER, channel[i], i / 3, 1000 + 10 * i);
	for (uint32_t i = 0; i < 4; i++)
		arrives(channel[i], i / 3, 1000 + 10 * i, 1100 + 10 * i, false);
	burst_of_three(2, 2000);
	finish();
	assert_rounds(1);
	assert_int_equal(stat_mean(&summary.rounds.last), 120);
}

/* Not two. */
TEST(a_burst_that_is_too_long_is_no_round)
{
	const uint32_t cnt = DETECTED_ROUND_MESSAGES_MAX + 2;

	for (uint32_t i = 0; i < cnt; i++)
		sends(SENDER, i, 0, 1000 + i);
	for (uint32_t i = 0; i < cnt; i++)
		arrives(i, 0, 1000 + i, 2000 + i, false);
	finish();
	assert_rounds(0);
}

/* A channel outside of rounds is no client. */
TEST(one_channel_alone_makes_no_round)
{
	for (uint64_t i = 0; i < 5; i++) {
		sends(SENDER, A, i, 1000 * (i + 1));
		arrives(A, i, 1000 * (i + 1), 1000 * (i + 1) + 50, false);
	}
	finish();
	assert_rounds(0);
	assert_int_equal(summary.client_cnt, 0);
}

/* Two short connections to one helper for each request. */
TEST(several_channels_to_one_thread_make_no_round)
{
	for (uint32_t i = 0; i < 5; i++) {
		uint64_t at_ns = 1000 * (i + 1);

		receives(SENDER, at_ns - 1);
		sends(SENDER, 2 * i, 0, at_ns);
		sends(SENDER, 2 * i + 1, 0, at_ns + 10);
		arrives_at(100, 2 * i, 0, at_ns, at_ns + 100, false);
		arrives_at(100, 2 * i + 1, 0, at_ns + 10, at_ns + 110, false);
	}
	finish();
	assert_rounds(0);
	assert_int_equal(summary.client_cnt, 0);
	assert_int_equal(summary.rounds.given_up, 0);
}

/* Two threads receive, one of them on two channels: it has all when it has the last one. */
TEST(a_thread_is_one_client_of_a_round)
{
	for (uint32_t i = 0; i < 3; i++)
		sends(SENDER, A + i, 0, 1000 + 10 * i);
	arrives_at(100, A, 0, 1000, 1100, false);
	arrives_at(101, B, 0, 1010, 1110, false);
	arrives_at(100, C, 0, 1020, 1120, false);
	finish();
	assert_rounds(1);
	assert_int_equal(summary.client_cnt, 2);
	assert_int_equal(stat_mean(&summary.rounds.first), 110);
	assert_int_equal(stat_mean(&summary.rounds.last), 120);
	for (uint32_t i = 0; i < 2; i++)
		assert_int_equal(summary.client[i].latency.count, 1);
	assert_int_equal(round_detector__client(detector, A), round_detector__client(detector, C));
}

/* It has connected again. */
TEST(a_receiver_keeps_its_number_on_a_new_channel)
{
	for (uint32_t i = 0; i < 3; i++) {
		uint64_t at_ns = 1000 * (i + 1);

		receives(SENDER, at_ns - 1);
		sends(SENDER, 2 * i, 0, at_ns);
		sends(SENDER, 2 * i + 1, 0, at_ns + 10);
		arrives_at(100, 2 * i, 0, at_ns, at_ns + 100, false);
		arrives_at(101, 2 * i + 1, 0, at_ns + 10, at_ns + 110, false);
	}
	finish();
	assert_rounds(3);
	assert_int_equal(summary.client_cnt, 2);
	for (uint32_t i = 0; i < 2; i++)
		assert_int_equal(summary.client[i].latency.count, 3);
}

TEST(answers_are_no_round)
{
	sends(SENDER, A, 0, 1000);
	sends(SENDER, B, 0, 1010);
	arrives(A, 0, 1000, 1100, false);
	arrives(B, 0, 1010, 1110, true);
	finish();
	assert_rounds(0);
	assert_int_equal(summary.client_cnt, 0);
}

TEST(a_sleep_or_a_receive_ends_a_burst)
{
	sends(SENDER, A, 0, 1000);
	sleeps(SENDER, 1006);
	sends(SENDER, B, 0, 1010);
	receives(SENDER, 1018);
	sends(SENDER, C, 0, 1020);
	for (uint32_t i = 0; i < 3; i++)
		arrives(A + i, 0, 1000 + 10 * i, 1100, false);
	finish();
	assert_rounds(0);
}

TEST(what_another_thread_sends_is_not_of_it)
{
	sends(SENDER, A, 0, 1000);
	sends(SENDER + 1, B, 0, 1005);
	arrives(A, 0, 1000, 1100, false);
	arrives(B, 0, 1005, 1110, false);
	finish();
	assert_rounds(0);
}

/* Records of two CPUs: the later sends of the thread are recorded before the earlier ones. */
TEST(sends_are_recorded_in_any_order)
{
	const uint32_t order[] = {C, A, B};

	for (uint32_t i = 0; i < 3; i++)
		sends(SENDER, order[i], 0, 1000 + 10 * (order[i] - A));
	for (uint32_t i = 0; i < 3; i++)
		arrives(A + i, 0, 1000 + 10 * i, 1100 + 10 * i, false);
	finish();
	assert_rounds(1);
	assert_int_equal(stat_mean(&summary.rounds.first), 100);
	assert_int_equal(stat_mean(&summary.rounds.last), 120);
	assert_int_equal(summary.client[1].components.ns[COMPONENT_DISPATCH], 10);
	assert_int_equal(summary.rounds.given_up, 0);
}

/* The same with a sleep and a receive: the later burst is recorded first, the pause last. */
TEST(pauses_are_recorded_in_any_order)
{
	for (uint32_t pause = 0; pause < 2; pause++) {
		uint64_t at_ns = 1000 * (pause + 1);

		sends(SENDER, B, 2 * pause + 1, at_ns + 50);
		sends(SENDER, C, 2 * pause + 1, at_ns + 60);
		sends(SENDER, A, 2 * pause, at_ns);
		sends(SENDER, B, 2 * pause, at_ns + 10);
		if (pause)
			receives(SENDER, at_ns + 30);
		else
			sleeps(SENDER, at_ns + 30);
		arrives(A, 2 * pause, at_ns, at_ns + 100, false);
		arrives(B, 2 * pause, at_ns + 10, at_ns + 110, false);
		arrives(B, 2 * pause + 1, at_ns + 50, at_ns + 120, false);
		arrives(C, 2 * pause + 1, at_ns + 60, at_ns + 130, false);
		sleeps(SENDER, at_ns + 200);
	}
	finish();
	assert_rounds(4);
	assert_int_equal(stat_mean(&summary.rounds.first), 85);
	assert_int_equal(stat_mean(&summary.rounds.last), 95);
}

/* What it slept before one send does not part those before. */
TEST(a_sleep_after_a_burst_does_not_cut_it)
{
	sends(SENDER, A, 0, 1000);
	sends(SENDER, B, 0, 1010);
	sleeps(SENDER, 1020);
	sends(SENDER, C, 0, 1030);
	for (uint32_t i = 0; i < 3; i++)
		arrives(A + i, 0, 1000 + 10 * i, 1100 + i, false);
	finish();
	assert_rounds(1);
	assert_int_equal(stat_mean(&summary.rounds.last), 101);
}

/* Its sleep was recorded between two watermarks, and may be forgotten before it sends again. */
TEST(a_sleep_of_any_age_begins_a_new_round)
{
	sends(SENDER, A, 0, 1000);
	sends(SENDER, B, 0, 1010);
	sleeps(SENDER, 1020);
	settle(1500);
	timelines__trim(lines, 1500, 0);
	sends(SENDER, C, 0, 2000);
	arrives(A, 0, 1000, 2100, false);
	arrives(B, 0, 1010, 2110, false);
	arrives(C, 0, 2000, 2120, false);
	finish();
	assert_rounds(1);
	assert_int_equal(stat_mean(&summary.rounds.last), 1110);
}

/* In one call, whose beginning all of them share. */
TEST(several_sends_of_a_call_keep_their_order)
{
	add_thread(SENDER, false);
	sends_in(SENDER, B, 1, 1000, 1020);
	sends_in(SENDER, A, 2, 1000, 1015);
	sends_in(SENDER, A, 0, 1000, 1010);
	settle(1001);
	sends_in(SENDER, C, 0, 1000, 1030);
	arrives(A, 0, 1000, 1100, false);
	arrives(A, 2, 1000, 1110, false);
	arrives(B, 1, 1000, 1120, false);
	arrives(C, 0, 1000, 1130, false);
	finish();
	assert_rounds(1);
	assert_int_equal(stat_mean(&summary.rounds.first), 110);
	assert_int_equal(summary.rounds.given_up, 0);
}

TEST(two_threads_rounds_do_not_mix)
{
	for (uint32_t i = 0; i < 3; i++) {
		sends(SENDER + 1, A + 3 + i, 0, 1005 + 10 * i);
		sends(SENDER, C - i, 0, 1000 + 10 * (2 - i));
	}
	sleeps(SENDER + 1, 1031);
	for (uint32_t i = 0; i < 3; i++) {
		arrives(A + i, 0, 1000 + 10 * i, 1100 + 10 * i, false);
		arrives(A + 3 + i, 0, 1005 + 10 * i, 1105 + 10 * i, false);
	}
	finish();
	assert_rounds(2);
	assert_int_equal(stat_mean(&summary.rounds.last), 120);
	assert_int_equal(stat_mean(&summary.rounds.first), 100);
}

/* Also if it is known only after it has sent. */
TEST(only_a_target_has_rounds)
{
	for (uint32_t i = 0; i < 3; i++) {
		sends_in(SENDER, A + i, 0, 1000 + 10 * i, 1005 + 10 * i);
		sends_in(SENDER + 1, A + 3 + i, 0, 1000 + 10 * i, 1005 + 10 * i);
	}
	add_thread(SENDER, false);
	add_thread(SENDER + 1, true);
	for (uint32_t i = 0; i < 6; i++)
		arrives(A + i, 0, 1000 + 10 * (i % 3), 1100 + 10 * i, false);
	finish();
	assert_rounds(1);
	assert_int_equal(summary.client_cnt, 3);
}

/* Which never happens as long as it is true what settlings say. */
TEST(an_event_after_later_ones_were_settled_drops_the_round)
{
	sends(SENDER, B, 0, 1010);
	settle(1050);
	sends(SENDER, A, 0, 1000);
	sends(SENDER, C, 0, 1060);
	arrives(A, 0, 1000, 1100, false);
	arrives(B, 0, 1010, 1110, false);
	arrives(C, 0, 1060, 1120, false);
	burst_of_three(1, 2000);
	finish();
	assert_rounds(1);
	assert_int_equal(summary.rounds.given_up, 3);
}

/* Rounds that were among them are no rounds, nor is one that has begun there. */
TEST(of_too_many_that_wait_all_are_given_up)
{
	const uint64_t cnt = ORDERED_EVENTS_MAX + 1; /* A, B, C, A ... the last one is A */

	for (uint64_t i = 0; i < cnt; i++)
		sends(SENDER, A + i % 3, i / 3, 1000 + 10 * i);
	sends(SENDER, B, cnt, 1000 + 10 * cnt);
	for (uint64_t i = cnt - 1; i <= cnt; i++)
		arrives(A + (i - cnt + 1), i == cnt ? cnt : i / 3, 1000 + 10 * i, 2000 + 10 * i,
			false);
	burst_of_three(2 * cnt, 4000 + 10 * cnt);
	finish();
	assert_rounds(1);
	assert_int_equal(stat_mean(&summary.rounds.last), 120);
	assert_int_equal(summary.rounds.given_up, cnt + 1);
}

TEST(a_message_that_never_arrives_leaves_no_round)
{
	sends(SENDER, A, 0, 1000);
	sends(SENDER, B, 0, 1010);
	arrives(A, 0, 1000, 1100, false);
	finish();
	assert_rounds(0);
	assert_int_equal(summary.rounds.given_up, 2);
}

/* Channels come and go while rounds go on; the last number stands for all without their own. */
TEST(further_listeners_are_one)
{
	const uint32_t pairs = ROUND_CLIENTS_MAX;

	for (uint32_t i = 0; i < pairs; i++) {
		uint64_t at_ns = 1000 * (i + 1);

		receives(SENDER, at_ns - 1);
		sends(SENDER, 2 * i, 0, at_ns);
		sends(SENDER, 2 * i + 1, 0, at_ns + 10);
		arrives(2 * i, 0, at_ns, at_ns + 100, false);
		arrives(2 * i + 1, 0, at_ns + 10, at_ns + 110, false);
	}
	finish();
	assert_rounds(pairs);
	assert_int_equal(summary.client_cnt, ROUND_CLIENTS_MAX);
	assert_int_equal(summary.client[0].latency.count, 1);
	assert_int_equal(summary.client[ROUND_CLIENTS_MAX - 1].client, ROUND_CLIENTS_MAX);
	assert_int_equal(summary.client[ROUND_CLIENTS_MAX - 1].tid, 0);
	assert_string_equal(summary.client[ROUND_CLIENTS_MAX - 1].comm, "others");
	assert_int_equal(summary.client[ROUND_CLIENTS_MAX - 1].latency.count,
			 2 * pairs - (ROUND_CLIENTS_MAX - 1));
}

/* Threads without end: the burst of one that is forgotten is over, and counts. */
TEST(very_many_senders_are_forgotten_again)
{
	const uint32_t senders = 3 * DETECTED_ROUND_SENDERS_MAX;

	for (uint32_t tid = 1; tid <= senders; tid++) {
		sends(tid, A, tid, 10 * tid);
		sends(tid, B, tid, 10 * tid + 5);
	}
	for (uint32_t tid = 1; tid <= senders; tid++) {
		arrives(A, tid, 10 * tid, 10 * tid + 50, false);
		arrives(B, tid, 10 * tid + 5, 10 * tid + 55, false);
	}
	finish();
	assert_rounds(senders);
}

/* Nothing is received: the oldest are forgotten, and the youngest still become a round. */
TEST(very_many_open_messages_are_forgotten_again)
{
	const uint64_t cnt = 2 * (ROUND_DETECTOR_MESSAGES_MAX / DETECTED_ROUND_MESSAGES_MAX);

	for (uint64_t i = 0; i < cnt; i++) {
		receives(SENDER, 1000 * (i + 1) - 1);
		for (uint32_t channel = 0; channel < DETECTED_ROUND_MESSAGES_MAX; channel++)
			sends(SENDER, channel, i, 1000 * (i + 1) + channel);
		settle(1000 * (i + 1) + DETECTED_ROUND_MESSAGES_MAX);
	}
	for (uint64_t i = 0; i < cnt; i += cnt - 1) {
		for (uint32_t channel = 0; channel < DETECTED_ROUND_MESSAGES_MAX; channel++)
			arrives(channel, i, 1000 * (i + 1) + channel, 1000 * (i + 2), false);
	}
	finish();
	assert_rounds(1);
}

/* Without traced calls a burst starts when its first message is queued, which is stamped late. */
TEST(a_message_that_arrives_before_the_start_moves_it)
{
	add_thread(SENDER, false);
	sleeps(SENDER, 900);
	for (uint32_t i = 0; i < 2; i++) {
		const struct ordered_event event = {.at_ns = 1000 + 10 * i,
						    .end_ns = 1200,
						    .tid = SENDER,
						    .channel = A + i,
						    .start_ns = 1200 - 10 * i,
						    .queued_ns = 1200};

		assert_int_equal(round_detector__add(detector, &event), 0);
	}
	arrives(B, 0, 1190, 1195, false);
	arrives(A, 0, 1150, 1150, false);
	finish();
	assert_rounds(1);
	assert_int_equal(summary.rounds.first.max, 0);
	assert_int_equal(summary.rounds.last.max, 45);
	assert_int_equal(summary.client[0].latency.max + summary.client[1].latency.max, 45);
	assert_int_equal(summary.client[0].components.ns[COMPONENT_DISPATCH] +
				 summary.client[1].components.ns[COMPONENT_DISPATCH],
			 40);
}

/* What the thread received before it slept is not why it begins. */
TEST(a_thread_that_a_timer_wakes_has_a_period)
{
	for (uint64_t i = 1; i <= 20; i++) {
		receives(SENDER, 10000 * i - 20);
		burst_of_three(i, 10000 * i);
	}
	finish();
	assert_rounds(20);
	assert_in_range(summary.rounds.period_ns, 9900, 10100);
}

TEST(a_thread_that_a_message_wakes_has_the_pace_of_its_sender)
{
	for (uint64_t i = 1; i <= 20; i++) {
		sleeps(SENDER, 10000 * i - 30);
		receives(SENDER, 10000 * i - 20);
		for (uint32_t k = 0; k < 3; k++)
			sends(SENDER, A + k, i, 10000 * i + 10 * k);
		for (uint32_t k = 0; k < 3; k++)
			arrives(A + k, i, 10000 * i + 10 * k, 10000 * i + 100 + 10 * k, false);
	}
	finish();
	assert_rounds(20);
	assert_int_equal(summary.rounds.period_ns, 0);
}

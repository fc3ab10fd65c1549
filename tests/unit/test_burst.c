/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Rounds among the sends of one thread. A burst at `at`, whose messages arrive a while later:
 *
 *	 at      +10     +20             +100    +110     +120
 *	send A  send B  send C | ...     recv A  recv B   recv C
 */
#include "build.h"

#include "core/burst.h"

#include <stdlib.h>
#include <string.h>

enum { SENDER = 7, A = 1, B = 2, C = 3 };

static struct bursts *bursts;
static struct summary summary;
static const struct timeline no_changes;

static int setup(void **state)
{
	(void)state;
	summary = (struct summary){0};
	bursts = bursts__new();
	return bursts ? 0 : -1;
}

static int teardown(void **state)
{
	(void)state;
	bursts__free(bursts);
	stat_free(&summary.rounds.first);
	stat_free(&summary.rounds.next);
	stat_free(&summary.rounds.last);
	for (uint32_t i = 0; i < summary.client_cnt; i++)
		stat_free(&summary.client[i].latency);
	free(summary.client);
	return 0;
}

static void sends(uint32_t tid, uint32_t channel, uint64_t position, uint64_t at_ns,
		  const struct timeline *line)
{
	struct record_send send = make_send(tid, channel, position, at_ns, at_ns + 5);

	assert_int_equal(bursts__send(bursts, &send, line), 0);
}

static void arrives(uint32_t channel, uint64_t position, uint64_t send_ns, uint64_t recv_ns,
		    bool is_answer)
{
	const struct segment segment = {
		.from_ns = send_ns, .to_ns = recv_ns, .component = COMPONENT_SEND_PATH};
	struct message message = {
		.channel = channel,
		.position = position,
		.send_ns = send_ns,
		.recv_ns = recv_ns,
		.latency_ns = recv_ns - send_ns,
		.receiver = {.tid = 100 + channel, .comm = "listener"},
		.segment = &segment,
		.segment_cnt = 1,
	};

	message.component_ns[COMPONENT_SEND_PATH] = recv_ns - send_ns;
	assert_int_equal(bursts__message(bursts, &message, is_answer), 0);
}

static void finish(void)
{
	assert_int_equal(bursts__finish(bursts, &summary), 0);
}

static void assert_rounds(uint64_t cnt)
{
	assert_int_equal(summary.rounds.count, cnt);
	assert_int_equal(summary.rounds.complete, cnt);
}

static void burst_of_three(uint64_t position, uint64_t at_ns)
{
	const struct change asleep = {.at_ns = at_ns - 10, .kind = CHANGE_SLEEP};
	const struct timeline line = {.change = &asleep, .cnt = 1};

	for (uint32_t i = 0; i < 3; i++)
		sends(SENDER, A + i, position, at_ns + 10 * i, &line);
	for (uint32_t i = 0; i < 3; i++)
		arrives(A + i, position, at_ns + 10 * i, at_ns + 100 + 10 * i, false);
}

/* It is over when the sender sleeps, or nothing more comes. */
static void a_burst_to_several_channels_is_a_round(void **state)
{
	(void)state;
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
static void of_several_messages_to_a_channel_the_last_one_counts(void **state)
{
	(void)state;
	for (uint32_t i = 0; i < 3; i++) {
		sends(SENDER, A + i, 0, 1000 + 20 * i, &no_changes);
		if (A + i == B)
			arrives(B, 0, 1020, 1025, false);
		sends(SENDER, A + i, 1, 1010 + 20 * i, &no_changes);
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
static void the_first_of_several_messages_may_be_the_answer(void **state)
{
	(void)state;
	sends(SENDER, A, 0, 1000, &no_changes);
	sends(SENDER, A, 1, 1010, &no_changes);
	sends(SENDER, B, 0, 1020, &no_changes);
	arrives(A, 0, 1000, 1100, true);
	arrives(A, 1, 1010, 1110, false);
	arrives(B, 0, 1020, 1120, false);
	finish();
	assert_rounds(0);
}

/* The sender was too late to sleep. */
static void the_first_channels_turn_begins_the_next_round(void **state)
{
	(void)state;
	for (uint32_t i = 0; i < 6; i++)
		sends(SENDER, A + i % 3, i / 3, 1000 + 10 * i, &no_changes);
	for (uint32_t i = 0; i < 6; i++)
		arrives(A + i % 3, i / 3, 1000 + 10 * i, 1100 + 10 * i, false);
	burst_of_three(2, 2000);
	finish();
	assert_rounds(3);
}

/* The middle one of three gets something more. */
static void another_channel_that_comes_again_makes_no_round(void **state)
{
	const uint32_t channel[] = {A, A + 1, A + 2, A + 1};

	(void)state;
	for (uint32_t i = 0; i < 4; i++)
		sends(SENDER, channel[i], i / 3, 1000 + 10 * i, &no_changes);
	for (uint32_t i = 0; i < 4; i++)
		arrives(channel[i], i / 3, 1000 + 10 * i, 1100 + 10 * i, false);
	burst_of_three(2, 2000);
	finish();
	assert_rounds(1);
	assert_int_equal(stat_mean(&summary.rounds.last), 120);
}

/* Not two. */
static void a_burst_that_is_too_long_is_no_round(void **state)
{
	const uint32_t cnt = BURST_MESSAGES_MAX + 2;

	(void)state;
	for (uint32_t i = 0; i < cnt; i++)
		sends(SENDER, i, 0, 1000 + i, &no_changes);
	for (uint32_t i = 0; i < cnt; i++)
		arrives(i, 0, 1000 + i, 2000 + i, false);
	finish();
	assert_rounds(0);
}

/* Who was sent to otherwise is no client. */
static void one_channel_alone_makes_no_round(void **state)
{
	(void)state;
	for (uint64_t i = 0; i < 5; i++) {
		sends(SENDER, A, i, 1000 * (i + 1), &no_changes);
		arrives(A, i, 1000 * (i + 1), 1000 * (i + 1) + 50, false);
	}
	finish();
	assert_rounds(0);
	assert_int_equal(summary.client_cnt, 0);
}

static void answers_are_no_round(void **state)
{
	(void)state;
	sends(SENDER, A, 0, 1000, &no_changes);
	sends(SENDER, B, 0, 1010, &no_changes);
	arrives(A, 0, 1000, 1100, false);
	arrives(B, 0, 1010, 1110, true);
	finish();
	assert_rounds(0);
	assert_int_equal(summary.client_cnt, 0);
}

static void a_sleep_or_a_receive_ends_a_burst(void **state)
{
	struct change asleep = {.at_ns = 1008, .kind = CHANGE_SLEEP};
	struct timeline line = {.change = &asleep, .cnt = 1};

	(void)state;
	sends(SENDER, A, 0, 1000, &no_changes);
	sends(SENDER, B, 0, 1010, &line);
	bursts__receive(bursts, SENDER);
	sends(SENDER, C, 0, 1020, &line);
	for (uint32_t i = 0; i < 3; i++)
		arrives(A + i, 0, 1000 + 10 * i, 1100, false);
	finish();
	assert_rounds(0);
}

static void what_another_thread_sends_is_not_of_it(void **state)
{
	(void)state;
	sends(SENDER, A, 0, 1000, &no_changes);
	sends(SENDER + 1, B, 0, 1005, &no_changes);
	arrives(A, 0, 1000, 1100, false);
	arrives(B, 0, 1005, 1110, false);
	finish();
	assert_rounds(0);
}

/* Records of two CPUs: the burst began earlier than it seemed. */
static void a_send_that_is_told_of_late_spoils_the_round(void **state)
{
	(void)state;
	sends(SENDER, B, 0, 1010, &no_changes);
	sends(SENDER, A, 0, 1000, &no_changes);
	arrives(A, 0, 1000, 1100, false);
	arrives(B, 0, 1010, 1110, false);
	finish();
	assert_rounds(0);
}

static void a_message_that_never_arrives_leaves_no_round(void **state)
{
	(void)state;
	sends(SENDER, A, 0, 1000, &no_changes);
	sends(SENDER, B, 0, 1010, &no_changes);
	arrives(A, 0, 1000, 1100, false);
	finish();
	assert_rounds(0);
}

/* Channels come and go; rounds go on, and the last number is for all who have none of their own. */
static void further_listeners_are_one(void **state)
{
	const uint32_t pairs = BURST_LISTENERS_MAX;

	(void)state;
	for (uint32_t i = 0; i < pairs; i++) {
		uint64_t at_ns = 1000 * (i + 1);

		bursts__receive(bursts, SENDER);
		sends(SENDER, 2 * i, 0, at_ns, &no_changes);
		sends(SENDER, 2 * i + 1, 0, at_ns + 10, &no_changes);
		arrives(2 * i, 0, at_ns, at_ns + 100, false);
		arrives(2 * i + 1, 0, at_ns + 10, at_ns + 110, false);
	}
	finish();
	assert_rounds(pairs);
	assert_int_equal(summary.client_cnt, BURST_LISTENERS_MAX);
	assert_int_equal(summary.client[0].latency.count, 1);
	assert_int_equal(summary.client[BURST_LISTENERS_MAX - 1].client, BURST_LISTENERS_MAX);
	assert_int_equal(summary.client[BURST_LISTENERS_MAX - 1].tid, 0);
	assert_string_equal(summary.client[BURST_LISTENERS_MAX - 1].comm, "others");
	assert_int_equal(summary.client[BURST_LISTENERS_MAX - 1].latency.count,
			 2 * pairs - (BURST_LISTENERS_MAX - 1));
}

/* Threads without end: the burst of one that is forgotten is over, and counts. */
static void very_many_senders_are_forgotten_again(void **state)
{
	const uint32_t senders = 3 * BURST_SENDERS_MAX;

	(void)state;
	for (uint32_t tid = 1; tid <= senders; tid++) {
		sends(tid, A, tid, 10 * tid, &no_changes);
		sends(tid, B, tid, 10 * tid + 5, &no_changes);
	}
	for (uint32_t tid = 1; tid <= senders; tid++) {
		arrives(A, tid, 10 * tid, 10 * tid + 50, false);
		arrives(B, tid, 10 * tid + 5, 10 * tid + 55, false);
	}
	finish();
	assert_rounds(senders);
}

/* Nobody takes anything: the oldest go, and the youngest still become a round. */
static void very_many_open_messages_are_forgotten_again(void **state)
{
	const uint64_t cnt = 2 * (BURSTS_MESSAGES_MAX / BURST_MESSAGES_MAX);

	(void)state;
	for (uint64_t i = 0; i < cnt; i++) {
		bursts__receive(bursts, SENDER);
		for (uint32_t channel = 0; channel < BURST_MESSAGES_MAX; channel++)
			sends(SENDER, channel, i, 1000 * (i + 1) + channel, &no_changes);
	}
	for (uint64_t i = 0; i < cnt; i += cnt - 1) {
		for (uint32_t channel = 0; channel < BURST_MESSAGES_MAX; channel++)
			arrives(channel, i, 1000 * (i + 1) + channel, 1000 * (i + 2), false);
	}
	finish();
	assert_rounds(1);
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_burst_to_several_channels_is_a_round),
		TEST(of_several_messages_to_a_channel_the_last_one_counts),
		TEST(the_first_of_several_messages_may_be_the_answer),
		TEST(the_first_channels_turn_begins_the_next_round),
		TEST(another_channel_that_comes_again_makes_no_round),
		TEST(a_burst_that_is_too_long_is_no_round),
		TEST(one_channel_alone_makes_no_round),
		TEST(answers_are_no_round),
		TEST(a_sleep_or_a_receive_ends_a_burst),
		TEST(what_another_thread_sends_is_not_of_it),
		TEST(a_send_that_is_told_of_late_spoils_the_round),
		TEST(a_message_that_never_arrives_leaves_no_round),
		TEST(further_listeners_are_one),
		TEST(very_many_senders_are_forgotten_again),
		TEST(very_many_open_messages_are_forgotten_again),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

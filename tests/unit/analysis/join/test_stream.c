/* SPDX-License-Identifier: BSD-2-Clause */
/* Sends and receives on byte streams, joined by their bytes. Channel ids are those of streams. */
#include "support/build.h"
#include "support/offers.h"

#include "container/lru_table.h"
#include "container/step_limit.h"
#include "analysis/join/join.h"
#include "model/record_decode.h"

#define ONE   (CHANNEL_STREAM | 1)
#define OTHER (CHANNEL_STREAM | 2)

/* Queued ten later. */
static void send(struct join *join, uint32_t channel, uint64_t position, uint32_t bytes,
		 uint64_t send_ns)
{
	struct record_send send = make_send(1, channel, position, send_ns, send_ns + 10);

	send.bytes = bytes;
	assert_int_equal(join__send(join, &send), 0);
}

static void receive(struct join *join, uint32_t channel, uint64_t position, uint32_t bytes,
		    uint64_t exit_ns)
{
	struct record_receive receive = make_receive(2, channel, position, exit_ns - 5, exit_ns);

	receive.bytes = bytes;
	assert_int_equal(join__receive(join, &receive, 0), 0);
}

static void arrive(struct join *join, uint32_t channel, uint64_t end, uint64_t at_ns)
{
	struct record_arrival arrival = {.channel = channel, .end = end, .at_ns = at_ns};

	assert_int_equal(join__arrival(join, &arrival), 0);
}

static void assert_message(const struct joined *joined, uint64_t seq, uint64_t position,
			   uint64_t exit_ns, uint32_t receives)
{
	assert_true(joined->has_send && joined->has_receive);
	assert_int_equal(joined->seq, seq);
	assert_int_equal(joined->send.position, position);
	assert_int_equal(joined->receive.exit_ns, exit_ns);
	assert_int_equal(joined->receives, receives);
}

EACH_TEST(offers_setup, offers_teardown)

TEST(one_read_may_receive_several_messages)
{
	send(*state, ONE, 0, 10, 100);
	send(*state, ONE, 10, 20, 200);
	receive(*state, ONE, 0, 30, 300);
	assert_settled(*state, 1000, 2);
	assert_message(&offers.joined[0], 0, 0, 300, 1);
	assert_message(&offers.joined[1], 1, 10, 300, 1);
}

/* What has the first place was sent only after the first receive. */
static void two_in_each_others_places(struct join *join)
{
	send(join, ONE, 0, 10, 300);
	send(join, ONE, 10, 10, 100);
	receive(join, ONE, 0, 10, 200);
	receive(join, ONE, 10, 10, 400);
}

/* Numbered when their calls were over, of which the second began after the first receive. */
TEST(of_two_that_overlapped_the_one_that_began_too_late_comes_second)
{
	two_in_each_others_places(*state);
	join__mark_send(*state, ONE, 0);
	join__mark_send(*state, ONE, 10);
	assert_settled(*state, 1000, 2);
	assert_message(&offers.joined[0], 0, 0, 200, 1);
	assert_int_equal(offers.joined[0].send.send_ns, 100);
	assert_int_equal(offers.joined[0].send.queued_ns, 110);
	assert_message(&offers.joined[1], 1, 10, 400, 1);
	assert_int_equal(offers.joined[1].send.send_ns, 300);
	assert_true(offers.joined[0].is_ambiguous && offers.joined[1].is_ambiguous);
}

/* What is certain stays where it is, also if its instants contradict one another. */
TEST(an_unambiguous_message_keeps_its_place)
{
	two_in_each_others_places(*state);
	join__mark_send(*state, ONE, 0);
	assert_settled(*state, 1000, 2);
	assert_int_equal(offers.joined[0].send.send_ns, 300);
}

TEST(one_message_may_need_several_reads)
{
	send(*state, ONE, 0, 100, 100);
	receive(*state, ONE, 0, 40, 200);
	receive(*state, ONE, 40, 40, 300);
	assert_settled(*state, 1000, 0);
	receive(*state, ONE, 80, 20, 1400);
	assert_settled(*state, 2000, 1);
	assert_message(&offers.joined[0], 0, 0, 1400, 3);
}

/*
 *	sends     |  0  |  1  |  2  |
 *	receives  |    a   |   b    |
 */
TEST(reads_and_messages_may_end_anywhere)
{
	send(*state, ONE, 0, 10, 100);
	send(*state, ONE, 10, 10, 110);
	send(*state, ONE, 20, 10, 120);
	receive(*state, ONE, 0, 15, 200);
	receive(*state, ONE, 15, 15, 300);
	assert_settled(*state, 1000, 3);
	assert_message(&offers.joined[0], 0, 0, 200, 1);
	assert_message(&offers.joined[1], 1, 10, 300, 2);
	assert_message(&offers.joined[2], 2, 20, 300, 1);
}

TEST(the_order_of_records_does_not_matter)
{
	receive(*state, ONE, 20, 10, 300);
	send(*state, ONE, 20, 10, 120);
	receive(*state, ONE, 0, 20, 200);
	send(*state, ONE, 10, 10, 110);
	send(*state, ONE, 0, 10, 100);
	assert_settled(*state, 1000, 3);
	assert_message(&offers.joined[0], 0, 0, 200, 1);
	assert_message(&offers.joined[1], 1, 10, 200, 1);
	assert_message(&offers.joined[2], 2, 20, 300, 1);
}

/* A receive may be seen before the SEND of its first bytes is. */
TEST(a_send_that_may_still_come_is_waited_for)
{
	send(*state, ONE, 10, 10, 500);
	receive(*state, ONE, 0, 20, 600);
	assert_settled(*state, 400, 0);
	send(*state, ONE, 0, 10, 450);
	assert_settled(*state, 1000, 2);
	assert_message(&offers.joined[0], 0, 0, 600, 1);
	assert_message(&offers.joined[1], 1, 10, 600, 1);
}

TEST(after_a_lost_send_numbers_are_not_known)
{
	send(*state, ONE, 0, 10, 100);
	send(*state, ONE, 20, 10, 120);
	receive(*state, ONE, 0, 30, 200);
	assert_settled(*state, 1000, 2);
	assert_message(&offers.joined[0], 0, 0, 200, 1);
	assert_message(&offers.joined[1], SEQ_UNKNOWN, 20, 200, 1);
}

/* Two are missing before 30, and one before 50. */
TEST(gaps_are_counted_each_once)
{
	send(*state, ONE, 50, 10, 180);
	send(*state, ONE, 0, 10, 100);
	send(*state, ONE, 30, 10, 160);
	send(*state, OTHER, 70, 10, 160);
	receive(*state, ONE, 0, 60, 200);
	offers_settle(*state, 150);
	assert_int_equal(join__gaps(*state, ONE), 0); /* they may still come */
	offers_settle(*state, 1000);
	assert_int_equal(join__gaps(*state, ONE), 2);
	assert_int_equal(join__gaps(*state, OTHER), 0); /* it begins there */
	assert_int_equal(join__gaps(*state, 77), 0);
}

/* The bytes of one are from 10 to 20 and from 30 to 40, those of the other one in between. */
TEST(parts_of_two_sends_leave_no_gap)
{
	send(*state, ONE, 0, 10, 100);
	send(*state, ONE, 20, 20, 110);
	send(*state, ONE, 20, 10, 120);
	join__mark_send(*state, ONE, 20);
	send(*state, ONE, 40, 10, 180);
	receive(*state, ONE, 0, 50, 200);
	offers_settle(*state, 1000);
	assert_int_equal(join__gaps(*state, ONE), 0);
}

/* It was sent, but not received. */
TEST(what_is_given_up_leaves_no_gap)
{
	send(*state, ONE, 0, 10, 100);
	offers_settle(*state, 105);
	send(*state, ONE, 10, 10, 110);
	join__expire(*state, 1000, offers_take, &offers);
	assert_int_equal(offers.cnt, 2);
	send(*state, ONE, 20, 10, 1100);
	receive(*state, ONE, 20, 10, 1200);
	assert_settled(*state, 2000, 1);
	assert_int_equal(join__gaps(*state, ONE), 0);
}

TEST(over_a_lost_receive_nothing_is_joined)
{
	send(*state, ONE, 0, 30, 100);
	receive(*state, ONE, 0, 10, 200);
	receive(*state, ONE, 20, 10, 220);
	assert_settled(*state, 1000, 0);
	join__leftover(*state, offers_take, &offers);
	assert_int_equal(offers.cnt, 1);
	assert_true(offers.joined[0].has_send);
	assert_false(offers.joined[0].has_receive);
}

static bool count_end(void *ctx, const struct joined *joined)
{
	size_t *cnt = ctx;

	(void)joined;
	(*cnt)++;
	return true;
}

/* Their number must not multiply with that of the sends that are left. */
TEST(many_leftover_receives_take_few_steps)
{
	enum { MANY = 4000 };
	bool is_exceeded;
	size_t cnt = 0;

	for (uint64_t i = 0; i < MANY; i++) {
		send(*state, ONE, 20 * i, 10, 100 + i);
		receive(*state, ONE, 1000000 + 20 * i, 10, 10000 + i);
	}
	step_limit_begin(64);
	join__leftover(*state, count_end, &cnt);
	is_exceeded = step_limit_is_exceeded();
	step_limit_end();
	assert_false(is_exceeded);
	assert_int_equal(cnt, 2 * MANY);
}

TEST(a_stream_may_begin_anywhere)
{
	uint64_t begin = 1ULL << 32 | 0xfffffff0;

	send(*state, ONE, begin, 32, 100);
	send(*state, ONE, begin + 32, 32, 110);
	receive(*state, ONE, begin, 64, 200);
	assert_settled(*state, 1000, 2);
	assert_message(&offers.joined[1], 1, begin + 32, 200, 1);
}

TEST(an_arrival_shows_when_a_send_was_queued)
{
	struct record_send open = make_send(1, ONE, 0, 100, 0);

	open.bytes = 10;
	assert_int_equal(join__send(*state, &open), 0);
	arrive(*state, ONE, 5, 140); /* only a part */
	arrive(*state, ONE, 20, 170);
	arrive(*state, ONE, 10, 150);
	arrive(*state, ONE, 10, 160); /* recorded twice: the first counts */
	receive(*state, ONE, 0, 10, 200);
	assert_settled(*state, 1000, 1);
	assert_int_equal(offers.joined[0].send.queued_ns, 150);
}

static bool keeps_history(void *ctx, const struct joined *joined)
{
	(void)ctx;
	(void)joined;
	return false;
}

/*
 *	send -------------- arrival ---- given up before -- return: the record of the send
 *	100                 150          140, then 160      170
 */
TEST(a_send_may_end_after_the_arrival_of_its_bytes)
{
	static const uint64_t before_ns[] = {140, 160}, queued_ns[] = {150, 0};

	for (size_t i = 0; i < 2; i++) {
		struct record_send open = make_send(1, ONE + i, 0, 100, 0);

		open.bytes = 10;
		arrive(*state, ONE + i, 10, 150);
		join__let_go(*state, before_ns[i], keeps_history, NULL);
		join__expire(*state, before_ns[i], offers_take, &offers);
		assert_int_equal(join__send(*state, &open), 0);
		receive(*state, ONE + i, 0, 10, 200);
		assert_settled(*state, 1000, 1);
		assert_int_equal(offers.joined[0].send.queued_ns, queued_ns[i]);
	}
}

/* And whether the channel was watched. */
TEST(the_earliest_arrival_shows_whether_it_was_watched)
{
	struct record_send open = make_send(1, ONE, 0, 100, 0);
	struct record_arrival arrival = {.channel = ONE, .end = 10, .at_ns = 150};

	arrival.head.flags = ARRIVAL_UNWATCHED;
	open.bytes = 10;
	assert_int_equal(join__send(*state, &open), 0);
	arrive(*state, ONE, 10, 160);
	assert_int_equal(join__arrival(*state, &arrival), 0);
	receive(*state, ONE, 0, 10, 200);
	assert_settled(*state, 1000, 1);
	assert_true(send_is_unwatched(&offers.joined[0].send));
}

/*
 *	send   returned    again (50)  again (40)   arrives
 *	1000     1010        1200        1300        1400
 */
TEST(data_that_are_sent_again_hold_up_what_comes_behind_them)
{
	struct record_send_counted counted = {
		.send = make_send(1, ONE, 40, 1000, 0),
		.counted_ns = 1010,
	};
	struct record_retransmit again = {.channel = ONE, .position = 40, .at_ns = 1300};
	struct record_retransmit behind = {.channel = ONE, .position = 50, .at_ns = 1350};
	struct record_retransmit early = {.channel = ONE, .position = 30, .at_ns = 1005};
	struct record_retransmit late = {.channel = ONE, .position = 40, .at_ns = 1401};

	counted.send.bytes = 10;
	counted.send.head.words = RECORD_WORDS(counted);
	assert_int_equal(join__retransmit(*state, &late), 0);
	assert_int_equal(join__retransmit(*state, &again), 0);
	assert_int_equal(join__retransmit(*state, &behind), 0);
	assert_int_equal(join__retransmit(*state, &early), 0);
	assert_int_equal(join__send(*state, &counted.send), 0);
	arrive(*state, ONE, 50, 1400);
	receive(*state, ONE, 40, 10, 1500);
	assert_settled(*state, 2000, 1);
	assert_int_equal(offers.joined[0].returned_ns, 1010);
	assert_int_equal(offers.joined[0].again_ns, 1300);
	assert_int_equal(offers.joined[0].full_ns, 0);
}

TEST(only_the_last_retransmissions_are_kept)
{
	struct record_retransmit again = {.channel = ONE, .position = 0};

	send(*state, OTHER, 0, 10, 100);
	for (again.at_ns = 1000; again.at_ns < 1100; again.at_ns++)
		assert_int_equal(join__retransmit(*state, &again), 0);
	receive(*state, OTHER, 0, 10, 200);
	assert_settled(*state, 2000, 1);
	assert_int_equal(offers.joined[0].again_ns, 0);
}

TEST(without_an_arrival_it_is_not_known)
{
	struct record_send open = make_send(1, ONE, 0, 100, 0);

	open.bytes = 10;
	assert_int_equal(join__send(*state, &open), 0);
	receive(*state, ONE, 0, 10, 200);
	assert_settled(*state, 1000, 1);
	assert_int_equal(offers.joined[0].send.queued_ns, 0);
}

TEST(a_refused_message_is_offered_again_and_an_accepted_one_is_not)
{
	offers.refuse = true;
	send(*state, ONE, 0, 10, 100);
	receive(*state, ONE, 0, 10, 200);
	assert_int_equal(join__settle(*state, 1000, offers_take, &offers), 0);
	assert_int_equal(offers.cnt, 1);
	assert_settled(*state, 1000, 1);
	assert_settled(*state, 1000, 0);
}

/* The refused one is in front: what is behind it must not come twice. */
static bool take_second(void *ctx, const struct joined *message)
{
	offers_take(ctx, message);
	return message->seq == 1;
}

TEST(messages_are_accepted_one_by_one)
{
	send(*state, ONE, 0, 10, 100);
	send(*state, ONE, 10, 10, 110);
	receive(*state, ONE, 0, 20, 200);
	assert_int_equal(join__settle(*state, 1000, take_second, &offers), 0);
	assert_int_equal(offers.cnt, 2);
	assert_settled(*state, 1000, 1);
	assert_message(&offers.joined[0], 0, 0, 200, 1);
}

TEST(streams_do_not_mix_and_come_in_the_order_of_receipt)
{
	send(*state, ONE, 0, 10, 100);
	send(*state, OTHER, 0, 10, 90);
	receive(*state, ONE, 0, 10, 200);
	receive(*state, OTHER, 0, 10, 300);
	assert_settled(*state, 1000, 2);
	assert_int_equal(offers.joined[0].send.channel, ONE);
	assert_int_equal(offers.joined[1].send.channel, OTHER);
}

TEST(bytes_without_a_send_are_left_over)
{
	receive(*state, ONE, 0, 10, 200);
	join__leftover(*state, offers_take, &offers);
	assert_int_equal(offers.cnt, 1);
	assert_false(offers.joined[0].has_send);
}

/* Only streams that have something open are looked at. */
TEST(what_comes_after_a_silence_is_joined_too)
{
	for (uint64_t i = 0; i < 4; i++) {
		send(*state, ONE, 10 * i, 10, 1000 * i + 100);
		receive(*state, ONE, 10 * i, 10, 1000 * i + 200);
		if (i % 2) {
			send(*state, OTHER, 20 * i, 20, 1000 * i + 100);
			receive(*state, OTHER, 20 * i, 20, 1000 * i + 300);
		}
		assert_settled(*state, 1000 * i + 500, 1 + i % 2);
		assert_message(&offers.joined[0], i, 10 * i, 1000 * i + 200, 1);
		assert_settled(*state, 1000 * i + 600, 0);
		assert_true(join__horizon(*state) == UINT64_MAX);
	}
	receive(*state, OTHER, 80, 20, 5000);
	assert_settled(*state, 6000, 0);
	send(*state, OTHER, 80, 20, 4900);
	assert_settled(*state, 7000, 1);
}

/* Also of one that is forgotten with something open. */
TEST(more_streams_than_there_is_room_for_do_no_harm)
{
	for (uint32_t i = 0; i < LRU_CHANNELS_MAX + 10; i++)
		receive(*state, CHANNEL_STREAM | (100 + i), 0, 10, 500);
	send(*state, CHANNEL_STREAM | 100, 0, 10, 400);
	assert_settled(*state, 1000, 0);
	send(*state, CHANNEL_STREAM | (100 + LRU_CHANNELS_MAX), 0, 10, 400);
	assert_settled(*state, 2000, 1);
}

TEST(the_horizon_is_the_oldest_open_send)
{
	assert_true(join__horizon(*state) == UINT64_MAX);
	send(*state, ONE, 0, 10, 100);
	send(*state, OTHER, 0, 10, 90);
	assert_int_equal(join__horizon(*state), 90);
	receive(*state, OTHER, 0, 10, 200);
	offers_settle(*state, 1000);
	assert_int_equal(join__horizon(*state), 100);
}

static bool is_other(void *ctx, const struct joined *message)
{
	return (message->has_send ? message->send.channel : message->receive.channel) == OTHER;
}

TEST(a_needless_message_keeps_no_history)
{
	receive(*state, OTHER, 0, 10, 100);
	assert_int_equal(join__horizon(*state), 0);
	join__let_go(*state, 90, is_other, NULL);
	assert_int_equal(join__horizon(*state), 0);
	join__let_go(*state, 300, is_other, NULL);
	assert_int_equal(join__horizon(*state), 300);
	send(*state, ONE, 0, 10, 200);
	join__let_go(*state, 400, is_other, NULL);
	assert_int_equal(join__horizon(*state), 200);
	/* A later message keeps its history at first. */
	receive(*state, ONE, 0, 10, 500);
	assert_settled(*state, 600, 1);
	send(*state, OTHER, 0, 20, 550);
	assert_int_equal(join__horizon(*state), 550);
	receive(*state, OTHER, 10, 10, 580);
	assert_settled(*state, 600, 1);
	assert_true(join__horizon(*state) == UINT64_MAX);
}

struct parts {
	struct joined joined[8];
	size_t cnt;
};

static void on_part(void *ctx, const struct joined *message)
{
	struct parts *parts = ctx;

	assert_true(parts->cnt < ARRAY_SIZE(parts->joined));
	parts->joined[parts->cnt++] = *message;
}

/*
 *	sends     | 0 |      1      |    2    |
 *	receives  |  a  |  b  |  c  |  d  |
 */
TEST(parts_of_messages_are_offered_once)
{
	struct parts parts = {0};

	join__on_part(*state, on_part, &parts);
	send(*state, ONE, 0, 10, 100);
	send(*state, ONE, 10, 30, 200);
	send(*state, ONE, 40, 20, 300);
	receive(*state, ONE, 0, 20, 400);
	receive(*state, ONE, 20, 10, 500);
	assert_settled(*state, 450, 1);
	assert_int_equal(parts.cnt, 1);
	assert_message(&parts.joined[0], 1, 10, 400, 1);
	assert_settled(*state, 450, 0);
	assert_int_equal(parts.cnt, 1);

	receive(*state, ONE, 30, 10, 600);
	receive(*state, ONE, 40, 10, 700);
	assert_settled(*state, 1000, 1);
	assert_message(&offers.joined[0], 1, 10, 600, 3);
	assert_int_equal(parts.cnt, 3);
	assert_message(&parts.joined[1], 1, 10, 500, 2);
	assert_message(&parts.joined[2], 2, 40, 700, 1);
	assert_left(*state, 1);
	assert_int_equal(parts.cnt, 3);
}

/* However sends overlap, there is room for one part per receive. */
TEST(a_receive_is_a_part_of_one_message)
{
	struct parts parts = {0};

	join__on_part(*state, on_part, &parts);
	for (int i = 0; i < 100; i++)
		send(*state, ONE, 0, 1000, 100);
	receive(*state, ONE, 0, 20, 400);
	receive(*state, ONE, 20, 20, 500);
	assert_settled(*state, 1000, 0);
	assert_int_equal(parts.cnt, 2);
}

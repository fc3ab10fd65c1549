/* SPDX-License-Identifier: BSD-2-Clause */
#include "support/build.h"
#include "support/offers.h"

#include <errno.h>

static void send(struct join *join, uint32_t channel, uint64_t position, uint64_t queued_ns)
{
	struct record_send send = make_send(1, channel, position, queued_ns - 5, queued_ns);

	assert_int_equal(join__send(join, &send), 0);
}

static void receive(struct join *join, uint32_t channel, uint64_t position, uint64_t exit_ns)
{
	struct record_receive receive = make_receive(2, channel, position, exit_ns - 5, exit_ns);

	assert_int_equal(join__receive(join, &receive, 3), 0);
}

EACH_TEST(offers_setup, offers_teardown)

TEST(both_ends_make_a_message)
{
	send(*state, 7, 3, 100);
	receive(*state, 7, 3, 200);
	assert_settled(*state, UINT64_MAX, 1);
	assert_true(offers.joined[0].has_send && offers.joined[0].has_receive);
	assert_int_equal(offers.joined[0].send.queued_ns, 100);
	assert_int_equal(offers.joined[0].receive.exit_ns, 200);
	assert_int_equal(offers.joined[0].change_cnt, 3);
}

TEST(a_receive_may_come_before_its_send)
{
	receive(*state, 7, 3, 200);
	assert_settled(*state, UINT64_MAX, 0);
	send(*state, 7, 3, 205);
	assert_settled(*state, UINT64_MAX, 1);
}

TEST(a_message_is_offered_once)
{
	send(*state, 7, 3, 100);
	receive(*state, 7, 3, 200);
	assert_settled(*state, UINT64_MAX, 1);
	assert_settled(*state, UINT64_MAX, 0);
	assert_left(*state, 0);
}

TEST(channel_and_position_both_have_to_fit)
{
	send(*state, 7, 3, 100);
	receive(*state, 7, 4, 200);
	receive(*state, 8, 3, 200);
	assert_settled(*state, UINT64_MAX, 0);
	assert_left(*state, 3);
}

TEST(large_positions_are_distinguished)
{
	send(*state, 7, 3, 100);
	receive(*state, 7, 3 + (1ULL << 32), 200);
	receive(*state, 7, UINT64_MAX, 200);
	assert_settled(*state, UINT64_MAX, 0);
}

TEST(messages_come_in_the_order_of_their_receive)
{
	static const uint64_t exits[] = {500, 200, 400, 300, 100};

	for (uint64_t i = 0; i < ARRAY_SIZE(exits); i++) {
		receive(*state, 7, i, exits[i]);
		send(*state, 7, i, 50 + i);
	}
	assert_settled(*state, UINT64_MAX, ARRAY_SIZE(exits));
	for (size_t i = 0; i < offers.cnt; i++)
		assert_int_equal(offers.joined[i].receive.exit_ns, 100 * (i + 1));
}

/* Two messages of one receive call; two receivers at the same instant. */
TEST(messages_of_one_instant_come_by_channel_and_position)
{
	send(*state, 8, 0, 10);
	send(*state, 7, 1, 10);
	send(*state, 7, 0, 10);
	receive(*state, 8, 0, 100);
	receive(*state, 7, 1, 100);
	receive(*state, 7, 0, 100);
	assert_settled(*state, UINT64_MAX, 3);
	assert_int_equal(offers.joined[0].send.channel, 7);
	assert_int_equal(offers.joined[0].send.position, 0);
	assert_int_equal(offers.joined[1].send.position, 1);
	assert_int_equal(offers.joined[2].send.channel, 8);
}

TEST(what_was_received_at_the_bound_waits)
{
	for (uint64_t i = 0; i < 3; i++) {
		send(*state, 7, i, 50);
		receive(*state, 7, i, 100 + i);
	}
	assert_settled(*state, 101, 1);
	assert_settled(*state, 101, 0);
	assert_settled(*state, 103, 2);
}

TEST(a_refused_message_is_offered_again)
{
	offers.refuse = true;
	send(*state, 7, 3, 100);
	receive(*state, 7, 3, 200);
	assert_int_equal(join__settle(*state, UINT64_MAX, offers_take, &offers), 0);
	join__leftover(*state, offers_take, &offers);
	assert_int_equal(offers.cnt, 2);
	assert_settled(*state, UINT64_MAX, 1);
}

TEST(a_receive_that_is_taken_back_may_go_elsewhere)
{
	struct record_receive back;
	size_t change_cnt = 0;

	send(*state, 7, 3, 100);
	assert_null(join__send_of(*state, 7, 3));
	assert_false(join__take_back(*state, 7, 3, &back, &change_cnt));
	receive(*state, 7, 3, 200);
	assert_int_equal(join__send_of(*state, 7, 3)->queued_ns, 100);
	assert_true(join__take_back(*state, 7, 3, &back, &change_cnt));
	assert_int_equal(back.exit_ns, 200);
	assert_int_equal(change_cnt, 3);
	assert_settled(*state, UINT64_MAX, 0);

	send(*state, 8, 4, 110);
	receive(*state, 8, 4, back.exit_ns);
	receive(*state, 7, 3, 300);
	assert_settled(*state, UINT64_MAX, 2);
	assert_int_equal(offers.joined[0].send.position, 4);
	assert_int_equal(offers.joined[1].receive.exit_ns, 300);
}

TEST(the_leftover_shows_which_end_is_missing)
{
	send(*state, 7, 0, 100);
	assert_left(*state, 1);
	assert_true(offers.joined[0].has_send && !offers.joined[0].has_receive);
	receive(*state, 7, 1, 100);
	assert_left(*state, 1);
	assert_true(!offers.joined[0].has_send && offers.joined[0].has_receive);
	assert_left(*state, 0);
}

TEST(what_gathers_while_the_watermark_stands_still_comes_when_it_moves)
{
	for (uint64_t position = 0; position < 10; position++) {
		send(*state, 7, position, 100 + 10 * position);
		receive(*state, 7, position, 105 + 10 * position);
		assert_settled(*state, 105, 0);
		assert_int_equal(join__horizon(*state), 95);
	}
	assert_settled(*state, 125, 2);
	assert_int_equal(join__horizon(*state), 115);
	assert_settled(*state, 125, 0);
	/* One comes late, from before it. */
	send(*state, 8, 0, 90);
	receive(*state, 8, 0, 95);
	assert_int_equal(join__horizon(*state), 85);
	assert_settled(*state, 125, 1);
	assert_settled(*state, UINT64_MAX, 8);
	assert_int_equal(join__horizon(*state), UINT64_MAX);
}

TEST(the_horizon_is_the_oldest_open_message)
{
	assert_int_equal(join__horizon(*state), UINT64_MAX);
	send(*state, 7, 0, 300);
	send(*state, 7, 1, 100);
	send(*state, 7, 2, 200);
	assert_int_equal(join__horizon(*state), 95);
	receive(*state, 7, 1, 400);
	assert_int_equal(join__horizon(*state), 95);
	offers_settle(*state, UINT64_MAX);
	assert_int_equal(join__horizon(*state), 195);
}

TEST(there_is_no_horizon_while_a_send_is_missing)
{
	send(*state, 7, 0, 300);
	receive(*state, 7, 1, 400);
	assert_int_equal(join__horizon(*state), 0);
	send(*state, 7, 1, 350);
	assert_int_equal(join__horizon(*state), 295);
}

/* Whatever is asked about, says whether channel 7 is needless. */
static bool is_channel_7(void *ctx, const struct joined *message)
{
	int *asked = ctx;

	assert_true(message->has_send != message->has_receive);
	++*asked;
	return (message->has_send ? message->send.channel : message->receive.channel) == 7;
}

TEST(a_needless_message_keeps_no_history)
{
	int asked = 0;

	send(*state, 7, 0, 100);
	send(*state, 8, 0, 200);
	receive(*state, 7, 1, 300);
	join__let_go(*state, 250, is_channel_7, &asked);
	assert_int_equal(asked, 2);
	assert_int_equal(join__horizon(*state), 0);
	join__let_go(*state, 350, is_channel_7, &asked);
	assert_int_equal(join__horizon(*state), 195);
	receive(*state, 8, 0, 400);
	assert_settled(*state, UINT64_MAX, 1);
	assert_int_equal(join__horizon(*state), UINT64_MAX);
	assert_left(*state, 2);
}

TEST(what_was_let_go_may_still_become_a_message)
{
	int asked = 0;

	send(*state, 7, 0, 100);
	receive(*state, 7, 1, 110);
	join__let_go(*state, UINT64_MAX, is_channel_7, &asked);
	assert_int_equal(join__horizon(*state), UINT64_MAX);
	receive(*state, 7, 0, 500);
	assert_int_equal(join__horizon(*state), 95);
	send(*state, 7, 1, 90);
	assert_int_equal(join__horizon(*state), 85);
	/* They have both ends. */
	join__let_go(*state, UINT64_MAX, is_channel_7, &asked);
	assert_int_equal(join__horizon(*state), 85);
	assert_settled(*state, UINT64_MAX, 2);
	assert_int_equal(join__horizon(*state), UINT64_MAX);
}

TEST(a_message_let_go_may_be_recorded_again)
{
	int asked = 0;

	receive(*state, 7, 0, 110);
	join__let_go(*state, UINT64_MAX, is_channel_7, &asked);
	receive(*state, 7, 0, 120);
	assert_int_equal(join__horizon(*state), 0);
	send(*state, 7, 0, 100);
	assert_int_equal(join__horizon(*state), 95);
	assert_settled(*state, UINT64_MAX, 1);
	assert_int_equal(join__horizon(*state), UINT64_MAX);
}

TEST(too_many_open_messages_are_refused)
{
	struct record_send one_more = make_send(1, 8, 0, 5, 10);
	struct record_receive its_end = make_receive(2, 8, 0, 15, 20);

	for (uint64_t i = 0; i < JOIN_PENDING_MAX; i++)
		send(*state, 7, i, 10 + i);
	assert_int_equal(join__send(*state, &one_more), -ENOSPC);
	assert_int_equal(join__receive(*state, &its_end, 0), -ENOSPC);
	receive(*state, 7, 5, 100); /* completes an open one */
	assert_settled(*state, UINT64_MAX, 1);
	assert_int_equal(join__send(*state, &one_more), 0);
}

/* A stream without known sends, or whose sends were refused. */
TEST(too_many_receives_from_streams_are_refused)
{
	const uint32_t stream = CHANNEL_STREAM | 7;
	struct record_arrival arrival = make_arrival(stream, 10, 5);
	struct record_receive more = make_receive(2, stream, 0, 1000, 2000);
	struct record_send sent = make_send(1, stream, 0, 1, 5);

	sent.bytes = more.bytes = 1;
	for (more.position = 0; more.position < JOIN_PENDING_MAX; more.position++)
		assert_int_equal(join__receive(*state, &more, 0), 0);
	assert_int_equal(join__receive(*state, &more, 0), -ENOSPC);
	assert_int_equal(join__arrival(*state, &arrival), -ENOSPC);
	assert_int_equal(join__send(*state, &sent), 0);
	assert_settled(*state, UINT64_MAX, 1);
	assert_int_equal(join__receive(*state, &more, 0), 0);
}

TEST(a_drop_needs_a_send_without_a_receive)
{
	assert_int_equal(join__drop(*state, 7, 3), 0);
	receive(*state, 7, 3, 200);
	assert_int_equal(join__drop(*state, 7, 3), 0);
	send(*state, 7, 3, 100);
	assert_int_equal(join__drop(*state, 7, 3), 0);
	send(*state, 7, 4, 110);
	assert_int_equal(join__drop(*state, 8, 4), 0);
	assert_int_equal(join__drop(*state, 7, 4), 1);
	assert_settled(*state, UINT64_MAX, 1);
	assert_left(*state, 1);
	assert_int_equal(offers.joined[0].send.queued_ns, 0);
}

/* What was queued then needs the history; what never was does not. */
TEST(a_drop_lets_the_history_go)
{
	send(*state, 7, 3, 100);
	send(*state, 7, 4, 300);
	assert_int_equal(join__horizon(*state), 95);
	assert_int_equal(join__drop(*state, 7, 3), 1);
	assert_int_equal(join__horizon(*state), 295);
}

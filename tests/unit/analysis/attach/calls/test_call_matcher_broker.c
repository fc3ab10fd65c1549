/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A client and a peer are connected to a broker, SERVER, which has the name of both connections.
 * The peer may serve.
 */
#include "support/conversation.h"

enum { PEER = 300, PEER_END = 21, BROKER_END = 22, FROM_PEER = 3, TO_PEER = 4 };

static int setup(void **state)
{
	int err = conversation_setup_named(state);

	if (err)
		return err;
	add_channel(FROM_PEER, PEER_END, BROKER_END);
	add_channel(TO_PEER, BROKER_END, PEER_END);
	add_name(FROM_PEER, ADDRESS_OF_RECEIVER);
	add_name(TO_PEER, ADDRESS_OF_SENDER);
	return 0;
}

static void to_peer(uint64_t send_ns, uint64_t recv_ns)
{
	say(TO_PEER, SERVER, PEER, send_ns, recv_ns);
}

static void from_peer(uint64_t send_ns, uint64_t recv_ns)
{
	say(FROM_PEER, PEER, SERVER, send_ns, recv_ns);
}

/* From `at_ns` to 500 ns later; of that, 300 ns are a call of the broker to the peer. */
static void forward(uint64_t at_ns)
{
	request(at_ns, at_ns + 100);
	to_peer(at_ns + 110, at_ns + 120);
	from_peer(at_ns + 390, at_ns + 410);
	answer(at_ns + 420, at_ns + 500);
}

EACH_TEST(setup, conversation_teardown)

TEST(a_call_through_a_broker_has_two_legs)
{
	for (uint64_t i = 0; i < 5; i++)
		forward(1000 * (i + 1));
	assert_sums(10, 5 * (500 + 300), 5 * (100 + 10), 5 * (320 + 270), 5 * (80 + 20));
	assert_int_equal(calls.guessed, 5);
	assert_int_equal(calls.unasked, 0);
}

TEST(the_call_to_the_peer_is_nested_in_that_of_the_client)
{
	forward(1000);
	request(2000, 2100); /* then the call before it is complete */
	assert_int_equal(last_call.channel, TO_SERVER);
	assert_int_equal(last_call.nested, 1);
	assert_int_equal(last_call.nested_ns, 300);
	assert_int_equal(last_call.callee_cnt, 1);
	assert_int_equal(last_call.callee[0].channel, TO_PEER);
	assert_int_equal(last_call.callee[0].ns, 300);
	assert_int_equal(call_matcher__finish(matcher), 0);
	assert_int_equal(last_call.channel, TO_PEER);
	assert_int_equal(last_call.parent, 1);
	assert_int_equal(last_call.parent_channel, TO_SERVER);
}

/* What a publisher sends is passed on. The peer asks for something much later. */
TEST(a_subscriber_does_not_serve)
{
	request(1000, 1100);
	to_peer(1110, 1120);
	answer(1130, 1140);
	request(2000, 2100);
	to_peer(2110, 2120);
	answer(2130, 2140);
	from_peer(5000, 5010);
	to_peer(5020, 5030);
	assert_sums(3, 2 * 140 + 30, 2 * 100 + 10, 2 * 30 + 10, 2 * 10 + 10);
	assert_int_equal(calls.guessed, 0);
}

/* The publisher had its answer before the subscriber acknowledged. */
TEST(a_subscriber_that_acknowledges_does_not_serve)
{
	for (uint64_t i = 1; i < 5; i++) {
		request(1000 * i, 1000 * i + 100);
		to_peer(1000 * i + 110, 1000 * i + 120);
		answer(1000 * i + 130, 1000 * i + 140);
		from_peer(1000 * i + 200, 1000 * i + 210);
	}
	assert_int_equal(call_matcher__finish(matcher), 0);
	assert_int_equal(calls.guessed, 0);
}

/* The user asks about the peer: what the broker does is not known. */
TEST(a_target_that_is_sent_the_first_message_serves)
{
	ends.was_idle = true;
	for (uint64_t i = 1; i < 5; i++) {
		ends.target = SERVER_RECEIVES;
		to_peer(1000 * i, 1000 * i + 10);
		ends.target = SERVER_SENDS;
		from_peer(1000 * i + 300, 1000 * i + 320);
	}
	assert_sums(4, 4 * 320, 4 * 10, 4 * 290, 4 * 20);
	assert_int_equal(calls.guessed, 4);
}

/* When tracing begins, the first message may be an answer. */
TEST(the_first_message_of_a_busy_connection_says_nothing)
{
	ends.target = SERVER_RECEIVES;
	to_peer(1000, 1010);
	ends.target = SERVER_SENDS;
	from_peer(1300, 1320);
	ends.target = SERVER_RECEIVES;
	to_peer(1400, 1410);
	assert_sums(1, 110, 20, 80, 10);
	assert_int_equal(calls.guessed, 0);
}

/* A client that waits for events: they come without a request. */
TEST(a_target_that_does_not_answer_does_not_serve)
{
	ends.was_idle = true;
	ends.target = SERVER_RECEIVES;
	to_peer(1000, 1010);
	to_peer(2000, 2010);
	ends.target = SERVER_SENDS;
	from_peer(3000, 3010);
	ends.target = SERVER_RECEIVES;
	to_peer(3020, 3030);
	assert_sums(1, 30, 10, 10, 10);
	assert_int_equal(calls.guessed, 0);
}

TEST(after_some_answers_the_peer_serves_for_good)
{
	for (uint64_t i = 0; i < 5; i++)
		forward(1000 * (i + 1));
	to_peer(7000, 7010); /* has no answer */
	to_peer(7020, 7030);
	from_peer(7100, 7110);
	assert_int_equal(call_matcher__finish(matcher), 0);
	assert_int_equal(calls.guessed, 6);
}

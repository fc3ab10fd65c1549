/* SPDX-License-Identifier: BSD-2-Clause */
/* Which end of a connection is the client. */
#include "support/conversation.h"

EACH_TEST(conversation_setup, conversation_teardown)

TEST(the_sender_of_the_first_message_counts_as_the_client)
{
	connect_both();
	say(TO_CLIENT, SERVER, CLIENT, 100, 200);
	say(TO_SERVER, CLIENT, SERVER, 500, 600);
	assert_sums(1, 500, 100, 300, 100);
	assert_int_equal(called[0], TO_CLIENT);
	assert_int_equal(calls.guessed, 1);
}

static void connect_unnamed(bool is_new)
{
	struct record_baseline there = make_baseline(TO_SERVER, 0, is_new);
	struct record_baseline back = make_baseline(TO_CLIENT, 0, is_new);

	connect_both();
	add_name(TO_SERVER, 0);
	add_name(TO_CLIENT, 0);
	direction_of(there.channel)->is_new |= there.is_new;
	direction_of(back.channel)->is_new |= back.is_new;
}

/* A pair of sockets: the first that was seen may be the answer to what was not. */
TEST(without_names_the_first_sender_of_an_old_connection_is_a_guess)
{
	connect_unnamed(false);
	request(100, 200);
	answer(500, 600);
	assert_sums(1, 500, 100, 300, 100);
	assert_int_equal(calls.guessed, 1);
}

TEST(without_names_the_only_target_serves)
{
	connect_unnamed(false);
	ends.target = SERVER_SENDS;
	answer(50, 60);
	ends.target = SERVER_RECEIVES;
	request(100, 200);
	ends.target = SERVER_SENDS;
	answer(500, 600);
	assert_sums(1, 500, 100, 300, 100);
	assert_int_equal(calls.guessed, 0);
	assert_int_equal(calls.unasked, 1);
}

/* It asks others in its turn. While a call may be under way, its answer may be seen first. */
TEST(a_target_that_sends_first_over_udp_asks)
{
	connect_unnamed(false);
	direction_of(TO_SERVER)->is_udp = direction_of(TO_CLIENT)->is_udp = true;
	ends.was_idle = true;
	ends.target = SERVER_SENDS;
	request(100, 200);
	ends.target = SERVER_RECEIVES;
	answer(500, 600);
	assert_sums(1, 500, 100, 300, 100);
	assert_int_equal(calls.guessed, 0);
	assert_int_equal(calls.unasked, 0);
}

TEST(what_the_user_says_counts_more_than_a_name)
{
	connect_named();
	ends.asked = SERVER_RECEIVES; /* the named end calls */
	say(TO_CLIENT, SERVER, CLIENT, 100, 200);
	ends.asked = SERVER_SENDS;
	say(TO_SERVER, CLIENT, SERVER, 500, 600);
	assert_sums(1, 500, 100, 300, 100);
	assert_int_equal(called[0], TO_CLIENT);
	assert_int_equal(calls.guessed, 0);
}

static int say_over_pipe(uint32_t channel, uint32_t sender, uint32_t receiver, uint64_t send_ns,
			 uint64_t recv_ns)
{
	struct call_direction direction = {0};
	const struct message message = {
		.channel = channel,
		.sender = {.tid = sender},
		.receiver = {.tid = receiver},
		.send_ns = send_ns,
		.recv_ns = recv_ns,
	};

	call_direction_pipe(&direction, sender, receiver);
	return call_matcher__message(matcher, &direction, &message, &ends);
}

TEST(two_pipes_between_two_processes_are_a_connection)
{
	ends.target = SERVER_RECEIVES;
	say_over_pipe(TO_SERVER, CLIENT, SERVER, 100, 200);
	ends.target = SERVER_SENDS;
	say_over_pipe(TO_CLIENT, SERVER, CLIENT, 500, 600);
	assert_sums(1, 500, 100, 300, 100);
}

/* Standard error, say. */
TEST(a_third_pipe_between_them_is_left_out)
{
	say_over_pipe(TO_SERVER, CLIENT, SERVER, 100, 200);
	say_over_pipe(TO_CLIENT, SERVER, CLIENT, 500, 600);
	say_over_pipe(7, SERVER, CLIENT, 620, 630);
	say_over_pipe(TO_SERVER, CLIENT, SERVER, 700, 800);
	say_over_pipe(TO_CLIENT, SERVER, CLIENT, 900, 1000);
	assert_sums(2, 500 + 300, 200, 300 + 100, 200);
	assert_int_equal(calls.unasked, 0);
}

/* A pipeline: nothing ever comes back, and no history is kept for it. */
TEST(one_pipe_alone_has_no_calls)
{
	for (uint64_t i = 0; i < 100; i++)
		say_over_pipe(TO_SERVER, CLIENT, SERVER, 100 + 10 * i, 105 + 10 * i);
	assert_int_equal(call_matcher__horizon(matcher, 0), 100 + 10 * 99);
	assert_sums(0, 0, 0, 0, 0);
}

TEST(a_process_that_writes_to_itself_has_no_calls)
{
	say_over_pipe(TO_SERVER, CLIENT, CLIENT, 100, 200);
	say_over_pipe(TO_SERVER, CLIENT, CLIENT, 300, 400);
	assert_sums(0, 0, 0, 0, 0);
}

/* Also a target. */
TEST(without_names_the_first_sender_of_a_new_connection_is_the_client)
{
	struct message first = {.channel = TO_SERVER, .send_ns = 100, .recv_ns = 200};

	connect_unnamed(true);
	ends.target = SERVER_SENDS;
	call_matcher__message(matcher, direction_of(first.channel), &first, &ends);
	ends.target = SERVER_UNKNOWN;
	answer(500, 600);
	request(700, 800);
	answer(900, 1000);
	assert_sums(2, 500 + 300, 200, 300 + 100, 200);
	assert_int_equal(called[0], TO_SERVER);
	assert_int_equal(calls.guessed, 0);
}

/* The positions of TCP are known from the start, whatever was sent before. */
TEST(whether_a_tcp_connection_is_new_is_not_known)
{
	struct record_channel there =
		make_channel(TO_SERVER, TRANSPORT_TCP, CLIENT_END, SERVER_END);
	struct record_baseline baseline = make_baseline(TO_SERVER, 0, true);
	struct message first = {.channel = TO_SERVER, .send_ns = 100, .recv_ns = 200};

	call_direction_channel(direction_of(there.channel), &there);
	direction_of(baseline.channel)->is_new |= baseline.is_new;
	add_channel(TO_CLIENT, SERVER_END, CLIENT_END);
	add_ports(TO_SERVER, 40000, 40001);
	ends.target = SERVER_SENDS;
	call_matcher__message(matcher, direction_of(first.channel), &first, &ends);
	ends.target = SERVER_UNKNOWN;
	answer(500, 600);
	request(700, 800);
	assert_sums(1, 300, 100, 100, 100);
	assert_int_equal(called[0], TO_CLIENT);
	assert_int_equal(calls.guessed, 0); /* the target serves */
}

/* Attached in the middle of a call: its answer is the first thing that is seen. */
TEST(a_name_shows_the_server_whatever_comes_first)
{
	connect_named();
	answer(50, 60);
	request(100, 200);
	answer(500, 600);
	assert_sums(1, 500, 100, 300, 100);
	assert_int_equal(called[0], TO_SERVER);
}

/* The name of one direction is missing, and that direction is seen first. */
TEST(the_server_may_be_learned_later)
{
	connect_both();
	add_name(TO_SERVER, ADDRESS_OF_RECEIVER);
	answer(50, 60);
	request(100, 200);
	assert_int_equal(calls.count, 0);
	answer(500, 600);
	assert_sums(1, 500, 100, 300, 100);
	assert_int_equal(called[0], TO_SERVER);
}

TEST(two_names_say_nothing)
{
	connect_both();
	add_name(TO_SERVER, ADDRESS_OF_RECEIVER | ADDRESS_OF_SENDER);
	add_name(TO_CLIENT, ADDRESS_OF_RECEIVER | ADDRESS_OF_SENDER);
	answer(50, 60);
	request(100, 200);
	assert_sums(1, 150, 10, 40, 100);
	assert_int_equal(called[0], TO_CLIENT);
}

TEST(the_lower_port_serves)
{
	connect_both();
	add_ports(TO_SERVER, 40000, 80);
	add_ports(TO_CLIENT, 80, 40000);
	answer(50, 60);
	request(100, 200);
	answer(500, 600);
	assert_sums(1, 500, 100, 300, 100);
}

TEST(equal_ports_say_nothing)
{
	connect_both();
	add_ports(TO_SERVER, 7000, 7000);
	add_ports(TO_CLIENT, 7000, 7000);
	request(100, 200);
	answer(500, 600);
	assert_sums(1, 500, 100, 300, 100);
}

/* Cookies may be in either order; only the end that has the name counts. */
TEST(a_server_with_the_lower_cookie_is_one_as_well)
{
	add_channel(TO_SERVER, SERVER_END, CLIENT_END);
	add_channel(TO_CLIENT, CLIENT_END, SERVER_END);
	add_name(TO_SERVER, ADDRESS_OF_RECEIVER);
	add_name(TO_CLIENT, ADDRESS_OF_SENDER);
	answer(50, 60);
	request(100, 200);
	answer(500, 600);
	assert_sums(1, 500, 100, 300, 100);
}

/* Its receiver came first; the two records may overtake one another. */
TEST(the_record_of_the_sender_may_come_later)
{
	add_channel(TO_SERVER, 0, SERVER_END);
	add_channel(TO_SERVER, CLIENT_END, SERVER_END);
	add_channel(TO_CLIENT, SERVER_END, CLIENT_END);
	add_channel(TO_CLIENT, 0, CLIENT_END);
	request(100, 200);
	answer(500, 600);
	assert_sums(1, 500, 100, 300, 100);
}

/* A direction between the same two addresses; `server` is the end with a name. */
static struct connection_ends udp_ends(enum server_end server, uint32_t sender, uint32_t receiver)
{
	struct call_direction direction = {
		.ends = {.low = 10, .high = 20},
		.from_low = server == SERVER_RECEIVES,
		.server = server,
	};

	call_direction_processes(&direction, TRANSPORT_UDP, sender, receiver);
	return direction.ends;
}

static bool same_ends(struct connection_ends one, struct connection_ends other)
{
	return one.low == other.low && one.high == other.high;
}

/* As in two containers. Any process of a server may answer. */
TEST(the_same_addresses_of_other_clients_are_other_connections)
{
	const struct connection_ends ends = udp_ends(SERVER_RECEIVES, 301, 401);

	assert_true(same_ends(ends, udp_ends(SERVER_SENDS, 401, 301)));
	assert_true(same_ends(ends, udp_ends(SERVER_SENDS, 402, 301)));
	assert_false(same_ends(ends, udp_ends(SERVER_RECEIVES, 302, 402)));
	assert_false(same_ends(ends, udp_ends(SERVER_SENDS, 402, 302)));
}

/* Nothing but the first message shows which end serves. A thread is its process here. */
static void say_udp(bool from_low, uint32_t sender, uint32_t receiver, uint64_t send_ns,
		    uint64_t recv_ns)
{
	struct call_direction direction = {.ends = {.low = 10, .high = 20}, .from_low = from_low};
	const struct message message = {.channel = sender,
					.sender = {.tid = sender},
					.receiver = {.tid = receiver},
					.send_ns = send_ns,
					.recv_ns = recv_ns};

	call_matcher__set_processes(matcher, &direction, &ends, TRANSPORT_UDP, sender, receiver);
	assert_int_equal(direction.server, SERVER_UNKNOWN);
	assert_true(call_matcher__message(matcher, &direction, &message, &ends) >= 0);
}

TEST(without_names_the_process_that_asked_first_tells_connections_apart)
{
	say_udp(true, 301, 401, 100, 110);
	say_udp(true, 302, 402, 105, 115);
	say_udp(false, 402, 302, 200, 210);
	say_udp(false, 401, 301, 300, 310);
	assert_sums(2, 315, 20, 275, 20);
}

/* The socket of the server is open in both of its processes. */
TEST(another_process_of_an_unnamed_server_may_answer)
{
	say_udp(true, 301, 401, 100, 200);
	say_udp(false, 402, 301, 500, 600);
	assert_sums(1, 500, 100, 300, 100);
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* Which end of a connection is the client. */
#include "support/conversation.h"

static void the_sender_of_the_first_message_counts_as_the_client(void **state)
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
	call_direction_baseline(direction_of(there.channel), &there);
	call_direction_baseline(direction_of(back.channel), &back);
}

/* A pair of sockets: the first that was seen may be the answer to what was not. */
static void without_names_an_old_connection_has_no_calls(void **state)
{
	connect_unnamed(false);
	assert_int_equal(request(100, 200), 0);
	assert_int_equal(request(150, 250), 0);
	assert_int_equal(answer(500, 600), 1); /* perhaps */
	assert_int_equal(request(700, 800), 1);
	assert_sums(0, 0, 0, 0, 0);
	assert_true(call_matcher__horizon(matcher) == UINT64_MAX);
}

/* Also a target. */
static void without_names_the_first_sender_of_a_new_connection_is_the_client(void **state)
{
	struct message first = {.channel = TO_SERVER, .send_ns = 100, .recv_ns = 200};

	connect_unnamed(true);
	call_matcher__message(matcher, direction_of(first.channel), &first, true, lines,
			      serving.blame, &calls, on_call, &calls);
	answer(500, 600);
	request(700, 800);
	answer(900, 1000);
	assert_sums(2, 500 + 300, 200, 300 + 100, 200);
	assert_int_equal(called[0], TO_SERVER);
	assert_int_equal(calls.guessed, 0);
}

/* The positions of TCP are known from the start, whatever was sent before. */
static void whether_a_tcp_connection_is_new_is_not_known(void **state)
{
	struct record_channel there =
		make_channel(TO_SERVER, TRANSPORT_TCP, CLIENT_END, SERVER_END);
	struct record_baseline baseline = make_baseline(TO_SERVER, 0, true);
	struct message first = {.channel = TO_SERVER, .send_ns = 100, .recv_ns = 200};

	call_direction_channel(direction_of(there.channel), &there);
	call_direction_baseline(direction_of(baseline.channel), &baseline);
	add_channel(TO_CLIENT, SERVER_END, CLIENT_END);
	add_ports(TO_SERVER, 40000, 40001);
	call_matcher__message(matcher, direction_of(first.channel), &first, true, lines,
			      serving.blame, &calls, on_call, &calls);
	answer(500, 600);
	request(700, 800);
	assert_sums(1, 300, 100, 100, 100);
	assert_int_equal(called[0], TO_CLIENT);
	assert_int_equal(calls.guessed, 1);
}

/* Attached in the middle of a call: its answer is the first thing that is seen. */
static void a_name_shows_the_server_whatever_comes_first(void **state)
{
	connect_named();
	answer(50, 60);
	request(100, 200);
	answer(500, 600);
	assert_sums(1, 500, 100, 300, 100);
	assert_int_equal(called[0], TO_SERVER);
}

/* The name of one direction is missing, and that direction is seen first. */
static void the_server_may_be_learned_later(void **state)
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

static void two_names_say_nothing(void **state)
{
	connect_both();
	add_name(TO_SERVER, ADDRESS_OF_RECEIVER | ADDRESS_OF_SENDER);
	add_name(TO_CLIENT, ADDRESS_OF_RECEIVER | ADDRESS_OF_SENDER);
	answer(50, 60);
	request(100, 200);
	assert_sums(1, 150, 10, 40, 100);
	assert_int_equal(called[0], TO_CLIENT);
}

static void the_lower_port_serves(void **state)
{
	connect_both();
	add_ports(TO_SERVER, 40000, 80);
	add_ports(TO_CLIENT, 80, 40000);
	answer(50, 60);
	request(100, 200);
	answer(500, 600);
	assert_sums(1, 500, 100, 300, 100);
}

static void equal_ports_say_nothing(void **state)
{
	connect_both();
	add_ports(TO_SERVER, 7000, 7000);
	add_ports(TO_CLIENT, 7000, 7000);
	request(100, 200);
	answer(500, 600);
	assert_sums(1, 500, 100, 300, 100);
}

/* Cookies may be in either order; only the end that has the name counts. */
static void a_server_with_the_lower_cookie_is_one_as_well(void **state)
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
static void the_record_of_the_sender_may_come_later(void **state)
{
	add_channel(TO_SERVER, 0, SERVER_END);
	add_channel(TO_SERVER, CLIENT_END, SERVER_END);
	add_channel(TO_CLIENT, SERVER_END, CLIENT_END);
	add_channel(TO_CLIENT, 0, CLIENT_END);
	request(100, 200);
	answer(500, 600);
	assert_sums(1, 500, 100, 300, 100);
}

#define TEST(function)                                                                             \
	cmocka_unit_test_setup_teardown(function, conversation_setup, conversation_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(the_sender_of_the_first_message_counts_as_the_client),
		TEST(without_names_an_old_connection_has_no_calls),
		TEST(without_names_the_first_sender_of_a_new_connection_is_the_client),
		TEST(whether_a_tcp_connection_is_new_is_not_known),
		TEST(a_name_shows_the_server_whatever_comes_first),
		TEST(the_server_may_be_learned_later),
		TEST(two_names_say_nothing),
		TEST(the_lower_port_serves),
		TEST(equal_ports_say_nothing),
		TEST(a_server_with_the_lower_cookie_is_one_as_well),
		TEST(the_record_of_the_sender_may_come_later),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

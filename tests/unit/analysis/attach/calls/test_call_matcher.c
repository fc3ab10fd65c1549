/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Calls among the messages of a connection between a client and a server, by hand:
 *
 *	100          200                    500             600
 *	 |--request---|-------service--------|---response----|
 *
 * The client is known here. Messages come in the order of their receive, as in the analysis.
 */
#include "support/conversation.h"

#include <time.h>

EACH_TEST(conversation_setup_named, conversation_teardown)

TEST(the_parts_add_up_to_the_round_trip)
{
	assert_int_equal(request(100, 200), 0);
	assert_int_equal(answer(500, 600), 1);
	assert_sums(1, 500, 100, 300, 100);
	assert_int_equal(called[0], TO_SERVER);
	assert_int_equal(last_call.match, CALL_ALONE);
	assert_int_equal(last_call.client.tid, CLIENT);
	assert_int_equal(last_call.server.tid, SERVER);
}

/* Both ends make a channel at the same time; the ADDRESS of the late one precedes the CHANNEL of
 * the other. */
TEST_WITH(an_address_may_come_before_its_channel, conversation_setup, conversation_teardown)
{
	add_name(TO_SERVER, ADDRESS_OF_RECEIVER);
	connect_both();
	request(100, 200);
	answer(500, 600);
	assert_sums(1, 500, 100, 300, 100);
	assert_int_equal(calls.guessed, 0);
}

TEST(a_request_of_several_messages_is_one_call)
{
	request(100, 200);
	request(110, 220);
	request(120, 240);
	answer(500, 600);
	assert_sums(1, 500, 140, 260, 100);
	assert_int_equal(last_call.requests, 3);
	assert_int_equal(calls.in_parts, 1);
}

/* The client sends another request while one is open: from then on answers may be of either. */
TEST(a_request_received_at_the_very_instant_of_the_answer_is_answered)
{
	request(100, 500);
	answer(500, 600);
	assert_sums(1, 500, 400, 0, 100);
}

/* Its receiver was found after its answer. The next answer is that of another request. */
TEST(a_late_request_gets_the_unasked_answer)
{
	answer(500, 600);
	assert_int_equal(calls.unasked, 1);
	request(100, 500);
	assert_sums(1, 500, 400, 0, 100);
	assert_int_equal(called[0], TO_SERVER);
	assert_int_equal(calls.unasked, 0);
	assert_int_equal(call_matcher__horizon(matcher, 0), UINT64_MAX);
	request(610, 650);
	answer(700, 800);
	assert_sums(2, 500 + 190, 400 + 40, 50, 200);
}

/* Its answer may be any of those that other requests had. */
TEST(a_late_request_that_may_be_anothers_is_no_call_of_its_own)
{
	request(100, 200);
	answer(500, 600);
	request(110, 250);
	assert_sums(1, 500, 150, 250, 100);
	assert_int_equal(last_call.requests, 2);
}

TEST(a_closed_connection_answers_no_late_request)
{
	request(10, 20);
	answer(30, 40);
	answer(500, 600);
	add_channel(TO_SERVER + 4, CLIENT_END, SERVER_END); /* with the same addresses and ports */
	say(TO_SERVER + 4, CLIENT, SERVER, 100, 450);
	assert_sums(1, 590, 10, 10, 570);
}

TEST(an_answer_ends_with_its_last_message)
{
	request(100, 200);
	answer(500, 600);
	assert_int_equal(answer(510, 610), 1);
	assert_int_equal(answer(1520, 1620), 1);
	request(1700, 1800);
	answer(1900, 2000);
	assert_sums(2, 1520 + 300, 200, 300 + 100, 1120 + 100);
	assert_int_equal(calls.response_first.sum, 100 + 100);
	assert_int_equal(calls.unasked, 0);
}

static void connect_other(void)
{
	add_channel(3, 21, SERVER_END + 1);
	add_name(3, ADDRESS_OF_RECEIVER);
}

/* A subscriber: what a server passes on is no part of the answer before it. */
TEST(what_another_client_caused_is_no_part_of_an_answer)
{
	connect_other();
	request(100, 200);
	answer(500, 600);
	answer(510, 610);
	put_sleep(SERVER, CHANGE_POLL_IN, 620, 0);
	say(3, CLIENT + 1, SERVER, 700, 800);
	assert_int_equal(answer(810, 900), 0);
	assert_sums(1, 510, 100, 300, 110);
	assert_int_equal(calls.unasked, 1);
	assert_int_equal(calls.undecided, 1);
}

/* The server found both when it looked, or works on several answers at a time. */
TEST(a_server_that_did_not_sleep_goes_on_with_its_answer)
{
	connect_other();
	request(100, 200);
	answer(500, 600);
	say(3, CLIENT + 1, SERVER, 700, 800);
	assert_int_equal(answer(810, 900), 1);
	assert_sums(1, 800, 100, 300, 400);
}

/* A subscriber acknowledges what it gets: that is no request for what follows. */
TEST(what_is_acknowledged_is_not_asked_for)
{
	connect_other();
	for (uint64_t i = 0; i < 10; i++) {
		uint64_t at_ns = 10000 * (i + 1);

		request(at_ns, at_ns + 10); /* the acknowledgement of the last one */
		put_sleep(SERVER, CHANGE_POLL_IN, at_ns + 20, 4 * i);
		say(3, CLIENT + 1, SERVER, at_ns + 5000, at_ns + 5010);
		answer(at_ns + 5020, at_ns + 5030);
	}
	assert_sums(0, 0, 0, 0, 0);
	assert_int_equal(calls.undecided, 10);
}

/* A proxy: it asks its backend before it sleeps. */
TEST(a_server_that_sent_something_for_the_request_answers_it)
{
	connect_other();
	add_channel(5, SERVER_END + 2, 31);
	add_name(5, ADDRESS_OF_RECEIVER);
	request(100, 200);
	say(5, SERVER, WORKER, 210, 220);
	put_sleep(SERVER, CHANGE_POLL_IN, 230, 0);
	say(3, CLIENT + 1, SERVER, 300, 310);
	answer(500, 600);
	assert_int_equal(call_matcher__finish(matcher), 0);
	assert_int_equal(calls.count, 1);
}

/* The answer is larger than the buffers: meanwhile the server answers others. */
TEST(a_large_answer_goes_on_while_the_server_does_something_else)
{
	struct message part = {.channel = TO_CLIENT,
			       .sender = {.tid = SERVER},
			       .receiver = {.tid = CLIENT},
			       .bytes = 100000,
			       .send_ns = 500,
			       .recv_ns = 600};

	add_channel(3, 21, SERVER_END + 1);
	add_name(3, ADDRESS_OF_RECEIVER);
	request(100, 200);
	call_matcher__message(matcher, direction_of(TO_CLIENT), &part, &ends);
	put_sleep(SERVER, CHANGE_POLL_IN, 620, 0);
	say(3, CLIENT + 1, SERVER, 700, 800);
	answer(810, 900);
	assert_sums(1, 800, 100, 300, 400);
}

/* The client has not received the part before: the answer is still under way. */
TEST(a_part_that_follows_at_once_belongs_to_the_answer)
{
	add_channel(3, 21, SERVER_END + 1);
	add_name(3, ADDRESS_OF_RECEIVER);
	request(100, 200);
	say(3, CLIENT + 1, SERVER, 510, 520);
	answer(500, 600);
	answer(530, 700);
	assert_sums(1, 600, 100, 300, 200);
}

TEST(what_a_server_says_by_itself_answers_nothing)
{
	assert_int_equal(answer(10, 20), 0);
	request(100, 200);
	assert_int_equal(answer(150, 250), 0); /* sent before the request was received */
	answer(500, 600);
	assert_sums(1, 500, 100, 300, 100);
}

TEST(connections_do_not_answer_for_one_another)
{
	add_channel(3, 21, SERVER_END + 1);
	add_channel(4, SERVER_END + 1, 21);
	add_name(3, ADDRESS_OF_RECEIVER);
	add_name(4, ADDRESS_OF_SENDER);
	request(100, 200);
	say(4, SERVER, CLIENT, 300, 400);
	assert_int_equal(calls.count, 0);
	say(3, CLIENT, SERVER, 410, 420);
	say(4, SERVER, CLIENT, 500, 600);
	assert_sums(1, 190, 10, 80, 100);
	assert_int_equal(called[0], 3);
}

/* Datagram clients of one server's socket differ by their own sockets. */
TEST(clients_of_one_socket_are_kept_apart)
{
	add_channel(3, 21, SERVER_END);
	add_channel(4, SERVER_END, 21);
	add_name(3, ADDRESS_OF_RECEIVER);
	add_name(4, ADDRESS_OF_SENDER);
	request(100, 200);
	say(3, CLIENT + 1, SERVER, 110, 210);
	answer(300, 400);
	say(4, SERVER, CLIENT + 1, 500, 600);
	assert_sums(2, 300 + 490, 200, 100 + 290, 200);
}

/* Two processes that share a lock wake one another: neither serves. */
TEST(a_lock_that_changes_hands_makes_no_calls)
{
	const struct record_send wake = {.head.flags = SEND_BY_LOCK};

	request(100, 200); /* its sender has not waited for the lock yet */
	direction_of(TO_CLIENT)->is_lock |= (wake.head.flags & SEND_BY_LOCK) != 0;
	answer(300, 400);
	for (uint64_t i = 1; i < 10; i++) {
		request(1000 * i, 1000 * i + 1);
		answer(1000 * i + 2, 1000 * i + 3);
	}
	assert_true(call_matcher__horizon(matcher, 0) == UINT64_MAX);
	assert_sums(0, 0, 0, 0, 0);
	assert_int_equal(calls.unasked, 0);
}

TEST_WITH(a_channel_without_a_reverse_one_has_no_calls, conversation_setup, conversation_teardown)
{
	assert_int_equal(say(7, 1, 2, 100, 200), 0); /* never heard of */
	add_channel(7, 0, 12);                       /* an unknown sender */
	assert_int_equal(say(7, 1, 2, 300, 400), 0);
	assert_int_equal(calls.count, 0);
	assert_true(call_matcher__horizon(matcher, 0) == UINT64_MAX);
}

/* Addresses and ports that come again. */
TEST(a_connection_does_not_answer_for_one_before_it)
{
	enum { AGAIN_TO_SERVER = 3, AGAIN_TO_CLIENT = 4 };

	request(100, 200);
	add_channel(AGAIN_TO_SERVER, CLIENT_END, SERVER_END);
	add_channel(AGAIN_TO_CLIENT, SERVER_END, CLIENT_END);
	say(AGAIN_TO_SERVER, CLIENT, SERVER, 1000, 1100);
	say(AGAIN_TO_CLIENT, SERVER, CLIENT, 1400, 1500);
	assert_sums(1, 500, 100, 300, 100);
	assert_int_equal(called[0], AGAIN_TO_SERVER);
}

/* Both directions of the last connection were used: each has another channel now. */
TEST(a_connection_answers_for_itself)
{
	enum { AGAIN_TO_SERVER = 3, AGAIN_TO_CLIENT = 4 };

	request(100, 200);
	answer(500, 600);
	add_channel(AGAIN_TO_SERVER, CLIENT_END, SERVER_END);
	add_channel(AGAIN_TO_CLIENT, SERVER_END, CLIENT_END);
	say(AGAIN_TO_SERVER, CLIENT, SERVER, 1000, 1100);
	say(AGAIN_TO_CLIENT, SERVER, CLIENT, 1400, 1500);
	assert_int_equal(call_matcher__finish(matcher), 0);
	assert_int_equal(calls.count, 2);
	assert_int_equal(called[1], AGAIN_TO_SERVER);
	assert_int_equal(calls.unasked, 0);
}

TEST(what_answers_nothing_is_counted)
{
	assert_int_equal(answer(50, 60), 0);
	assert_int_equal(answer(70, 80), 0);
	request(100, 200);
	answer(500, 600);
	assert_sums(1, 500, 100, 300, 100);
	assert_int_equal(calls.unasked, 2);
	assert_int_equal(calls.undecided, 0);
	assert_int_equal(calls.guessed, 0);
}

TEST(calls_of_ambiguous_messages_are_counted)
{
	say_as(MATCH_AMBIGUOUS, TO_SERVER, CLIENT, SERVER, 100, 200);
	request(110, 210);
	answer(300, 400);
	request(500, 600);
	say_as(MATCH_AMBIGUOUS, TO_CLIENT, SERVER, CLIENT, 700, 800);
	request(900, 1000);
	answer(1100, 1200);
	say_as(MATCH_AMBIGUOUS, TO_CLIENT, SERVER, CLIENT, 1210, 1220);
	request(1300, 1400);
	say_as(MATCH_RESYNCED, TO_CLIENT, SERVER, CLIENT, 1500, 1600);
	assert_int_equal(call_matcher__finish(matcher), 0);
	assert_int_equal(calls.count, 4);
	assert_int_equal(calls.ambiguous, 3);
}

TEST_WITH(a_socket_that_talks_to_itself_has_no_calls, conversation_setup, conversation_teardown)
{
	add_channel(TO_SERVER, CLIENT_END, CLIENT_END);
	request(100, 200);
	request(300, 400);
	assert_int_equal(calls.count, 0);
}

/* on CPU 50, blocked 100, run queue 30, on CPU 120 */
static void put_line(uint32_t tid)
{
	const uint64_t change[] = {SLEEP(250, 0), WAKE(350, 0), SWITCH(380, 0), RUN(390, 0)};

	assert_int_equal(timelines__add(lines, tid, change, ARRAY_SIZE(change), 0, 700), 0);
}

TEST(the_service_is_cut_by_what_its_thread_did)
{
	put_line(SERVER);
	request(100, 200);
	request(150, 240);
	answer(500, 600);
	answer(650, 660); /* a further part does not change the service */
	assert_sums(1, 560, 140, 260, 160);
	assert_int_equal(calls.state_cnt, 1);
	assert_int_equal(calls.handed_over, 0);
	assert_int_equal(calls.state_ns[SERVICE_ON_CPU], 130);
	assert_int_equal(calls.state_ns[SERVICE_BLOCKED], 100);
	assert_int_equal(calls.state_ns[SERVICE_RUNQUEUE], 30);
	assert_true(last_call.has_states);
	assert_memory_equal(last_call.state_ns, calls.state_ns, sizeof(last_call.state_ns));
}

/* A queue of jobs between two threads: neither was on the service's behalf all the time. */
TEST(another_thread_may_answer)
{
	put_line(SERVER);
	request(100, 200);
	say(TO_CLIENT, WORKER, CLIENT, 500, 600);
	assert_sums(1, 500, 100, 300, 100);
	assert_int_equal(calls.state_cnt, 0);
	assert_int_equal(calls.handed_over, 1);
}

TEST_WITH(the_horizon_is_the_begin_of_the_oldest_open_request, conversation_setup,
	  conversation_teardown)
{
	connect_named();
	add_channel(3, 21, SERVER_END);
	add_name(3, ADDRESS_OF_RECEIVER);
	assert_true(call_matcher__horizon(matcher, 0) == UINT64_MAX);
	say(3, CLIENT, SERVER, 10, 90);
	request(100, 200);
	request(110, 300);
	assert_int_equal(call_matcher__horizon(matcher, 0), 10);
	renew_matcher(false);
	connect_named();
	request(100, 200);
	assert_int_equal(call_matcher__horizon(matcher, 0), 100);
	answer(250, 400);
	assert_true(call_matcher__horizon(matcher, 0) == UINT64_MAX);
}

/* A message that has no answer must not keep the history for good. */
TEST(a_connection_without_answers_keeps_little_history)
{
	request(100, 200);
	assert_int_equal(call_matcher__horizon(matcher, 2000000000), 100);
	assert_true(call_matcher__horizon(matcher, 2000000101) == UINT64_MAX);
	answer(300, 400);
	request(500, 600);
	assert_int_equal(call_matcher__horizon(matcher, 10000000000), 500);
}

/* Their service is not cut. */
TEST(several_open_requests_need_no_history)
{
	request(100, 200);
	say(TO_SERVER, CLIENT + 1, SERVER, 110, 210);
	request(120, 220);
	answer(250, 400);
	assert_true(call_matcher__horizon(matcher, 0) == UINT64_MAX);
}

TEST(of_too_many_open_requests_the_oldest_are_forgotten)
{
	for (uint64_t i = 0; i < EXCHANGE_OPEN_MAX + 3; i++)
		request(1000 + i, 1000 + i);
	assert_int_equal(call_matcher__horizon(matcher, 0), 1003);
	answer(100000, 100001);
	assert_int_equal(call_matcher__finish(matcher), 0);
	assert_int_equal(calls.count, 1);
	assert_int_equal(last_call.requests, EXCHANGE_OPEN_MAX);
	assert_int_equal(last_call.sent_ns, 1003);
}

/* Pipelining that never comes to rest: the order has to survive that room is used again. */
TEST(requests_are_answered_in_their_order)
{
	enum { OPEN = 7 };

	renew_matcher(true);
	for (uint64_t i = 0; i < 5000; i++) {
		request(1000 + 10 * i, 1005 + 10 * i);
		if (i < OPEN)
			continue;
		answer(1006 + 10 * i, 1008 + 10 * i);
		assert_int_equal(last_call.sent_ns, 1000 + 10 * (i - OPEN));
		assert_int_equal(call_matcher__horizon(matcher, 0), 1000 + 10 * (i - OPEN + 1));
	}
	assert_int_equal(calls.round_trip.max, 10 * OPEN + 8);
}

static uint64_t cpu_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return now.tv_sec * 1000000000ull + now.tv_nsec;
}

/* CPU time for the `turn`th set of requests that would fill it. */
static uint64_t time_of_requests(uint64_t turn)
{
	uint64_t first = turn * EXCHANGE_OPEN_MAX, begin_ns = cpu_ns();

	for (uint64_t i = first; i < first + EXCHANGE_OPEN_MAX; i++)
		request(1000 + i, 1000 + i);
	return cpu_ns() - begin_ns;
}

/* A log over a connection: all of its messages are requests without an answer. */
TEST(a_connection_without_answers_does_not_get_slow)
{
	uint64_t empty_ns, full_ns = UINT64_MAX;

	empty_ns = time_of_requests(0);
	/* The least of many: a host that holds this machine up does so now and then. */
	for (uint64_t turn = 1; turn <= 16; turn++) {
		uint64_t took_ns = time_of_requests(turn);

		if (took_ns < full_ns)
			full_ns = took_ns;
	}
	/* 200 times if each moved all the others. */
	assert_true(full_ns < 5 * empty_ns);
}

TEST_WITH(of_too_many_in_all_the_quietest_connections_are_forgotten, conversation_setup,
	  conversation_teardown)
{
	uint32_t connections = CALL_MATCHER_ALL_OPEN_MAX / EXCHANGE_OPEN_MAX;

	for (uint32_t c = 0; c <= connections; c++) {
		add_channel(2 * c, 1000 + 2 * c, 1001 + 2 * c);
		add_channel(2 * c + 1, 1001 + 2 * c, 1000 + 2 * c);
		add_name(2 * c, ADDRESS_OF_RECEIVER);
		add_name(2 * c + 1, ADDRESS_OF_SENDER);
		for (uint64_t i = 0; i < EXCHANGE_OPEN_MAX; i++)
			say(2 * c, CLIENT, SERVER, 100, 200);
	}
	say(1, SERVER, CLIENT, 300, 400); /* of the first connection */
	assert_int_equal(calls.unasked, 1);
	say(2 * connections + 1, SERVER, CLIENT, 300, 400);
	assert_int_equal(call_matcher__finish(matcher), 0);
	assert_int_equal(calls.count, 1);
	assert_int_equal(last_call.requests, EXCHANGE_OPEN_MAX);
}

TEST(the_quietest_of_too_many_connections_is_forgotten)
{
	add_channel(3, 21, 22);
	add_channel(4, 22, 21);
	add_name(3, ADDRESS_OF_RECEIVER);
	request(100, 200);
	say(3, CLIENT, SERVER, 110, 210);
	for (uint32_t c = 0; c < CALL_MATCHER_CONNECTIONS_MAX - 1; c++) {
		add_channel(100 + c, 1000 + 2 * c, 1001 + 2 * c);
		say(100 + c, CLIENT, SERVER, 220, 230);
		if (!c)
			request(240, 250); /* not the quietest one any more */
	}
	say(4, SERVER, CLIENT, 300, 400);
	answer(500, 600);
	assert_int_equal(call_matcher__finish(matcher), 0);
	assert_int_equal(calls.count, 1);
	assert_int_equal(last_call.requests, 2);
}

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * When several requests of one connection are open, and when a request comes in several messages.
 */
#include "support/conversation.h"

EACH_TEST(conversation_setup_named, conversation_teardown)

TEST(requests_of_two_threads_are_several)
{
	say(TO_SERVER, CLIENT, SERVER, 100, 200);
	say(TO_SERVER, CLIENT + 1, SERVER, 110, 220);
	answer(500, 600);
	answer(700, 800);
	assert_sums(0, 0, 0, 0, 0);
	assert_int_equal(calls.open_several.count, 2);
	assert_int_equal(calls.open_several.sum, 500 + 690);
}

TEST(a_client_that_waited_in_between_sent_two_requests)
{
	put_sleep(CLIENT, CHANGE_POLL_IN, 105, 0);
	request(100, 104);
	request(110, 220);
	answer(500, 600);
	assert_sums(0, 0, 0, 0, 0);
	assert_int_equal(calls.open_several.count, 0);
	assert_int_equal(calls.unbalanced, 1); /* the other request has no answer */
}

TEST(a_client_that_waited_for_room_sent_one_request)
{
	put_sleep(CLIENT, CHANGE_ROOM, 105, 0);
	request(100, 104);
	request(110, 220);
	answer(500, 600);
	assert_sums(1, 500, 120, 280, 100);
}

/* The client has two open, the server one after the other. */
TEST(a_request_that_crosses_an_answer_is_the_next_one_of_the_server)
{
	request(100, 200);
	request(110, 550); /* while the answer is under way */
	answer(500, 600);
	answer(700, 800);
	assert_sums(2, 500 + 690, 100 + 440, 300 + 150, 100 + 100);
	assert_int_equal(calls.open_several.count, 0);
	assert_int_equal(last_call.match, CALL_ALONE);
}

/* Tasks wait in a pipe until a worker of a pool takes them, one at a time. */
TEST(a_server_in_sequence_never_has_several_open)
{
	for (uint64_t i = 0; i < 50; i++) {
		request(100 + i, 1000 + 100 * i);
		answer(1080 + 100 * i, 1090 + 100 * i);
	}
	assert_sums(50, 50 * 990 + 99 * 49 * 25, 50 * 900 + 99 * 49 * 25, 50 * 80, 50 * 10);
	assert_int_equal(calls.open_several.count, 0);
	assert_int_equal(calls.unbalanced, 0);
	assert_int_equal(calls.cut_tries, 50);
}

/*
 * The second answer may be the result of the first request, or an acknowledgement of the second:
 *
 *	server  1 answer   2 answer answer answer
 */
TEST(a_crossing_request_with_several_answers_gives_no_times)
{
	request(100, 200);
	answer(300, 400);
	request(310, 500);
	answer(510, 520);
	answer(530, 540);
	answer(550, 560);
	assert_int_equal(call_matcher__finish(matcher), 0);
	assert_int_equal(calls.count, 1);
	assert_int_equal(calls.round_trip.sum, 300);
	assert_int_equal(calls.unbalanced, 1);
	assert_int_equal(calls.unasked, 2);
}

/*
 * As a client of D-Bus, which receives its name after the answer to its first call:
 *
 *	client  1  2                3
 *	server       1+2 answer   signal  3 answer
 */
TEST(a_client_that_has_the_first_part_of_an_answer_has_waited)
{
	request(100, 200);
	request(110, 220);
	answer(300, 400);
	answer(420, 430);
	request(410, 500);
	answer(510, 520);
	assert_int_equal(call_matcher__finish(matcher), 0);
	assert_int_equal(calls.count, 2);
	assert_int_equal(calls.unbalanced, 0);
	assert_int_equal(calls.in_parts, 1);
	assert_int_equal(calls.round_trip.sum, 330 + 110);
}

/*
 * The first request was answered alone, then the server has two of three at the same time:
 *
 *	server  1   answer 2 3   answer answer   4 answer
 */
TEST(a_call_is_kept_when_others_turn_out_to_be_several)
{
	request(100, 200);
	request(110, 250);
	request(120, 260);
	request(130, 450);
	answer(210, 460);
	answer(300, 470);
	answer(310, 480);
	answer(455, 490);
	assert_sums(1, 360, 100, 10, 250);
	assert_int_equal(calls.open_several.count, 3);
}

/* As in a handshake of TLS: its tickets cross the first request. */
TEST(several_open_once_do_not_mark_the_connection_for_good)
{
	request(100, 200);
	say(TO_SERVER, CLIENT + 1, SERVER, 110, 450);
	answer(500, 600);
	answer(700, 800);
	request(900, 1000);
	answer(1100, 1200);
	assert_sums(1, 300, 100, 100, 100);
	assert_int_equal(calls.open_several.count, 2);
}

/* The second is sent before the answer to the first comes, and received after this was sent. */
static void cross_at(uint64_t at_ns)
{
	request(at_ns, at_ns + 1);
	request(at_ns + 2, at_ns + 5);
	answer(at_ns + 4, at_ns + 6);
	answer(at_ns + 7, at_ns + 8);
}

/* Then two requests in a row are no parts of one, until so many were answered without doubt. */
TEST(a_connection_with_several_open_stays_marked_until_it_is_clean)
{
	cross_at(1000);
	cross_at(2000);
	request(3000, 3001);
	request(3002, 3003);
	answer(3005, 3006);
	answer(3008, 3009);
	for (uint64_t i = 0; i < 1000; i++) {
		request(10000 + 10 * i, 10001 + 10 * i);
		answer(10002 + 10 * i, 10003 + 10 * i);
	}
	request(90000, 90001);
	request(90002, 90003);
	answer(90005, 90006);
	assert_int_equal(call_matcher__finish(matcher), 0);
	assert_int_equal(calls.open_several.count, 2);
	assert_int_equal(calls.count, 4 + 1000 + 1);
	assert_int_equal(calls.in_parts, 1);
	assert_int_equal(calls.unbalanced, 0);
}

/* Eight requests at a time, and then their answers: the number of open ones varies. */
TEST(requests_in_batches_stay_open)
{
	uint64_t at_ns = 10000;

	cross_at(1000);
	cross_at(2000);
	for (uint64_t i = 0; i < 20; i++) {
		for (int k = 0; k < 8; k++, at_ns += 2)
			request(at_ns, at_ns + 1);
		for (int k = 0; k < 8; k++, at_ns += 2)
			answer(at_ns, at_ns + 1);
	}
	assert_int_equal(call_matcher__finish(matcher), 0);
	assert_int_equal(calls.unasked, 0);
	assert_int_equal(calls.count, 4);
	assert_int_equal(calls.open_several.count, 8 * 20);
}

/* Two threads that share the connection: each sends when it has its answer. */
TEST(as_many_open_all_the_time_are_open)
{
	uint64_t cnt = 100;

	cross_at(1000);
	cross_at(2000);
	request(10000, 10001);
	for (uint64_t i = 0; i < cnt; i++) {
		request(10010 + 10 * i, 10011 + 10 * i);
		answer(10012 + 10 * i, 10013 + 10 * i);
	}
	answer(20000, 20001);
	assert_int_equal(call_matcher__finish(matcher), 0);
	assert_int_equal(calls.count, 4);
	assert_int_equal(calls.open_several.count, 1 + cnt);
}

/* A handshake: both ends send at the same time, and one message has no answer. */
TEST(a_message_that_is_never_answered_does_not_stay_open)
{
	request(1000, 1001);
	request(1002, 1005);
	answer(1004, 1006);
	for (uint64_t i = 0; i < 100; i++) {
		request(10000 + 10 * i, 10001 + 10 * i);
		answer(10002 + 10 * i, 10003 + 10 * i);
	}
	assert_int_equal(call_matcher__finish(matcher), 0);
	assert_in_range(calls.unbalanced, 1, 20);
	assert_int_equal(calls.unbalanced + calls.count, 101);
	assert_int_equal(calls.open_several.count, 0);
	assert_int_equal(calls.round_trip.max, 6);
}

/* The first calls of a connection that turns out to have several open. */
TEST(what_seemed_to_come_in_parts_may_have_been_several)
{
	request(100, 200);
	request(110, 220);
	answer(300, 310);
	answer(305, 315);
	cross_at(1000);
	assert_sums(2, 6 + 6, 1 + 3, 3 + 2, 2 + 1);
	assert_int_equal(calls.unbalanced, 2);
	assert_int_equal(calls.in_parts, 0);
}

TEST(a_connection_whose_requests_always_come_in_parts_is_believed)
{
	for (uint64_t i = 0; i < EXCHANGE_HELD_MAX + 2; i++) {
		request(100 * i + 1, 100 * i + 2);
		request(100 * i + 3, 100 * i + 4);
		answer(100 * i + 50, 100 * i + 60);
	}
	assert_int_equal(calls.count, EXCHANGE_HELD_MAX + 1);
	cross_at(10000); /* that is another matter */
	assert_int_equal(call_matcher__finish(matcher), 0);
	assert_int_equal(calls.count, EXCHANGE_HELD_MAX + 2 + 2);
	assert_int_equal(calls.in_parts, EXCHANGE_HELD_MAX + 2);
	assert_int_equal(calls.open_several.count, 0);
}

TEST(in_turn_the_order_of_requests_is_that_of_answers)
{
	renew_matcher(true);
	say(TO_SERVER, CLIENT, SERVER, 100, 200);
	say(TO_SERVER, CLIENT + 1, SERVER, 110, 220);
	answer(500, 600);
	say(TO_SERVER, CLIENT, SERVER, 610, 650);
	answer(700, 800);
	answer(900, 1000);
	assert_sums(3, 500 + 690 + 390, 100 + 110 + 40, 300 + 480 + 250, 300);
	assert_int_equal(calls.open_several.count, 0);
	assert_int_equal(last_call.match, CALL_IN_TURN);
}

/* Another thread of the server sent it, and datagrams may overtake one another. */
TEST(an_answer_from_before_the_request_is_no_part_of_its_answer)
{
	request(100, 200);
	answer(500, 600);
	answer(150, 610);
	request(900, 1000);
	answer(1100, 1200);
	assert_sums(2, 500 + 300, 100 + 100, 300 + 100, 100 + 100);
	assert_int_equal(calls.unasked, 1);
}

/*
 *	client   send                                     answer
 *	server        part 1   part 2  ...  answer  the rest
 */
TEST(an_answer_may_come_before_the_rest_of_its_request)
{
	for (uint64_t i = 0; i < 10; i++) {
		uint64_t at_ns = 1000 * i;

		request_part(16 * i, at_ns + 100, at_ns + 200);
		request_part(16 * i, at_ns + 100, at_ns + 250);
		if (i % 2)
			request_at(16 * i, at_ns + 100, at_ns + 550);
		answer(at_ns + 500, at_ns + 600);
		if (i % 2 == 0)
			request_at(16 * i, at_ns + 100, at_ns + 620);
	}
	assert_sums(10, 10 * 500, 10 * 150, 10 * 250, 10 * 100);
	assert_int_equal(calls.open_several.count, 0);
	assert_int_equal(calls.unasked, 0);
	assert_int_equal(calls.in_parts, 0);
}

/* Only what had come by then counts, however many parts follow. */
TEST(the_last_part_before_the_answer_is_when_a_request_was_received)
{
	for (uint64_t at_ns = 200; at_ns < 200 + 3 * BEGUN_PARTS_KEPT; at_ns++)
		request_part(0, 100, at_ns);
	for (uint64_t i = 0; i < BEGUN_PARTS_KEPT - 1; i++)
		request_part(0, 100, 510 + i);
	answer(500, 600);
	assert_sums(1, 500, 100 + 3 * BEGUN_PARTS_KEPT - 1, 301 - 3 * BEGUN_PARTS_KEPT, 100);
}

TEST(a_request_that_came_whole_before_its_answer_came_with_its_last_part)
{
	request_part(0, 100, 200);
	request_at(0, 100, 300);
	answer(500, 600);
	assert_sums(1, 500, 200, 200, 100);
}

TEST(what_the_server_sends_before_any_part_is_no_answer)
{
	request_part(0, 100, 200);
	answer(150, 250);
	request_at(0, 100, 300);
	answer(500, 600);
	assert_sums(1, 500, 200, 200, 100);
	assert_int_equal(calls.unasked, 1);
}

/* The client sent it before it had received the whole answer. */
TEST(a_request_that_has_begun_leaves_the_answer_before_it_alone)
{
	request_at(0, 100, 200);
	answer(500, 600);
	request_part(16, 590, 620);
	answer(640, 700);
	request_at(16, 590, 900);
	answer(950, 990);
	assert_sums(1, 600, 100, 300, 200);
	assert_int_equal(calls.open_several.count, 1);
}

/* The end of a batch may lie in the next receive. */
TEST(of_several_open_requests_one_that_has_begun_is_not_answered)
{
	request_at(0, 100, 200);
	request_part(16, 110, 200);
	answer(300, 310);
	request_at(16, 110, 320);
	answer(400, 410);
	assert_sums(1, 210, 100, 100, 10);
	assert_int_equal(calls.open_several.count, 1);
}

/* Its rest may never come, as when the connection is closed. */
TEST(a_rest_that_never_comes_does_no_harm)
{
	request_part(0, 100, 200);
	answer(500, 600);
	request_at(32, 1000, 1100);
	answer(1200, 1300);
	assert_sums(2, 500 + 300, 100 + 100, 300 + 100, 100 + 100);
}

/* A later message of the server is none to the request that came in parts long ago. */
TEST(a_request_in_parts_is_answered_once)
{
	request_part(0, 100, 200);
	request_at(0, 100, 300);
	answer(400, 500);
	cross_at(1000);
	answer(2000, 2100);
	assert_int_equal(call_matcher__finish(matcher), 0);
	assert_int_equal(calls.count, 2);
	assert_int_equal(calls.unbalanced, 1);
	assert_int_equal(calls.unasked, 1);
}

/*
 * An acknowledgement, a sleep of 1 ns and a wait of 1 ns for a CPU, and the result:
 *
 *	request 200 .. 300 first   [sleep 400]   500 second   600 third
 */
TEST(between_the_parts_of_an_answer_the_server_is_at_work)
{
	put_sleep(SERVER, CHANGE_SLEEP_IN, 400, 0);
	request(100, 200);
	answer(300, 310);
	answer(500, 510);
	answer(600, 650);
	assert_sums(1, 550, 100, 100, 350);
	assert_int_equal(calls.parts.calls, 1);
	assert_int_equal(calls.parts.ns, 300);
	assert_int_equal(calls.parts.did.state_ns[SERVICE_BLOCKED], 1);
	assert_int_equal(calls.parts.did.state_ns[SERVICE_RUNQUEUE], 1);
	assert_int_equal(calls.parts.did.state_ns[SERVICE_ON_CPU], 298);
	assert_int_equal(blocked_calls_ns(&calls.parts.did.blocked), 1);
	assert_int_equal(calls.parts.did.blame.cnt, 1);
	assert_int_equal(calls.parts.did.blame.entry[0].ns, 1);
	assert_int_equal(last_call.last_sent_ns, 600);
}

/* What went on between is only known if one thread sends both parts. */
TEST(parts_of_several_threads_are_the_servers_without_states)
{
	request(100, 200);
	answer(300, 310);
	say(TO_CLIENT, WORKER, CLIENT, 500, 510);
	assert_sums(1, 410, 100, 100, 210);
	assert_int_equal(calls.parts.calls, 1);
	assert_int_equal(calls.parts.ns, 200);
	assert_int_equal(server_time_ns(&calls.parts.did), 0);
}

TEST(an_answer_of_one_message_has_no_parts)
{
	request(100, 200);
	answer(300, 310);
	assert_sums(1, 210, 100, 100, 10);
	assert_int_equal(calls.parts.calls, 0);
	assert_int_equal(calls.parts.ns, 0);
}

/* The history is kept for the next part where answers in parts are known to be frequent. */
TEST(the_history_waits_for_the_next_part_of_an_answer)
{
	request(100, 200);
	answer(300, 310);
	assert_int_equal(call_matcher__horizon(matcher, 400), UINT64_MAX);
	answer(500, 510);
	request(600, 650);
	answer(700, 710);
	assert_int_equal(call_matcher__horizon(matcher, 800), 700);
	answer(900, 910);
	assert_int_equal(call_matcher__horizon(matcher, 1000), 900);
	assert_int_equal(call_matcher__horizon(matcher, 10000000000), UINT64_MAX);
	request(1000, 1010);
	assert_int_equal(call_matcher__horizon(matcher, 1100), 1000);
	answer(1100, 1110);
	assert_int_equal(call_matcher__finish(matcher), 0);
	assert_int_equal(call_matcher__horizon(matcher, 1200), UINT64_MAX);
}

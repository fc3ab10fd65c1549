/* SPDX-License-Identifier: BSD-2-Clause */
/* What is said of calls while several requests are open, and where messages have no counterpart. */
#include "support/conversation.h"

/* From `at_ns` on: two requests of two threads, which take 6 and 8. */
static void two_at(uint64_t at_ns)
{
	say(TO_SERVER, CLIENT, SERVER, at_ns, at_ns + 1);
	say(TO_SERVER, CLIENT + 1, SERVER, at_ns + 2, at_ns + 3);
	answer(at_ns + 5, at_ns + 6);
	answer(at_ns + 9, at_ns + 10);
}

EACH_TEST(conversation_setup_named, conversation_teardown)

TEST(a_note_without_an_answer_gives_no_times)
{
	two_at(1000);
	say(TO_SERVER, CLIENT, SERVER, 2000, 2001); /* it gets none */
	for (uint64_t i = 3; i < 53; i++)
		two_at(1000 * i);
	assert_sums(0, 0, 0, 0, 0);
	assert_int_equal(calls.open_several.count, 2);
	assert_int_equal(calls.open_several.max, 8);
	assert_int_equal(calls.unbalanced, 2 * 50);
}

/* The answer to one from before the attach is taken for that of the first request. */
TEST(an_answer_too_many_gives_no_times)
{
	two_at(1000);
	answer(1500, 1501);
	two_at(2000);
	assert_int_equal(call_matcher__finish(matcher), 0);
	assert_int_equal(calls.unbalanced, 2);
	assert_int_equal(calls.open_several.count, 2);
	assert_int_equal(calls.unasked, 1);
}

TEST(what_is_open_at_the_end_gives_no_times)
{
	two_at(1000);
	say(TO_SERVER, CLIENT, SERVER, 2000, 2001);
	say(TO_SERVER, CLIENT + 1, SERVER, 2002, 2003);
	answer(2005, 2006);
	assert_int_equal(call_matcher__finish(matcher), 0);
	assert_int_equal(calls.unbalanced, 1);
	assert_int_equal(calls.open_several.count, 2);
}

/* After others of its connection had. */
TEST(a_client_in_sequence_never_has_several_open)
{
	two_at(1000);
	two_at(2000); /* it is marked from here on */
	for (uint64_t i = 3; i < 20; i++) {
		request(1000 * i, 1000 * i + 1);
		answer(1000 * i + 5, 1000 * i + 6);
	}
	assert_sums(17, 17 * 6, 17, 17 * 4, 17);
	assert_int_equal(calls.open_several.count, 4);
	assert_int_equal(last_call.match, CALL_ALONE);
	assert_int_equal(calls.cut_tries, 17); /* their services are cut, too */
}

TEST(a_phase_without_end_gives_no_times)
{
	say(TO_SERVER, CLIENT, SERVER, 100, 101);
	for (uint64_t i = 1; i <= 2 * SEVERAL_PAIRS_MAX; i++) {
		say(TO_SERVER, CLIENT + i % 2, SERVER, 1000 * i, 1000 * i + 1);
		answer(1000 * i + 5, 1000 * i + 6);
		assert_in_range(called_cnt, i > SEVERAL_PAIRS_MAX ? i - 1 : 0,
				i > SEVERAL_PAIRS_MAX ? i : 0);
	}
	answer(9000000, 9000001);
	two_at(9100000);
	assert_int_equal(call_matcher__finish(matcher), 0);
	assert_int_equal(calls.unbalanced, 2 * SEVERAL_PAIRS_MAX + 1);
	assert_int_equal(calls.open_several.count, 2);
}

/* A channel under the same addresses is another connection: nothing is open on it. */
TEST(the_next_connection_begins_without_open_requests)
{
	say(TO_SERVER, CLIENT, SERVER, 100, 101);
	say(TO_SERVER, CLIENT + 1, SERVER, 102, 103);
	answer(105, 106);
	add_channel(TO_SERVER + 4, CLIENT_END, SERVER_END);
	say(TO_SERVER + 4, CLIENT, SERVER, 200, 201);
	assert_int_equal(calls.unbalanced, 1);
	assert_int_equal(call_matcher__horizon(matcher, 0), 200);
}

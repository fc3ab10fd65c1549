/* SPDX-License-Identifier: BSD-2-Clause */
/* Whether a thread has received something else in between. */
#include "support/build.h"

#include "analysis/attach/calls/last_receives.h"

enum { SERVER = 7 };

static const struct connection_ends mine = {1, 2}, other = {3, 4};
static struct last_receives *last;

EACH_TEST_HAS(last, last_receives__new(), last_receives__free)

static void receive(const struct connection_ends *ends, uint64_t at_ns)
{
	assert_int_equal(last_receives__add(last, SERVER, ends, at_ns, true), 0);
}

static bool others(uint64_t from_ns, uint64_t to_ns)
{
	return last_receives__others(last, SERVER, &mine, from_ns, to_ns);
}

TEST(a_thread_that_received_nothing_received_nothing_else)
{
	assert_false(others(0, 100));
	assert_false(last_receives__others(last, SERVER + 1, &mine, 0, 100));
}

TEST(only_other_connections_count)
{
	receive(&mine, 50);
	assert_false(others(0, 100));
	receive(&other, 60);
	assert_true(others(0, 100));
	assert_true(others(59, 61));
}

TEST(only_the_time_in_between_counts)
{
	receive(&other, 60);
	receive(&mine, 80);
	assert_false(others(60, 100));
	assert_false(others(10, 60));
	assert_true(others(10, 61));
}

/* So many came later that what came in between is not known. */
TEST(after_very_many_it_may_have)
{
	for (uint64_t i = 0; i < LAST_RECEIVES; i++)
		receive(&mine, 200 + i);
	assert_false(others(100, 150));
	receive(&mine, 300);
	assert_true(others(100, 150));
	assert_false(others(201, 210));
}

/* Whether the last message in between is a request of another connection. */
static bool is_for_other(uint64_t from_ns, uint64_t to_ns, bool *has_sent)
{
	uint64_t recv_ns;

	return last_receives__other_last(last, SERVER, &mine, from_ns, to_ns, &recv_ns, has_sent);
}

TEST(the_last_request_of_another_is_found)
{
	uint64_t recv_ns = 0;
	bool has_sent = true;

	receive(&mine, 50);
	receive(&other, 60);
	receive(&mine, 90);
	assert_true(last_receives__other_last(last, SERVER, &mine, 50, 80, &recv_ns, &has_sent));
	assert_int_equal(recv_ns, 60);
	assert_false(has_sent);
	assert_false(is_for_other(50, 100, &has_sent)); /* the last one is of this connection */
	assert_false(is_for_other(60, 80, &has_sent));
	assert_false(
		last_receives__other_last(last, SERVER + 1, &mine, 0, 100, &recv_ns, &has_sent));
}

TEST(an_answer_of_a_backend_is_no_request)
{
	bool has_sent;

	receive(&mine, 50);
	assert_int_equal(last_receives__add(last, SERVER, &other, 60, false), 0);
	assert_false(is_for_other(50, 80, &has_sent));
}

TEST(what_was_sent_in_between_is_known)
{
	bool has_sent;

	receive(&mine, 50);
	last_receives__sent(last, SERVER, 55);
	receive(&other, 60);
	last_receives__sent(last, SERVER, 65);
	assert_true(is_for_other(50, 80, &has_sent));
	assert_true(has_sent);
	receive(&mine, 100);
	receive(&other, 110);
	last_receives__sent(last, SERVER, 115);
	assert_true(is_for_other(100, 120, &has_sent));
	assert_false(has_sent);
}

/* Then it may have sent something. */
TEST(after_very_many_what_was_sent_is_not_known)
{
	bool has_sent;

	receive(&mine, 50);
	for (uint64_t i = 0; i < LAST_RECEIVES; i++)
		receive(&other, 60 + i);
	assert_true(is_for_other(50, 1000, &has_sent));
	assert_true(has_sent);
}

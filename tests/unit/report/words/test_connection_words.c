/* SPDX-License-Identifier: BSD-2-Clause */
/* What reports say of connections. */
#include "support/build.h"

#include "report/words/connection_words.h"

#include <errno.h>
#include <string.h>

static struct summary summary;
static struct listener_summary listener;

static int setup(void **state)
{
	memset(&summary, 0, sizeof(summary));
	listener = (struct listener_summary){.server = {.pid = 12, .comm = "server"}, .backlog = 1};
	summary.info.mode = MODE_ATTACH;
	summary.connections.calls = 40;
	summary.connections.listener = &listener;
	summary.connections.listener_cnt = 1;
	return 0;
}

static int teardown(void **state)
{
	stat_free(&summary.connections.latency);
	for (int i = 0; i < NR_CONNECTION_PARTS; i++)
		stat_free(&summary.connections.part[i]);
	return 0;
}

EACH_TEST(setup, teardown)

static void failed(uint32_t error, uint64_t cnt)
{
	struct connections_summary *connections = &summary.connections;

	connections->error[connections->error_cnt++] =
		(struct connection_error){.error = error, .count = cnt};
	connections->failed += cnt;
}

static void assert_verdict(const char *words)
{
	struct paragraph line = {0};

	connection_verdict_words(&line, &summary, 0);
	assert_string_equal(line.text, words);
}

TEST(connections_that_are_no_problem_have_no_verdict)
{
	assert_verdict("");
	failed(ENOENT, 40); /* the C library looks for a daemon */
	assert_verdict("");
	failed(ECONNREFUSED, 1);
	assert_verdict("");
	listener.full.count = 3;
	listener.full.least_ns = 20000;
	listener.full.most_ns = 40000;
	assert_verdict("");
}

/* What an attach without messages says. */
TEST(connections_alone_have_a_verdict_of_their_own)
{
	struct connections_summary *connections = &summary.connections;
	struct paragraph line = {0};

	stat_add(&connections->latency, 100000);
	for (int i = 0; i < NR_CONNECTION_PARTS; i++)
		stat_add(&connections->part[i], i == CONNECTION_QUEUE ? 75000 : 5000);
	connection_only_words(&line, &summary);
	assert_string_equal(line.text,
			    "No message was seen, but 1 connection: from connect() to accept() it "
			    "takes 100.0 us on average (p99 100.0 us); the largest part (75 %) is "
			    "queue. Add --explain for the cause.");
}

#define HELPS ". To do: accept sooner, or raise the backlog (listen, net.core.somaxconn)"

TEST(a_full_queue_is_named_with_its_waits)
{
	failed(ETIMEDOUT, 9);
	listener.full.count = 7;
	listener.full.least_ns = 1010579040;
	listener.full.most_ns = 3069297176;
	assert_verdict(
		"7 connects waited 1.0 to 3.1 s: the accept queue of server (pid 12) was full "
		"(backlog 1)" HELPS);
	listener.full.count = 1;
	listener.full.least_ns = listener.full.most_ns = 20500000;
	assert_verdict("1 connect waited 20.5 ms: the accept queue of server (pid 12) was full "
		       "(backlog 1)" HELPS);
}

TEST(connects_that_still_wait_at_the_end_are_said)
{
	listener.full.count = 3;
	listener.full.least_ns = 1400000000;
	listener.full.most_ns = 4100000000;
	listener.full.still_waiting = 2;
	assert_verdict("3 connects had waited 1.4 to 4.1 s (2 of them waited on at the end): the "
		       "accept queue of server (pid 12) was full (backlog 1)" HELPS);
	listener.full = (struct waits_summary){0};
	listener.unanswered.count = listener.unanswered.still_waiting = 1;
	listener.unanswered.least_ns = listener.unanswered.most_ns = 3000000000;
	listener.port = 8080;
	assert_verdict("1 connect had waited 3.0 s when tracing ended: no answer came from port "
		       "8080 of server (pid 12), whose accept queue had room: packets are lost or "
		       "filtered");
}

/* Few failures are a problem if it takes long until threads try again. */
TEST(waits_for_another_try_are_said)
{
	failed(ECONNREFUSED, 2);
	summary.connections.calls = 100;
	summary.info.begin.ns = 1;
	summary.stopped_ns = 1 + 4000000000;
	summary.connections.error[0].retried = 2;
	summary.connections.error[0].retry_ns = 100000000;
	assert_verdict("");
	summary.connections.error[0].retry_ns = 240000000;
	assert_verdict("connect fails: 2 of 100 with ECONNREFUSED; after each, it took 120.0 ms "
		       "until the thread tried again, 240.0 ms in all");
}

TEST(the_most_frequent_failure_is_named)
{
	failed(ENOENT, 14);
	failed(ECONNREFUSED, 12);
	failed(ETIMEDOUT, 2);
	assert_verdict("connect fails: 12 of 40 with ECONNREFUSED");
}

TEST(a_call_that_may_not_wait_fails_because_the_queue_is_full)
{
	failed(EAGAIN, 12);
	assert_verdict("connect fails: 12 of 40 with EAGAIN");
	summary.connections.full_failed = 12;
	assert_verdict("connect fails: 12 of 40 with EAGAIN, as the accept queue is full");
}

TEST(failures_are_listed)
{
	struct paragraph line = {0};

	failed(ECONNREFUSED, 10);
	failed(2000, 3);
	failed(0, 1);
	connection_failure_words(&line, &summary);
	assert_string_equal(line.text,
			    "14 of 40 calls failed: 10 with ECONNREFUSED, 3 with error 2000, "
			    "1 with other errors");
}

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Runs of patterns without a tick and without answers: floods, and a connection for each message.
 */
#include "support/build.h"
#include "support/capture.h"
#include "support/workload_run.h"

#include "transport/transport.h"
#include "workload/pattern.h"

#include <string.h>
#include <unistd.h>

/* More than any queue holds. */
#define MANY 600

static struct outcome outcome_of(const char *transport, const char *pattern)
{
	struct outcome outcome = workload_outcome_of(transport, pattern);

	outcome.spec.messages = MANY;
	return outcome;
}

static void run(struct outcome *outcome)
{
	workload_run(outcome);
	assert_int_equal(outcome->ticks, 0);
}

/* Where the kernel drops what there is no room for, less may come than was sent. */
static bool can_lose(const struct outcome *outcome)
{
	return !strncmp(outcome->spec.transport, "udp", 3);
}

static void check_client(const struct outcome *outcome, uint32_t client, bool to_server)
{
	const struct record_traffic *traffic = &outcome->traffic[client][to_server];
	const struct workload_spec *spec = &outcome->spec;
	uint64_t rounds = spec->warmup + spec->messages;

	assert_int_equal(traffic->client, client);
	assert_int_equal(traffic->sent, rounds);
	assert_int_equal(traffic->corrupt, 0);
	assert_int_equal(outcome->stamps[client][0], to_server ? 0 : rounds);
	assert_int_equal(outcome->stamps[client][1], 0);
	if (can_lose(outcome)) {
		assert_in_range(traffic->received, 1, rounds);
		return;
	}
	assert_int_equal(traffic->received, rounds);
	assert_int_equal(traffic->bytes, spec->messages * spec->size);
	assert_true(traffic->first_ns && traffic->first_ns < traffic->last_ns);
	if (!to_server)
		assert_int_equal(traffic->last_ns, outcome->last[client][0].user_ns);
}

/* Runs it to a good end, in which everything came. */
static void check_run(struct outcome *outcome, bool to_server)
{
	const struct transport_ops *transport = transport_find(outcome->spec.transport);
	uint64_t noted = 0;

	run(outcome);
	assert_int_equal(outcome->lefts, 0);
	assert_int_equal(outcome->lost, 0);
	assert_int_equal(outcome->directions, outcome->spec.clients);
	for (uint32_t client = 1; client <= outcome->spec.clients; client++) {
		check_client(outcome, client, to_server);
		noted += transport->notes_handover ? outcome->traffic[client][to_server].sent : 0;
	}
	assert_int_equal(outcome->sends, noted);
	assert_int_equal(outcome->receives, noted);
}

static bool can_flood(const struct transport_ops *transport, const struct workload_spec *spec)
{
	return !transport->kernel_sends && spec->size <= transport->size_max() &&
	       !(transport->refuse && transport->refuse(spec));
}

static void flood_all(uint64_t size, uint64_t messages, bool threads, enum reader reader)
{
	const struct transport_ops *transport;

	for (size_t i = 0; (transport = transports[i]); i++) {
		struct outcome outcome = outcome_of(transport->name, "flood");

		outcome.spec.size = size;
		outcome.spec.messages = messages;
		outcome.spec.threads = threads;
		outcome.spec.reader = reader;
		if (can_flood(transport, &outcome.spec))
			check_run(&outcome, true);
	}
}

/* Small ones have no header, and none beside them: so many may be under way. */
TEST(floods_of_every_size_over_every_transport)
{
	static const size_t sizes[] = {1, 7, 39, 40, 64, 1500, 65536};

	for (size_t i = 0; i < ARRAY_SIZE(sizes); i++)
		flood_all(sizes[i], MANY, false, READER_BLOCK);
}

TEST(floods_of_threads_and_with_every_reader)
{
	flood_all(64, MANY, true, READER_BLOCK);
	flood_all(64, MANY, false, READER_POLL);
	flood_all(64, MANY, false, READER_EPOLL);
}

/* What is noted of handovers waits for the driver, and nothing of it is lost. */
TEST(floods_larger_than_the_journals)
{
	const struct transport_ops *transport;

	for (size_t i = 0; (transport = transports[i]); i++) {
		struct outcome outcome = outcome_of(transport->name, "flood");

		outcome.spec.messages = 300000;
		outcome.spec.clients = 1;
		outcome.is_lazy = true;
		if (transport->notes_handover && can_flood(transport, &outcome.spec))
			check_run(&outcome, true);
	}
}

TEST(connections_of_every_size_over_all_that_connect)
{
	static const size_t sizes[] = {40, 64, 1500, 65536};
	const struct transport_ops *transport;

	for (size_t i = 0; (transport = transports[i]); i++) {
		for (size_t k = 0; transport->listen && k < ARRAY_SIZE(sizes); k++) {
			struct outcome outcome = outcome_of(transport->name, "connect");

			outcome.spec.size = sizes[k];
			outcome.spec.messages = 100;
			outcome.spec.threads = k == 0;
			outcome.spec.read_size = k == 2 ? 33 : 0;
			check_run(&outcome, false);
		}
	}
}

TEST(many_clients_that_connect_at_once_are_all_served)
{
	const struct transport_ops *transport;

	for (size_t i = 0; (transport = transports[i]); i++) {
		struct outcome outcome = outcome_of(transport->name, "connect");

		outcome.spec.clients = 100;
		outcome.spec.messages = 10;
		outcome.spec.threads = true;
		if (transport->listen)
			check_run(&outcome, false);
	}
}

TEST(connections_may_be_due)
{
	struct outcome outcome = outcome_of("uds-stream", "connect");

	outcome.spec.period_ns = PERIOD_NS;
	outcome.spec.messages = 20;
	check_run(&outcome, false); /* take_stamp() looks at the grid */
}

static struct outcome disturbed(const char *pattern, bool threads)
{
	struct outcome outcome = outcome_of("uds-stream", pattern);

	outcome.spec.messages = 1ULL << 40;
	outcome.spec.threads = threads;
	return outcome;
}

static const char *const oneway[] = {"flood", "connect"};

/* All that was sent before the stop has come. */
TEST(a_stop_ends_them_in_good_order)
{
	for (size_t i = 0; i < 2 * ARRAY_SIZE(oneway); i++) {
		struct outcome outcome = disturbed(oneway[i / 2], i % 2);
		uint64_t sent = 0;

		outcome.stop_round = 50;
		run(&outcome);
		assert_int_equal(outcome.lefts, 0);
		assert_int_equal(outcome.directions, CLIENTS);
		for (uint32_t client = 1; client <= CLIENTS; client++) {
			const struct record_traffic *traffic =
				&outcome.traffic[client][!strcmp(oneway[i / 2], "flood")];

			assert_int_equal(traffic->received, traffic->sent);
			sent += traffic->sent;
		}
		assert_in_range(sent, 50, 1ULL << 39);
	}
}

TEST(without_a_client_the_others_go_on)
{
	/* A second or two of each: the kill must be in time. */
	static const uint64_t messages[] = {200000, 30000};

	for (size_t i = 0; i < ARRAY_SIZE(oneway); i++) {
		struct outcome outcome = disturbed(oneway[i], false);
		uint64_t rounds = WARMUP + messages[i];
		bool to_server = !strcmp(oneway[i], "flood");

		outcome.spec.messages = messages[i];
		outcome.kill_round = 50;
		outcome.kill_process = 2;
		run(&outcome);
		assert_int_equal(outcome.lefts, 1);
		assert_int_equal(outcome.left[0].client, 2);
		assert_int_equal(outcome.left[0].reason, LEFT_SIGNAL);
		assert_int_equal(outcome.traffic[1][to_server].received, rounds);
		assert_int_equal(outcome.traffic[3][to_server].received, rounds);
		assert_true(outcome.traffic[2][to_server].sent < rounds);
	}
}

TEST(without_the_server_the_run_ends)
{
	for (size_t i = 0; i < 2 * ARRAY_SIZE(oneway); i++) {
		struct outcome outcome = disturbed(oneway[i / 2], i % 2);
		struct capture err;

		outcome.kill_round = 50;
		capture_begin(&err, STDERR_FILENO);
		run(&outcome);
		capture_end(&err);
		assert_int_equal(outcome.lefts, 1);
		assert_int_equal(outcome.left[0].client, 0);
		assert_int_equal(outcome.left[0].reason, LEFT_SIGNAL);
		assert_string_equal(err.text, "");
	}
}

static void refuse(const struct workload_spec *spec, const char *reason)
{
	struct workload *workload;
	struct capture err;

	capture_begin(&err, STDERR_FILENO);
	workload = workload__new(spec);
	capture_end(&err);
	assert_null(workload);
	assert_one_line_with(err.text, reason);
	assert_has(err.text, spec->pattern);
}

TEST(what_makes_no_sense_is_refused_with_what_does)
{
	struct outcome outcome = outcome_of("uds", "flood");

	outcome.spec.period_ns = PERIOD_NS;
	refuse(&outcome.spec, "leave --period out");
	outcome = outcome_of("uds", "connect");
	refuse(&outcome.spec, "use --transport uds-stream, uds-seqpacket, tcp, tcp6");
	outcome = outcome_of("tcp", "connect");
	outcome.spec.size = 39;
	refuse(&outcome.spec, "use --size 40 or more");
	outcome = outcome_of("tcp", "connect");
	outcome.spec.reader = READER_EPOLL;
	refuse(&outcome.spec, "use --reader block");
}

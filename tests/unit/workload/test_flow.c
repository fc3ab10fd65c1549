/* SPDX-License-Identifier: BSD-2-Clause */
/* Runs of patterns without a tick and without answers: floods, and a connection for each message.
 */
#include "support/build.h"
#include "support/capture.h"

#include "transport/transports.h"
#include "util/clock.h"
#include "workload/patterns/patterns.h"
#include "workload/workload.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define CLIENTS_CNT 3
#define WARMUP      5

/* More than any queue holds. */
#define MESSAGES  600

#define PERIOD_NS 1000000

/* What came out of a run. */
struct outcome {
	struct workload_spec spec;
	struct record_traffic traffic[CLIENTS_MAX + 1];
	struct record_stamp last[CLIENTS_MAX + 1];
	uint64_t stamps[CLIENTS_MAX + 1];
	uint64_t sends, receives;
	struct record_left left;
	uint32_t directions, lefts;
	uint64_t lost;
	uint64_t disturb_round; /* not 0: then `kill_process` is killed, or the run is stopped */
	bool stops;
	unsigned int kill_process;
	bool is_lazy; /* the driver drains only when everybody waits for that */
	uint64_t rounds_seen;
};

static struct outcome *outcome_new(const char *transport, const char *pattern)
{
	struct outcome *outcome = calloc(1, sizeof(*outcome));

	assert_non_null(outcome);
	outcome->spec = (struct workload_spec){.clients = CLIENTS_CNT,
					       .messages = MESSAGES,
					       .warmup = WARMUP,
					       .size = 64,
					       .sched_policy = POLICY_OTHER};
	snprintf(outcome->spec.transport, SPEC_TEXT_LEN, "%s", transport);
	snprintf(outcome->spec.pattern, SPEC_TEXT_LEN, "%s", pattern);
	return outcome;
}

/* Every connection is the next one of its client, at its time. */
static void take_stamp(struct outcome *outcome, const struct record_stamp *stamp)
{
	const struct record_stamp *last = &outcome->last[stamp->client];
	uint64_t cnt = outcome->stamps[stamp->client]++;

	assert_int_equal(stamp->to_server, 0);
	assert_int_equal(stamp->index, cnt);
	assert_int_equal(stamp->round, cnt);
	assert_true(last->user_ns <= stamp->stamp_ns);
	assert_true(stamp->stamp_ns <= stamp->user_ns);
	if (!outcome->spec.period_ns)
		assert_int_equal(stamp->due_ns, 0);
	else if (cnt)
		assert_int_equal(stamp->due_ns, last->due_ns + outcome->spec.period_ns);
	else
		assert_true(stamp->due_ns && stamp->due_ns <= stamp->stamp_ns);
	outcome->last[stamp->client] = *stamp;
}

static int take(void *ctx, const struct record *record)
{
	struct outcome *outcome = ctx;
	const struct record_traffic *traffic = (const void *)record;

	switch (record->type) {
	case RECORD_STAMP:
		take_stamp(outcome, (const void *)record);
		break;
	case RECORD_SEND:
		outcome->sends++;
		break;
	case RECORD_RECEIVE:
		outcome->receives++;
		break;
	case RECORD_TRAFFIC:
		outcome->traffic[traffic->client] = *traffic;
		outcome->directions++;
		break;
	case RECORD_LEFT:
		outcome->left = *(const struct record_left *)record;
		outcome->lefts++;
		break;
	case RECORD_TICK:
		fail_msg("there is no tick");
	}
	return 0;
}

static void disturb(struct outcome *outcome, struct workload *workload)
{
	if (!outcome->disturb_round || workload__rounds(workload) < outcome->disturb_round)
		return;
	if (outcome->stops)
		workload__stop(workload);
	else
		kill(workload__pid(workload, outcome->kill_process), SIGKILL);
	outcome->disturb_round = 0;
}

/* Nothing has happened since the last look. */
static bool all_wait(struct outcome *outcome, struct workload *workload)
{
	uint64_t rounds = workload__rounds(workload);
	bool is_same = rounds == outcome->rounds_seen;

	outcome->rounds_seen = rounds;
	return is_same;
}

static void run(struct outcome *outcome)
{
	const struct timespec pause = {.tv_nsec = outcome->is_lazy ? 20000000 : 1000000};
	struct workload *workload = workload__new(&outcome->spec);

	assert_non_null(workload);
	assert_int_equal(workload__spawn(workload), 0);
	assert_int_equal(workload__start(workload), 0);
	while (workload__running(workload)) {
		if (!outcome->is_lazy || all_wait(outcome, workload))
			assert_int_equal(workload__drain(workload, take, outcome), 0);
		disturb(outcome, workload);
		nanosleep(&pause, NULL);
	}
	assert_int_equal(workload__drain(workload, take, outcome), 0);
	outcome->lost = workload__lost(workload);
	workload__free(workload);
}

/* Where the kernel drops what there is no room for, less may come than was sent. */
static bool can_lose(const struct outcome *outcome)
{
	return !strncmp(outcome->spec.transport, "udp", 3);
}

static void check_client(const struct outcome *outcome, uint32_t client, bool to_server)
{
	const struct record_traffic *traffic = &outcome->traffic[client];
	const struct workload_spec *spec = &outcome->spec;
	uint64_t rounds = spec->warmup + spec->messages;

	assert_int_equal(traffic->to_server, to_server);
	assert_int_equal(traffic->sent, rounds);
	assert_int_equal(traffic->corrupt, 0);
	assert_int_equal(outcome->stamps[client], to_server ? 0 : rounds);
	if (can_lose(outcome)) {
		assert_in_range(traffic->received, 1, rounds);
		return;
	}
	assert_int_equal(traffic->received, rounds);
	assert_int_equal(traffic->bytes, spec->messages * spec->size);
	assert_true(traffic->first_ns && traffic->first_ns < traffic->last_ns);
	if (!to_server)
		assert_int_equal(traffic->last_ns, outcome->last[client].user_ns);
}

/* Runs it to a good end, in which everything came, and frees it. */
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
		noted += transport->notes_handover ? outcome->traffic[client].sent : 0;
	}
	assert_int_equal(outcome->sends, noted);
	assert_int_equal(outcome->receives, noted);
	free(outcome);
}

static bool can_flood(const struct transport_ops *transport, const struct workload_spec *spec)
{
	return !transport->kernel_sends && spec->size <= transport->size_max() &&
	       !(transport->refuse && transport->refuse(spec));
}

static void flood_all(uint64_t size, uint64_t messages, bool threads, enum reader reader)
{
	const struct transport_ops *transport;

	for (size_t i = 0; (transport = transport_at(i)); i++) {
		struct outcome *outcome = outcome_new(transport->name, "flood");

		outcome->spec.size = size;
		outcome->spec.messages = messages;
		outcome->spec.threads = threads;
		outcome->spec.reader = reader;
		if (can_flood(transport, &outcome->spec))
			check_run(outcome, true);
		else
			free(outcome);
	}
}

/* Small ones have no header, and none beside them: so many may be under way. */
static void floods_of_every_size_over_every_transport(void **state)
{
	static const size_t sizes[] = {1, 7, 39, 40, 64, 1500, 65536};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(sizes); i++)
		flood_all(sizes[i], MESSAGES, false, READER_BLOCK);
}

static void floods_of_threads_and_with_every_reader(void **state)
{
	(void)state;
	flood_all(64, MESSAGES, true, READER_BLOCK);
	flood_all(64, MESSAGES, false, READER_POLL);
	flood_all(64, MESSAGES, false, READER_EPOLL);
}

/* What is noted of handovers waits for the driver, and nothing of it is lost. */
static void floods_larger_than_the_journals(void **state)
{
	const struct transport_ops *transport;

	(void)state;
	for (size_t i = 0; (transport = transport_at(i)); i++) {
		struct outcome *outcome = outcome_new(transport->name, "flood");

		outcome->spec.messages = 300000;
		outcome->spec.clients = 1;
		outcome->is_lazy = true;
		if (transport->notes_handover && can_flood(transport, &outcome->spec))
			check_run(outcome, true);
		else
			free(outcome);
	}
}

static void connections_of_every_size_over_all_that_connect(void **state)
{
	static const size_t sizes[] = {40, 64, 1500, 65536};
	const struct transport_ops *transport;

	(void)state;
	for (size_t i = 0; (transport = transport_at(i)); i++) {
		for (size_t k = 0; transport->listen && k < ARRAY_SIZE(sizes); k++) {
			struct outcome *outcome = outcome_new(transport->name, "connect");

			outcome->spec.size = sizes[k];
			outcome->spec.messages = 100;
			outcome->spec.threads = k == 0;
			outcome->spec.read_size = k == 2 ? 33 : 0;
			check_run(outcome, false);
		}
	}
}

static void many_clients_that_connect_at_once_are_all_served(void **state)
{
	const struct transport_ops *transport;

	(void)state;
	for (size_t i = 0; (transport = transport_at(i)); i++) {
		struct outcome *outcome = outcome_new(transport->name, "connect");

		outcome->spec.clients = 100;
		outcome->spec.messages = 10;
		outcome->spec.threads = true;
		if (transport->listen)
			check_run(outcome, false);
		else
			free(outcome);
	}
}

static void connections_may_be_due(void **state)
{
	struct outcome *outcome = outcome_new("uds-stream", "connect");

	(void)state;
	outcome->spec.period_ns = PERIOD_NS;
	outcome->spec.messages = 20;
	check_run(outcome, false); /* take_stamp() looks at the grid */
}

static struct outcome *disturbed(const char *pattern, bool threads)
{
	struct outcome *outcome = outcome_new("uds-stream", pattern);

	outcome->spec.messages = 1ULL << 40;
	outcome->spec.threads = threads;
	outcome->disturb_round = 50;
	return outcome;
}

static const char *const patterns[] = {"flood", "connect"};

/* All that was sent before the stop has come. */
static void a_stop_ends_them_in_good_order(void **state)
{
	(void)state;
	for (size_t i = 0; i < 2 * ARRAY_SIZE(patterns); i++) {
		struct outcome *outcome = disturbed(patterns[i / 2], i % 2);
		uint64_t sent = 0;

		outcome->stops = true;
		run(outcome);
		assert_int_equal(outcome->lefts, 0);
		assert_int_equal(outcome->directions, CLIENTS_CNT);
		for (uint32_t client = 1; client <= CLIENTS_CNT; client++) {
			assert_int_equal(outcome->traffic[client].received,
					 outcome->traffic[client].sent);
			sent += outcome->traffic[client].sent;
		}
		assert_in_range(sent, 50, 1ULL << 39);
		free(outcome);
	}
}

static void without_a_client_the_others_go_on(void **state)
{
	/* A second or two of each: the kill must be in time. */
	static const uint64_t messages[] = {200000, 30000};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(patterns); i++) {
		struct outcome *outcome = disturbed(patterns[i], false);
		uint64_t rounds = WARMUP + messages[i];

		outcome->spec.messages = messages[i];
		outcome->kill_process = 2;
		run(outcome);
		assert_int_equal(outcome->lefts, 1);
		assert_int_equal(outcome->left.client, 2);
		assert_int_equal(outcome->left.reason, LEFT_SIGNAL);
		assert_int_equal(outcome->traffic[1].received, rounds);
		assert_int_equal(outcome->traffic[3].received, rounds);
		assert_true(outcome->traffic[2].sent < rounds);
		free(outcome);
	}
}

static void without_the_server_the_run_ends(void **state)
{
	(void)state;
	for (size_t i = 0; i < 2 * ARRAY_SIZE(patterns); i++) {
		struct outcome *outcome = disturbed(patterns[i / 2], i % 2);
		struct capture err;

		capture_begin(&err, STDERR_FILENO);
		run(outcome);
		capture_end(&err);
		assert_int_equal(outcome->lefts, 1);
		assert_int_equal(outcome->left.client, 0);
		assert_int_equal(outcome->left.reason, LEFT_SIGNAL);
		assert_string_equal(err.text, "");
		free(outcome);
	}
}

static void refuse(struct outcome *outcome, const char *reason)
{
	struct workload *workload;
	struct capture err;

	capture_begin(&err, STDERR_FILENO);
	workload = workload__new(&outcome->spec);
	capture_end(&err);
	assert_null(workload);
	assert_one_line_with(err.text, reason);
	assert_has(err.text, outcome->spec.pattern);
	free(outcome);
}

static void what_makes_no_sense_is_refused_with_what_does(void **state)
{
	struct outcome *outcome = outcome_new("uds", "flood");

	(void)state;
	outcome->spec.period_ns = PERIOD_NS;
	refuse(outcome, "leave --period out");
	refuse(outcome_new("uds", "connect"),
	       "use --transport uds-stream, uds-seqpacket, tcp, tcp6");
	outcome = outcome_new("tcp", "connect");
	outcome->spec.size = 39;
	refuse(outcome, "use --size 40 or more");
	outcome = outcome_new("tcp", "connect");
	outcome->spec.reader = READER_EPOLL;
	refuse(outcome, "use --reader block");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(floods_of_every_size_over_every_transport),
		cmocka_unit_test(floods_of_threads_and_with_every_reader),
		cmocka_unit_test(floods_larger_than_the_journals),
		cmocka_unit_test(connections_of_every_size_over_all_that_connect),
		cmocka_unit_test(many_clients_that_connect_at_once_are_all_served),
		cmocka_unit_test(connections_may_be_due),
		cmocka_unit_test(a_stop_ends_them_in_good_order),
		cmocka_unit_test(without_a_client_the_others_go_on),
		cmocka_unit_test(without_the_server_the_run_ends),
		cmocka_unit_test(what_makes_no_sense_is_refused_with_what_does),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* Whole workloads, untraced and without privileges: every message that is sent is received. */
#include "support/build.h"
#include "support/workload_run.h"
#include "transport/transport.h"
#include "workload/pattern.h"

#include <errno.h>
#include <stdio.h>

/* Some queues hold only four large messages, so a slower tick leaves clients time to run. */
#define LARGE           65536
#define LARGE_PERIOD_NS (10 * PERIOD_NS)

/* Runs with large messages at most, if each time a client had no CPU for several ticks. */
#define LARGE_TRIES 20

static void check_direction(const struct outcome *outcome, uint32_t client, int to_server,
			    bool is_used)
{
	const struct record_traffic *traffic = &outcome->traffic[client][to_server];

	assert_int_equal(outcome->stamps[client][to_server], is_used ? ROUNDS : 0);
	assert_int_equal(traffic->head.type, is_used ? RECORD_TRAFFIC : 0);
	if (!is_used)
		return;
	assert_int_equal(traffic->sent, ROUNDS);
	assert_int_equal(traffic->received, ROUNDS);
	assert_int_equal(traffic->corrupt, 0);
	assert_int_equal(traffic->bytes, MESSAGES * outcome->spec.size);
	assert_true(traffic->first_ns <= traffic->last_ns);
	assert_int_equal(traffic->last_ns, outcome->last[client][to_server].user_ns);
	assert_int_equal(traffic->head.tid, outcome->role[to_server ? 0 : client].head.tid);
}

static void check_instants(const struct instants *instants)
{
	assert_true(instants->stamp_ns <= instants->send_ns);
	assert_true(instants->send_ns <= instants->queued_ns);
	assert_true(instants->queued_ns <= instants->exit_ns);
	assert_true(instants->enter_ns <= instants->exit_ns);
	assert_true(instants->exit_ns <= instants->user_ns);
}

/* Both sides of all messages are recorded, or no side is. */
static void check_handovers(const struct outcome *outcome)
{
	const struct transport_ops *transport = transport_find(outcome->spec.transport);
	uint64_t stamps = 0;

	for (uint32_t client = 1; client <= CLIENTS; client++) {
		for (int direction = 0; direction < 2; direction++) {
			uint64_t cnt = outcome->stamps[client][direction];

			stamps += cnt;
			for (uint64_t i = 0; transport->notes_handover && i < cnt; i++)
				check_instants(&outcome->instants[client][direction][i]);
		}
	}
	assert_int_equal(stamps, ROUNDS * outcome->per_round);
	assert_int_equal(outcome->sends, transport->notes_handover ? stamps : 0);
	assert_int_equal(outcome->receives, outcome->sends);
}

static void check_complete(const struct outcome *outcome)
{
	const struct pattern *pattern = pattern_find(outcome->spec.pattern);

	assert_int_equal(outcome->roles, CLIENTS + 1);
	assert_int_equal(outcome->lefts, 0);
	assert_int_equal(outcome->lost, 0);
	assert_int_equal(outcome->ticks, pattern->needs_period ? ROUNDS : 0);
	for (uint32_t client = 1; client <= CLIENTS; client++) {
		check_direction(outcome, client, 0, pattern->to_clients);
		check_direction(outcome, client, 1, pattern->to_server);
	}
	check_handovers(outcome);
}

/* A push dropped a client because its queue was full, and nothing else went wrong. */
static bool is_starved(const struct outcome *outcome)
{
	for (uint32_t i = 0; i < outcome->lefts; i++)
		if (outcome->left[i].reason != LEFT_SEND_FAILED ||
		    outcome->left[i].detail != EAGAIN)
			return false;
	return outcome->lefts;
}

/* Large messages do not all fit into a queue: a run with a client that had no CPU is repeated. */
static void run(struct outcome *outcome)
{
	const struct workload_spec spec = outcome->spec;
	unsigned int tries = spec.size == LARGE && spec.period_ns ? LARGE_TRIES : 1;

	do {
		*outcome = (struct outcome){.spec = spec};
		workload_run(outcome);
	} while (--tries && is_starved(outcome));
}

static void run_all_patterns(const struct transport_ops *transport, size_t size, bool threads)
{
	for (size_t i = 0; i < ARRAY_SIZE(linked_patterns); i++) {
		struct outcome outcome = workload_outcome_of(transport->name, linked_patterns[i]);

		outcome.spec.size = size;
		outcome.spec.threads = threads;
		if (outcome.spec.period_ns && size == LARGE)
			outcome.spec.period_ns = LARGE_PERIOD_NS;
		if (transport->kernel_sends || size > transport->size_max() ||
		    (transport->refuse && transport->refuse(&outcome.spec)))
			continue;
		run(&outcome);
		check_complete(&outcome);
	}
}

TEST(every_pattern_over_every_transport)
{
	static const size_t sizes[] = {1, 39, 40, 64, 1500, LARGE};
	const struct transport_ops *transport;

	for (size_t i = 0; (transport = transports[i]); i++)
		for (size_t k = 0; k < ARRAY_SIZE(sizes); k++)
			run_all_patterns(transport, sizes[k], false);
}

TEST(clients_as_threads)
{
	const struct transport_ops *transport;

	for (size_t i = 0; (transport = transports[i]); i++) {
		run_all_patterns(transport, 64, true);
		run_all_patterns(transport, 3, true);
	}
}

TEST(threads_are_of_one_process_and_known_by_their_own_numbers)
{
	struct outcome outcome = workload_outcome_of("uds", "push");

	outcome.spec.threads = true;
	workload_run(&outcome);
	check_complete(&outcome);
	for (uint32_t client = 1; client <= CLIENTS; client++) {
		char name[RECORD_COMM_LEN];

		snprintf(name, sizeof(name), "ipctrace-cl-%u", client);
		assert_string_equal(outcome.role[client].comm, name);
		assert_int_equal(outcome.role[client].client, client);
		for (uint32_t other = 0; other < client; other++)
			assert_int_not_equal(outcome.role[client].head.tid,
					     outcome.role[other].head.tid);
	}
}

TEST(every_reader)
{
	const struct transport_ops *transport;

	for (size_t i = 0; (transport = transports[i]); i++) {
		for (int reader = READER_POLL; reader < NR_READERS; reader++) {
			struct outcome outcome = workload_outcome_of(transport->name, "request");

			outcome.spec.reader = (enum reader)reader;
			if (transport->kernel_sends ||
			    (transport->refuse && transport->refuse(&outcome.spec)))
				continue;
			workload_run(&outcome);
			check_complete(&outcome);
		}
	}
}

TEST(streams_in_parts_and_several_at_once)
{
	static const size_t reads[] = {1, 7, 39, 100, 5000};
	static const size_t sizes[] = {3, 64, 1000};
	const struct transport_ops *transport;

	for (size_t i = 0; (transport = transports[i]); i++) {
		for (size_t k = 0; transport->is_stream && k < ARRAY_SIZE(reads); k++) {
			struct outcome outcome = workload_outcome_of(transport->name, "push");

			outcome.spec.read_size = reads[k];
			outcome.spec.size = sizes[k % ARRAY_SIZE(sizes)];
			workload_run(&outcome);
			check_complete(&outcome);
		}
	}
}

TEST(a_fixed_rate_has_a_grid_of_due_times)
{
	struct outcome outcome = workload_outcome_of("uds", "pingpong");

	outcome.spec.period_ns = PERIOD_NS;
	workload_run(&outcome); /* the records are checked for the grid as they come */
	check_complete(&outcome);
	for (uint32_t client = 1; client <= CLIENTS; client++) {
		const struct record_stamp *request = &outcome.last[client][1];

		assert_int_equal(outcome.last[client][0].due_ns, request->due_ns);
		assert_true(request->due_ns && request->due_ns <= request->stamp_ns);
	}
}

TEST(a_late_exchange_keeps_the_grid)
{
	struct outcome outcome = workload_outcome_of("uds", "request");
	const struct record_stamp *last = &outcome.last[1][0];

	/* The handler takes twice the period: every exchange begins later after its due time. */
	outcome.spec.period_ns = PERIOD_NS;
	outcome.spec.clients = 1;
	snprintf(outcome.spec.handler, SPEC_TEXT_LEN, "sleep=2ms");
	workload_run(&outcome);
	assert_int_equal(outcome.stamps[1][0], ROUNDS);
	assert_true(last->user_ns - last->due_ns >= ROUNDS * PERIOD_NS);
}

TEST(an_answer_can_be_longer_than_its_request)
{
	struct outcome outcome = workload_outcome_of("uds", "request");

	snprintf(outcome.spec.handler, SPEC_TEXT_LEN, "exec=seq 500");
	workload_run(&outcome);
	for (uint32_t client = 1; client <= CLIENTS; client++) {
		assert_int_equal(outcome.traffic[client][0].received, ROUNDS);
		assert_int_equal(outcome.traffic[client][0].corrupt, 0);
		assert_true(outcome.traffic[client][0].bytes > MESSAGES * 1000);
		assert_int_equal(outcome.traffic[client][1].bytes, MESSAGES * 64);
	}
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* Whole workloads, untraced and without privileges: all that is sent comes, and all end well. */
#include "support/build.h"

#include "transport/transports.h"
#include "workload/patterns/patterns.h"
#include "workload/workload.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* No more than the shortest queue holds: even a client that does not run at all loses nothing. */
#define MESSAGES  8
#define WARMUP    2
#define ROUNDS    (MESSAGES + WARMUP)
#define CLIENTS   3

#define PERIOD_NS 1000000

/* Of a disturbed run: it lasts a second, so that a kill is in time. */
#define MESSAGES_DISTURBED 250

/* Of large messages, some queues hold only four: a client has to be held up for longer. */
#define LARGE           65536
#define LARGE_PERIOD_NS (10 * PERIOD_NS)

/* One message's, in their order. */
struct instants {
	uint64_t stamp_ns;
	uint64_t send_ns;
	uint64_t queued_ns;
	uint64_t enter_ns;
	uint64_t exit_ns;
	uint64_t user_ns;
};

/* What came out of a run. */
struct outcome {
	struct workload_spec spec;
	struct record_role role[CLIENTS + 1];
	struct record_traffic traffic[CLIENTS + 1][2];
	uint64_t stamps[CLIENTS + 1][2];
	struct record_stamp last[CLIENTS + 1][2];
	struct instants instants[CLIENTS + 1][2][ROUNDS]; /* where transports note them */
	uint64_t sends;
	uint64_t receives;
	uint64_t ticks;
	uint32_t roles;
	uint32_t directions;
	struct record_left left[CLIENTS + 1];
	uint32_t lefts;
	uint64_t lost;
	uint64_t kill_round; /* not 0: at that round, kill_process is killed */
	unsigned int kill_process;
	uint64_t per_round;  /* messages */
	uint64_t stop_round; /* not 0: at that round, the run is stopped */
};

static struct outcome outcome_of(const char *transport, const char *pattern)
{
	struct outcome outcome = {
		.spec = {.clients = CLIENTS,
			 .messages = MESSAGES,
			 .warmup = WARMUP,
			 .size = 64,
			 .policy = POLICY_OTHER},
	};

	snprintf(outcome.spec.transport, SPEC_TEXT_LEN, "%s", transport);
	snprintf(outcome.spec.pattern, SPEC_TEXT_LEN, "%s", pattern);
	if (pattern_find(pattern)->needs_period)
		outcome.spec.period_ns = PERIOD_NS;
	return outcome;
}

/* Every message is the next one of its way, and was sent before it came. */
static void take_stamp(struct outcome *outcome, const struct record_stamp *stamp)
{
	const struct record_stamp *last = &outcome->last[stamp->client][stamp->to_server];
	uint64_t *stamps = &outcome->stamps[stamp->client][stamp->to_server];

	assert_int_equal(stamp->index, *stamps);
	assert_int_equal(stamp->round, stamp->index);
	assert_true(stamp->stamp_ns <= stamp->user_ns);
	assert_true(stamp->stamp_ns >= last->stamp_ns);
	if (!outcome->spec.period_ns)
		assert_int_equal(stamp->due_ns, 0);
	else if (*stamps && strcmp(outcome->spec.pattern, "push"))
		assert_int_equal(stamp->due_ns, last->due_ns + outcome->spec.period_ns);
	outcome->last[stamp->client][stamp->to_server] = *stamp;
	(*stamps)++;
}

static struct instants *instants_of(struct outcome *outcome, uint32_t channel, uint64_t position)
{
	uint32_t client = (channel & ~CHANNEL_OF_LINK(0, 0)) >> 1;

	assert_in_range(client, 1, CLIENTS);
	return &outcome->instants[client][channel & 1][position % ROUNDS];
}

static void take_instants(struct outcome *outcome, const struct record *record)
{
	const struct record_send *send = (const void *)record;
	const struct record_receive *receive = (const void *)record;
	const struct record_stamp *stamp = (const void *)record;
	struct instants *instants;

	if (record->type == RECORD_SEND) {
		instants = instants_of(outcome, send->channel, send->position);
		instants->send_ns = send->send_ns;
		instants->queued_ns = send->queued_ns;
		outcome->sends++;
	} else if (record->type == RECORD_RECEIVE) {
		instants = instants_of(outcome, receive->channel, receive->position);
		instants->enter_ns = receive->enter_ns;
		instants->exit_ns = receive->exit_ns;
		outcome->receives++;
	} else if (record->type == RECORD_STAMP) {
		instants = instants_of(outcome, CHANNEL_OF_LINK(stamp->client, stamp->to_server),
				       stamp->index);
		instants->stamp_ns = stamp->stamp_ns;
		instants->user_ns = stamp->user_ns;
	}
}

static int take(void *ctx, const struct record *record)
{
	struct outcome *outcome = ctx;
	const struct record_role *role = (const void *)record;
	const struct record_traffic *traffic = (const void *)record;

	take_instants(outcome, record);
	switch (record->type) {
	case RECORD_ROLE:
		assert_int_equal(role->client, outcome->roles++);
		outcome->role[role->client] = *role;
		break;
	case RECORD_STAMP:
		take_stamp(outcome, (const void *)record);
		break;
	case RECORD_TICK:
		outcome->ticks++;
		break;
	case RECORD_TRAFFIC:
		outcome->traffic[traffic->client][traffic->to_server] = *traffic;
		outcome->directions++;
		break;
	case RECORD_LEFT:
		outcome->left[outcome->lefts++] = *(const struct record_left *)record;
		break;
	}
	return 0;
}

static void disturb(struct outcome *outcome, struct workload *workload)
{
	uint64_t rounds = workload__rounds(workload);

	if (outcome->kill_round && rounds >= outcome->kill_round) {
		kill(workload__pid(workload, outcome->kill_process), SIGKILL);
		outcome->kill_round = 0;
	}
	if (outcome->stop_round && rounds >= outcome->stop_round)
		workload__stop(workload);
}

static void run(struct outcome *outcome)
{
	const struct timespec pause = {.tv_nsec = PERIOD_NS};
	struct workload *workload = workload__new(&outcome->spec);

	assert_non_null(workload);
	assert_int_equal(workload__spawn(workload), 0);
	assert_int_equal(workload__start(workload), 0);
	while (workload__running(workload)) {
		assert_int_equal(workload__drain(workload, take, outcome), 0);
		disturb(outcome, workload);
		nanosleep(&pause, NULL);
	}
	assert_int_equal(workload__drain(workload, take, outcome), 0);
	outcome->lost = workload__lost(workload);
	outcome->per_round = workload__messages_per_round(workload);
	workload__free(workload);
}

static void check_way(const struct outcome *outcome, uint32_t client, int to_server, bool is_used)
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

/* Either both sides of all messages are noted, or nothing is. */
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
		check_way(outcome, client, 0, pattern->to_clients);
		check_way(outcome, client, 1, pattern->to_server);
	}
	check_handovers(outcome);
}

/* Those that have links, and what is done on ticks or in exchanges. */
static const char *const patterns[] = {"push", "pingpong", "request"};

static void run_all_patterns(const struct transport_ops *transport, size_t size, bool threads)
{
	for (size_t i = 0; i < ARRAY_SIZE(patterns); i++) {
		struct outcome outcome = outcome_of(transport->name, patterns[i]);

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

static void every_pattern_over_every_transport(void **state)
{
	static const size_t sizes[] = {1, 39, 40, 64, 1500, LARGE};
	const struct transport_ops *transport;

	(void)state;
	for (size_t i = 0; (transport = transport_at(i)); i++)
		for (size_t k = 0; k < ARRAY_SIZE(sizes); k++)
			run_all_patterns(transport, sizes[k], false);
}

static void clients_as_threads(void **state)
{
	const struct transport_ops *transport;

	(void)state;
	for (size_t i = 0; (transport = transport_at(i)); i++) {
		run_all_patterns(transport, 64, true);
		run_all_patterns(transport, 3, true);
	}
}

static void threads_are_of_one_process_and_known_by_their_own_numbers(void **state)
{
	struct outcome outcome = outcome_of("uds", "push");

	(void)state;
	outcome.spec.threads = true;
	run(&outcome);
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

static void every_reader(void **state)
{
	const struct transport_ops *transport;

	(void)state;
	for (size_t i = 0; (transport = transport_at(i)); i++) {
		for (int reader = READER_POLL; reader < NR_READERS; reader++) {
			struct outcome outcome = outcome_of(transport->name, "request");

			outcome.spec.reader = (enum reader)reader;
			if (transport->kernel_sends ||
			    (transport->refuse && transport->refuse(&outcome.spec)))
				continue;
			run(&outcome);
			check_complete(&outcome);
		}
	}
}

static void streams_in_parts_and_several_at_once(void **state)
{
	static const size_t reads[] = {1, 7, 39, 100, 5000};
	static const size_t sizes[] = {3, 64, 1000};
	const struct transport_ops *transport;

	(void)state;
	for (size_t i = 0; (transport = transport_at(i)); i++) {
		for (size_t k = 0; transport->is_stream && k < ARRAY_SIZE(reads); k++) {
			struct outcome outcome = outcome_of(transport->name, "push");

			outcome.spec.read_size = reads[k];
			outcome.spec.size = sizes[k % ARRAY_SIZE(sizes)];
			run(&outcome);
			check_complete(&outcome);
		}
	}
}

static void a_fixed_rate_has_a_grid_of_due_times(void **state)
{
	struct outcome outcome = outcome_of("uds", "pingpong");

	(void)state;
	outcome.spec.period_ns = PERIOD_NS;
	run(&outcome); /* take_stamp() looks at the grid */
	check_complete(&outcome);
	for (uint32_t client = 1; client <= CLIENTS; client++) {
		const struct record_stamp *request = &outcome.last[client][1];

		assert_int_equal(outcome.last[client][0].due_ns, request->due_ns);
		assert_true(request->due_ns && request->due_ns <= request->stamp_ns);
	}
}

static void one_who_is_late_keeps_the_grid(void **state)
{
	struct outcome outcome = outcome_of("uds", "request");
	const struct record_stamp *last = &outcome.last[1][0];

	(void)state;
	/* Twice as long as there is time for: every exchange begins later after it was due. */
	outcome.spec.period_ns = PERIOD_NS;
	outcome.spec.clients = 1;
	snprintf(outcome.spec.handler, SPEC_TEXT_LEN, "sleep=2ms");
	run(&outcome);
	assert_int_equal(outcome.stamps[1][0], ROUNDS);
	assert_true(last->user_ns - last->due_ns >= ROUNDS * PERIOD_NS);
}

static void an_answer_can_be_longer_than_its_request(void **state)
{
	struct outcome outcome = outcome_of("uds", "request");

	(void)state;
	snprintf(outcome.spec.handler, SPEC_TEXT_LEN, "exec=seq 500");
	run(&outcome);
	for (uint32_t client = 1; client <= CLIENTS; client++) {
		assert_int_equal(outcome.traffic[client][0].received, ROUNDS);
		assert_int_equal(outcome.traffic[client][0].corrupt, 0);
		assert_true(outcome.traffic[client][0].bytes > MESSAGES * 1000);
		assert_int_equal(outcome.traffic[client][1].bytes, MESSAGES * 64);
	}
}

/* A push needs a queue that is long enough for a client that has to wait for a CPU. */
static struct outcome disturbed(const char *pattern, bool threads)
{
	const char *transport = strcmp(pattern, "push") ? "uds" : "uds-stream";
	struct outcome outcome = outcome_of(transport, pattern);

	outcome.spec.messages = 100000;
	outcome.spec.period_ns = 4 * PERIOD_NS;
	outcome.spec.threads = threads;
	return outcome;
}

static void without_a_client_the_others_go_on(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(patterns); i++) {
		struct outcome outcome = disturbed(patterns[i], false);

		outcome.spec.messages = MESSAGES_DISTURBED;
		outcome.kill_round = 10;
		outcome.kill_process = 2;
		run(&outcome);
		assert_int_equal(outcome.lefts, 1);
		assert_int_equal(outcome.left[0].client, 2);
		assert_int_equal(outcome.left[0].reason, LEFT_SIGNAL);
		assert_int_equal(outcome.left[0].detail, SIGKILL);
		assert_int_equal(outcome.stamps[1][0], MESSAGES_DISTURBED + WARMUP);
		assert_int_equal(outcome.stamps[3][0], MESSAGES_DISTURBED + WARMUP);
		assert_true(outcome.stamps[2][0] < MESSAGES_DISTURBED);
	}
}

static void without_the_server_the_run_ends(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(patterns); i++) {
		struct outcome outcome = disturbed(patterns[i], i == 1);

		outcome.kill_round = 10;
		outcome.kill_process = 0;
		run(&outcome);
		assert_int_equal(outcome.lefts, 1);
		assert_int_equal(outcome.left[0].client, 0);
		assert_int_equal(outcome.left[0].reason, LEFT_SIGNAL);
	}
}

static void without_their_process_all_threads_have_left(void **state)
{
	struct outcome outcome = disturbed("pingpong", true);

	(void)state;
	outcome.kill_round = 10;
	outcome.kill_process = 1;
	run(&outcome);
	assert_int_equal(outcome.lefts, CLIENTS);
	for (uint32_t i = 0; i < CLIENTS; i++) {
		assert_int_equal(outcome.left[i].client, i + 1);
		assert_int_equal(outcome.left[i].reason, LEFT_SIGNAL);
	}
}

/* Whatever was sent has come, and nobody has anything to say. */
static void check_stopped(const struct outcome *outcome)
{
	assert_int_equal(outcome->lefts, 0);
	assert_int_equal(outcome->directions, strcmp(outcome->spec.pattern, "push") ? 6 : 3);
	for (uint32_t client = 1; client <= CLIENTS; client++) {
		for (int direction = 0; direction < 2; direction++) {
			const struct record_traffic *traffic = &outcome->traffic[client][direction];

			assert_int_equal(traffic->sent, traffic->received);
			assert_true(traffic->sent < 1000);
		}
	}
}

static void a_stop_ends_what_has_begun_and_then_the_run(void **state)
{
	(void)state;
	for (size_t i = 0; i < 2 * ARRAY_SIZE(patterns); i++) {
		struct outcome outcome = disturbed(patterns[i / 2], i % 2);

		outcome.stop_round = 10;
		run(&outcome);
		check_stopped(&outcome);
	}
}

/* Half a minute until the first message, and nobody waits for it. */
static void a_stop_ends_those_who_sleep(void **state)
{
	(void)state;
	for (size_t i = 0; i < 2 * ARRAY_SIZE(patterns); i++) {
		struct outcome outcome = disturbed(patterns[i / 2], i % 2);
		struct workload *workload;

		outcome.spec.period_ns = 30000000000;
		workload = workload__new(&outcome.spec);
		assert_non_null(workload);
		assert_int_equal(workload__spawn(workload), 0);
		assert_int_equal(workload__start(workload), 0);
		workload__stop(workload);
		while (workload__running(workload))
			nanosleep(&(struct timespec){.tv_nsec = PERIOD_NS}, NULL);
		assert_int_equal(workload__drain(workload, take, &outcome), 0);
		workload__free(workload);
		check_stopped(&outcome);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_pattern_over_every_transport),
		cmocka_unit_test(clients_as_threads),
		cmocka_unit_test(threads_are_of_one_process_and_known_by_their_own_numbers),
		cmocka_unit_test(every_reader),
		cmocka_unit_test(streams_in_parts_and_several_at_once),
		cmocka_unit_test(a_fixed_rate_has_a_grid_of_due_times),
		cmocka_unit_test(one_who_is_late_keeps_the_grid),
		cmocka_unit_test(an_answer_can_be_longer_than_its_request),
		cmocka_unit_test(without_a_client_the_others_go_on),
		cmocka_unit_test(without_the_server_the_run_ends),
		cmocka_unit_test(without_their_process_all_threads_have_left),
		cmocka_unit_test(a_stop_ends_what_has_begun_and_then_the_run),
		cmocka_unit_test(a_stop_ends_those_who_sleep),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

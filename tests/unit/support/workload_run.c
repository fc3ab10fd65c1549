/* SPDX-License-Identifier: BSD-2-Clause */
/* Runs whole workloads and collects their records. */
#include "support/workload_run.h"
#include "support/build.h"
#include "support/queue_room.h"
#include "workload/pattern.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

struct outcome workload_outcome_of(const char *transport, const char *pattern)
{
	struct outcome outcome = {
		.spec = {.clients = CLIENTS,
			 .messages = MESSAGES,
			 .warmup = WARMUP,
			 .size = 64,
			 .sched_policy = POLICY_OTHER},
	};

	snprintf(outcome.spec.transport, SPEC_TEXT_LEN, "%s", transport);
	snprintf(outcome.spec.pattern, SPEC_TEXT_LEN, "%s", pattern);
	if (pattern_find(pattern)->needs_period)
		outcome.spec.period_ns = PERIOD_NS;
	return outcome;
}

static void take_stamp(struct outcome *outcome, const struct record_stamp *stamp)
{
	const struct record_stamp *last = &outcome->last[stamp->client][stamp->to_server];
	uint64_t *stamps = &outcome->stamps[stamp->client][stamp->to_server];
	bool is_push = !strcmp(outcome->spec.pattern, "push");

	assert_int_equal(stamp->index, *stamps);
	assert_int_equal(stamp->round, stamp->index);
	assert_true(stamp->stamp_ns <= stamp->user_ns);
	assert_true(stamp->stamp_ns >= (is_push ? last->stamp_ns : last->user_ns));
	if (!outcome->spec.period_ns)
		assert_int_equal(stamp->due_ns, 0);
	else if (*stamps && !is_push)
		assert_int_equal(stamp->due_ns, last->due_ns + outcome->spec.period_ns);
	else
		assert_true(stamp->due_ns && stamp->due_ns <= stamp->stamp_ns);
	outcome->last[stamp->client][stamp->to_server] = *stamp;
	(*stamps)++;
}

static struct instants *instants_of(struct outcome *outcome, uint32_t channel, uint64_t position)
{
	uint32_t client = (channel & ~CHANNEL_OF_LINK(0, 0)) >> 1;

	assert_in_range(client, 1, CLIENTS_MOST);
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
	case RECORD_PAUSES:
		outcome->pauses = *(const struct record_pauses *)record;
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

/* Nothing has happened since the last check. */
static bool all_wait(struct outcome *outcome, struct workload *workload)
{
	uint64_t rounds = workload__rounds(workload);
	bool is_same = rounds == outcome->rounds_seen;

	outcome->rounds_seen = rounds;
	return is_same;
}

/* Waits for room for POSIX queues. */
static struct workload *workload_make(const struct workload_spec *spec)
{
	int64_t until_ms = queue_room_limit_ms();
	struct workload *workload;

	while (!(workload = workload__new(spec)) && queue_room_await(until_ms))
		;
	return workload;
}

struct workload *workload_begin(const struct workload_spec *spec)
{
	struct workload *workload = workload_make(spec);

	assert_non_null(workload);
	assert_int_equal(workload__spawn(workload), 0);
	assert_int_equal(workload__start(workload), 0);
	return workload;
}

void workload_drain(struct outcome *outcome, struct workload *workload)
{
	assert_int_equal(workload__drain(workload, take, outcome), 0);
	workload__drained(workload, UINT64_MAX / 4);
}

void workload_finish(struct outcome *outcome, struct workload *workload)
{
	assert_int_equal(workload__drain(workload, take, outcome), 0);
	outcome->lost = workload__lost(workload);
	outcome->per_round = workload__messages_per_round(workload);
	workload__free(workload);
}

void workload_run_together(struct outcome *outcomes, size_t count)
{
	const struct timespec pause = {.tv_nsec = outcomes->is_lazy ? 20 * PERIOD_NS : PERIOD_NS};
	struct workload *workloads[RUNS_MAX];
	size_t running;

	assert_in_range(count, 1, RUNS_MAX);
	for (size_t i = 0; i < count; i++)
		workloads[i] = workload_begin(&outcomes[i].spec);
	do {
		running = 0;
		for (size_t i = 0; i < count; i++) {
			if (!workload__running(workloads[i]))
				continue;
			running++;
			if (!outcomes[i].is_lazy || all_wait(&outcomes[i], workloads[i]))
				workload_drain(&outcomes[i], workloads[i]);
			disturb(&outcomes[i], workloads[i]);
		}
		nanosleep(&pause, NULL);
	} while (running);
	for (size_t i = 0; i < count; i++)
		workload_finish(&outcomes[i], workloads[i]);
}

void workload_run(struct outcome *outcome)
{
	workload_run_together(outcome, 1);
}

const char *const linked_patterns[LINKED_PATTERNS_CNT] = {"push", "pingpong", "request"};

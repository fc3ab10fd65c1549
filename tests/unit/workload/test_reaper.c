/* SPDX-License-Identifier: BSD-2-Clause */
/* Workloads that are stopped, or lose a process: the others go on or end, and the reason is
 * reported. */
#include "support/build.h"
#include "support/workload_run.h"

#include <signal.h>
#include <string.h>
#include <time.h>

/* A disturbed run lasts a second, so that the kill comes during the run. */
#define MESSAGES_DISTURBED 250

/* Push needs a queue that is long enough for a client that waits for a CPU. */
static struct outcome disturbed(const char *pattern, bool threads)
{
	const char *transport = strcmp(pattern, "push") ? "uds" : "uds-stream";
	struct outcome outcome = workload_outcome_of(transport, pattern);

	outcome.spec.messages = 100000;
	outcome.spec.period_ns = 4 * PERIOD_NS;
	outcome.spec.threads = threads;
	return outcome;
}

TEST(without_a_client_the_others_go_on)
{
	struct outcome outcomes[ARRAY_SIZE(linked_patterns)];

	for (size_t i = 0; i < ARRAY_SIZE(linked_patterns); i++) {
		outcomes[i] = disturbed(linked_patterns[i], false);
		outcomes[i].spec.messages = MESSAGES_DISTURBED;
		outcomes[i].kill_round = 10;
		outcomes[i].kill_process = 2;
	}
	workload_run_together(outcomes, ARRAY_SIZE(linked_patterns));
	for (size_t i = 0; i < ARRAY_SIZE(linked_patterns); i++) {
		const struct outcome *outcome = &outcomes[i];

		assert_int_equal(outcome->lefts, 1);
		assert_int_equal(outcome->left[0].client, 2);
		assert_int_equal(outcome->left[0].reason, LEFT_SIGNAL);
		assert_int_equal(outcome->left[0].detail, SIGKILL);
		assert_int_equal(outcome->stamps[1][0], MESSAGES_DISTURBED + WARMUP);
		assert_int_equal(outcome->stamps[3][0], MESSAGES_DISTURBED + WARMUP);
		assert_true(outcome->stamps[2][0] < MESSAGES_DISTURBED);
	}
}

TEST(without_the_server_the_run_ends)
{
	for (size_t i = 0; i < ARRAY_SIZE(linked_patterns); i++) {
		struct outcome outcome = disturbed(linked_patterns[i], i == 1);

		outcome.kill_round = 10;
		outcome.kill_process = 0;
		workload_run(&outcome);
		assert_int_equal(outcome.lefts, 1);
		assert_int_equal(outcome.left[0].client, 0);
		assert_int_equal(outcome.left[0].reason, LEFT_SIGNAL);
	}
}

TEST(without_their_process_all_threads_have_left)
{
	struct outcome outcome = disturbed("pingpong", true);

	outcome.kill_round = 10;
	outcome.kill_process = 1;
	workload_run(&outcome);
	assert_int_equal(outcome.lefts, CLIENTS);
	for (uint32_t i = 0; i < CLIENTS; i++) {
		assert_int_equal(outcome.left[i].client, i + 1);
		assert_int_equal(outcome.left[i].reason, LEFT_SIGNAL);
	}
}

/* Everything that was sent has been received, and no member has left early. */
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

TEST(a_stop_ends_what_has_begun_and_then_the_run)
{
	struct outcome outcomes[2 * ARRAY_SIZE(linked_patterns)];

	for (size_t i = 0; i < ARRAY_SIZE(outcomes); i++) {
		outcomes[i] = disturbed(linked_patterns[i / 2], i % 2);
		outcomes[i].stop_round = 10;
	}
	workload_run_together(outcomes, ARRAY_SIZE(outcomes));
	for (size_t i = 0; i < ARRAY_SIZE(outcomes); i++)
		check_stopped(&outcomes[i]);
}

/* The first message is due after half a minute, and the stop does not wait for it. */
TEST(a_stop_ends_those_that_sleep)
{
	for (size_t i = 0; i < 2 * ARRAY_SIZE(linked_patterns); i++) {
		struct outcome outcome = disturbed(linked_patterns[i / 2], i % 2);
		struct workload *workload;

		outcome.spec.period_ns = 30000000000;
		workload = workload_begin(&outcome.spec);
		workload__stop(workload);
		while (workload__running(workload))
			nanosleep(&(struct timespec){.tv_nsec = PERIOD_NS}, NULL);
		workload_finish(&outcome, workload);
		check_stopped(&outcome);
	}
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* Several runs of the push pattern in the text report. */
#include "support/build.h"
#include "support/capture.h"
#include "support/page.h"
#include "support/sample.h"

#include <linux/sched.h>
#include <stdio.h>

TEST(a_run_matrix_is_one_table_over_the_clients)
{
	struct summary *one = sample_summary(1);
	struct summary *five = sample_summary(5);
	const struct summary *const runs[] = {one, five};
	char expected[128], *text;

	text = shown_run_matrix(runs, 2);
	assert_has(text, "push over uds, 1-5 clients x 100 messages of 64 bytes");
	assert_has(text, "latency (us)");
	snprintf(expected, sizeof(expected), " 5 %.1f %.1f %.1f %.1f %.1f %.1f %% ",
		 stat_mean(&five->rounds.first) / 1e3, stat_mean(&five->rounds.next) / 1e3,
		 stat_mean(&five->rounds.last) / 1e3, stat_stddev(&five->rounds.last) / 1e3,
		 five->rounds.service_ns / 1e3, five->rounds.efficiency_pct);
	assert_has(text, expected);
	snprintf(expected, sizeof(expected), " 1 %.1f - %.1f ", stat_mean(&one->rounds.first) / 1e3,
		 stat_mean(&one->rounds.last) / 1e3);
	assert_has(text, expected);
	assert_has(text, "integrity");
	assert_has(text, " 1 100 100 0 0 0 ");
	assert_has(text, " 5 500 500 0 0 0 ");
	assert_has_not(text, "warning");
}

TEST(a_run_matrix_compares_its_single_client_with_the_paper)
{
	struct summary *one = sample_summary(1);
	struct summary *two = sample_summary(2);
	const struct summary *const runs[] = {two, one};
	char expected[128], *text;

	stat_add(&two->rounds.first, 1000000);
	assert_has_not(shown_run_matrix(runs, 2), "GRAME");
	text = shown_published(runs, 2);
	assert_has(text, "GRAME 2001");
	assert_has(text, "Windows 98");
	snprintf(expected, sizeof(expected), "this run, uds, 64 bytes %.1f %.1f - ",
		 2 * stat_stddev(&one->rounds.first) / 1e3, stat_mean(&one->rounds.first) / 1e3);
	assert_has(text, expected);
}

TEST(a_run_matrix_warns_of_incomplete_runs)
{
	struct summary *one = sample_summary(1);
	struct summary *five = sample_summary(5);
	const struct summary *const runs[] = {one, five};
	char *text;

	five->integrity.loss[LOSS_RING_FULL] = 3;
	five->client[3].left = true;
	five->client[3].left_reason = LEFT_SIGNAL;
	five->client[3].left_detail = 9;
	text = shown_run_matrix(runs, 2);
	assert_has(text, "warning 5 clients over uds: 500 sent");
	assert_has(text, "3 records for which the ring buffer had no room");
	assert_has(text, "client 4 was ended by a signal (Killed)");
	assert_has_not(text, "1 client over uds:");
}

TEST(empty_and_untraced_runs_have_a_row_in_a_run_matrix)
{
	struct summary *empty = sample_begin(3);
	struct summary *untraced = sample_untraced(4);
	const struct summary *const runs[] = {empty, untraced};
	char *text = shown_run_matrix(runs, 2);

	assert_has(text, " 3 - - - - - - - ");
	assert_has(text, " 3 0 0 0 0 ");
	assert_has(text, " 4 400 400 0 0 ");
}

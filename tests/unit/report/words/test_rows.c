/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Rows of a run matrix: the figures of a run, and the means of several runs of one configuration.
 */
#include "support/build.h"
#include "support/sample.h"

#include "report/words/rows.h"

#include <math.h>
#include <string.h>

/* A run with one message of this latency. */
static void add_run(struct rows *rows, const char *pattern, uint32_t clients, uint32_t run,
		    uint64_t latency_ns)
{
	const uint64_t component_ns[NR_COMPONENTS] = {[COMPONENT_RECEIVE] = latency_ns};
	struct summary *summary = sample_begin(clients);

	strcpy(summary->info.workload.pattern, pattern);
	summary->info.workload.run = run;
	sample_add(summary, 1, component_ns);
	summary->flow.messages = 2;
	summary->flow.seconds = 1 / (double)latency_ns;
	summary->client[0].time_ns = 1000;
	summary->client[0].gap_ns = 1000000 / latency_ns;
	if (clients > 1)
		summary->client[1].time_ns = 1000 + latency_ns;
	assert_int_equal(rows_add(rows, summary), 0);
}

TEST(a_row_has_what_its_summary_has)
{
	struct summary *summary = sample_summary(2);
	struct row row;

	row_of(summary, &row);
	assert_true(row.number[NUMBER_FIRST] == stat_mean(&summary->rounds.first));
	assert_true(row.number[NUMBER_LAST_SD] == stat_stddev(&summary->rounds.last));
	assert_true(row.number[NUMBER_LATENCY_P99] == stat_percentile(&summary->latency, 99));
	assert_true(row.number[NUMBER_ORDERS] == 1);
	assert_true(row.number[NUMBER_ORDER_SHARE] == 1);
	assert_true(fabs(row.number[NUMBER_BEHIND_CLIENTS] - 0.3) < 0.001);
	assert_true(row.number[NUMBER_BEHIND_IDLE] == 0);
	assert_true(isnan(row.number[NUMBER_ROUND_TRIP]));
	assert_true(isnan(row.number[NUMBER_RATE]));
	assert_true(isnan(row.number[NUMBER_WAKES_SENT]));
}

TEST(what_was_not_measured_is_no_number)
{
	struct summary *summary = sample_begin(1);
	struct row row;

	row_of(summary, &row);
	for (int i = 0; i < NR_NUMBERS; i++) {
		if (i != NUMBER_FIRST_SD && !isnan(row.number[i]))
			fail_msg("figure %d is %f", i, row.number[i]);
	}
}

TEST(a_single_run_of_each_configuration_stays_as_it_is)
{
	struct rows rows = {0}, merged;

	add_run(&rows, "push", 1, 0, 100);
	add_run(&rows, "push", 2, 0, 200);
	add_run(&rows, "push", 1, 0, 300);
	assert_int_equal(rows_merge(&rows, &merged), 0);
	assert_int_equal(merged.cnt, 3);
	assert_true(merged.row[0].number[NUMBER_LATENCY] == 100);
	assert_true(merged.row[2].number[NUMBER_LATENCY] == 300);
	assert_int_equal(merged.row[2].runs, 1);
	rows_free(&merged);
	rows_free(&rows);
}

TEST(of_three_and_more_runs_the_lowest_and_the_highest_are_dropped)
{
	struct rows rows = {0}, merged;

	add_run(&rows, "push", 1, 1, 900);
	add_run(&rows, "push", 2, 1, 50);
	add_run(&rows, "push", 1, 2, 100);
	add_run(&rows, "push", 2, 2, 70);
	add_run(&rows, "push", 1, 3, 300);
	add_run(&rows, "push", 1, 4, 200);
	assert_int_equal(rows_merge(&rows, &merged), 0);
	assert_int_equal(merged.cnt, 2);
	assert_int_equal(merged.row[0].runs, 4);
	assert_int_equal(merged.row[0].counted, 2);
	assert_true(merged.row[0].number[NUMBER_LATENCY] == 250);
	assert_true(merged.row[0].number[NUMBER_LATENCY_MAX] ==
		    300); /* the largest, not the mean */
	assert_int_equal(merged.row[1].info.workload.clients, 2);
	assert_int_equal(merged.row[1].counted, 2);
	assert_true(merged.row[1].number[NUMBER_LATENCY] == 60);
	rows_free(&merged);
	rows_free(&rows);
}

static void add_run_with_peaks(struct rows *rows, uint32_t run, double per_second)
{
	struct summary *summary = sample_summary(1);

	strcpy(summary->info.workload.pattern, "push");
	summary->info.workload.run = run;
	summary->peaks.per_second = per_second;
	assert_int_equal(rows_add(rows, summary), 0);
}

/* Runs of less than a second have no frequency. */
TEST(the_frequency_of_peaks_is_that_of_runs_that_have_one)
{
	struct rows rows = {0}, merged;

	add_run_with_peaks(&rows, 1, NAN);
	add_run_with_peaks(&rows, 2, 6);
	assert_int_equal(rows_merge(&rows, &merged), 0);
	assert_int_equal(merged.cnt, 1);
	assert_true(merged.row[0].peaks.per_second == 6);
	rows_free(&merged);
	rows_free(&rows);
}

/* Ranked by latency, another run would remain. */
TEST(floods_and_connections_are_ranked_by_their_rate)
{
	static const char *const patterns[] = {"flood", "connect"};

	for (size_t i = 0; i < ARRAY_SIZE(patterns); i++) {
		struct rows rows = {0}, merged;

		for (uint32_t run = 1; run <= 3; run++)
			add_run(&rows, patterns[i], 1, run, 1000 * run);
		rows.row[1].number[NUMBER_RATE] = 9999;
		assert_int_equal(rows_merge(&rows, &merged), 0);
		assert_int_equal(merged.cnt, 1);
		assert_true(merged.row[0].number[NUMBER_RATE] == rows.row[2].number[NUMBER_RATE]);
		rows_free(&merged);
		rows_free(&rows);
	}
}

/* A loss counts also in the run that is outside the mean. */
TEST(integrity_is_of_all_runs)
{
	struct rows rows = {0}, merged;

	for (uint32_t run = 1; run <= 5; run++)
		add_run(&rows, "push", 2, run, 100 * run);
	rows.row[4].integrity.loss[LOSS_RING_FULL] = 7;
	rows.row[4].integrity.corrupt = 1;
	rows.row[0].load.ended = true;
	paragraph_add(&rows.row[0].departures, "client 1 left");
	assert_int_equal(rows_merge(&rows, &merged), 0);
	assert_int_equal(merged.row[0].counted, 3);
	assert_int_equal(merged.row[0].integrity.sent, 5);
	assert_int_equal(merged.row[0].integrity.loss[LOSS_RING_FULL], 7);
	assert_int_equal(merged.row[0].integrity.corrupt, 1);
	assert_true(merged.row[0].load.ended);
	assert_string_equal(merged.row[0].departures.text, "client 1 left");
	rows_free(&merged);
	rows_free(&rows);
}

TEST(the_longest_starvation_of_all_runs_is_kept)
{
	struct rows rows = {0}, merged;

	for (uint32_t run = 1; run <= 3; run++)
		add_run(&rows, "request", 2, run, 100 * run);
	assert_true(rows.row[0].number[NUMBER_GAP] == 10000);
	assert_int_equal(rows_merge(&rows, &merged), 0);
	assert_true(merged.row[0].number[NUMBER_GAP] == 10000);
	assert_int_equal(merged.row[0].gap_client, 1);
	assert_true(merged.row[0].number[NUMBER_SPREAD] == rows.row[1].number[NUMBER_SPREAD]);
	rows_free(&merged);
	rows_free(&rows);
}

TEST(an_average_is_of_the_runs_that_have_the_figure)
{
	struct rows rows = {0}, merged;

	for (uint32_t run = 1; run <= 2; run++)
		add_run(&rows, "push", 1, run, 100 * run);
	rows.row[0].number[NUMBER_ROUND_TRIP] = 77;
	rows.row[0].number[NUMBER_LATENCY] = rows.row[1].number[NUMBER_LATENCY] = NAN;
	assert_int_equal(rows_merge(&rows, &merged), 0);
	assert_true(merged.row[0].number[NUMBER_ROUND_TRIP] == 77);
	assert_true(isnan(merged.row[0].number[NUMBER_LATENCY]));
	rows_free(&merged);
	rows_free(&rows);
}

TEST(a_filter_passes_what_has_its_words)
{
	const struct filter all = {0}, floods = {.pattern = "flood"},
			    none = {.pattern = "flood", .load = "ftp"};
	const struct row *row;
	struct rows rows = {0};

	assert_null(rows_next(&rows, &all, NULL));
	add_run(&rows, "push", 1, 0, 100);
	add_run(&rows, "flood", 2, 0, 100);
	add_run(&rows, "push", 3, 0, 100);
	add_run(&rows, "flood", 4, 0, 100);
	assert_int_equal(rows_count(&rows, &all), 4);
	assert_int_equal(rows_count(&rows, &none), 0);
	row = rows_next(&rows, &floods, NULL);
	assert_int_equal(row->info.workload.clients, 2);
	row = rows_next(&rows, &floods, row);
	assert_int_equal(row->info.workload.clients, 4);
	assert_null(rows_next(&rows, &floods, row));
	rows_free(&rows);
}

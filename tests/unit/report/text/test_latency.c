/* SPDX-License-Identifier: BSD-2-Clause */
/* The text report: latencies, service time, clients, peaks and rounds. */
#include "support/build.h"
#include "support/capture.h"
#include "support/page.h"
#include "support/sample.h"

#include <linux/sched.h>
#include <math.h>
#include <stdio.h>

TEST(latencies_are_shown_in_microseconds)
{
	struct summary *summary = sample_summary(5);
	char *text = shown(summary);

	assert_has(text, "latency (us) mean +-sd p50 p90 p99 p99.9 max");
	assert_stat_row(text, "first", &summary->rounds.first);
	assert_stat_row(text, "next", &summary->rounds.next);
	assert_stat_row(text, "last", &summary->rounds.last);
	assert_stat_row(text, "all", &summary->latency);
}

TEST(the_service_time_is_compared_with_tick_and_paper)
{
	struct summary *summary = sample_summary(5);
	const struct summary *const one = summary;
	char expected[128], *text;

	text = shown_published(&one, 1);
	snprintf(expected, sizeof(expected),
		 "service time %.1f us = %.1f %% of the paper's 1 ms tick",
		 summary->rounds.service_ns / 1e3, summary->rounds.efficiency_pct);
	assert_has(text, expected);
	assert_has(text, "GRAME 2001");
	assert_has(text, "Linux 2.4.3, Pentium II 350 MHz 12 31 - 60-80 low");
	assert_has(text, "this run, first of 5 clients");
}

/* The published figures stand only in a report that was asked for them. */
TEST(an_ordinary_report_does_not_mention_the_paper)
{
	struct summary *summary = sample_summary(5);
	char *text = shown(summary);

	assert_has(text, "service time ");
	assert_has_not(text, "paper");
}

TEST(every_client_has_its_row)
{
	struct summary *summary = sample_summary(5);
	char expected[128], *text;

	text = shown(summary);
	for (uint32_t i = 0; i < 5; i++) {
		const struct stat *stat = &summary->client[i].latency;

		snprintf(expected, sizeof(expected), " %u %.1f %.1f %.1f %.1f %u.00 ", i + 1,
			 stat_mean(stat) / 1e3, stat_percentile(stat, 50) / 1e3,
			 stat_percentile(stat, 99) / 1e3, stat->max / 1e3, i + 1);
		assert_has(text, expected);
	}
}

TEST(the_best_and_the_worst_of_many_clients_are_shown)
{
	char *text = shown_sample(200);

	assert_has(text, "the 5 best by mean above, the 5 worst below, 190 not shown");
	assert_has(text, " 200.00 ");
	assert_has_not(text, " 100.00 ");
}

TEST(range_peaks_order_and_tick_are_shown)
{
	char *text = shown_sample(5);

	assert_has(text, "of the last latency)");
	assert_has(text,
		   "peaks 2 (2.0 /s, medium), 66.2 to 812.5 us; longest part: run queue in 2");
	assert_has(text, "slowest 812.5 us at 3.214 s after the first message, client 1: run queue "
			 "790.0 us, of which 780.0 us behind kworker/u8:2 (nice 0)");
	assert_has(text, "served clients 1 2 3 4 5 in 100 % of rounds");
	assert_has(text, "tick late by 5.5 us on average");
	assert_has(text, "none skipped");
}

/* As episodes and figures do. */
TEST(the_slowest_is_told_by_the_clock_of_tracing)
{
	struct summary *summary = sample_summary(5);

	summary->info.begin.ns = 5000000000;
	assert_has(shown(summary), "slowest 812.5 us at 3.714 s, client 1: run queue 790.0 us");
}

TEST(one_client_needs_no_first_next_and_last)
{
	struct summary *summary = sample_summary(1);
	char *text = shown(summary);

	assert_has(text, "1 client x 100 messages");
	assert_stat_row(text, "all", &summary->latency);
	assert_has(text, " max all ");
	assert_has_not(text, " max first ");
	assert_has_not(text, "served");
}

TEST(a_client_without_a_message_has_a_row_all_the_same)
{
	const uint64_t component_ns[NR_COMPONENTS] = {1000, 1000};
	struct summary *summary = sample_begin(3);

	sample_add(summary, 1, component_ns);
	assert_shows(summary, " 2 no message was matched");
}

TEST(an_untraced_run_shows_latencies_and_claims_nothing_else)
{
	struct summary *summary = sample_untraced(5);
	char *text = shown(summary);

	assert_has(text, "untraced, SCHED_RR server 99, clients 98, CPUs free");
	assert_stat_row(text, "last", &summary->rounds.last);
	assert_has(text, "observer none: the run was not traced");
	assert_has(text, "Untraced: these latencies are the clients' own clock readings");
	assert_has(text, "500 sent, 500 matched");
	assert_has_not(text, "run queue");
	assert_has_not(text, "dispatch");
	assert_has_not(text, "adds up");
}

TEST(incomplete_rounds_are_reported)
{
	struct summary *summary = sample_summary(5);

	summary->rounds.count = 120;
	assert_shows(summary, "rounds 100 of 120 complete");
	summary = sample_begin(5);
	summary->rounds.count = 120;
	assert_shows(summary, "none of 120 complete");
	assert_shows_not(summary, "service time ");
	assert_shows_not(summary, "it is not known whether they were of one");
	summary->rounds.given_up = 12;
	assert_shows(summary, "; 12 more messages could not be assigned to a round");
	summary->rounds.complete = 120;
	assert_shows(summary, "rounds 12 more messages could not be assigned");
}

/* The runs were too short for a frequency. */
TEST(peaks_of_unknown_frequency_get_no_word_for_it)
{
	struct summary *summary = sample_summary(1);
	const struct summary *const one = summary;
	char *text = shown_published(&one, 1);

	assert_has(text, "this run ");
	assert_has(text, " 66-812 medium");
	assert_has(text, "peaks 2 (2.0 /s, medium), 66.2 to");
	summary->peaks.per_second = NAN;
	text = shown_published(&one, 1);
	assert_has_not(text, " 66-812 medium");
	assert_has(text, "peaks 2, 66.2 to");
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* The text report: clients that left, and runs that ended early. */
#include "support/build.h"
#include "support/capture.h"
#include "support/page.h"
#include "support/sample.h"

#include <errno.h>
#include <linux/sched.h>
#include <signal.h>
#include <stdio.h>

TEST(a_departure_is_shown_with_its_reason)
{
	struct summary *summary = sample_summary(5);
	char *text;

	summary->client[1].left = summary->client[2].left = summary->client[4].left = true;
	summary->client[1].left_reason = LEFT_SIGNAL;
	summary->client[1].left_detail = 9;
	summary->client[1].left_round = 51;
	summary->client[2].left_reason = LEFT_SEND_FAILED;
	summary->client[2].left_detail = 111;
	summary->client[2].left_round = 1;
	summary->client[4].left_reason = LEFT_EXIT;
	summary->client[4].left_detail = 3;
	text = shown(summary);
	assert_has(text, "left early client 2 was ended by a signal (Killed) after 51 rounds; "
			 "client 3 was dropped because a send failed (Connection refused) after "
			 "1 round; client 5 ended by itself with status 3 after 0 rounds");
	summary->server_left = true;
	summary->server_left_reason = LEFT_SIGNAL;
	summary->server_left_detail = 15;
	assert_shows(summary, "the server was ended by a signal (Terminated); client 2");
}

TEST(a_full_queue_is_shown_with_its_limit)
{
	struct summary *summary = sample_summary(2);

	summary->client[0].left = true;
	summary->client[0].left_reason = LEFT_SEND_FAILED;
	summary->client[0].left_detail = EAGAIN;
	assert_shows(summary, "client 1 was dropped because its queue was full "
			      "(net.unix.max_dgram_qlen");
}

TEST(ten_departures_are_named_and_the_rest_counted)
{
	struct summary *summary = sample_summary(15);

	for (uint32_t i = 0; i < 15; i++) {
		summary->client[i].left = true;
		summary->client[i].left_reason = LEFT_EXIT;
	}
	assert_shows(summary, "client 10 ended by itself");
	assert_shows(summary, "and 5 more clients");
	assert_shows_not(summary, "client 11 ended by itself");
}

TEST(a_run_that_ended_early_says_so)
{
	struct summary *summary = sample_summary(5);
	char expected[64];

	snprintf(expected, sizeof(expected), "after %llu of %llu rounds",
		 (unsigned long long)summary->rounds.count,
		 (unsigned long long)summary->rounds.count + 1);
	summary->info.workload.messages = summary->rounds.count + 1;
	assert_shows(summary, expected);
	assert_shows_not(summary, "rounds: ");
	summary->info.workload.messages = summary->rounds.count;
	assert_shows_not(summary, "ended early");
}

TEST(an_early_end_names_its_cause)
{
	struct summary *summary = sample_summary(2);

	summary->info.workload.messages = summary->rounds.count + 1;
	summary->client[0].left = true;
	assert_shows_not(summary, "all clients had left");
	summary->client[1].left = true;
	assert_shows(summary, "rounds: all clients had left");
	summary->server_left = true;
	assert_shows(summary, "rounds: the server had left");
	summary->all_left = true;
	summary->all_left_reason = LEFT_SIGNAL;
	summary->all_left_detail = SIGTERM;
	assert_shows(summary, "rounds: stopped by a signal (Terminated)");
}

TEST(an_attach_that_ended_before_its_time_names_the_cause)
{
	struct summary *summary = sample_attach();

	summary->all_left = true;
	summary->all_left_reason = LEFT_TARGETS;
	assert_shows_not(summary, "ended early");
	summary->all_left_early = true;
	assert_shows(summary, "ended early no target was left");
	summary->all_left_reason = LEFT_SIGNAL;
	summary->all_left_detail = SIGINT;
	assert_shows(summary, "ended early stopped by a signal (Interrupt)");
}

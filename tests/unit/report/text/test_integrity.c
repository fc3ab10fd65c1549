/* SPDX-License-Identifier: BSD-2-Clause */
/* The text report: integrity and observer effect. */
#include "support/build.h"
#include "support/capture.h"
#include "support/page.h"
#include "support/sample.h"

#include <linux/sched.h>
#include <stdlib.h>

TEST(integrity_and_observer_are_part_of_every_report)
{
	struct summary *summary = sample_summary(5);
	char *text = shown(summary);

	assert_has(text, "integrity 500 sent, 500 matched, 0 incomplete, 0 lost, 0 corrupt; "
			 "every message adds up");
	assert_has(text, "observer BPF programs take at most 1.2 us per message");
	summary->observer.measured = false;
	assert_shows(summary, "observer not measured in this run");
}

TEST(the_observer_says_when_its_reader_was_in_the_way)
{
	struct summary *summary = sample_summary(5);

	assert_shows_not(summary, "reader of records");
	summary->observer.has_reader = true;
	summary->observer.reader = READER_IDLE;
	assert_shows_not(summary, "reader of records");
	summary->observer.hurried_ns = 1200000000;
	assert_shows(summary, "the reader of records yielded its CPU, except for 1.2 s, when "
			      "records had to be read");
	summary->observer.reader = READER_OTHER;
	assert_shows(summary, "the reader of records did not yield its CPU");
}

TEST(the_observer_says_how_long_a_message_waited_for_ipctrace)
{
	struct blame_summary blame[] = {
		{.total.class = BLAME_TASK, .worst_ns = 9000000},
		{.total.class = BLAME_IPCTRACE, .worst_ns = 1500000},
		/* This message waited for two threads of ipctrace. */
		{.total.class = BLAME_IPCTRACE, .worst_ns = 1000, .alike.worst_ns = 2345678},
	};
	struct summary *summary = sample_summary(5);

	assert_shows_not(summary, "behind ipctrace itself");
	free(summary->blame);
	summary->blame = blame;
	summary->blame_cnt = ARRAY_SIZE(blame);
	assert_shows(summary, "no message waited longer than 2345.7 us for a CPU behind ipctrace "
			      "itself");
	summary->blame = NULL;
	summary->blame_cnt = 0;
}

TEST(the_observer_says_how_often_the_workload_paused)
{
	struct summary *summary = sample_summary(5);

	summary->observer.has_pauses = true;
	assert_shows_not(summary, "paused");
	summary->observer.pauses = 1;
	summary->observer.paused_ns = 1380420000;
	assert_shows(summary, "so that no record is lost, the workload paused between two "
			      "exchanges or rounds, 1 time for 1.38 s in all");
	summary->observer.pauses = 14;
	assert_shows(summary, "14 times for 1.38 s in all");
}

TEST(the_observer_says_how_late_a_start_was)
{
	struct summary *summary = sample_summary(5);

	summary->observer.has_reader = true;
	summary->observer.start_ns = LATE_START_NS - 1;
	assert_shows_not(summary, "tracing began");
	summary->observer.start_ns = LATE_START_NS;
	assert_shows(summary, "tracing began 3 s after the start");
}

/* The workload of a run counts what it sends. */
TEST(an_attach_may_have_lost_more_than_it_counts)
{
	struct summary *summary = sample_begin(5);

	summary->integrity.sent = summary->integrity.incomplete[INCOMPLETE_NOT_RECORDED] = 500;
	assert_has_not(shown(summary), "there may be more messages without a record");
	summary->info.mode = MODE_ATTACH;
	assert_shows(summary, "there may be more messages without a record");
	summary->integrity.incomplete[INCOMPLETE_NOT_RECORDED] = 0;
	summary->integrity.incomplete[INCOMPLETE_NO_SEND] = 500;
	assert_has_not(shown(summary), "there may be more messages without a record");
}

TEST(losses_are_named_by_reason)
{
	struct summary *summary = sample_summary(5);
	char *text;

	summary->integrity.sent += 9;
	summary->integrity.incomplete[INCOMPLETE_NOT_RECEIVED] = 2;
	summary->integrity.incomplete[INCOMPLETE_HISTORY] = 7;
	summary->integrity.loss[LOSS_RING_FULL] = 12;
	summary->integrity.loss[LOSS_STAMPS] = 30;
	summary->integrity.truncated = true;
	summary->integrity.unseen_switches = 4;
	summary->integrity.unseen_wakeups = 3;
	text = shown(summary);
	assert_has(text, "509 sent, 500 matched, 9 incomplete (2: not received, 7: part of the "
			 "receiver's history was lost), 42 lost (12 records for which the ring "
			 "buffer had no room, 30 stamps for which the workload's log had no room)");
	assert_has(text, "in 4 messages the start of the switch was not seen");
	assert_has(text, "in 3 messages the wakeup was not seen");
	assert_has(text, "the recording breaks off before its end");
	summary->integrity.residual_ns_max = 17;
	assert_shows(summary, "components miss the latency by up to 17 ns");
	assert_shows_not(summary, "every message adds up");
}

TEST(messages_elsewhere_and_resynced_are_counted)
{
	struct summary *summary = sample_attach();

	assert_shows_not(summary, "resynced");
	assert_shows_not(summary, "other end");
	summary->integrity.match[MATCH_RESYNCED] = 2;
	summary->integrity.match[MATCH_AMBIGUOUS] = 3;
	summary->integrity.elsewhere = 17;
	assert_shows(summary, "2 resynced, 3 ambiguous");
	assert_shows(summary, "17 more with one end on another machine, or not traced");
	summary->integrity.notifications = 2;
	assert_shows(summary, "; 2 notifications more: writes to an eventfd that nothing reads");
	assert_shows_not(summary, " exact");
}

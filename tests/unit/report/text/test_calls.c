/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * -f text of patterns other than push: calls, throughput, fairness, loads, and what was asked for.
 */
#include "support/build.h"
#include "support/capture.h"
#include "support/page.h"
#include "support/sample.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

TEST(the_first_line_names_only_what_is_not_usual)
{
	struct summary *summary = sample_paced("request", 3);
	struct workload_spec *spec = &summary->info.workload;

	assert_shows(summary, "request over uds, 3 clients x 100 messages of 64 bytes, handler "
			      "echo, SCHED_RR server 99, clients 98, CPUs free host");
	spec->threads = true;
	spec->reader = READER_EPOLL;
	spec->read_size = 1;
	spec->period_ns = 2000000;
	strcpy(spec->load, "launch");
	assert_shows(summary, "3 clients (threads) x 100 messages of 64 bytes every 2 ms, "
			      "handler echo, reader epoll, reads of 1 byte, load launch, "
			      "SCHED_RR server 99, clients 98, CPUs free host");
}

TEST(a_call_is_shown_with_its_parts)
{
	struct summary *summary = sample_paced("pingpong", 2);
	char *text = shown(summary);

	assert_has(text, "calls (us) mean +-sd p50 p90 p99 p99.9 max");
	assert_stat_row(text, "request", &summary->calls.request);
	assert_stat_row(text, "service", &summary->calls.service);
	assert_stat_row(text, "response", &summary->calls.response);
	assert_stat_row(text, "round trip", &summary->calls.round_trip);
	assert_has(text, "service the server was on CPU 1.5 us (75 %), waiting for a CPU 0.4 us "
			 "(20 %), asleep 0.1 us (5.0 %)");
	assert_has_not(text, "due");
	assert_has_not(text, "GRAME");
	assert_has_not(text, "tick");
	assert_has_not(text, "ended early");
	summary->calls.state_cnt = 150;
	assert_shows(summary, "; not known for 50 calls, because records are missing");
	summary->calls.handed_over = 49;
	assert_shows(
		summary,
		"; not known for 49 calls, because no event shows how the work went to another "
		"thread; not known for 1 call, because records are missing");
	assert_shows_not(summary, "is a guess");
	assert_shows_not(summary, "ambiguous");
	assert_shows_not(summary, "no open request");
	summary->calls.guessed = 12;
	summary->calls.unasked = 34;
	assert_shows(summary, "for 12 of 200 calls it is a guess which end is the client");
	assert_shows(summary, "; 34 messages of servers belong to no call");
	summary->calls.ambiguous = 23;
	assert_shows(summary, "; 23 of 200 calls have an ambiguous request or answer");
	summary->calls.guessed = 0;
	assert_shows(summary, "calls 23 of 200 calls have an ambiguous request or answer");
	assert_shows(summary, "; 34 messages of servers belong to no call");
	summary->calls.undecided = 5;
	assert_shows(summary, "belong to no call, 5 of them because the server sent them after");
	summary->calls.ambiguous = 0;
	assert_shows(summary, "calls 34 messages of servers belong to no call");
	assert_shows(summary, "the server was on CPU");
	summary->calls.state_cnt = 139;
	assert_shows_not(summary, "the server was on CPU"); /* 139 of 200 are too few */
	assert_shows(summary,
		     "service what the server did is known for only 139 of 200 calls, which "
		     "is too few to show; not known for 49 calls");
	summary->calls.in_parts = 7;
	assert_shows(summary, "the request of 7 calls came in several messages");
	stat_add(&summary->calls.open_several, 7000);
	assert_shows(summary, "calls 1 of 201 calls had several requests open");
	assert_shows(summary, "several open 7.0 0.0 7.0 - - - 7.0");
	summary->calls.state_cnt = 0;
	assert_shows(summary, "service what the server did is not known; not known for 49 calls");
}

TEST(throughput_is_per_second_and_in_the_unit_of_the_pattern)
{
	static const struct {
		const char *pattern;
		const char *words;
	} expected[] = {{"flood", "throughput 99500 messages/s, 6.37 MB/s: 200 in 0.002 s"},
			{"connect", "throughput 100000 connections/s, 6.40 MB/s"},
			{"pingpong", "throughput 100000 exchanges/s, 6.40 MB/s"}};
	struct summary *summary;

	for (size_t i = 0; i < ARRAY_SIZE(expected); i++) {
		summary = sample_paced(expected[i].pattern, 2);
		assert_shows(summary, expected[i].words);
		assert_shows_not(summary, "signals");
	}
}

TEST(signals_that_merged_are_counted)
{
	struct summary *summary = sample_paced("pingpong", 1);

	summary->flow.wakes_sent = 15956;
	summary->flow.wakes_delivered = 5000;
	assert_shows(summary, "signals 15956 sent, 5000 delivered, 10956 merged with one that "
			      "was pending");
	summary->flow.wakes_delivered = 15957;
	assert_shows(summary, "0 merged");
}

TEST(fairness_is_the_spread_of_times_and_the_longest_wait)
{
	struct summary *summary = sample_paced("request", 2);
	char *text = shown(summary);

	assert_has(text, "fairness clients took 110 ms to 120 ms, a spread of 8.7 % of their "
			 "mean; longest starvation: 2.002 ms without a message, client 2");
	assert_has(text, "all ms");
	assert_has(text, " 110.0 ");
	assert_has(text, " 120.0 ");
	assert_has_not(text, "position");
	summary->client[0].gap_ns = 3000000;
	assert_shows(summary, "3 ms without a message, client 1");
	summary->client[1].time_ns = 0;
	assert_shows_not(summary, "fairness");
}

TEST(push_needs_no_word_on_fairness_and_throughput)
{
	struct summary *summary = sample_summary(3);
	char *text;

	summary->flow.messages = 300;
	summary->flow.seconds = 1;
	for (int i = 0; i < 3; i++)
		summary->client[i].time_ns = 1000000000 + i;
	text = shown(summary);
	assert_has_not(text, "fairness");
	assert_has_not(text, "throughput");
	assert_has(text, "position");
}

TEST(one_sentence_shows_what_a_late_sender_hides)
{
	struct summary *summary = sample_summary(1);
	char expected[256];

	assert_shows_not(summary, "from due");
	stat_add(&summary->from_due, 90000);
	snprintf(expected, sizeof(expected),
		 "from due mean 90.0 us, p99 90.0 us from the time at which the message was due, "
		 "against %.1f us and %.1f us from the time at which it was sent; a late sender",
		 stat_mean(&summary->latency) / 1e3, stat_percentile(&summary->latency, 99) / 1e3);
	assert_shows(summary, expected);
	summary = sample_paced("pingpong", 1);
	stat_add(&summary->calls.from_due, 123400);
	assert_shows(summary, " due to end 123.4 0.0 123.4");
	snprintf(expected, sizeof(expected),
		 "mean 123.4 us, p99 123.4 us from the time at which the message was due, against "
		 "%.1f us",
		 stat_mean(&summary->calls.round_trip) / 1e3);
	assert_shows(summary, expected);
}

TEST(corruption_is_counted_where_contents_are_compared)
{
	struct summary *summary = sample_paced("flood", 1);

	assert_shows(summary, "0 lost, 0 corrupt; every message adds up");
	summary->integrity.corrupt = 3;
	assert_shows(summary, "0 lost, 3 corrupt");
	summary = sample_summary(1);
	summary->integrity.corrupt = 1;
	assert_shows(summary, "1 corrupt");
	strcpy(summary->info.workload.transport, "kernel");
	assert_shows_not(summary, "corrupt");
}

TEST(a_load_is_shown_with_its_count)
{
	struct summary *summary = sample_summary(1);

	assert_shows_not(summary, " load ");
	strcpy(summary->info.workload.load, "ftp");
	assert_shows(summary, "load ftp --");
	summary->load.count = 312;
	assert_shows(summary, "load ftp, 312 times in the meantime");
	summary->load.ended = true;
	assert_shows(summary, "ended by itself: the machine was not busy to the end");
}

TEST(an_early_end_is_shown_in_the_unit_of_the_pattern)
{
	struct summary *summary = sample_paced("request", 2);

	summary->flow.messages = 150;
	assert_shows(summary, "ended early after 150 of 200 exchanges");
	summary = sample_paced("flood", 2);
	summary->flow.messages = 50;
	assert_shows(summary, "ended early after 50 of 200 messages");
}

TEST(a_departure_counts_messages_and_names_the_right_queue)
{
	struct summary *summary = sample_paced("flood", 2);
	char *text;

	strcpy(summary->info.workload.transport, "mqueue");
	summary->client[1].left = true;
	summary->client[1].left_reason = LEFT_SEND_FAILED;
	summary->client[1].left_detail = EAGAIN;
	summary->client[1].left_round = 1;
	text = shown(summary);
	assert_has(text, "client 2 was dropped because its queue was full after 1 message ");
	assert_has_not(text, "max_dgram_qlen");
}

TEST(an_untraced_flood_has_no_latency_and_says_so)
{
	struct summary *summary = sample_begin(1);
	char *text;

	strcpy(summary->info.workload.pattern, "flood");
	summary->info.traced = false;
	summary->integrity.sent = summary->integrity.matched = summary->flow.messages = 100;
	summary->flow.seconds = 0.5;
	text = shown(summary);
	assert_has(text, "throughput 198 messages/s");
	assert_has(text, "Untraced: only the throughput was measured, no latency.");
	assert_has_not(text, "none was matched");
	assert_has_not(text, "latency (us)");
	assert_has_not(text, "range");
}

/* Rounds of the kernel's timer, in several orders. */
static struct summary *sample_kernel(uint32_t clients)
{
	struct summary *summary = sample_summary(clients);

	strcpy(summary->info.workload.transport, "kernel");
	summary->rounds.order[0].rounds = 60;
	summary->rounds.order[1].rounds = 40;
	summary->rounds.order_cnt = 2;
	return summary;
}

/* Further orders are counted together. */
TEST(there_may_be_more_orders_than_are_counted)
{
	struct summary *summary = sample_kernel(3);

	for (uint32_t i = 2; i < SUMMARY_ORDERS_MAX; i++)
		summary->rounds.order[i].rounds = 1;
	summary->rounds.order_cnt = SUMMARY_ORDERS_MAX;
	assert_has(shown(summary), "the most frequent of 32 orders");
	summary->rounds.order_other = 70;
	assert_has(shown(summary), "the most frequent of more than 32 orders has 30 % of rounds");
}

TEST(the_kernels_serving_order_is_explained_by_what_was_measured)
{
	struct summary *summary = sample_kernel(3);
	char expected[128], *text;

	text = shown(summary);
	assert_has(text,
		   "order varies: the most frequent of 2 orders has 60 % of rounds. The way to a "
		   "CPU decides which client is first");
	snprintf(expected, sizeof(expected), "%.1f us until it is runnable, %.1f us on a run queue",
		 stat_mean(&summary->component[COMPONENT_WAKEUP]) / 1e3,
		 stat_mean(&summary->component[COMPONENT_RUNQUEUE]) / 1e3);
	assert_has(text, expected);
	assert_has(text, "is 30 % behind other clients, 0 % a CPU that was leaving idle, 70 % "
			 "anything else");
	assert_has_not(text, "take turns");
	summary->blame[0].total.class = BLAME_CLIENT;
	assert_shows(summary, "is 90 % behind other clients");
	assert_shows(summary, "3 clients take turns on 2 CPUs");
	summary->blame[0].total.class = BLAME_IDLE;
	assert_shows(summary, "60 % a CPU that was leaving idle");
	assert_shows(summary, "overtaken by one whose CPU is awake");
	summary->info.traced = false;
	assert_shows(summary, "has 60 % of rounds; why was not measured");
}

TEST(an_order_that_never_varies_is_reported)
{
	struct summary *summary = sample_kernel(3);

	summary->rounds.order_cnt = 1;
	assert_shows(summary, "order does not vary: all rounds serve the clients in one order");
	strcpy(summary->info.workload.transport, "uds");
	assert_shows_not(summary, "does not vary");
	summary = sample_kernel(1);
	assert_shows_not(summary, "order");
}

TEST(a_page_is_wide_enough_for_slow_calls)
{
	struct summary *summary = sample_paced("request", 1);

	for (uint64_t ns = 1; ns < 10000000000000ULL; ns *= 10) {
		stat_add(&summary->calls.round_trip, ns);
		stat_add(&summary->calls.request, ns);
	}
	strcpy(summary->info.workload.handler, "exec=a command that is as long as it is allowed");
	shown(summary);
}

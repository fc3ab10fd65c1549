/* SPDX-License-Identifier: BSD-2-Clause */
/* -f text: what a person must be able to find in the report, and that it fits the page. */
#include "support/build.h"
#include "support/capture.h"
#include "support/page.h"
#include "support/sample.h"

#include <errno.h>
#include <linux/sched.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* "  label  mean sd p50 ..." as the table has it. */
static void assert_stat_row(const char *text, const char *label, const struct stat *stat)
{
	char row[256];

	snprintf(row, sizeof(row), "%s %.1f %.1f %.1f %.1f %.1f %.1f %.1f ", label,
		 stat_mean(stat) / 1e3, stat_stddev(stat) / 1e3, stat_percentile(stat, 50) / 1e3,
		 stat_percentile(stat, 90) / 1e3, stat_percentile(stat, 99) / 1e3,
		 stat_percentile(stat, 99.9) / 1e3, stat->max / 1e3);
	assert_has(text, row);
}

static void the_first_lines_say_what_ran_and_where(void **state)
{
	struct summary summary;

	(void)state;
	sample_summary(&summary, 5);
	assert_shows(&summary,
		     "ipctrace 0.1 push over uds, 5 clients x 100 messages of 64 bytes every "
		     "10 ms, SCHED_RR 99/98, CPUs free");
	assert_shows(&summary, "Linux 6.18.44 x86_64, 2 CPUs, preemption none, clock tsc, "
			       "virtual machine (kvm)");
	summary.info.workload.policy = POLICY_OTHER;
	assert_shows(&summary, "SCHED_OTHER, CPUs free");
	summary.info.workload.placement = CPUS_LISTS;
	strcpy(summary.info.workload.server_cpus, "0");
	strcpy(summary.info.workload.client_cpus, "1-3,5");
	assert_shows(&summary, "CPUs server=0,clients=1-3,5");
	sample_free(&summary);
}

static void latencies_are_shown_in_microseconds(void **state)
{
	struct summary summary;
	char *text;

	(void)state;
	sample_summary(&summary, 5);
	text = shown(&summary);
	assert_has(text, "latency (us) mean +-sd p50 p90 p99 p99.9 max");
	assert_stat_row(text, "first", &summary.rounds.first);
	assert_stat_row(text, "next", &summary.rounds.next);
	assert_stat_row(text, "last", &summary.rounds.last);
	assert_stat_row(text, "all", &summary.latency);
	free(text);
	sample_free(&summary);
}

static void the_service_time_is_compared_with_tick_and_paper(void **state)
{
	struct summary summary;
	char expected[128], *text;

	(void)state;
	sample_summary(&summary, 5);
	text = shown(&summary);
	snprintf(expected, sizeof(expected),
		 "service time %.1f us = %.1f %% of the paper's 1 ms tick",
		 summary.rounds.service_ns / 1e3, summary.rounds.efficiency_pct);
	assert_has(text, expected);
	assert_has(text, "GRAME 2001");
	assert_has(text, "Linux 2.4.3, Pentium II 350 MHz 12 31 - 60-80 low");
	assert_has(text, "this run, first of 5 clients");
	free(text);
	sample_free(&summary);
}

static void every_component_has_its_row_and_share(void **state)
{
	struct summary summary;
	char expected[128], *text;

	(void)state;
	sample_summary(&summary, 5);
	text = shown(&summary);
	for (int i = 0; i < NR_COMPONENTS; i++) {
		const struct stat *stat = &summary.component[i];

		snprintf(expected, sizeof(expected), " %s %.1f %.1f %.1f %.1f %.1f %% ",
			 component_title(i), stat_mean(stat) / 1e3, stat_percentile(stat, 50) / 1e3,
			 stat_percentile(stat, 99) / 1e3, stat->max / 1e3,
			 100 * stat_mean(stat) / stat_mean(&summary.latency));
		assert_has(text, expected);
	}
	snprintf(expected, sizeof(expected), " context switch %.1f ",
		 (stat_mean(&summary.component[COMPONENT_WAKEUP]) +
		  stat_mean(&summary.component[COMPONENT_RUNQUEUE]) +
		  stat_mean(&summary.component[COMPONENT_SWITCH])) /
			 1e3);
	assert_has(text, expected);
	free(text);
	sample_free(&summary);
}

static void a_switch_that_the_kernel_does_not_show_is_said_to_be_so(void **state)
{
	struct summary summary;

	(void)state;
	sample_summary(&summary, 5);
	summary.info.shows_switch = false;
	assert_shows(&summary, "switch not shown by this kernel (in receive)");
	sample_free(&summary);
}

static void what_level_light_does_not_see_is_said_to_be_so(void **state)
{
	struct summary summary;

	(void)state;
	sample_summary(&summary, 5);
	summary.info.level = LEVEL_LIGHT;
	assert_shows(&summary, "send path not seen at level light (in dispatch)");
	assert_shows(&summary, "busy not seen at level light (in receive)");
	assert_shows(&summary, "return not seen at level light (in receive)");
	assert_shows(&summary, "observer level light: no system call was watched;");
	sample_free(&summary);
}

static void who_ran_instead_is_named_with_its_share(void **state)
{
	struct summary summary;
	char *text;

	(void)state;
	sample_summary(&summary, 5);
	text = shown(&summary);
	assert_has(text, "run queue: who ran instead us/message share messages");
	assert_has(text, "server ipctrace-server (RR 99)");
	assert_has(text, "client 1 client-1 (RR 98)");
	assert_has(text, "irq virtio0 (irq 24)");
	assert_has(text, " 60.0 % 500 ");
	assert_has(text, " 30.0 % 250 ");
	free(text);
	sample_free(&summary);
}

static void culprits_beyond_the_table_are_added_up(void **state)
{
	struct summary summary;

	(void)state;
	sample_summary(&summary, 2);
	free(summary.blame);
	summary.blame_cnt = 12;
	summary.blame = calloc(summary.blame_cnt, sizeof(*summary.blame));
	assert_non_null(summary.blame);
	for (uint32_t i = 0; i < summary.blame_cnt; i++) {
		summary.blame[i].who = (struct blame){.class = BLAME_TASK, .tid = i};
		summary.blame[i].who.ns = 3000 * summary.latency.count;
	}
	assert_shows(&summary, " +4 more 12.0 ");
	sample_free(&summary);
}

static void every_client_has_its_row(void **state)
{
	struct summary summary;
	char expected[128], *text;

	(void)state;
	sample_summary(&summary, 5);
	text = shown(&summary);
	for (uint32_t i = 0; i < 5; i++) {
		const struct stat *stat = &summary.client[i].latency;

		snprintf(expected, sizeof(expected), " %u %.1f %.1f %.1f %.1f %u.00 ", i + 1,
			 stat_mean(stat) / 1e3, stat_percentile(stat, 50) / 1e3,
			 stat_percentile(stat, 99) / 1e3, stat->max / 1e3, i + 1);
		assert_has(text, expected);
	}
	free(text);
	sample_free(&summary);
}

static void of_many_clients_the_best_and_the_worst_are_shown(void **state)
{
	struct summary summary;
	char *text;

	(void)state;
	sample_summary(&summary, 200);
	text = shown(&summary);
	assert_has(text, "the 5 best by mean above, the 5 worst below, 190 not shown");
	assert_has(text, " 200.00 ");
	assert_has_not(text, " 100.00 ");
	free(text);
	sample_free(&summary);
}

static void range_peaks_order_and_tick_are_told(void **state)
{
	struct summary summary;
	char *text;

	(void)state;
	sample_summary(&summary, 5);
	text = shown(&summary);
	assert_has(text, "of the last latency)");
	assert_has(text,
		   "peaks 2 (2.0 /s, medium), 66.2 to 812.5 us; longest part: run queue in 2");
	assert_has(text, "largest 812.5 us at 3.214 s, client 1: run queue 790.0 us, of which "
			 "780.0 us behind kthread kworker/u8:2 (nice 0)");
	assert_has(text, "served clients 1 2 3 4 5 in 100 % of rounds");
	assert_has(text, "tick late by 5.5 us on average");
	assert_has(text, "none skipped");
	free(text);
	sample_free(&summary);
}

static void integrity_and_observer_are_part_of_every_report(void **state)
{
	struct summary summary;
	char *text;

	(void)state;
	sample_summary(&summary, 5);
	text = shown(&summary);
	assert_has(text, "integrity 500 sent, 500 matched, 0 incomplete, 0 lost, 0 corrupt; "
			 "every message adds up");
	assert_has(text, "observer BPF 1.2 us per message");
	free(text);
	summary.observer.measured = false;
	assert_shows(&summary, "observer not measured in this run");
	sample_free(&summary);
}

static void one_client_needs_no_first_next_and_last(void **state)
{
	struct summary summary;
	char *text;

	(void)state;
	sample_summary(&summary, 1);
	text = shown(&summary);
	assert_has(text, "1 client x 100 messages");
	assert_stat_row(text, "all", &summary.latency);
	assert_has(text, "this run ");
	assert_has_not(text, " first ");
	assert_has_not(text, "served");
	free(text);
	sample_free(&summary);
}

static void an_empty_run_says_that_there_is_nothing_to_explain(void **state)
{
	const struct summary zeros = {0};
	struct summary summary;

	(void)state;
	sample_begin(&summary, 5);
	assert_shows(&summary, "integrity 0 sent, 0 matched, 0 incomplete, 0 lost");
	assert_shows(&summary, "No message was seen, so there is nothing to explain.");
	summary.integrity.sent = 500;
	summary.integrity.incomplete[INCOMPLETE_NOT_RECORDED] = 500;
	assert_shows(&summary, "500 incomplete (no record of them)");
	assert_shows(&summary, "Of 500 messages none was matched, so nothing is explained.");
	sample_free(&summary);
	assert_shows(&zeros, "No message was seen");
}

/* Of a run, the workload has said how many. */
static void of_an_attach_more_may_lack_a_record(void **state)
{
	struct summary summary;
	char *text;

	(void)state;
	sample_begin(&summary, 5);
	summary.integrity.sent = summary.integrity.incomplete[INCOMPLETE_NOT_RECORDED] = 500;
	text = shown(&summary);
	assert_has_not(text, "more may lack a record");
	free(text);
	summary.info.mode = MODE_ATTACH;
	assert_shows(&summary, "more may lack a record");
	summary.integrity.incomplete[INCOMPLETE_NOT_RECORDED] = 0;
	summary.integrity.incomplete[INCOMPLETE_NO_SEND] = 500;
	text = shown(&summary);
	assert_has_not(text, "more may lack a record");
	free(text);
	sample_free(&summary);
}

static void a_client_without_a_message_has_a_row_all_the_same(void **state)
{
	const uint64_t component_ns[NR_COMPONENTS] = {1000, 1000};
	struct summary summary;

	(void)state;
	sample_begin(&summary, 3);
	sample_add(&summary, 1, component_ns);
	assert_shows(&summary, " 2 no message was matched");
	sample_free(&summary);
}

static void an_untraced_run_shows_latencies_and_claims_nothing_else(void **state)
{
	struct summary summary;
	char *text;

	(void)state;
	sample_untraced(&summary, 5);
	text = shown(&summary);
	assert_has(text, "CPUs free, untraced");
	assert_stat_row(text, "last", &summary.rounds.last);
	assert_has(text, "observer none: the run was not traced");
	assert_has(text, "Untraced: these latencies are the clients' own clock readings");
	assert_has(text, "500 sent, 500 matched");
	assert_has_not(text, "run queue");
	assert_has_not(text, "dispatch");
	assert_has_not(text, "adds up");
	free(text);
	sample_free(&summary);
}

static void losses_are_named_by_reason(void **state)
{
	struct summary summary;
	char *text;

	(void)state;
	sample_summary(&summary, 5);
	summary.integrity.sent += 9;
	summary.integrity.incomplete[INCOMPLETE_NOT_RECEIVED] = 2;
	summary.integrity.incomplete[INCOMPLETE_HISTORY] = 7;
	summary.integrity.loss[LOSS_RING_FULL] = 12;
	summary.integrity.loss[LOSS_STAMPS] = 30;
	summary.integrity.truncated = true;
	summary.integrity.unseen_switches = 4;
	summary.integrity.unseen_wakeups = 3;
	text = shown(&summary);
	assert_has(text, "509 sent, 500 matched, 9 incomplete (2: not received, 7: part of the "
			 "receiver's history was lost), 42 lost (12 records for which the ring "
			 "buffer had no room, 30 stamps for which the workload's log had no room)");
	assert_has(text, "4 switches began unseen");
	assert_has(text, "3 wakeups went unseen");
	assert_has(text, "the recording breaks off before its end");
	free(text);
	summary.integrity.residual_ns_max = 17;
	assert_shows(&summary, "components miss the latency by up to 17 ns");
	assert_shows_not(&summary, "every message adds up");
	sample_free(&summary);
}

static void who_left_is_named_with_the_reason(void **state)
{
	struct summary summary;
	char *text;

	(void)state;
	sample_summary(&summary, 5);
	summary.client[1].left = summary.client[2].left = summary.client[4].left = true;
	summary.client[1].left_reason = LEFT_SIGNAL;
	summary.client[1].left_detail = 9;
	summary.client[1].left_round = 51;
	summary.client[2].left_reason = LEFT_SEND_FAILED;
	summary.client[2].left_detail = 111;
	summary.client[2].left_round = 1;
	summary.client[4].left_reason = LEFT_EXIT;
	summary.client[4].left_detail = 3;
	text = shown(&summary);
	assert_has(text, "left early client 2 was ended by a signal (Killed) after 51 rounds; "
			 "client 3 was dropped because a send failed (Connection refused) after "
			 "1 round; client 5 ended by itself with status 3 after 0 rounds");
	free(text);
	summary.server_left = true;
	summary.server_left_reason = LEFT_SIGNAL;
	summary.server_left_detail = 15;
	assert_shows(&summary, "the server was ended by a signal (Terminated); client 2");
	sample_free(&summary);
}

static void a_full_queue_is_told_with_what_limits_it(void **state)
{
	struct summary summary;

	(void)state;
	sample_summary(&summary, 2);
	summary.client[0].left = true;
	summary.client[0].left_reason = LEFT_SEND_FAILED;
	summary.client[0].left_detail = EAGAIN;
	assert_shows(&summary, "client 1 was dropped because its queue was full "
			       "(net.unix.max_dgram_qlen");
	sample_free(&summary);
}

static void of_many_who_left_ten_are_named_and_the_rest_counted(void **state)
{
	struct summary summary;

	(void)state;
	sample_summary(&summary, 15);
	for (uint32_t i = 0; i < 15; i++) {
		summary.client[i].left = true;
		summary.client[i].left_reason = LEFT_EXIT;
	}
	assert_shows(&summary, "client 10 ended by itself");
	assert_shows(&summary, "and 5 more clients");
	assert_shows_not(&summary, "client 11 ended by itself");
	sample_free(&summary);
}

static void incomplete_rounds_are_owned_up_to(void **state)
{
	struct summary summary;

	(void)state;
	sample_summary(&summary, 5);
	summary.rounds.count = 120;
	assert_shows(&summary, "rounds 100 of 120 complete");
	sample_free(&summary);
	sample_begin(&summary, 5);
	summary.rounds.count = 120;
	assert_shows(&summary, "none of 120 complete");
	assert_shows_not(&summary, "service time ");
	assert_shows_not(&summary, "it is not known whether they were of one");
	summary.rounds.given_up = 12;
	assert_shows(&summary, "; of 12 more messages it is not known whether they were of one");
	summary.rounds.complete = 120;
	assert_shows(&summary, "rounds of 12 more messages it is not known");
	sample_free(&summary);
}

/* A run in which this component takes nine tenths of the time. */
static void assert_verdict(enum component dominating, uint32_t clients, const char *sentence)
{
	uint64_t component_ns[NR_COMPONENTS] = {0};
	struct summary summary;

	sample_begin(&summary, clients);
	component_ns[COMPONENT_RETURN] = 10000;
	component_ns[dominating] += 90000;
	for (uint32_t client = 1; client <= clients; client++)
		sample_add(&summary, client, component_ns);
	assert_shows(&summary, sentence);
	sample_free(&summary);
}

static void the_verdict_names_the_dominating_component(void **state)
{
	(void)state;
	assert_verdict(COMPONENT_DISPATCH, 5,
		       "Nearly all of a message's latency (90 %) is dispatch: it passes before "
		       "the server's loop comes to this client.");
	assert_verdict(COMPONENT_DISPATCH, 1,
		       "is dispatch: the server's way from its clock reading to the send.");
	assert_verdict(COMPONENT_SEND_PATH, 5, "(90 %) is the kernel's send path.");
	assert_verdict(COMPONENT_WAKEUP, 5,
		       "(90 %) is the context switch, above all the wake-up until the receiver is "
		       "runnable.");
	assert_verdict(COMPONENT_RUNQUEUE, 5,
		       "(90 %) is the context switch, above all the wait for a CPU.");
	assert_verdict(COMPONENT_SWITCH, 5,
		       "(90 %) is the context switch, above all the scheduler's own switch to the "
		       "receiver.");
	assert_verdict(COMPONENT_BUSY, 5, "(90 %) is the receiver being busy with something else.");
	assert_verdict(COMPONENT_BLOCKED, 5, "(90 %) is the receiver waiting for something else.");
	assert_verdict(COMPONENT_RECEIVE, 5, ") is the receive call.");
	assert_verdict(COMPONENT_RETURN, 5,
		       ") is the way from the receive call back into the application.");
}

/* 90 us of 100 are the receive call; 10 are the way back from it. */
static void the_verdict_gives_the_share_of_what_it_names(void **state)
{
	const uint64_t component_ns[NR_COMPONENTS] = {
		[COMPONENT_RECEIVE] = 90000, [COMPONENT_RETURN] = 10000};
	struct summary summary;

	(void)state;
	sample_begin(&summary, 1);
	sample_add(&summary, 1, component_ns);
	assert_shows_not(&summary, "(100 %) is the receive call.");
	sample_free(&summary);
}

static void the_verdict_measures_its_words(void **state)
{
	static const struct {
		uint64_t share;
		const char *words;
	} shares[] = {{95, "Nearly all of a message's latency (95 %)"},
		      {89, "Most of a message's latency (89 %)"},
		      {55, "Most of a message's latency (55 %)"},
		      {50, "About half of a message's latency (50 %)"}};
	struct summary summary;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(shares); i++) {
		uint64_t component_ns[NR_COMPONENTS] = {
			[COMPONENT_SEND_PATH] = 1000 * shares[i].share,
			[COMPONENT_BUSY] = 500 * (100 - shares[i].share),
			[COMPONENT_BLOCKED] = 500 * (100 - shares[i].share)};

		sample_begin(&summary, 1);
		sample_add(&summary, 1, component_ns);
		assert_shows(&summary, shares[i].words);
		sample_free(&summary);
	}
}

static void a_run_that_ended_early_says_so(void **state)
{
	struct summary summary;
	char expected[64];

	(void)state;
	sample_summary(&summary, 5);
	snprintf(expected, sizeof(expected), "after %llu of %llu rounds",
		 (unsigned long long)summary.rounds.count,
		 (unsigned long long)summary.rounds.count + 1);
	summary.info.workload.messages = summary.rounds.count + 1;
	assert_shows(&summary, expected);
	assert_shows_not(&summary, "rounds: ");
	summary.info.workload.messages = summary.rounds.count;
	assert_shows_not(&summary, "ended early");
	sample_free(&summary);
}

static void an_early_end_names_its_cause(void **state)
{
	struct summary summary;

	(void)state;
	sample_summary(&summary, 2);
	summary.info.workload.messages = summary.rounds.count + 1;
	summary.client[0].left = true;
	assert_shows_not(&summary, "all clients had left");
	summary.client[1].left = true;
	assert_shows(&summary, "rounds: all clients had left");
	summary.server_left = true;
	assert_shows(&summary, "rounds: the server had left");
	summary.all_left = true;
	summary.all_left_reason = LEFT_SIGNAL;
	summary.all_left_detail = SIGTERM;
	assert_shows(&summary, "rounds: stopped by a signal (Terminated)");
	sample_free(&summary);
}

static void an_attach_that_ended_before_its_time_names_the_cause(void **state)
{
	struct summary summary;

	(void)state;
	sample_attach(&summary);
	summary.all_left = true;
	summary.all_left_reason = LEFT_TARGETS;
	assert_shows_not(&summary, "ended early");
	summary.all_left_early = true;
	assert_shows(&summary, "ended early no target was left");
	summary.all_left_reason = LEFT_SIGNAL;
	summary.all_left_detail = SIGINT;
	assert_shows(&summary, "ended early stopped by a signal (Interrupt)");
	sample_free(&summary);
}

static void the_verdict_names_who_kept_the_cpu(void **state)
{
	static const struct {
		struct blame who;
		const char *words;
	} culprits[] = {
		{{.class = BLAME_SERVER, .comm = "s"},
		 "while the server itself kept the CPU (80 % of that wait)."},
		{{.class = BLAME_CLIENT, .policy = SCHED_RR, .priority = 1, .comm = "client-2"},
		 "behind other clients (80 % of that wait; client-2 (RR 98) alone 80 %)."},
		{{.class = BLAME_TASK, .priority = 115, .comm = "cc1"},
		 "behind other tasks (80 % of that wait; cc1 (nice -5) alone 80 %)."},
		{{.class = BLAME_TASK, .tid = TID_OUTSIDE | 7, .priority = 120, .comm = "cc1"},
		 "behind other tasks (80 % of that wait; cc1 (nice 0, outside) alone 80 %)."},
		{{.class = BLAME_TASK, .tid = TID_OUTSIDE | 7},
		 "behind other tasks (80 % of that wait; thread outside alone 80 %)."},
		{{.class = BLAME_KTHREAD,
		  .tid = TID_OUTSIDE | 7,
		  .priority = 120,
		  .comm = "kworker"},
		 "behind kernel threads (80 % of that wait; kworker (nice 0) alone 80 %)."},
		{{.class = BLAME_KTHREAD, .policy = SCHED_FIFO, .priority = 0, .comm = "migration"},
		 "behind kernel threads (80 % of that wait; migration (FIFO 99) alone 80 %)."},
		{{.class = BLAME_IRQ, .kind = SLICE_IRQ, .tid = 24},
		 "behind interrupts (80 % of that wait; (irq 24) alone 80 %)."},
		{{.class = BLAME_SOFTIRQ, .kind = SLICE_SOFTIRQ, .comm = "net_rx"},
		 "behind softirqs (80 % of that wait; net_rx (softirq 0) alone 80 %)."},
		{{.class = BLAME_IDLE}, "while the CPU was leaving idle (80 % of that wait)."},
		{{.class = BLAME_THROTTLED}, "held back by bandwidth control (80 % of that wait)."},
		{{.class = BLAME_UNKNOWN},
		 "; who ran meanwhile is mostly unknown (80 % of that wait)."},
	};
	const uint64_t component_ns[NR_COMPONENTS] = {[COMPONENT_RUNQUEUE] = 100000};
	struct summary summary;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(culprits); i++) {
		sample_begin(&summary, 1);
		sample_add(&summary, 1, component_ns);
		summary.blame_cnt = 1;
		summary.blame = calloc(1, sizeof(*summary.blame));
		assert_non_null(summary.blame);
		summary.blame->who = culprits[i].who;
		summary.blame->who.ns = 80000;
		assert_shows(&summary, culprits[i].words);
		sample_free(&summary);
	}
}

/* Of a connection either end may be the server: who kept the CPU is the one that sent. */
static void an_attach_blames_the_sender(void **state)
{
	const uint64_t component_ns[NR_COMPONENTS] = {[COMPONENT_RUNQUEUE] = 100000};
	struct summary summary;

	(void)state;
	sample_begin(&summary, 1);
	sample_add(&summary, 1, component_ns);
	summary.info.mode = MODE_ATTACH;
	summary.blame_cnt = 1;
	summary.blame = calloc(1, sizeof(*summary.blame));
	assert_non_null(summary.blame);
	summary.blame->who =
		(struct blame){.class = BLAME_SERVER, .ns = 80000, .priority = 120, .comm = "s"};
	assert_shows(&summary, "while the sender itself kept the CPU (80 % of that wait).");
	assert_shows(&summary, " sender s (nice 0) ");
	assert_shows_not(&summary, " server ");
	sample_free(&summary);
}

/* Many small culprits of one class outweigh a single larger one of another. */
static void the_verdict_blames_the_class_that_took_most(void **state)
{
	struct summary summary;
	uint64_t all_ns;

	(void)state;
	sample_summary(&summary, 5);
	all_ns = summary.component[COMPONENT_RUNQUEUE].sum;
	summary.blame[0].who.ns = all_ns * 4 / 10;
	for (int i = 1; i < 3; i++) {
		summary.blame[i].who = (struct blame){
			.class = BLAME_TASK, .tid = i, .ns = all_ns * 3 / 10, .comm = "make"};
	}
	assert_shows(&summary, "first of all behind other tasks (60 % of that wait)");
	sample_free(&summary);
}

/* Statistics of one huge value, in every column there is. */
static void a_page_is_wide_enough_for_any_time(void **state)
{
	static const uint64_t times_ns[] = {1, 999999999, 60000000000, 86400000000000, 1ULL << 55};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(times_ns); i++) {
		uint64_t component_ns[NR_COMPONENTS];
		struct summary summary;

		for (int k = 0; k < NR_COMPONENTS; k++)
			component_ns[k] = times_ns[i];
		sample_summary(&summary, 1000);
		sample_add(&summary, 1000, component_ns);
		stat_add(&summary.rounds.first, 9 * times_ns[i]);
		stat_add(&summary.rounds.last, 9 * times_ns[i]);
		summary.blame[0].who.ns = times_ns[i];
		free(shown(&summary));
		sample_free(&summary);
	}
}

static void a_page_is_wide_enough_for_every_client(void **state)
{
	struct summary summary;

	(void)state;
	sample_summary(&summary, 1000);
	summary.blame[1].who.tid = summary.client[999].tid;
	assert_shows(&summary, "client 1000 client-1");
	sample_free(&summary);
}

/* One client on a loaded machine: as many digits as milliseconds have in microseconds. */
static void a_page_is_wide_enough_for_large_peaks(void **state)
{
	struct summary summary;

	(void)state;
	sample_summary(&summary, 1);
	summary.peaks.min_ns = 1200000;
	summary.peaks.max_ns = 250000000;
	summary.peaks.per_second = 20;
	free(shown(&summary));
	sample_free(&summary);
}

/* The runs of it were too short. */
static void peaks_of_unknown_frequency_get_no_word_for_it(void **state)
{
	struct summary summary;

	(void)state;
	sample_summary(&summary, 1);
	assert_shows(&summary, " 66-812 medium");
	assert_shows(&summary, "peaks 2 (2.0 /s, medium), 66.2 to");
	summary.peaks.per_second = NAN;
	assert_shows_not(&summary, " 66-812 medium");
	assert_shows(&summary, "peaks 2, 66.2 to");
	sample_free(&summary);
}

static void a_page_is_wide_enough_for_the_longest_words(void **state)
{
	struct summary summary;

	(void)state;
	sample_summary(&summary, 1);
	memset(summary.info.host.kernel, 'k', SPEC_TEXT_LEN - 1);
	memset(summary.info.version, '1', SPEC_TEXT_LEN - 1);
	summary.info.workload.placement = CPUS_LISTS;
	memset(summary.info.workload.server_cpus, '1', SPEC_TEXT_LEN - 1);
	memset(summary.info.workload.client_cpus, '2', SPEC_TEXT_LEN - 1);
	summary.blame[0].who.class = BLAME_THROTTLED;
	summary.blame[1].who.policy = SCHED_BATCH;
	summary.blame[1].who.priority = 100;
	strcpy(summary.blame[1].who.comm, "fifteen-letters");
	strcpy(summary.blame[2].who.comm, "fifteen-letters");
	summary.blame[2].who.tid = UINT32_MAX;
	free(shown(&summary));
	sample_free(&summary);
}

static char *shown_with(struct report_style style, const struct summary *summary)
{
	const struct report_format *format = report_format_find("text");
	struct report *report;
	char *text = NULL;
	size_t size;

	style.out = open_memstream(&text, &size);
	assert_non_null(style.out);
	report = format->begin(&style);
	assert_int_equal(format->run(report, &summary->info), 0);
	assert_int_equal(format->summary(report, summary), 0);
	assert_int_equal(format->end(report, false), 0);
	fclose(style.out);
	return text;
}

/* Where a column is too narrow, the decimals go first. */
static void a_time_without_room_for_its_decimals_is_shown_whole(void **state)
{
	const uint64_t component_ns[NR_COMPONENTS] = {[COMPONENT_BUSY] = 123456789012};
	struct summary summary;

	(void)state;
	sample_begin(&summary, 1);
	sample_add(&summary, 1, component_ns);
	assert_shows(&summary, "all 123456789 0.0 123456789 ");
	sample_free(&summary);
}

static void a_narrow_terminal_does_not_break_the_tables(void **state)
{
	struct summary summary;
	char *narrow, *page;

	(void)state;
	sample_summary(&summary, 5);
	page = shown_with((struct report_style){.columns = 80}, &summary);
	narrow = shown_with((struct report_style){.columns = 20}, &summary);
	assert_string_equal(narrow, page);
	free(narrow);
	free(page);
	sample_free(&summary);
}

static void a_page_is_as_wide_as_the_terminal_within_reason(void **state)
{
	static const struct {
		int terminal;
		size_t width;
	} widths[] = {{0, 80}, {20, 80}, {80, 80}, {100, 100}, {500, 120}};
	struct summary summary;

	(void)state;
	sample_summary(&summary, 5);
	memset(summary.info.host.kernel, 'k', SPEC_TEXT_LEN - 1);
	for (size_t i = 0; i < ARRAY_SIZE(widths); i++) {
		char *text =
			shown_with((struct report_style){.columns = widths[i].terminal}, &summary);

		assert_width(text, widths[i].width);
		free(text);
	}
	sample_free(&summary);
}

/* "\033[...m" */
static char *without_color(char *text)
{
	char *to = text;

	for (const char *from = text; *from; from++) {
		if (*from == '\033')
			from += strcspn(from, "m");
		else
			*to++ = *from;
	}
	*to = '\0';
	return text;
}

static void color_changes_nothing_but_the_color(void **state)
{
	struct summary summary;
	char *plain, *colored;

	(void)state;
	sample_summary(&summary, 5);
	plain = shown_with((struct report_style){0}, &summary);
	colored = shown_with((struct report_style){.color = true}, &summary);
	assert_has_not(plain, "\033");
	assert_has(colored, "\033[1m");
	assert_has(colored, "\033[0m");
	assert_string_equal(without_color(colored), plain);
	free(plain);
	free(colored);
	sample_free(&summary);
}

static void a_name_cannot_command_the_terminal(void **state)
{
	struct summary summary;
	char *text;

	(void)state;
	sample_summary(&summary, 5);
	strcpy(summary.blame[0].who.comm, "\033[2J\a\n\x9b\x7f");
	strcpy(summary.peaks.largest.blame.comm, "\033]0;x\a");
	strcpy(summary.info.host.kernel, "6\033[31m");
	text = sample_show_one("text", &summary);
	for (const char *c = text; *c; c++)
		assert_true(*c == '\n' || (*c >= ' ' && *c <= '~'));
	free(text);
	sample_free(&summary);
}

static void a_sweep_is_one_table_over_the_clients(void **state)
{
	struct summary one, five;
	const struct summary *const cells[] = {&one, &five};
	char expected[128], *text;

	(void)state;
	sample_summary(&one, 1);
	sample_summary(&five, 5);
	text = shown_sweep(cells, 2);
	assert_has(text, "push over uds, 1 to 5 clients x 100 messages of 64 bytes");
	assert_has(text, "latency (us)");
	snprintf(expected, sizeof(expected), " 5 %.1f %.1f %.1f %.1f %.1f %.1f %% ",
		 stat_mean(&five.rounds.first) / 1e3, stat_mean(&five.rounds.next) / 1e3,
		 stat_mean(&five.rounds.last) / 1e3, stat_stddev(&five.rounds.last) / 1e3,
		 five.rounds.service_ns / 1e3, five.rounds.efficiency_pct);
	assert_has(text, expected);
	snprintf(expected, sizeof(expected), " 1 %.1f - %.1f ", stat_mean(&one.rounds.first) / 1e3,
		 stat_mean(&one.rounds.last) / 1e3);
	assert_has(text, expected);
	assert_has(text, "integrity");
	assert_has(text, " 1 100 100 0 0 0 ");
	assert_has(text, " 5 500 500 0 0 0 ");
	assert_has_not(text, "warning");
	free(text);
	sample_free(&one);
	sample_free(&five);
}

static void a_sweep_compares_its_single_client_with_the_paper(void **state)
{
	struct summary one, two;
	const struct summary *const cells[] = {&two, &one};
	char expected[128], *text;

	(void)state;
	sample_summary(&one, 1);
	sample_summary(&two, 2);
	stat_add(&two.rounds.first, 1000000);
	text = shown_sweep(cells, 2);
	assert_has(text, "GRAME 2001");
	assert_has(text, "Windows 98");
	snprintf(expected, sizeof(expected), "this run, uds, 64 bytes %.1f %.1f - ",
		 2 * stat_stddev(&one.rounds.first) / 1e3, stat_mean(&one.rounds.first) / 1e3);
	assert_has(text, expected);
	free(text);
	sample_free(&one);
	sample_free(&two);
}

static void a_sweep_warns_of_the_cells_that_are_not_whole(void **state)
{
	struct summary one, five;
	const struct summary *const cells[] = {&one, &five};
	char *text;

	(void)state;
	sample_summary(&one, 1);
	sample_summary(&five, 5);
	five.integrity.loss[LOSS_RING_FULL] = 3;
	five.client[3].left = true;
	five.client[3].left_reason = LEFT_SIGNAL;
	five.client[3].left_detail = 9;
	text = shown_sweep(cells, 2);
	assert_has(text, "warning 5 clients over uds: 500 sent");
	assert_has(text, "3 records for which the ring buffer had no room");
	assert_has(text, "client 4 was ended by a signal (Killed)");
	assert_has_not(text, "1 client over uds:");
	free(text);
	sample_free(&one);
	sample_free(&five);
}

static void empty_and_untraced_cells_have_a_row_in_a_sweep(void **state)
{
	struct summary empty, untraced;
	const struct summary *const cells[] = {&empty, &untraced};
	char *text;

	(void)state;
	sample_begin(&empty, 3);
	sample_untraced(&untraced, 4);
	text = shown_sweep(cells, 2);
	assert_has(text, " 3 - - - - - - - ");
	assert_has(text, " 3 0 0 0 0 ");
	assert_has(text, " 4 400 400 0 0 ");
	free(text);
	sample_free(&empty);
	sample_free(&untraced);
}

static void a_full_disk_is_an_error(void **state)
{
	struct summary summary;

	(void)state;
	sample_summary(&summary, 1);
	assert_true(sample_show_full("text", &summary) < 0);
	sample_free(&summary);
}

static void an_attach_says_to_whom(void **state)
{
	struct summary summary;

	(void)state;
	sample_attach(&summary);
	assert_shows(&summary, "ipctrace 0.1 attached to postgres (700)");
	assert_shows(&summary, "Linux 6.18.44 x86_64, 2 CPUs");
	assert_shows_not(&summary, "SCHED_");
	assert_shows_not(&summary, "0 clients");
	sample_free(&summary);
}

static void channels_are_shown_with_their_ends(void **state)
{
	struct summary summary;
	char *text;

	(void)state;
	sample_attach(&summary);
	text = shown(&summary);
	assert_has(text, "uds-stream /run/x.sock: psql (812) > postgres (700)");
	assert_has(text, "uds-stream /run/x.sock: postgres (700) > psql (812)");
	assert_has(text, "3 other channels");
	assert_numbers_are_numbers(text);
	free(text);
	summary.channel[0].sender.pid = TID_OUTSIDE | 812;
	assert_shows(&summary, "uds-stream /run/x.sock: psql (outside) > postgres (700)");
	sample_free(&summary);
}

/* Whom a target sends its rounds to has a number in the table, and is told of below it. */
static void listeners_of_an_attach_have_names(void **state)
{
	struct summary summary;

	(void)state;
	sample_summary(&summary, 3);
	summary.info.mode = MODE_ATTACH;
	snprintf(summary.client[1].comm, sizeof(summary.client[1].comm), "jack_metro");
	summary.client[1].tid = 4711;
	summary.client[2].tid = 0;
	snprintf(summary.client[2].comm, sizeof(summary.client[2].comm), "others");
	assert_shows(&summary, "2 jack_metro (4711), 3 others");
	sample_free(&summary);
}

/* A bar of all parts, each with its letter; who has no name, or whose record was lost, is '?'. */
static void channels_have_bars_of_their_parts(void **state)
{
	struct summary summary;
	struct component_sum *sum;
	char *text;

	(void)state;
	sample_attach(&summary);
	sum = &summary.channel[0].components;
	memset(sum->ns, 0, sizeof(sum->ns));
	sum->ns[COMPONENT_SEND_PATH] = 100;
	sum->ns[COMPONENT_RUNQUEUE] = 250;
	sum->ns[COMPONENT_BUSY] = 50;
	sum->ns[COMPONENT_RECEIVE] = 100;
	memset(summary.channel[1].components.ns, 0, sizeof(sum->ns));
	summary.channel[1].transport = 0;
	summary.channel[1].name[0] = summary.channel[1].sender.comm[0] = '\0';
	text = shown(&summary);
	assert_has(text, " ssssqqqqqqqqqbrrrr ");
	assert_has(text, "q run queue");
	assert_has(text, "? ?: ? (700) > psql (812)");
	assert_null(strstr(text, "(null)"));
	free(text);
	sample_free(&summary);
}

/* Threads of one name are one line, whatever their numbers. */
static void culprits_of_one_name_are_one_line(void **state)
{
	struct summary summary;
	char *text, *row;

	(void)state;
	sample_summary(&summary, 2);
	free(summary.blame);
	summary.blame = calloc(20, sizeof(*summary.blame));
	summary.blame_cnt = 20;
	for (uint32_t i = 0; i < 20; i++) {
		struct blame who = {.class = BLAME_TASK, .kind = SLICE_TASK, .tid = i, .ns = 1000};

		snprintf(who.comm, sizeof(who.comm), i ? "worker" : "single");
		summary.blame[i] = (struct blame_summary){.who = who, .messages = 3};
	}
	text = shown(&summary);
	assert_has(text, "task single");
	row = strstr(text, "task worker");
	assert_non_null(row);
	assert_null(strstr(row + 1, "task worker"));
	free(text);
	sample_free(&summary);
}

static void without_channels_there_is_no_table_of_them(void **state)
{
	struct summary summary;

	(void)state;
	sample_summary(&summary, 2);
	assert_shows_not(&summary, "channels");
	sample_free(&summary);
}

static void what_is_elsewhere_and_resynced_is_told(void **state)
{
	struct summary summary;

	(void)state;
	sample_attach(&summary);
	assert_shows_not(&summary, "resynced");
	assert_shows_not(&summary, "other end");
	summary.integrity.match[MATCH_RESYNCED] = 2;
	summary.integrity.match[MATCH_AMBIGUOUS] = 3;
	summary.integrity.elsewhere = 17;
	assert_shows(&summary, "2 resynced, 3 ambiguous");
	assert_shows(&summary, "17 whose other end is on another machine, or not traced");
	assert_shows_not(&summary, " exact");
	sample_free(&summary);
}

static void what_was_slept_in_is_told(void **state)
{
	struct summary summary;

	(void)state;
	sample_attach(&summary);
	assert_shows_not(&summary, "slept in");
	blocked_calls_add(&summary.blocked, 202, 300, 2);
	blocked_calls_add(&summary.blocked, 0, 100, 5);
	blocked_calls_add(&summary.calls.blocked, 230, 50, 1);
	assert_shows(&summary, "the receiver slept in futex 75 %, read 25 %");
	assert_shows(&summary, "in clock_nanosleep 100 %");
	for (uint16_t call = 40; call < 45; call++)
		blocked_calls_add(&summary.blocked, call, 1, 1);
	assert_shows(&summary, ", 3 more");
	summary.calls.blocked = (struct blocked_calls){0};
	blocked_calls_add(&summary.calls.blocked, CALL_UNKNOWN, 50, 1);
	assert_shows(&summary, "in a call that is not known 100 %");
	sample_free(&summary);
}

static void an_empty_attach_fits_the_page(void **state)
{
	struct summary summary;
	char *text;

	(void)state;
	sample_begin(&summary, 0);
	summary.info.mode = MODE_ATTACH;
	summary.info.workload = (struct workload_spec){0};
	strcpy(summary.info.target, "postgres (700)");
	text = shown(&summary);
	assert_numbers_are_numbers(text);
	assert_has(text, "0 sent, 0 matched");
	free(text);
	sample_free(&summary);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_first_lines_say_what_ran_and_where),
		cmocka_unit_test(latencies_are_shown_in_microseconds),
		cmocka_unit_test(the_service_time_is_compared_with_tick_and_paper),
		cmocka_unit_test(every_component_has_its_row_and_share),
		cmocka_unit_test(a_switch_that_the_kernel_does_not_show_is_said_to_be_so),
		cmocka_unit_test(what_level_light_does_not_see_is_said_to_be_so),
		cmocka_unit_test(who_ran_instead_is_named_with_its_share),
		cmocka_unit_test(culprits_beyond_the_table_are_added_up),
		cmocka_unit_test(every_client_has_its_row),
		cmocka_unit_test(of_many_clients_the_best_and_the_worst_are_shown),
		cmocka_unit_test(range_peaks_order_and_tick_are_told),
		cmocka_unit_test(integrity_and_observer_are_part_of_every_report),
		cmocka_unit_test(one_client_needs_no_first_next_and_last),
		cmocka_unit_test(an_empty_run_says_that_there_is_nothing_to_explain),
		cmocka_unit_test(of_an_attach_more_may_lack_a_record),
		cmocka_unit_test(a_client_without_a_message_has_a_row_all_the_same),
		cmocka_unit_test(an_untraced_run_shows_latencies_and_claims_nothing_else),
		cmocka_unit_test(losses_are_named_by_reason),
		cmocka_unit_test(who_left_is_named_with_the_reason),
		cmocka_unit_test(a_full_queue_is_told_with_what_limits_it),
		cmocka_unit_test(of_many_who_left_ten_are_named_and_the_rest_counted),
		cmocka_unit_test(incomplete_rounds_are_owned_up_to),
		cmocka_unit_test(the_verdict_names_the_dominating_component),
		cmocka_unit_test(the_verdict_gives_the_share_of_what_it_names),
		cmocka_unit_test(the_verdict_measures_its_words),
		cmocka_unit_test(a_run_that_ended_early_says_so),
		cmocka_unit_test(an_early_end_names_its_cause),
		cmocka_unit_test(an_attach_that_ended_before_its_time_names_the_cause),
		cmocka_unit_test(the_verdict_names_who_kept_the_cpu),
		cmocka_unit_test(an_attach_blames_the_sender),
		cmocka_unit_test(the_verdict_blames_the_class_that_took_most),
		cmocka_unit_test(a_page_is_wide_enough_for_any_time),
		cmocka_unit_test(a_page_is_wide_enough_for_every_client),
		cmocka_unit_test(a_page_is_wide_enough_for_large_peaks),
		cmocka_unit_test(peaks_of_unknown_frequency_get_no_word_for_it),
		cmocka_unit_test(a_page_is_wide_enough_for_the_longest_words),
		cmocka_unit_test(a_time_without_room_for_its_decimals_is_shown_whole),
		cmocka_unit_test(a_narrow_terminal_does_not_break_the_tables),
		cmocka_unit_test(a_page_is_as_wide_as_the_terminal_within_reason),
		cmocka_unit_test(color_changes_nothing_but_the_color),
		cmocka_unit_test(a_name_cannot_command_the_terminal),
		cmocka_unit_test(a_sweep_is_one_table_over_the_clients),
		cmocka_unit_test(a_sweep_compares_its_single_client_with_the_paper),
		cmocka_unit_test(a_sweep_warns_of_the_cells_that_are_not_whole),
		cmocka_unit_test(empty_and_untraced_cells_have_a_row_in_a_sweep),
		cmocka_unit_test(a_full_disk_is_an_error),
		cmocka_unit_test(an_attach_says_to_whom),
		cmocka_unit_test(channels_are_shown_with_their_ends),
		cmocka_unit_test(channels_have_bars_of_their_parts),
		cmocka_unit_test(listeners_of_an_attach_have_names),
		cmocka_unit_test(culprits_of_one_name_are_one_line),
		cmocka_unit_test(without_channels_there_is_no_table_of_them),
		cmocka_unit_test(what_is_elsewhere_and_resynced_is_told),
		cmocka_unit_test(what_was_slept_in_is_told),
		cmocka_unit_test(an_empty_attach_fits_the_page),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

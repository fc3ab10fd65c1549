/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The first screen of the text report: its size, the order of its answers, and what it leaves out.
 */
#include "support/build.h"
#include "support/capture.h"
#include "support/page.h"
#include "support/sample.h"

#include "report/text/sections.h"

#include <errno.h>
#include <linux/sched.h>
#include <locale.h>
#include <stdlib.h>
#include <string.h>

static char *brief_of(const struct summary *const *run, size_t cnt)
{
	return sample_show_styled("text", (struct report_style){.is_brief = true}, run, cnt);
}

static char *brief(const struct summary *summary)
{
	return brief_of(&summary, 1);
}

/* Also that the whole report begins with it. */
static void assert_one_screen(const struct summary *const *run, size_t cnt)
{
	char *screen = brief_of(run, cnt), *report = sample_show("text", run, cnt);

	if (count_lines(screen) > SCREEN_LINES)
		fail_msg("%zu lines:\n%s", count_lines(screen), screen);
	assert_width(screen, PAGE_WIDTH);
	assert_numbers_are_numbers(screen);
	assert_memory_equal(report, screen, strlen(screen));
	assert_true(strlen(report) > strlen(screen));
}

static void assert_screen_of(const struct summary *summary)
{
	assert_one_screen(&summary, 1);
}

/* `parts` end with NULL. */
static void assert_in_order(const char *text, const char *const *part)
{
	const char *at = text;

	for (; *part; part++) {
		at = strstr(at, *part);
		if (!at)
			fail_msg("'%s' is missing, or too early, in:\n%s", *part, text);
	}
}

/* The longest sentences that can come together. */
static struct summary *make_worst(void)
{
	struct summary *summary = sample_summary(5);
	static const char comm[] = "fifteen-letters";

	memset(summary->info.host.kernel, 'k', SPEC_TEXT_LEN - 1);
	memset(summary->info.workload.load, 'l', SPEC_TEXT_LEN - 1);
	for (uint32_t i = 0; i < summary->blame_cnt; i++) {
		summary->blame[i].total.class = BLAME_TASK;
		summary->blame[i].total.policy = SCHED_BATCH;
		summary->blame[i].total.priority = 100;
		summary->blame[i].total.tid = UINT32_MAX / 1000 - i;
		strcpy(summary->blame[i].total.comm, comm);
		summary->blame[i].total.comm[0] += i;
		summary->blame[i].pid = UINT32_MAX / 1000 - 100;
		strcpy(summary->blame[i].process, comm);
	}
	for (int i = 0; i < NR_INCOMPLETES; i++)
		summary->integrity.incomplete[i] = 1000000 + i;
	for (int i = 0; i < NR_MATCHES; i++)
		summary->integrity.match[i] = 1000000 + i;
	summary->integrity.sent *= 1000;
	summary->integrity.truncated = true;
	summary->observer.effect = (struct observer_effect){.pairs = 10, .ratio = 1.5};
	summary->client[2].left = true;
	summary->client[2].left_reason = LEFT_SEND_FAILED;
	summary->client[2].left_detail = EAGAIN;
	strcpy(summary->peaks.largest.blame.comm, comm);
	return summary;
}

TEST(the_first_screen_never_exceeds_its_lines)
{
	static const char *const patterns[] = {"pingpong", "request", "connect", "flood"};
	struct summary *summary = make_worst();

	assert_screen_of(summary);
	for (uint32_t clients = 1; clients <= 1000; clients *= 10) {
		summary = sample_summary(clients);
		assert_screen_of(summary);
		summary = sample_untraced(clients);
		assert_screen_of(summary);
	}
	for (size_t i = 0; i < ARRAY_SIZE(patterns); i++) {
		summary = sample_paced(patterns[i], 7);
		assert_screen_of(summary);
	}
	summary = sample_attach();
	assert_screen_of(summary);
	memset(summary->info.target, 't', sizeof(summary->info.target) - 1);
	assert_screen_of(summary);
}

TEST(the_answers_come_in_their_order)
{
	static const char *const order[] = {"push over uds",
					    "Linux 6.18.44",
					    "CAUSE ",
					    "of the latency is",
					    "TYPICAL ",
					    "NEXT ",
					    "latency (us)",
					    "each message (us)",
					    "waiting for a CPU",
					    "complete ",
					    "parts add up",
					    "disturbed ",
					    NULL};
	struct summary *summary = sample_summary(5);
	char *text = brief(summary);

	assert_in_order(text, order);
	assert_has_not(text, "--");
}

/* A name of 15 letters is cut, and no share is. */
TEST(culprits_have_few_columns_and_whole_numbers)
{
	char *text = brief(make_worst());

	assert_has(text, " fifteen-le.. ");
	assert_has(text, " more ");
}

TEST(the_service_time_stands_behind_the_last_latency)
{
	static const struct {
		double service_ns;
		const char *words;
	} cases[] = {
		{999940, "    999.9\n"}, {99999400, "  99999.4\n"}, {1234567890000, " 1.23e+09\n"}};
	struct summary *summary = sample_summary(5);

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		char *text;

		summary->rounds.service_ns = cases[i].service_ns;
		text = brief(summary);
		assert_has(text, cases[i].words);
		assert_width(text, PAGE_WIDTH);
	}
}

TEST(the_largest_components_have_rows_and_the_rest_is_added_up)
{
	const uint64_t component_ns[NR_COMPONENTS] = {[COMPONENT_BUSY] = 900000,
						      [COMPONENT_BLOCKED] = 50000,
						      [COMPONENT_RECEIVE] = 9900,
						      [COMPONENT_SEND_PATH] = 100,
						      [COMPONENT_WAKEUP] = 40000};
	struct summary *summary = sample_begin(1);
	char *text;

	sample_add(summary, 1, component_ns);
	text = brief(summary);
	assert_has(text, "  b receiver busy         900.0   90 %  bbbbb");
	assert_has(text, "  w wakeup                 40.0  4.0 %");
	assert_has(text, "    2 smaller parts        10.0  1.0 %");
}

/* ipctrace's own threads are no other task: their share is printed in any case. */
TEST(the_share_of_ipctrace_stands_apart)
{
	struct summary *summary = sample_summary(5);

	assert_shows(summary, "disturbed no: no message waited for ipctrace itself; its BPF code "
			      "takes 1.2 us per message");
	assert_shows_not(summary, "UNRELIABLE");
	summary->blame[0].total =
		(struct blame){.class = BLAME_IPCTRACE,
			       .tid = 9,
			       .ns = (uint64_t)summary->component[COMPONENT_RUNQUEUE].sum,
			       .priority = 120,
			       .comm = "ipctrace"};
	summary->blame[0].worst_ns = 1000;
	summary->blame_cnt = 1;
	assert_shows(summary, " qqq ipctrace 56 %");
	assert_shows(summary, "disturbed yes: 56 % of the latency, longest "
			      "wait for ipctrace 1.0 us");
	assert_shows(summary, "UNRELIABLE 56 % of the latency is waiting for ipctrace itself");
	assert_shows(summary, "complete yes: all 500 messages matched, parts add up");
	assert_shows(summary, "leave a CPU free for ipctrace");
	summary->blame[0].total.class = BLAME_TASK;
	assert_shows(summary, "disturbed no: no message waited for ipctrace itself");
}

/* Its longest wait may be what made the slowest ones slow. */
TEST(what_ipctrace_touches_is_said)
{
	struct summary *summary = sample_summary(5);
	const struct stat *latency = &summary->latency;

	summary->blame[0].total.class = BLAME_IPCTRACE;
	summary->blame[0].total.ns = summary->blame[0].worst_ns = latency->max / 2 - 1;
	assert_shows(summary, "disturbed hardly: 0.1 % of the latency, longest wait for ipctrace ");
	summary->blame[0].worst_ns = latency->max / 2;
	assert_shows(summary, "disturbed a little: 0.1 % of the latency; the maximum may be due to "
			      "ipctrace: one message waited 32.7 us for it");
	summary->blame[0].worst_ns = stat_percentile(latency, 99);
	assert_shows(summary, "; p99 and the maximum may be due to ipctrace: one message waited ");
}

TEST(complete_names_what_is_missing)
{
	struct summary *summary = sample_summary(5);

	assert_shows(summary,
		     "complete yes: all 500 messages matched, parts add up, 0 records lost");
	summary->integrity.matched = 490;
	summary->integrity.incomplete[INCOMPLETE_NOT_RECEIVED] = 10;
	summary->integrity.loss[LOSS_RING_FULL] = 3;
	summary->integrity.match[MATCH_AMBIGUOUS] = 4;
	assert_shows(summary, "complete no, 98 %: 490 of 500 messages matched, parts add up, "
			      "10 incomplete, 3 records lost, 4 ambiguous");
	assert_shows_not(summary, "UNRELIABLE");
	summary->integrity.residual_ns_max = 7;
	assert_shows(summary, "complete no, 98 %: 490 of 500 messages matched, 10 incomplete, "
			      "3 records lost, 4 ambiguous; components miss the latency by up to "
			      "7 ns");
	summary->integrity.matched = 475;
	assert_shows(summary, "UNRELIABLE 5.0 % of the messages are missing: slow ones may be "
			      "among them");
	summary->integrity.matched = 496;
	assert_shows(summary, "complete nearly, 99 %: 496 of 500 messages matched");
}

/* Then it is not known how many messages there were. */
TEST(many_lost_records_make_a_report_unreliable)
{
	struct summary *summary = sample_summary(5);

	summary->integrity.loss[LOSS_RING_FULL] = 4;
	assert_shows(summary, "complete yes: all 500 messages matched, parts add up, 4 records");
	assert_shows_not(summary, "UNRELIABLE");
	summary->integrity.loss[LOSS_RING_FULL] = 5;
	assert_shows(summary,
		     "UNRELIABLE 5 records were lost: up to 1.0 % of the messages are missing, "
		     "and rates are too low CAUSE as far as it was recorded, 56 %");
	assert_shows(summary, "complete no: 500 of 500 recorded messages matched, 5 records lost");
	assert_shows(summary, "NEXT trace again with --level light, or leave ipctrace a CPU.");
}

/* Two ends that wait for each other, in a trace with loss: the screen has no room for all. */
TEST(what_hangs_is_said_in_full)
{
	const struct end_summary one = {.pid = 4194301, .tid = 4194301, .comm = "fifteen-letters"};
	const struct end_summary other = {
		.pid = 4194302, .tid = 4194302, .comm = "letters-fifteen"};
	struct summary *summary = sample_attach();

	summary->sleeper = calloc(2, sizeof(*summary->sleeper));
	assert_non_null(summary->sleeper);
	summary->sleeper_cnt = 2;
	summary->sleeper[0] =
		(struct sleeper_summary){.thread = one,
					 .other = other,
					 .number = 44,
					 .flags = ASLEEP_ALONE | ASLEEP_IN_TARGET | ASLEEP_FOR_ROOM,
					 .ns = 1286000000};
	summary->sleeper[1] = summary->sleeper[0];
	summary->sleeper[1].thread = other;
	summary->sleeper[1].other = one;
	summary->integrity.loss[LOSS_RING_FULL] = summary->integrity.sent;
	assert_shows(summary, ": a circle, in which each waits until the other receives. To do: ");
	assert_shows(summary, "an answer is read. TYPICAL");
	assert_screen_of(summary);
}

TEST(dropped_datagrams_are_no_fault_of_the_trace)
{
	struct summary *summary = sample_attach();

	summary->integrity.sent = 500;
	summary->integrity.matched = 490;
	summary->integrity.incomplete[INCOMPLETE_NOT_RECEIVED] = 10;
	summary->integrity.dropped = 10;
	assert_shows(summary, "complete yes: all 490 messages that arrived matched, parts add up, "
			      "10 dropped by the kernel, 0 records lost");
	summary->integrity.dropped = 4;
	assert_shows(summary, "complete no, 99 %: 490 of 500 messages matched, parts add up, "
			      "4 dropped by the kernel, 6 incomplete, 0 records lost");
}

TEST(an_attach_names_the_process_at_the_end)
{
	struct summary *summary = sample_attach();

	summary->channel_cnt = 1;
	assert_shows(summary,
		     "waiting for a CPU: the receiver, mainly postgres (pid 700, tid 701), "
		     "waits");
	summary->channel[0].components.ns[COMPONENT_RUNQUEUE] *= 3;
	summary->channel[0].receiver.tid = summary->channel[0].receiver.pid;
	assert_shows(summary, "waiting for a CPU: postgres (pid 700) waits");
	summary->channel_cnt = 3;
}

/* 1000 calls, whose messages take 0.1 ms of 4 ms. */
static struct summary *long_services(void)
{
	struct summary *summary = sample_attach();
	struct calls_summary *calls = &summary->calls;

	sample_forget_calls(summary);
	for (int i = 0; i < 1000; i++) {
		stat_add(&calls->request, 50000);
		stat_add(&calls->service, 3900000);
		stat_add(&calls->response, 50000);
		stat_add(&calls->round_trip, 4000000);
	}
	calls->count = calls->state_cnt = calls->cut_tries = calls->components.count = 1000;
	calls->components.ns[COMPONENT_RECEIVE] = 100000000;
	calls->messages = summary->integrity.matched;
	memset(calls->state_ns, 0, sizeof(calls->state_ns));
	return summary;
}

TEST(what_the_server_does_can_be_the_cause)
{
	struct summary *summary = long_services();
	struct calls_summary *calls = &summary->calls;

	calls->state_ns[SERVICE_ON_CPU] = 300000000;
	calls->state_ns[SERVICE_BLOCKED] = 3600000000;
	assert_shows(summary, "90 % of call time is the server sleeping while it handles calls: "
			      "postgres (pid 700, tid 701).");
	assert_shows(summary, " k server blocked 3600.0 90 %");
	assert_shows(summary, " c server runs 300.0 7.5 %");
	assert_shows(summary, " r receive 100.0 2.5 %");
	assert_screen_of(summary);
	calls->state_cnt = 800;
	calls->state_ns[SERVICE_BLOCKED] = 2900000000;
	assert_shows(summary, " ? not known 700.0 18 %");
	calls->state_ns[SERVICE_ON_CPU] = 3000000000;
	calls->state_ns[SERVICE_BLOCKED] = 0;
	assert_shows(summary,
		     "75 % of call time is the server working: postgres (pid 700, tid 701).");
}

/* The call in which the server sleeps may say what it waits for. */
TEST(what_to_try_about_a_sleep_depends_on_its_call)
{
	static const struct {
		uint16_t call; /* of x86_64 */
		const char *next;
	} cases[] = {
		{202, "NEXT run again with --explain: it names the thread that holds the lock."},
		{230, "NEXT wait for the event itself instead of sleeping"},
		{74, "NEXT leave the file to a thread that no call waits for"},
		{232, "NEXT run again with --explain: it names what the server waits for."},
		{CALL_STOPPED, "NEXT find out what sends SIGSTOP"},
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct summary *summary = long_services();
		struct calls_summary *calls = &summary->calls;

		calls->state_ns[SERVICE_BLOCKED] = 3600000000;
		calls->blocked = (struct blocked_calls){0};
		blocked_calls_add(&calls->blocked, cases[i].call, 3600000000, 1000);
		assert_shows(summary, cases[i].next);
		blocked_calls_add(&calls->blocked, 1, 3700000000, 1000);
		blocked_calls_sort(&calls->blocked);
		assert_shows(summary, "it names what the server waits for.");
	}
}

/* Half of each call is a wait of the service for a CPU. */
TEST(a_service_that_waits_for_a_cpu_has_culprits)
{
	struct blame_summary hog = {.total = {.class = BLAME_TASK,
					      .tid = 4711,
					      .ns = 1500000000,
					      .priority = 120,
					      .comm = "hog"},
				    .messages = 3};
	struct summary *summary = long_services();
	struct calls_summary *calls = &summary->calls;

	calls->state_ns[SERVICE_ON_CPU] = 1900000000;
	calls->state_ns[SERVICE_RUNQUEUE] = 2000000000;
	calls->blame = calloc(2, sizeof(hog));
	assert_non_null(calls->blame);
	calls->blame_cnt = 2;
	calls->blame[0] = hog;
	hog.total = (struct blame){.class = BLAME_THROTTLED, .ns = 500000000};
	calls->blame[1] = hog;
	assert_shows(summary,
		     "50 % of call time is waiting for a CPU, nearly all in the service: "
		     "postgres (pid 700, tid 701) waits, mostly behind hog (pid 4711, "
		     "nice 0): 38 % of call time; then for the CPU quota of its control "
		     "group: 12 %. 48 % is the server working: postgres (pid 700, tid 701).");
	assert_shows(summary,
		     "NEXT move hog to another CPU (taskset -acp <CPU> 4711), or lower its "
		     "priority (renice 10 4711).");
	assert_shows(summary, " q waiting for a CPU 2000.0 50 % qqq hog 38 %, CPU quota 12 %");
	calls->blame[0].total.policy = SCHED_RR;
	assert_shows(summary, "lower its priority (chrt -a -o -p 0 4711).");
	calls->blame[0].total.policy = SCHED_NORMAL;
	calls->blame[0].total.tid = TID_OUTSIDE | 7;
	assert_shows(summary, "NEXT move hog to another CPU (taskset -acp <CPU> PID), or");
	calls->blame[0].total.tid = 4711;
	assert_shows(summary, "disturbed no: no message waited");
	assert_screen_of(summary);
	calls->blame[0].total.class = BLAME_IPCTRACE;
	calls->blame[0].total.ns = 20000000;
	assert_shows(summary, "disturbed hardly: 0.5 % of call time");
	calls->blame[0].total.ns = 1500000000;
	assert_shows(summary, "UNRELIABLE 38 % of call time is waiting for ipctrace itself");
	calls->blame_cnt = 0;
	assert_shows(summary, " qqq not known 50 %");
}

TEST(a_process_is_named_beside_its_part)
{
	struct summary *summary = sample_attach();

	for (int i = 0; i < 100; i++)
		stat_add(&summary->component[COMPONENT_BUSY], 300000);
	for (int i = 0; i < 100; i++)
		stat_add(&summary->latency, 300000);
	for (uint32_t i = 0; i < 2; i++)
		summary->channel[i].components.ns[COMPONENT_BUSY] = i ? 10000000 : 17000000;
	assert_shows(summary, "bbbb postgres ");
}

TEST(a_choice_that_matches_nothing_says_what_there_was)
{
	struct summary *summary = sample_begin(0);

	summary->info.mode = MODE_ATTACH;
	strcpy(summary->info.target, "proxy (pid 4711)");
	sample_choice(summary, CHOICE_PEER, "nosuch");
	assert_shows(summary,
		     "No message with such a peer was seen: --peer 'nosuch': no process of the "
		     "75000 messages has this name or PID: there are redis-server (pid 4711), "
		     "several psql, cron (pid 4715) and 2 more names. Name one of these by --peer, "
		     "or leave the option out.");
	assert_shows_not(summary, "neither sent nor received");
	summary->choice[CHOICE_PEER].names = 2;
	assert_shows(summary, "there are redis-server (pid 4711) and several psql. Name one");
	summary->choice[CHOICE_PEER].matched = 1;
	assert_shows(summary, "neither sent nor received");
	summary = sample_attach();
	assert_shows_not(summary, "matches no process");
	sample_choice(summary, CHOICE_SERVER, "nosuch");
	assert_shows(summary, "--server 'nosuch' matches no process of the messages");
	sample_choice(summary, CHOICE_CLIENT, "4");
	assert_shows(summary, "--client '4' matches no process of the messages");
}

TEST(an_attach_without_messages_says_what_to_do)
{
	struct summary *summary = sample_begin(0);

	summary->info.mode = MODE_ATTACH;
	strcpy(summary->info.target, "sleep (pid 4711)");
	assert_shows(summary,
		     "No message was seen: sleep (pid 4711) neither sent nor received over a "
		     "local channel (unix socket, local TCP or UDP, pipe, message queue, "
		     "eventfd, futex). NEXT 'sudo ipctrace list' shows");
	assert_shows(summary, "complete nothing to match: no message was seen, 0 records lost");
	summary->all_left = true;
	summary->all_left_reason = LEFT_DURATION;
	summary->all_left_detail = 1500000000;
	assert_shows(summary, "No message was seen in 1.5 s: sleep (pid 4711) neither");
	summary->all_left_reason = LEFT_SIGNAL;
	summary->all_left_detail = 2;
	assert_shows(summary, "No message was seen: sleep (pid 4711) neither");
	assert_shows_not(summary, "Level light");
	summary->info.level = LEVEL_LIGHT;
	assert_shows(summary,
		     "Level light traces only unix sockets and TCP. NEXT 'sudo ipctrace list'");
	summary->integrity.elsewhere = 12;
	assert_shows(summary, "No local message was seen: all 12 were from or to another machine");
}

TEST(without_messages_the_open_channels_are_named)
{
	struct summary *summary = sample_begin(0);

	summary->info.mode = MODE_ATTACH;
	strcpy(summary->info.target, "postgres (pid 700)");
	sample_found(summary);
	assert_shows(
		summary,
		"futex). It has 3 local channels open and can be reached at /run/x.sock and 1 "
		"more name: nothing came over them. 12 connections lead to other machines, or "
		"out of reach. NEXT 'sudo ipctrace list' shows the local channels of this machine "
		"and how to attach to them. complete nothing");
	summary->found.connections = 1;
	summary->found.services = summary->found.elsewhere = 1;
	assert_shows(summary, "It has 1 local channel open and can be reached at /run/x.sock: "
			      "nothing came over it. 1 connection leads to other machines");
	summary->found.services = summary->found.elsewhere = 0;
	assert_shows(summary, "It has 1 local channel open: nothing came over it. NEXT 'sudo");
	summary->found.connections = 0;
	summary->found.services = 2;
	assert_shows(summary, "It can be reached at /run/x.sock and 1 more name: no local channel "
			      "is open. NEXT 'sudo");
	summary->found.services = 0;
	assert_shows(summary, "futex). No local channel of it is open. NEXT 'sudo");
	summary->found.targets = 2;
	assert_shows(summary, "futex). No local channel of theirs is open. NEXT 'sudo");
	summary->found.connections = 5;
	assert_shows(summary,
		     "They have 5 local channels open: nothing came over them. NEXT 'sudo");
}

TEST(the_process_in_the_place_of_a_target_is_named)
{
	struct summary *summary = sample_begin(0);

	summary->info.mode = MODE_ATTACH;
	strcpy(summary->info.target, "postgres (pid 700)");
	summary->all_left = true;
	summary->all_left_reason = LEFT_TARGETS;
	sample_found(summary);
	summary->found.targets = 0;
	assert_shows(summary, "futex). No target is left, and no process has /run/x.sock now. "
			      "NEXT 'sudo");
	summary->found.now = (struct end_summary){.pid = 4712, .comm = "postgres"};
	assert_shows(summary, "futex). No target is left, and postgres (pid 4712) has /run/x.sock "
			      "now. NEXT 'sudo");
	assert_shows(summary, "warning no target is left; postgres (pid 4712) has /run/x.sock now "
			      "complete");
	summary->all_left_early = true;
	assert_shows(summary, "warning ended early no target was left; postgres (pid 4712) has "
			      "/run/x.sock now complete");
	summary->found.now.pid = 0;
	summary->found.name[0] = '\0';
	assert_shows(summary, "futex). No target is left. NEXT 'sudo");
}

/* Marks are letters on colored ground: without the color, or for other eyes, the letters remain. */
TEST(colored_bars_keep_their_letters)
{
	const struct report_style style = {.is_brief = true, .is_unicode = true, .color = true};
	const struct summary *const one = sample_summary(5);
	char *text;

	assert_non_null(setlocale(LC_CTYPE, "C.UTF-8"));
	text = sample_show_styled("text", style, &one, 1);
	assert_has(text, "\033[7;31mqqq");
	assert_has_not(text, "\\342");
	setlocale(LC_CTYPE, "C");
}

TEST(several_runs_have_a_screen_as_well)
{
	struct summary *run[40];
	const struct summary *const *runs = (const struct summary *const *)run;
	char *text;

	for (size_t i = 0; i < ARRAY_SIZE(run); i++)
		run[i] = sample_summary((uint32_t)i + 1);
	assert_one_screen(runs, 2);
	text = brief_of(runs, 2);
	assert_has(text, "   max   largest\n");
	assert_has(text, "  29.5    q 56 %  dds");
	assert_has(text, "sender: d dispatch s send path o room; receiver: w wakeup\n");
	assert_one_screen(runs, ARRAY_SIZE(run));
	text = brief_of(runs, ARRAY_SIZE(run));
	assert_has(text, "more below\n");
	assert_has(text, "RESULT        on average, the last client's latency is 27.6 us at best");
	assert_has(
		text,
		"CAUSE         with 40 clients over uds, 56 % of the latency is waiting for a\n");
	assert_has(text, "CPU waits     clients 17 %");
	assert_has(text, "NEXT ");
	assert_has_not(text, "cost of its BPF"); /* --overhead measured it */
	assert_has(text, "complete      yes: all 82000 messages matched, parts add up");
	for (size_t i = 0; i < ARRAY_SIZE(run); i++)
		run[i]->observer = (struct observer){0};
	run[3]->integrity.matched--;
	text = brief_of(runs, ARRAY_SIZE(run));
	assert_has(text, "1 of 40 configurations is not complete: see the warnings below");
	assert_one_screen(runs, ARRAY_SIZE(run));
}

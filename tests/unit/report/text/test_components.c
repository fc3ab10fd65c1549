/* SPDX-License-Identifier: BSD-2-Clause */
/* The text report: where time went, and what ran while a receiver waited for a CPU. */
#include "support/build.h"
#include "support/capture.h"
#include "support/page.h"
#include "support/sample.h"

#include "report/words/labels.h"
#include "report/words/culprits.h"

#include <linux/sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

TEST(every_component_has_its_row_and_share)
{
	struct summary *summary = sample_summary(5);
	char expected[128], *text;
	double switch_ns = 0;

	text = shown(summary);
	for (int i = 0; i < NR_COMPONENTS; i++) {
		const struct stat *stat = &summary->component[i];

		if (components[i].row == ROW_IF_TIME && !stat->max)
			continue;
		snprintf(expected, sizeof(expected), " %s %.1f %.1f %.1f %.1f %.1f %% ",
			 components[i].title, stat_mean(stat) / 1e3,
			 stat_percentile(stat, 50) / 1e3, stat_percentile(stat, 99) / 1e3,
			 stat->max / 1e3, 100 * stat_mean(stat) / stat_mean(&summary->latency));
		assert_has(text, expected);
	}
	for (int i = 0; i < NR_COMPONENTS; i++)
		switch_ns += components[i].in_switch ? stat_mean(&summary->component[i]) : 0;
	snprintf(expected, sizeof(expected), " context switch %.1f ", switch_ns / 1e3);
	assert_has(text, expected);
}

TEST(a_switch_that_the_kernel_does_not_show_is_marked)
{
	struct summary *summary = sample_summary(5);

	summary->info.shows_switch = false;
	assert_shows(summary, "switch not shown by this kernel (in receive)");
}

TEST(what_level_light_does_not_trace_is_marked)
{
	struct summary *summary = sample_summary(5);

	summary->info.level = LEVEL_LIGHT;
	assert_shows(summary, "send path not seen at level light (in dispatch)");
	assert_shows(summary, "busy not seen at level light (in receive)");
	assert_shows(summary, "return not seen at level light (in receive)");
	assert_shows(summary, "observer level light: system calls are not traced;");
}

TEST(blamed_threads_are_named_with_their_shares)
{
	char *text = shown_sample(5);

	assert_has(text, "run queue: what ran instead tid CPU messages ms share us");
	assert_has(text, "server ipctrace-server (RR 99)");
	assert_has(text, "client 1 client-1 (RR 98)");
	assert_has(text, "irq virtio0 (irq 24)");
	assert_has(text, " 100 - 500 7.65 60.0 % - ");
	assert_has(text, " 101 - 250 3.82 30.0 % - ");
}

TEST(a_receiver_that_is_stopped_does_not_sleep_for_a_reason)
{
	const uint64_t component_ns[NR_COMPONENTS] = {[COMPONENT_BLOCKED] = 90000};
	struct summary *summary = sample_begin(1);

	sample_add(summary, 1, component_ns);
	summary->info.mode = MODE_ATTACH;
	blocked_calls_add(&summary->blocked, CALL_STOPPED, 80000, 1);
	blocked_calls_add(&summary->blocked, 202, 10000, 1);
	assert_shows(summary, "is stopped, in no call (stopped by a signal, say) 89 %, futex");
	assert_shows(summary, "the receiver is stopped");
}

TEST(bandwidth_control_is_named_by_its_group)
{
	struct blame quota = {.class = BLAME_THROTTLED};
	char title[NAME_LEN];

	blame_title(&quota, title);
	assert_string_equal(title, "bandwidth control");
	strcpy(quota.comm, "web.slice");
	blame_title(&quota, title);
	assert_string_equal(title, "quota of web.slice");
}

/* Without its priority a thread has its number all the same. */
TEST(a_culprit_without_a_priority_has_its_number)
{
	struct summary *summary = sample_summary(5);
	struct culprit *culprit;
	char words[2 * NAME_LEN];
	uint32_t cnt;

	summary->blame_cnt = 1;
	summary->blame[0] = (struct blame_summary){.total = {.class = BLAME_TASK,
							     .kind = SLICE_TASK,
							     .tid = 4711,
							     .ns = 5,
							     .comm = "hog"}};
	culprit = culprits_of(summary, blame_of_messages(summary), &cnt);
	assert_int_equal(cnt, 1);
	assert_string_equal(culprit_name(culprit, words), "hog (pid 4711)");
	free(culprit);
}

TEST(an_interrupt_of_the_cpu_itself_has_no_number)
{
	struct blame irq = {.class = BLAME_IRQ, .kind = SLICE_IRQ, .tid = IRQ_OF_CPU};
	char title[NAME_LEN];

	blame_title(&irq, title);
	assert_string_equal(title, "interrupt");
	strcpy(irq.comm, "local timer");
	blame_title(&irq, title);
	assert_string_equal(title, "local timer");
}

TEST(blame_beyond_the_table_is_added_up)
{
	struct summary *summary = sample_summary(2);

	free(summary->blame);
	summary->blame_cnt = 12;
	summary->blame = calloc(summary->blame_cnt, sizeof(*summary->blame));
	assert_non_null(summary->blame);
	for (uint32_t i = 0; i < summary->blame_cnt; i++) {
		summary->blame[i].total = (struct blame){.class = BLAME_TASK, .tid = i};
		summary->blame[i].total.ns = 3000 * summary->latency.count;
	}
	assert_shows(summary, " +4 more - ");
}

/* Threads of one name are one line, whatever their numbers. */
TEST(threads_of_one_name_are_one_line)
{
	struct summary *summary = sample_summary(2);
	char *text, *row;

	free(summary->blame);
	summary->blame = calloc(20, sizeof(*summary->blame));
	summary->blame_cnt = 20;
	for (uint32_t i = 0; i < 20; i++) {
		struct blame blame = {
			.class = BLAME_TASK, .kind = SLICE_TASK, .tid = i, .ns = 1000};

		snprintf(blame.comm, sizeof(blame.comm), i ? "worker" : "single");
		summary->blame[i] = (struct blame_summary){.total = blame, .messages = 3};
	}
	text = shown(summary);
	assert_has(text, "task single");
	row = strstr(text, "task worker");
	assert_non_null(row);
	assert_null(strstr(row + 1, "task worker"));
}

TEST(the_syscalls_that_threads_slept_in_are_shown)
{
	struct summary *summary = sample_attach();

	assert_shows_not(summary, "slept in");
	blocked_calls_add(&summary->blocked, 202, 300, 2);
	blocked_calls_add(&summary->blocked, 0, 100, 5);
	blocked_calls_add(&summary->calls.blocked, 230, 50, 1);
	assert_shows(summary, "the receiver slept in futex 75 %, read 25 %");
	assert_shows(summary, "in clock_nanosleep");
	for (uint16_t call = 40; call < 45; call++)
		blocked_calls_add(&summary->blocked, call, 1, 1);
	assert_shows(summary, "the receiver slept in futex 74 %, read 25 %, 5 more");
	summary->calls.blocked = (struct blocked_calls){0};
	blocked_calls_add(&summary->calls.blocked, CALL_UNKNOWN, 50, 1);
	assert_shows(summary, "in a sleep that was being ended");
	summary->calls.blocked = (struct blocked_calls){0};
	blocked_calls_add(&summary->calls.blocked, CALL_OUTSIDE, 50, 1);
	assert_shows(summary, "in no call (a page fault, say)");
}

TEST(waits_for_room_name_the_receiver_and_what_it_did)
{
	struct summary *summary = sample_attach();

	sample_room(summary);
	assert_shows(
		summary,
		"room 7 messages waited for room at reader (pid 12) (80 % of the time), which ran "
		"90 %, waited for a CPU 4.0 %, slept 5.0 %, in clock_nanosleep, 1.0 % not "
		"known meanwhile; 2 messages waited for room at reader (pid 13, tid 14) "
		"(20 % of the time), which ran 100 % meanwhile");
}

/* The target's own threads, its clients and strangers. */
TEST(threads_of_an_attach_have_a_relation)
{
	struct summary *summary = sample_attach();
	char *text;

	sample_names(summary);
	text = shown(summary);
	assert_has(text, " target python3 worker.py 700 1 7 ");
	assert_has(text, " peer python3 701 2 8 ");
	assert_has(text, " 12.3 ");
	summary->blame[1].relation = RELATION_OTHER;
	assert_shows(summary, " other python3 701 2 8 ");
}

/* Threads of one row: a message that waited for both counts once. */
TEST(messages_of_one_row_are_distinct)
{
	struct summary *summary = sample_attach();
	char *text;

	sample_names(summary);
	summary->blame[0].relation = summary->blame[1].relation = RELATION_OTHER;
	text = shown(summary);
	assert_has(text, " other python3 x 2 + 9 ");
	assert_has(text, " 45.6 ");
	/* A third thread is counted with them, but has another row. */
	summary->blame[0].alike.entries = summary->blame[1].alike.entries = 3;
	assert_has(shown(summary), " other python3 x 2 - - ");
}

/* It was the sender of some messages, and in the way of others: these are different messages. */
TEST(one_thread_is_one_row)
{
	struct summary *summary = sample_attach();

	sample_names(summary);
	summary->blame[0].relation = RELATION_PEER;
	summary->blame[0].total.class = BLAME_SERVER;
	summary->blame[0].total.tid = 701;
	assert_shows(summary, " peer python3 701 1 15 ");
}

TEST(the_host_is_named_with_what_it_took)
{
	struct summary *summary = sample_attach();

	sample_names(summary);
	assert_shows(summary, "steal the host took 60 ms (3.0 %) of the CPUs' time away while "
			      "tracing: 10 ms of CPU 0, 50 ms of CPU 1");
}

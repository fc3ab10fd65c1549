/* SPDX-License-Identifier: BSD-2-Clause */
/* The text report: where time went, and what ran while a receiver waited for a CPU. */
#include "support/build.h"
#include "support/capture.h"
#include "support/page.h"
#include "support/sample.h"

#include <linux/sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void every_component_has_its_row_and_share(void **state)
{
	struct summary summary;
	char expected[128], *text;

	sample_summary(&summary, 5);
	text = shown(&summary);
	for (int i = 0; i < NR_COMPONENTS; i++) {
		const struct stat *stat = &summary.component[i];

		snprintf(expected, sizeof(expected), " %s %.1f %.1f %.1f %.1f %.1f %% ",
			 component_titles[i], stat_mean(stat) / 1e3,
			 stat_percentile(stat, 50) / 1e3, stat_percentile(stat, 99) / 1e3,
			 stat->max / 1e3, 100 * stat_mean(stat) / stat_mean(&summary.latency));
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

static void a_switch_that_the_kernel_does_not_show_is_marked(void **state)
{
	struct summary summary;

	sample_summary(&summary, 5);
	summary.info.shows_switch = false;
	assert_shows(&summary, "switch not shown by this kernel (in receive)");
	sample_free(&summary);
}

static void what_level_light_does_not_trace_is_marked(void **state)
{
	struct summary summary;

	sample_summary(&summary, 5);
	summary.info.level = LEVEL_LIGHT;
	assert_shows(&summary, "send path not seen at level light (in dispatch)");
	assert_shows(&summary, "busy not seen at level light (in receive)");
	assert_shows(&summary, "return not seen at level light (in receive)");
	assert_shows(&summary, "observer level light: system calls are not traced;");
	sample_free(&summary);
}

static void blamed_threads_are_named_with_their_shares(void **state)
{
	char *text = shown_sample(5);

	assert_has(text, "run queue: what ran instead us/message share messages");
	assert_has(text, "server ipctrace-server (RR 99)");
	assert_has(text, "client 1 client-1 (RR 98)");
	assert_has(text, "irq virtio0 (irq 24)");
	assert_has(text, " 60.0 % 500 ");
	assert_has(text, " 30.0 % 250 ");
	free(text);
}

static void blame_beyond_the_table_is_added_up(void **state)
{
	struct summary summary;

	sample_summary(&summary, 2);
	free(summary.blame);
	summary.blame_cnt = 12;
	summary.blame = calloc(summary.blame_cnt, sizeof(*summary.blame));
	assert_non_null(summary.blame);
	for (uint32_t i = 0; i < summary.blame_cnt; i++) {
		summary.blame[i].total = (struct blame){.class = BLAME_TASK, .tid = i};
		summary.blame[i].total.ns = 3000 * summary.latency.count;
	}
	assert_shows(&summary, " +4 more 12.0 ");
	sample_free(&summary);
}

/* Threads of one name are one line, whatever their numbers. */
static void threads_of_one_name_are_one_line(void **state)
{
	struct summary summary;
	char *text, *row;

	sample_summary(&summary, 2);
	free(summary.blame);
	summary.blame = calloc(20, sizeof(*summary.blame));
	summary.blame_cnt = 20;
	for (uint32_t i = 0; i < 20; i++) {
		struct blame blame = {
			.class = BLAME_TASK, .kind = SLICE_TASK, .tid = i, .ns = 1000};

		snprintf(blame.comm, sizeof(blame.comm), i ? "worker" : "single");
		summary.blame[i] = (struct blame_summary){.total = blame, .messages = 3};
	}
	text = shown(&summary);
	assert_has(text, "task single");
	row = strstr(text, "task worker");
	assert_non_null(row);
	assert_null(strstr(row + 1, "task worker"));
	free(text);
	sample_free(&summary);
}

static void the_syscalls_that_threads_slept_in_are_shown(void **state)
{
	struct summary summary;

	sample_attach(&summary);
	assert_shows_not(&summary, "slept in");
	blocked_calls_add(&summary.blocked, 202, 300, 2);
	blocked_calls_add(&summary.blocked, 0, 100, 5);
	blocked_calls_add(&summary.calls.blocked, 230, 50, 1);
	assert_shows(&summary, "the receiver slept in futex 75 %, read 25 %");
	assert_shows(&summary, "in clock_nanosleep 100 %");
	for (uint16_t call = 40; call < 45; call++)
		blocked_calls_add(&summary.blocked, call, 1, 1);
	assert_shows(&summary, "the receiver slept in futex 74 %, read 25 %, 5 more");
	summary.calls.blocked = (struct blocked_calls){0};
	blocked_calls_add(&summary.calls.blocked, CALL_UNKNOWN, 50, 1);
	assert_shows(&summary, "in a sleep that was being ended 100 %");
	summary.calls.blocked = (struct blocked_calls){0};
	blocked_calls_add(&summary.calls.blocked, CALL_OUTSIDE, 50, 1);
	assert_shows(&summary, "in no call (a page fault, say) 100 %");
	sample_free(&summary);
}

static void waits_for_room_name_the_receiver_and_what_it_did(void **state)
{
	struct summary summary;

	sample_attach(&summary);
	sample_room(&summary);
	assert_shows(
		&summary,
		"room 7 messages waited for room at reader (pid 12) (80 % of the time), which ran "
		"90 %, waited for a CPU 4.0 %, slept 5.0 %, in clock_nanosleep 100 %, 1.0 % not "
		"known meanwhile; 2 messages waited for room at reader (tid 14, pid 13) "
		"(20 % of the time), which ran 100 % meanwhile");
	sample_free(&summary);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_component_has_its_row_and_share),
		cmocka_unit_test(a_switch_that_the_kernel_does_not_show_is_marked),
		cmocka_unit_test(what_level_light_does_not_trace_is_marked),
		cmocka_unit_test(blamed_threads_are_named_with_their_shares),
		cmocka_unit_test(blame_beyond_the_table_is_added_up),
		cmocka_unit_test(threads_of_one_name_are_one_line),
		cmocka_unit_test(the_syscalls_that_threads_slept_in_are_shown),
		cmocka_unit_test(waits_for_room_name_the_receiver_and_what_it_did),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

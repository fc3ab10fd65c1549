/* SPDX-License-Identifier: BSD-2-Clause */
/* The text report: when tracing began, for how long it went on, why it ended, and the rates. */
#include "support/build.h"
#include "support/capture.h"
#include "support/page.h"
#include "support/sample.h"

#include "report/words/labels.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>

TEST(an_attach_says_when_it_traced_and_how_much_there_was)
{
	struct summary *summary = sample_attach();
	char *text;

	sample_times(summary);
	text = shown(summary);
	assert_has(text, "postgres (pid 700), uds-stream: 10 calls/s for 10.0 s");
	assert_has(text, "traced from 2026-11-26 06:31:48 UTC for 10.000 s, until --duration was "
			 "over: 23 messages/s, 10 calls/s; all messages came within 1 s of this "
			 "time integrity");
	summary->duration_s = 6;
	assert_shows_not(summary, "all messages came within");
	summary->info.level = LEVEL_LIGHT;
	assert_shows(summary, "10 calls/s for 10.0 s 2 CPUs, tracing level light");
	summary->stopped_ns = summary->info.begin.ns + 27000000;
	assert_shows(summary, " calls/s for 27 ms 2 CPUs, tracing level light");
}

/* Their messages are missing, whether or not others were seen. */
TEST(children_that_are_not_traced_are_named)
{
	struct summary *summary = sample_attach();

	assert_shows_not(summary, "not traced");
	summary->info.untraced = (struct untraced){1, {{11, "worker"}}};
	assert_shows(summary, "not traced worker (pid 11): a child of a target, with sockets or "
			      "pipes: of its messages only those with a target are in this report");
	summary->info.untraced = (struct untraced){5, {{11, "worker"}, {12, "worker"}, {13, "x"}}};
	assert_shows(summary, "not traced worker (pid 11), worker (pid 12), x (pid 13) and 2 more: "
			      "children of a target");
	summary = sample_begin(0);
	summary->info.mode = MODE_ATTACH;
	summary->info.untraced = (struct untraced){2, {{11, "worker"}, {12, "worker"}}};
	sample_found(summary);
	assert_shows(summary, "worker (pid 11), worker (pid 12) were started by a target, and are "
			      "not traced. ");
}

TEST(the_first_line_says_that_nothing_was_seen)
{
	struct summary *summary = sample_begin(0);

	summary->info.mode = MODE_ATTACH;
	strcpy(summary->info.target, "postgres (pid 700)");
	sample_times(summary);
	assert_shows(summary, "postgres (pid 700): no message in 10.0 s");
}

/* The report of a recording is the same in every time zone. */
TEST(the_time_is_that_of_the_machine_that_recorded)
{
	static const struct {
		struct begin begin;
		const char *title;
	} begins[] = {
		{{.unix_ns = 1795674708352334929, .utc_offset_s = 3600},
		 "2026-11-26 07:31:48 +0100"},
		{{.unix_ns = 1795674708352334929, .utc_offset_s = -12600},
		 "2026-11-26 03:01:48 -0330"},
		{{.unix_ns = 1, .utc_offset_s = -3600}, "1969-12-31 23:00:00 -0100"},
		{{.unix_ns = 0, .utc_offset_s = 3600}, ""},
	};

	setenv("TZ", "Asia/Tokyo", 1);
	for (size_t i = 0; i < ARRAY_SIZE(begins); i++) {
		char title[BEGIN_LEN];

		begin_title(&begins[i].begin, title);
		assert_string_equal(title, begins[i].title);
	}
	unsetenv("TZ");
}

TEST(the_reason_of_the_end_is_named)
{
	struct summary *summary = sample_attach();

	sample_times(summary);
	summary->all_left_reason = LEFT_TARGETS;
	assert_shows(summary, "for 10.000 s, until no target was left: 23 messages/s");
	summary->all_left_early = true;
	assert_shows(summary, "for 10.000 s: 23 messages/s");
	assert_shows(summary, "ended early no target was left");
	summary->all_left_early = false;
	summary->all_left_reason = LEFT_SIGNAL;
	summary->all_left_detail = SIGINT;
	assert_shows(summary, "for 10.000 s, until a signal ended it (Interrupt): 23 messages/s");
	summary->all_left = false;
	assert_shows(summary, "for 10.000 s: 23 messages/s");
}

/* Recordings before version 11. */
TEST(without_a_begin_the_duration_may_be_known)
{
	struct summary *summary = sample_attach();

	sample_times(summary);
	summary->info.begin = (struct begin){0};
	assert_shows(summary, "9.990 s, until --duration was over: 23 messages/s");
	assert_shows(summary, ": 10 calls/s for 10.0 s");
	summary->all_left_reason = LEFT_SIGNAL;
	summary->all_left_detail = SIGINT;
	assert_shows(summary, "uds-stream: 100 calls in 1.0 s; 2 CPUs CAUSE");
	assert_shows_not(summary, "messages/s");
	assert_shows_not(summary, "traced");
}

TEST(a_recording_that_is_cut_has_a_begin_only)
{
	struct summary *summary = sample_attach();

	sample_times(summary);
	summary->stopped_ns = 0;
	summary->all_left = false;
	assert_shows(summary, "uds-stream: 100 calls in 1.0 s; 2 CPUs CAUSE");
	assert_shows(summary, "traced from 2026-11-26 06:31:48 UTC integrity");
	assert_shows_not(summary, "messages/s");
}

TEST(a_run_says_when_it_began)
{
	struct summary *summary = sample_summary(5);

	summary->info.begin.unix_ns = 1795674708352334929;
	assert_shows(summary, "traced from 2026-11-26 06:31:48 UTC integrity");
	summary->info.traced = false;
	assert_shows(summary, "began 2026-11-26 06:31:48 UTC integrity");
}

/* The rate of a few messages has a decimal. */
TEST(small_rates_are_no_zero)
{
	struct summary *summary = sample_attach();

	sample_times(summary);
	summary->integrity.sent = summary->integrity.matched = 4;
	assert_shows(summary, " for 10.000 s, until --duration was over: 0.4 messages/s");
	sample_forget_calls(summary);
	summary->calls.count = 0;
	assert_shows(summary, "uds-stream: 0.4 messages/s for 10.0 s");
}

TEST(a_number_stays_with_its_word)
{
	struct summary *summary = sample_attach();

	sample_services(summary);
	/* Every place of a break once. */
	for (int i = 1; i < PAGE_WIDTH; i++) {
		char *page;

		memset(summary->calls.service_of[0].name, 'x', i);
		summary->calls.service_of[0].name[i] = '\0';
		page = sample_show_one("text", summary);
		assert_null(strstr(page, "(pid\n"));
		assert_null(strstr(page, "pid\n"));
		assert_null(strstr(page, "(tid\n"));
		assert_width(page, PAGE_WIDTH);
	}
}

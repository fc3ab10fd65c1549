/* SPDX-License-Identifier: BSD-2-Clause */
/* The page of the text report: its first lines, widths, colors and foreign names. */
#include "support/build.h"
#include "support/capture.h"
#include "support/explained.h"
#include "support/page.h"
#include "support/sample.h"

#include "report/format.h"
#include "report/text/layout.h"

#include <linux/sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

TEST(the_first_lines_say_what_ran_and_where)
{
	struct summary *summary = sample_summary(5);

	assert_shows(summary,
		     "push over uds, 5 clients x 100 messages of 64 bytes every 10 ms "
		     "Linux 6.18.44, 2 CPUs, virtual machine (kvm); SCHED_RR server 99, clients 98 "
		     "CAUSE 56 %");
	assert_shows(summary, "workload push over uds, 5 clients x 100 messages of 64 bytes every "
			      "10 ms, SCHED_RR server 99, clients 98, CPUs free");
	assert_shows(summary, "Linux 6.18.44 x86_64, 2 CPUs, preemption none, clock tsc, "
			      "virtual machine (kvm)");
	summary->info.workload.sched_policy = POLICY_OTHER;
	assert_shows(summary, "SCHED_OTHER, CPUs free");
	summary->info.workload.cpu_affinity = CPUS_LISTS;
	strcpy(summary->info.workload.server_cpus, "0");
	strcpy(summary->info.workload.client_cpus, "1-3,5");
	assert_shows(summary, "CPUs server=0,clients=1-3,5");
}

TEST(an_empty_run_says_that_there_is_nothing_to_explain)
{
	const struct summary zeros = {0};
	struct summary *summary = sample_begin(5);

	assert_shows(summary, "integrity 0 sent, 0 matched, 0 incomplete, 0 lost");
	assert_shows(summary, "No message was seen, so there is nothing to explain.");
	summary->integrity.sent = 500;
	summary->integrity.incomplete[INCOMPLETE_NOT_RECORDED] = 500;
	assert_shows(summary, "500 incomplete (no record of them)");
	assert_shows(summary, "Of 500 messages none was matched, so nothing is explained.");
	assert_shows(&zeros, "No message was seen");
}

/* A report of both; valid until the next one. */
static char *explained(const struct summary *summary, const struct explanation *explanation)
{
	static char *text;
	size_t size = 0;
	FILE *sheet;
	struct report *report;

	free(text);
	text = NULL;
	sheet = open_memstream(&text, &size);
	report = report_text.begin(&(struct report_style){.out = sheet});
	assert_non_null(report);
	assert_int_equal(report_text.summary(report, summary), 0);
	if (explanation)
		assert_int_equal(report_text.explanation(report, explanation), 0);
	assert_int_equal(report_text.end(report, false), 0);
	assert_int_equal(fclose(sheet), 0);
	return unwrapped(text);
}

TEST(the_first_sentence_is_that_of_the_explanation)
{
	struct summary *summary = sample_summary(5);
	char *text = explained(summary, explained_push());
	const char *first = "In slow messages (812.5 us), the client waits for CPU 1 behind hog";

	assert_has(text, first);
	assert_true(strstr(text, first) < strstr(text, "latency (us)"));
	assert_has_not(text, "of the latency is");
	/* Without one, the report is whole. */
	text = explained(summary, NULL);
	assert_has(text, "of the latency is");
	assert_has(text, "-- clients");
	text = explained(summary, explained_nothing(EXPLAIN_NO_UNITS));
	assert_has(text, "of the latency is");
	assert_has(text, "There is nothing to explain");
}

TEST(troubles_come_before_the_explanation)
{
	struct listener_summary listener = {
		.server = {.pid = 12, .comm = "server"},
		.backlog = 1,
		.full.count = 7,
		.full.least_ns = 1010579040,
		.full.most_ns = 3069297176,
	};
	struct summary *summary = sample_attach();
	char *text;

	summary->connections.listener = &listener;
	summary->connections.listener_cnt = 1;
	text = explained(summary, explained_push());
	assert_has(text,
		   "7 connects waited 1.0 to 3.1 s: the accept queue of server (pid 12) was "
		   "full (backlog 1). To do: accept sooner, or raise the backlog (listen, "
		   "net.core.somaxconn). In slow messages (812.5 us), the client waits for CPU 1");
	text = explained(summary, NULL);
	assert_has(text, "(backlog 1). To do: accept sooner, ");
	/* Calls take as long. */
	for (int i = 0; i < 1000; i++)
		stat_add(&summary->calls.round_trip, 4000000000);
	assert_has_not(explained(summary, NULL), "connects waited 1.0 to 3.1 s:");
	summary->connections.listener = NULL;
	summary->connections.listener_cnt = 0;
}

/* What rounds to 0 has no sign. */
TEST(no_number_is_minus_0)
{
	char *cells = NULL;
	size_t size = 0;
	FILE *sheet = open_memstream(&cells, &size);
	struct text text;

	assert_int_equal(text_open(&text, &(struct report_style){.out = sheet}), 0);
	text_number(&text, 8, -0.04, 1);
	text_number(&text, 8, -0.06, 1);
	text_us(&text, 8, -49);
	text_share(&text, 8, -0.0004);
	text_share(&text, 8, -0.0006);
	assert_int_equal(text_close(&text), 0);
	assert_int_equal(fclose(sheet), 0);
	assert_string_equal(cells, "     0.0    -0.1     0.0   0.0 %  -0.1 %");
	free(cells);
	assert_string_equal(PERCENT(-0.0004), "0 %");
	assert_string_equal(PERCENT(-0.004), "-0.4 %");
	assert_string_equal(PERCENT(-0.42), "-42 %");
	assert_string_equal(PERCENT(-0.0), "0 %");
	assert_string_equal(PERCENT(0.0004), "<0.1 %");
	assert_string_equal(PERCENT(0.123), "12 %");
}

/* One huge value in every column. */
TEST(a_page_is_wide_enough_for_any_time)
{
	static const uint64_t times_ns[] = {1, 999999999, 60000000000, 86400000000000, 1ULL << 55};

	for (size_t i = 0; i < ARRAY_SIZE(times_ns); i++) {
		uint64_t component_ns[NR_COMPONENTS];
		struct summary *summary;

		for (int k = 0; k < NR_COMPONENTS; k++)
			component_ns[k] = times_ns[i];
		summary = sample_summary(1000);
		sample_add(summary, 1000, component_ns);
		stat_add(&summary->rounds.first, 9 * times_ns[i]);
		stat_add(&summary->rounds.last, 9 * times_ns[i]);
		summary->blame[0].total.ns = times_ns[i];
		shown(summary);
	}
}

TEST(a_page_is_wide_enough_for_every_client)
{
	struct summary *summary = sample_summary(1000);

	summary->blame[1].total.tid = summary->client[999].tid;
	assert_shows(summary, "client 1000 client-1");
}

/* One client on a loaded machine: peaks of milliseconds, shown in microseconds. */
TEST(a_page_is_wide_enough_for_large_peaks)
{
	struct summary *summary = sample_summary(1);

	summary->peaks.min_ns = 1200000;
	summary->peaks.max_ns = 250000000;
	summary->peaks.per_second = 20;
	shown(summary);
}

TEST(a_page_is_wide_enough_for_the_longest_words)
{
	struct summary *summary = sample_summary(1);

	memset(summary->info.host.kernel, 'k', SPEC_TEXT_LEN - 1);
	memset(summary->info.version, '1', SPEC_TEXT_LEN - 1);
	summary->info.workload.cpu_affinity = CPUS_LISTS;
	memset(summary->info.workload.server_cpus, '1', SPEC_TEXT_LEN - 1);
	memset(summary->info.workload.client_cpus, '2', SPEC_TEXT_LEN - 1);
	summary->blame[0].total.class = BLAME_THROTTLED;
	summary->blame[1].total.policy = SCHED_BATCH;
	summary->blame[1].total.priority = 100;
	strcpy(summary->blame[1].total.comm, "fifteen-letters");
	strcpy(summary->blame[2].total.comm, "fifteen-letters");
	summary->blame[2].total.tid = UINT32_MAX;
	shown(summary);
}

static char *shown_with(struct report_style style, const struct summary *summary)
{
	return sample_show_styled("text", style, &summary, 1);
}

/* A narrow column drops decimals first. */
TEST(a_time_without_room_for_its_decimals_is_shown_whole)
{
	const uint64_t component_ns[NR_COMPONENTS] = {[COMPONENT_BUSY] = 123456789012};
	struct summary *summary = sample_begin(1);

	sample_add(summary, 1, component_ns);
	assert_shows(summary, "all 123456789 0.0 123456789 ");
}

/* Each figure has the title of its column. */
TEST(a_table_is_stacked_where_it_does_not_fit)
{
	struct summary *summary = sample_summary(5);
	char *text = shown_with((struct report_style){.columns = 40}, summary);

	assert_has(text, "\nlatency (us)\n  first client\n    mean  27.6  p50   27.6"
			 "  p99   29.4\n    p99.9    -  max   29.5\n");
	assert_has(text,
		   "\n  server   ipctrace-server (RR 99)\n    tid          100  CPU            -\n"
		   "    messages     500  total: ms   7.65\n");
	text = shown_with((struct report_style){.columns = 80}, summary);
	assert_has(text, "\n  first client      27.6     27.6     29.4        -     29.5\n");
}

/* What a narrow page leaves out of a bar, a wide one shows. */
TEST(a_wide_page_has_longer_bars)
{
	static const int columns[] = {80, 120, 160, 200};
	size_t longest = 0;
	struct summary *summary = sample_summary(5);

	for (size_t i = 0; i < ARRAY_SIZE(columns); i++) {
		char *text = shown_with((struct report_style){.columns = columns[i]}, summary);
		const char *bar = strstr(text, "  context switch");
		size_t length;

		assert_non_null(bar);
		bar = strchr(bar, '#');
		assert_non_null(bar);
		length = strspn(bar, "#");
		assert_true(length > longest);
		longest = length;
	}
}

TEST(a_page_is_as_wide_as_the_terminal_within_reason)
{
	static const struct {
		int terminal;
		size_t width;
	} widths[] = {{0, 80}, {1, 32}, {40, 40}, {80, 80}, {100, 100}, {500, 200}};
	struct summary *summary = sample_summary(5);

	memset(summary->info.host.kernel, 'k', SPEC_TEXT_LEN - 1);
	for (size_t i = 0; i < ARRAY_SIZE(widths); i++) {
		char *text =
			shown_with((struct report_style){.columns = widths[i].terminal}, summary);

		assert_width(text, widths[i].width);
	}
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

TEST(color_changes_nothing_but_the_color)
{
	struct summary *summary = sample_summary(5);
	char *plain, *colored;

	plain = shown_with((struct report_style){0}, summary);
	colored = shown_with((struct report_style){.color = true}, summary);
	assert_has_not(plain, "\033");
	assert_has(colored, "\033[1m");
	assert_has(colored, "\033[0m");
	assert_string_equal(without_color(colored), plain);
}

TEST(a_name_cannot_command_the_terminal)
{
	struct summary *summary = sample_summary(5);
	char *text;

	strcpy(summary->blame[0].total.comm, "\033[2J\a\n\x9b\x7f");
	strcpy(summary->peaks.largest.blame.comm, "\033]0;x\a");
	strcpy(summary->info.host.kernel, "6\033[31m");
	text = sample_show_one("text", summary);
	for (const char *c = text; *c; c++)
		assert_true(*c == '\n' || (*c >= ' ' && *c <= '~'));
}

TEST(a_full_disk_is_an_error)
{
	struct summary *summary = sample_summary(1);

	assert_true(sample_show_full("text", summary) < 0);
}

TEST(an_attach_names_its_targets)
{
	struct summary *summary = sample_attach();

	assert_shows(summary, "postgres (pid 700), uds-stream: 100 calls in 1.0 s; 2 CPUs CAUSE");
	assert_shows(summary, "Linux 6.18.44 x86_64, 2 CPUs");
	assert_shows_not(summary, "SCHED_");
	assert_shows_not(summary, "0 clients");
}

TEST(an_empty_attach_fits_the_page)
{
	struct summary *summary = sample_begin(0);
	char *text;

	summary->info.mode = MODE_ATTACH;
	summary->info.workload = (struct workload_spec){0};
	strcpy(summary->info.target, "postgres (pid 700)");
	text = shown(summary);
	assert_numbers_are_numbers(text);
	assert_has(text, "0 sent, 0 matched");
}

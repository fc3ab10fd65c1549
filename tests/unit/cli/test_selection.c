/* SPDX-License-Identifier: BSD-2-Clause */
/* The options that select messages, in explain and report. */
#include "support/build.h"
#include "support/command_line.h"

#include "cli/selection.h"
#include "report/format.h"

#include <errno.h>
#include <unistd.h>

#define EXPLAIN(...) ((char *[]){"ipctrace", "explain", ##__VA_ARGS__, NULL})
#define REPORT(...)  ((char *[]){"ipctrace", "report", ##__VA_ARGS__, NULL})
#define SECOND       1000000000ULL

static struct explain_options accept(char **argv)
{
	struct options options;

	accept_line(argv, &options, COMMAND_EXPLAIN);
	return options.explain;
}

static struct selection selected(char **argv)
{
	return accept(argv).select.selection;
}

TEST(a_file_is_enough)
{
	struct explain_options explain = accept(EXPLAIN("x.ipct"));
	const struct selection none = {0};

	assert_string_equal(explain.path, "x.ipct");
	assert_null(explain.select.given);
	assert_false(explain.select.has_unit);
	assert_null(explain.select.client);
	assert_memory_equal(&explain.select.selection, &none, sizeof(none));
	assert_string_equal(explain.output.format->name, "text");
}

TEST(slow_ones_are_selected)
{
	assert_true(selected(EXPLAIN("x", "--slowest", "1%")).slowest_percent == 1);
	assert_true(selected(EXPLAIN("x", "--slowest=0.1%")).slowest_percent == 0.1);
	assert_int_equal(selected(EXPLAIN("x", "--slowest", "50")).slowest_cnt, 50);
	assert_int_equal(selected(EXPLAIN("x", "--slower-than", "2ms")).slower_than_ns, 2000000);
	assert_string_equal(accept(EXPLAIN("x", "--slowest", "5")).select.given, "slowest");
}

static void assert_between(char **argv, uint64_t first, uint64_t last)
{
	struct explain_options explain = accept(argv);
	const struct select_range *between = &explain.select.selection.between_ns;

	assert_true(between->is_set);
	assert_int_equal(between->first, first);
	assert_int_equal(between->last, last);
	assert_string_equal(explain.path, "x");
	assert_int_equal(explain.select.selection.slowest_cnt, 7);
}

/* The second word is no file, wherever the option stands. */
TEST(between_has_two_instants)
{
	uint64_t half = SECOND / 2;

	assert_between(EXPLAIN("x", "--slowest", "7", "--between", "3s", "3.5s"), 3 * SECOND,
		       3 * SECOND + half);
	assert_between(EXPLAIN("x", "--between", "3s", "3.5s", "--slowest", "7"), 3 * SECOND,
		       3 * SECOND + half);
	assert_between(EXPLAIN("--between", "0s", "500ms", "x", "--slowest", "7"), 0, half);
	assert_between(EXPLAIN("--between=1.25ms", "2ms", "--slowest=7", "x"), 1250000, 2000000);
	assert_between(EXPLAIN("--between", "3s,3.5s", "--slowest=7", "x"), 3 * SECOND,
		       3 * SECOND + half);
}

/* Each of the two leaves the other end open. */
TEST(from_and_to_are_the_ends_of_a_time)
{
	assert_between(EXPLAIN("x", "--slowest", "7", "--from", "3s"), 3 * SECOND, UINT64_MAX);
	assert_between(EXPLAIN("x", "--slowest", "7", "--to", "3s"), 0, 3 * SECOND);
	assert_between(EXPLAIN("x", "--to", "4s", "--slowest", "7", "--from", "3.5s"),
		       3 * SECOND + SECOND / 2, 4 * SECOND);
}

TEST(a_report_is_around_something)
{
	struct options options;
	struct selection place = {0};
	uint64_t ns = 0;

	accept_line(REPORT("x", "-f", "ndjson", "--around", "1.5ms"), &options, COMMAND_REPORT);
	assert_string_equal(options.report.select.given, "around");
	assert_true(select_around(&options.report.select, &place, &ns));
	assert_false(place.has_message);
	assert_int_equal(ns, 1500000);
	accept_line(REPORT("x", "-f", "ndjson", "--around", "5/17"), &options, COMMAND_REPORT);
	assert_true(select_around(&options.report.select, &place, &ns));
	assert_true(place.has_message);
	assert_int_equal(place.message_channel, 5);
	assert_int_equal(place.message_position, 17);
}

TEST(filters_are_selected)
{
	struct selection selection =
		selected(EXPLAIN("x", "--channel", "7,9", "--round", "3-5", "--peer", "redis-*"));

	assert_int_equal(selection.channel_cnt, 2);
	assert_int_equal(selection.channel[0], 7);
	assert_int_equal(selection.channel[1], 9);
	assert_true(selection.round.is_set);
	assert_int_equal(selection.round.first, 3);
	assert_int_equal(selection.round.last, 5);
	assert_string_equal(selection.peer.glob, "redis-*");
	assert_int_equal(selected(EXPLAIN("x", "--channel", "0")).channel_cnt, 1);
	assert_int_equal(selected(EXPLAIN("x", "--peer", "12")).peer.pid, 12);
	assert_int_equal(selected(EXPLAIN("x", "--round", "0")).round.last, 0);
}

/* In a run clients have numbers, in an attach they are processes. */
TEST(clients_depend_on_what_was_recorded)
{
	const struct run_info run = {.mode = MODE_RUN}, attach = {.mode = MODE_ATTACH};
	struct select_options options = {.client = "2-3"};
	struct selection selection = {0};

	assert_int_equal(select_client(&options, &run, &selection), 0);
	assert_int_equal(selection.client.first, 2);
	assert_int_equal(selection.client.last, 3);
	options.client = "1234";
	assert_int_equal(select_client(&options, &attach, &selection), 0);
	assert_int_equal(selection.caller.pid, 1234);
	options.client = "psql*";
	selection = (struct selection){0};
	assert_int_equal(select_client(&options, &attach, &selection), 0);
	assert_string_equal(selection.caller.glob, "psql*");
	options.client = NULL;
	selection = (struct selection){0};
	assert_int_equal(select_client(&options, &attach, &selection), 0);
	assert_int_equal(selection.caller.pid, 0);
}

TEST(clients_of_a_run_are_numbers)
{
	const struct run_info run = {.mode = MODE_RUN};
	struct select_options options = {.client = "psql"};
	struct selection selection = {0};
	struct capture err;
	int status;

	capture_begin(&err, STDERR_FILENO);
	status = select_client(&options, &run, &selection);
	capture_end(&err);
	assert_int_equal(status, -EINVAL);
	assert_one_line_with(err.text, "--client: 'psql': not a whole number");
}

TEST(messages_bases_and_units_are_selected)
{
	struct explain_options explain =
		accept(EXPLAIN("x", "--message", "17/4211", "--against", "others"));

	assert_true(explain.select.selection.has_message);
	assert_int_equal(explain.select.selection.message_channel, 17);
	assert_int_equal(explain.select.selection.message_position, 4211);
	assert_int_equal(explain.select.selection.against, AGAINST_OTHERS);
	explain = accept(EXPLAIN("x", "--against=quiet.ipct", "--unit", "round"));
	assert_int_equal(explain.select.selection.against, AGAINST_FILE);
	assert_string_equal(explain.select.against, "quiet.ipct");
	assert_true(explain.select.has_unit);
	assert_int_equal(explain.select.unit, UNIT_ROUND);
	explain = accept(EXPLAIN("x", "--against", "middle"));
	assert_int_equal(explain.select.selection.against, AGAINST_MIDDLE);
}

TEST(wrong_selections_are_refused)
{
	refuse_line(EXPLAIN("x", "--slowest", "0"), "--slowest", "'0'", "from 1");
	refuse_line(EXPLAIN("x", "--slowest", "0%"), "--slowest", "'0%'", "more than 0%");
	refuse_line(EXPLAIN("x", "--slowest", "101%"), "--slowest", "'101%'", "at most 100%");
	refuse_line(EXPLAIN("x", "--slowest", "x%"), "--slowest", "'x%'", "1%");
	refuse_line(EXPLAIN("x", "--slowest", "-1%"), "--slowest", "'-1%'", "1%");
	refuse_line(EXPLAIN("x", "--between", "3s"), "--between", "'3s'", "two instants");
	refuse_line(EXPLAIN("--between", "3s", "x"), "--between", "'3s'", "two instants");
	refuse_line(EXPLAIN("x", "--between", "3s", "2s"), "--between", "'2s'", "earlier");
	refuse_line(EXPLAIN("x", "--between", "3", "4s"), "--between", "'3'", "no unit");
	refuse_line(EXPLAIN("x", "--between", "3.s", "4s"), "--between", "'3.s'", "3.5s");
	refuse_line(EXPLAIN("x", "--channel", "a"), "--channel", "'a'", "digits only");
	refuse_line(EXPLAIN("x", "--channel", "1,,2"), "--channel", "''", "digits only");
	refuse_line(EXPLAIN("x", "--channel",
			    "1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,"
			    "1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1"),
		    "--channel", "1,1", "at most 64");
	refuse_line(EXPLAIN("x", "--round", "5-3"), "--round", "'5-3'", "smaller number first");
	refuse_line(EXPLAIN("x", "--peer", ""), "--peer", "''", "a glob or a PID");
	refuse_line(EXPLAIN("x", "--message", "17"), "--message", "'17'", "17/4211");
	refuse_line(EXPLAIN("x", "--message", "17/x"), "--message", "'x'", "digits");
	refuse_line(EXPLAIN("x", "--message", "1/2", "--slowest", "1"), "--message", "'1/2'",
		    "leave out");
	refuse_line(EXPLAIN("x", "--unit", "byte"), "--unit", "'byte'",
		    "message, call, round or connection");
}

TEST(wrong_lines_are_refused)
{
	refuse_line(EXPLAIN(), "cannot explain", "no FILE", "--record FILE");
	refuse_line(EXPLAIN("x", "y"), "unexpected argument", "'y'", "--against FILE");
	refuse_line(EXPLAIN("x", "-f", "ndjson"), "--format", "'ndjson'", "use text or json");
	refuse_line(EXPLAIN("/etc/passwd", "-o", "/etc/passwd"), "cannot write the explanation",
		    "'/etc/passwd'", "name another file");
}

TEST(report_selects_the_messages_of_ndjson)
{
	struct options options;

	accept_line(REPORT("x", "-f", "ndjson", "--slowest", "50", "--between", "1s", "2s",
			   "--channel", "7", "--client", "2", "--round", "3", "--peer", "x"),
		    &options, COMMAND_REPORT);
	assert_int_equal(options.report.select.selection.slowest_cnt, 50);
	assert_int_equal(options.report.select.selection.channel[0], 7);
	assert_string_equal(options.report.select.client, "2");
	assert_string_equal(options.report.select.given, "peer");
	refuse_line(REPORT("x", "--slowest", "50"), "--slowest", "text", "use -f ndjson");
}

/* What is slow in figures, and what that is held against. */
TEST(report_selects_what_figures_compare)
{
	struct options options;
	const struct select_options *select = &options.report.select;

	accept_line(REPORT("x", "-f", "html", "-o", "y", "--slower-than", "2ms", "--unit", "call",
			   "--against", "z"),
		    &options, COMMAND_REPORT);
	assert_int_equal(select->selection.slower_than_ns, 2000000);
	assert_int_equal(select->selection.against, AGAINST_FILE);
	assert_string_equal(select->against, "z");
	assert_true(select->has_unit);
	assert_int_equal(select->unit, UNIT_CALL);
}

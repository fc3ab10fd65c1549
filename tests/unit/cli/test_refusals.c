/* SPDX-License-Identifier: BSD-2-Clause */
/* Wrong command lines: the error names the word and what is right instead. */
#include "support/build.h"
#include "support/command_line.h"

#include "cli/experiment.h"
#include "report/format.h"
#include "transport/transport.h"

#include <stdio.h>

#define ARGV(...) ((char *[]){"ipctrace", ##__VA_ARGS__, NULL})

TEST(an_unknown_command_is_refused_with_the_known_ones)
{
	refuse_line(ARGV("bogus"), "unknown command", "'bogus'", "use run");
	refuse_line(ARGV(""), "unknown command", "''", "use run");
	refuse_line(ARGV("RUN"), "unknown command", "'RUN'", "--help");
	refuse_line(ARGV("5", "--clients"), "unknown command", "'5'", "--help");
}

TEST(what_names_running_programs_is_refused_with_attach)
{
	static const char *const option[] = {"--pid", "--comm", "--cgroup", "--unix", "--port"};
	char line[128];

	for (size_t i = 0; i < sizeof(option) / sizeof(option[0]); i++) {
		char *name = (char *)option[i];

		snprintf(line, sizeof(line), "use sudo ipctrace attach %s 12", name);
		refuse_line(ARGV(name, "12"), name, "'12'", line);
		refuse_line(ARGV("run", name, "12", "-d", "5s"), name, "run traces a workload",
			    line);
		refuse_line(ARGV("report", name, "12"), name, "report shows a recording", line);
		refuse_line(ARGV("report", "x.ipct", name, "12"), name, "a recording", line);
		refuse_line(ARGV("doctor", name, "12"), name, "doctor checks", line);
		if (i > 1)
			refuse_line(ARGV("list", name, "12"), name, "--pid and --comm", line);
		snprintf(line, sizeof(line), "attach %s 12 --explain", name);
		refuse_line(ARGV("explain", name, "12"), name, "explain explains a", line);
	}
	refuse_line(ARGV("-p", "12"), "--pid", "'12'", "ipctrace attach --pid 12");
	refuse_line(ARGV("explain", "-p", "12"), "--pid", "'12'", "attach --pid 12 --explain");
	refuse_line(ARGV("-d", "5s", "-p", "1"), "--duration", "'5s'",
		    "ipctrace attach -p PID --duration 5s");
	refuse_line(ARGV("812"), "unknown command", "'812'", "ipctrace attach -p 812");
}

TEST(a_stray_word_is_refused_with_the_place_of_values)
{
	refuse_line(ARGV("run", "5"), "unexpected argument", "'5'", "--clients 5");
	refuse_line(ARGV("--no-trace", "stray"), "unexpected argument", "'stray'",
		    "after its option");
	refuse_line(ARGV("--clients", "5", "--", "--size"), "unexpected argument", "'--size'",
		    "after its option");
}

struct bad_value {
	const char *option;
	const char *value;
	const char *remedy;
};

/* Tries "--option value" and "--option=value", with and without the word `run`. */
static void refuse_values(const struct bad_value *bad, size_t cnt)
{
	for (size_t i = 0; i < cnt; i++) {
		char *option = (char *)bad[i].option, *value = (char *)bad[i].value;
		char joined[128];

		snprintf(joined, sizeof(joined), "%s=%s", option, value);
		refuse_line(ARGV(option, value), option, value, bad[i].remedy);
		refuse_line(ARGV(joined), option, value, bad[i].remedy);
		refuse_line(ARGV("run", "-q", option, value), option, value, bad[i].remedy);
	}
}

TEST(bad_words_are_refused_with_the_good_ones)
{
	static const struct bad_value bad[] = {
		{"--transport", "carrier-pigeon", "uds"},
		{"--transport", "", "uds"},
		{"--transport", "UDS", "uds"},
		{"--pattern", "pull", "push"},
		{"--pattern", "", "push"},
		{"--handler", "frobnicate", "translate"},
		{"--handler", "", "translate"},
		{"--handler", "spin", "spin=20us"},
		{"--load", "", "launch"},
		{"--reader", "select", "block, poll or epoll"},
		{"--reader", "", "block, poll or epoll"},
		{"--experiment", "crame", "grame, lipc, colorado, studio6, ipc-bench"},
		{"--experiment", "", "grame, lipc, colorado, studio6, ipc-bench"},
		{"--policy", "RR", "rr, fifo, deadline or other"},
		{"--policy", "idle", "rr, fifo, deadline or other"},
		{"--policy", "", "rr, fifo, deadline or other"},
		{"--format", "xml", "text, json, ndjson, csv, hgrm"},
		{"--format", "", "text, json, ndjson, csv, hgrm"},
		{"--color", "yes", "auto, always or never"},
		{"--color", "", "auto, always or never"},
		{"--slower-than", "1", "1ms"},
	};

	refuse_values(bad, ARRAY_SIZE(bad));
}

TEST(of_a_list_of_transports_the_bad_one_is_named)
{
	refuse_line(ARGV("--transport", "tcp,pigeon,uds"), "--transport", "'pigeon'", "use one of");
	refuse_line(ARGV("--transport", "tcp,"), "--transport", "''", "use one of");
	refuse_line(ARGV("--transport", "tcp,uds,tcp"), "--transport", "'tcp': it is listed twice",
		    "name it once");
}

TEST(bad_numbers_are_refused_with_their_bounds)
{
	static const struct bad_value bad[] = {
		{"--messages", "0", "1 to 1000000000"},
		{"--messages", "1000000001", "1 to 1000000000"},
		{"--messages", "-5", "whole number"},
		{"--messages", "1k", "whole number"},
		{"--messages", "", "whole number"},
		{"--warmup", "1000000001", "0 to 1000000000"},
		{"--warmup", "-1", "whole number"},
		{"--size", "0", "1 to 1073741824"},
		{"--size", "1073741825", "1 to 1073741824"},
		{"--size", "64B", "not a number or a list"},
		{"--size", "64,", "not a number or a list"},
		{"--size", "", "not a number or a list"},
		{"--read-size", "0", "1 to 1073741824"},
		{"--runs", "0", "1 to 1000"},
		{"--runs", "1001", "1 to 1000"},
		{"--runs", "x", "whole number"},
		{"--server-priority", "0", "1 to 99"},
		{"--server-priority", "100", "1 to 99"},
		{"--server-priority", "4294967395", "1 to 99"},
		{"--client-priority", "0", "1 to 99"},
		{"--client-priority", "100", "1 to 99"},
		{"--client-priority", "high", "whole number"},
	};

	refuse_values(bad, ARRAY_SIZE(bad));
}

TEST(bad_lists_and_durations_are_named_and_shown_a_good_one)
{
	static const struct bad_value bad[] = {
		{"--clients", "0", "1 to 1000"},   {"--clients", "1001", "1 to 1000"},
		{"--clients", "5-3", "5-3"},       {"--clients", "1,,2", "1-5,7,10"},
		{"--clients", "", "1-5,7,10"},     {"--clients", "many", "1-5,7,10"},
		{"--period", "10", "10ms"},        {"--period", "0ms", "leave it out"},
		{"--period", "0", "leave it out"}, {"--period", "00", "leave it out"},
		{"--period", "ms", "10ms"},        {"--period", "25h", "ns, us, ms, s or m"},
		{"--period", "", "10ms"},          {"--period", "-1ms", "10ms"},
	};

	refuse_values(bad, ARRAY_SIZE(bad));
}

TEST(bad_cpu_affinities_are_refused_with_good_ones)
{
	static const char *const bad[] = {"",
					  "lists",
					  "all",
					  "0-3",
					  "server=0",
					  "clients=0",
					  "clients=0,server=1",
					  "server=,clients=1",
					  "server=0,clients=",
					  "server=0clients=1",
					  " one"};

	for (size_t i = 0; i < ARRAY_SIZE(bad); i++)
		refuse_values(&(struct bad_value){"--cpus", bad[i],
						  "free, one, spread or server=LIST,clients=LIST"},
			      1);
}

TEST(a_bad_output_option_of_report_is_named_too)
{
	refuse_line(ARGV("report", "x", "-f", "yaml"), "--format", "yaml",
		    "text, json, ndjson, csv, hgrm");
	refuse_line(ARGV("report", "--color", "on", "x"), "--color", "on", "auto, always or never");
}

TEST(a_schema_needs_its_name_and_no_file)
{
	refuse_line(ARGV("report", "--schema", "graph"), "--schema", "'graph'",
		    "use one of summary, sweep, messages");
	refuse_line(ARGV("report", "--schema", ""), "--schema", "''", "doctor");
	refuse_line(ARGV("report", "--schema", "list", "run.ipct"), "--schema", "'run.ipct'",
		    "leave out the file");
}

TEST(a_unit_is_for_what_shows_one)
{
	refuse_line(ARGV("--unit", "call"), "--unit", "'text'", "only hgrm, html and svg");
	refuse_line(ARGV("report", "x", "-f", "csv", "--unit", "call"), "--unit", "'csv'",
		    "only hgrm, html and svg");
	refuse_line(ARGV("-f", "hgrm", "--unit", "calls"), "--unit", "'calls'",
		    "message, call, round or connection");
}

TEST(a_figure_is_for_svg)
{
	refuse_line(ARGV("--figure", "bands"), "--figure", "'text'", "use -f svg");
	refuse_line(ARGV("report", "x", "-f", "html", "--figure", "bands"), "--figure", "'html'",
		    "use -f svg");
	refuse_line(ARGV("-f", "svg", "--figure", "cake"), "--figure", "'cake'", "heat-map");
}

/* Figures need the messages of a traced run, and a base to hold slow ones against. */
TEST(figures_need_a_traced_run)
{
	refuse_line(ARGV("-f", "html", "-o", "x", "--no-trace"), "--format", "--no-trace",
		    "leave out one");
	refuse_line(ARGV("report", "x", "--against", "y"), "--against", "'text'",
		    "only html and svg");
}

TEST(options_of_the_text_report_are_refused_with_another_format)
{
	static const char *const formats[] = {"json", "ndjson", "csv", "hgrm", "html", "svg"};

	for (size_t i = 0; i < ARRAY_SIZE(formats); i++) {
		char *format = (char *)formats[i];

		refuse_line(ARGV("--brief", "-f", format), "--brief", format, "leave out");
		refuse_line(ARGV("-f", format, "--published"), "--published", format, "leave out");
		refuse_line(ARGV("report", "x", "-f", format, "--brief"), "--brief", format,
			    "text");
		refuse_line(ARGV("report", "--published", "x", "-f", format), "--published", format,
			    "text");
		refuse_line(ARGV("attach", "-p", "1", "--brief", "-f", format), "--brief", format,
			    "text");
	}
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* Options that are given twice: both values count, or the command line is refused. */
#include "support/build.h"
#include "support/command_line.h"

#include "cli/tables.h"
#include "model/transport_names.h"

#include <stdio.h>
#include <string.h>

#define ARGV(...) ((char *[]){"ipctrace", ##__VA_ARGS__, NULL})

static const struct {
	const struct command_syntax *syntax;
	const char *adds_up; /* these options, in the order of the help */
} commands[] = {
	{&run_syntax, " transport size clients"},
	{&attach_syntax, " pid comm cgroup unix port peer server client"},
	{&report_syntax, " channel server"},
	{&explain_syntax, " channel server"},
	{&list_syntax, " pid comm transport"},
	{&doctor_syntax, ""},
};

static bool is_refused(const char *command, const char *option, const char *first,
		       const char *second)
{
	char word[2][64];
	struct options options;
	struct capture err;

	snprintf(word[0], sizeof(word[0]), "--%s=%s", option, first);
	snprintf(word[1], sizeof(word[1]), "--%s=%s", option, second);
	parse_line(ARGV((char *)command, word[0], word[1]), &options, &err);
	return strstr(err.text, "given twice");
}

/* A value that the option itself refuses has been compared before. */
static void check_option(const char *command, const struct option_row *option)
{
	bool adds_up = option->flags & OPTION_ADDS_UP;

	if (is_refused(command, option->name, "1", "2") == adds_up)
		fail_msg("%s --%s 1 --%s 2", command, option->name, option->name);
	if (is_refused(command, option->name, "1", "1"))
		fail_msg("%s --%s 1 --%s 1", command, option->name, option->name);
}

/* Checks all options, and appends the names of those that add up. */
static void check_options(const char *command, const struct option_table *table, char names[256])
{
	for (const struct option_row *option = table->rows;
	     option->name || option->letter || option->help; option++) {
		if (!option->name || !option->arg)
			continue;
		check_option(command, option);
		if (option->flags & OPTION_ADDS_UP && !(option->flags & OPTION_HIDDEN))
			snprintf(names + strlen(names), 256 - strlen(names), " %s", option->name);
	}
}

TEST(every_option_adds_up_or_is_refused)
{
	for (size_t i = 0; i < ARRAY_SIZE(commands); i++) {
		const struct command_syntax *syntax = commands[i].syntax;
		char names[256] = "";

		for (size_t part = 0; part < PARTS_MAX && syntax->part[part].table; part++)
			check_options(syntax->name, syntax->part[part].table, names);
		assert_string_equal(names, commands[i].adds_up);
	}
}

TEST(both_values_are_named)
{
	refuse_line(ARGV("attach", "-p", "1", "-d", "1s", "--duration=2s"), "--duration: '2s'",
		    "before that with '1s'", "give it once");
	refuse_line(ARGV("-fjson", "--form", "csv"), "--format: 'csv'", "with 'json'", "once");
	refuse_line(ARGV("-qo", "a", "-vo", "b"), "--output: 'b'", "with 'a'", "once");
	refuse_line(ARGV("--stacks=1ms", "--stacks"), "--stacks: '1ms'", "without a value", "once");
	refuse_line(ARGV("--stacks", "--stacks=1ms"), "--stacks: '1ms'", "without a value", "once");
}

TEST(quiet_and_verbose_contradict_each_other)
{
	refuse_line(ARGV("-q", "-v"), "--verbose", "--quiet", "give one of them");
	refuse_line(ARGV("list", "-vq"), "--verbose", "--quiet", "give one of them");
	assert_int_equal(accept_run(ARGV("-v", "-v")).output.verbosity, 2);
	assert_int_equal(accept_run(ARGV("-q", "-q")).output.verbosity, -1);
}

/* --between has its second value in a word of its own. */
TEST(one_time_is_selected)
{
	refuse_line(ARGV("explain", "x", "--between", "1s", "2s", "--between", "1s", "3s"),
		    "--between: '3s'", "another time", "one time");
	refuse_line(ARGV("explain", "x", "--from", "1s", "--between", "1s", "3s"),
		    "--between: '3s'", "another time", "one time");
	refuse_line(ARGV("explain", "x", "--between", "1s", "3s", "--to", "2s"), "--to: '2s'",
		    "--between", "leave out one");
}

TEST(options_of_a_started_command_are_its_own)
{
	struct options options;

	accept_line(ARGV("attach", "-d", "1s", "--", "sh", "-d", "2s"), &options, COMMAND_ATTACH);
}

TEST(lists_add_up)
{
	static const uint32_t clients[] = {1, 2, 3, 5};
	struct options options;

	accept_line(ARGV("--clients", "1-3", "--transport", "tcp", "--clients", "3,5",
			 "--transport", "udp,pipe", "--size", "8"),
		    &options, COMMAND_RUN);
	assert_int_equal(options.run.matrix.cnt, 12);
	for (size_t i = 0; i < 12; i++) {
		const struct workload_spec *spec = &options.run.matrix.spec[i];

		assert_int_equal(spec->clients, clients[i % 4]);
		assert_string_equal(spec->transport, i < 4 ? "tcp" : i < 8 ? "udp" : "pipe");
		assert_int_equal(spec->size, 8);
	}
	accept_line(ARGV("explain", "x", "--channel", "7,9", "--channel", "4"), &options,
		    COMMAND_EXPLAIN);
	assert_int_equal(options.explain.select.selection.channel_cnt, 3);
	assert_int_equal(options.explain.select.selection.channel[2], 4);
	accept_line(ARGV("attach", "--peer", "redis*", "-p", "1", "--peer", "812,nginx"), &options,
		    COMMAND_ATTACH);
	assert_string_equal(options.attach.peer, "redis*,812,nginx");
	accept_line(ARGV("list", "--transport", "tcp", "--transport", "udp"), &options,
		    COMMAND_LIST);
	assert_int_equal(options.list.transports,
			 TRANSPORT_BIT(TRANSPORT_TCP) | TRANSPORT_BIT(TRANSPORT_UDP));
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* The options of `attach`. */
#include "support/build.h"
#include "support/command_line.h"

#include "report/format.h"

#define ARGV(...) ((char *[]){"ipctrace", "attach", ##__VA_ARGS__, NULL})

static struct attach_options accept(char **argv)
{
	struct options options;

	accept_line(argv, &options, COMMAND_ATTACH);
	return options.attach;
}

/* Expects these PIDs, which end with 0. */
static void assert_pids(char **argv, const uint32_t *pid)
{
	struct options options;
	size_t cnt = 0;

	accept_line(argv, &options, COMMAND_ATTACH);
	for (; pid[cnt]; cnt++) {
		assert_true(cnt < options.attach.targets.cnt);
		assert_int_equal(options.attach.targets.at[cnt].kind, TARGET_PID);
		assert_int_equal(options.attach.targets.at[cnt].number, pid[cnt]);
	}
	assert_int_equal(options.attach.targets.cnt, cnt);
}

#define PIDS(...) ((const uint32_t[]){__VA_ARGS__, 0})

/* Expects these targets in this order. */
static void assert_targets(char **argv, const struct target_choice *expected, size_t cnt)
{
	struct options options;

	accept_line(argv, &options, COMMAND_ATTACH);
	assert_int_equal(options.attach.targets.cnt, cnt);
	for (size_t i = 0; i < cnt; i++) {
		const struct target_choice *choice = &options.attach.targets.at[i];

		assert_int_equal(choice->kind, expected[i].kind);
		assert_int_equal(choice->number, expected[i].number);
		if (expected[i].name)
			assert_string_equal(choice->name, expected[i].name);
	}
}

#define ASSERT_TARGETS(argv, ...)                                                                  \
	assert_targets(argv, (const struct target_choice[]){__VA_ARGS__},                          \
		       sizeof((const struct target_choice[]){__VA_ARGS__}) /                       \
			       sizeof(struct target_choice))

TEST(one_target_is_enough)
{
	struct attach_options attach = accept(ARGV("-p", "812"));

	assert_pids(ARGV("-p", "812"), PIDS(812));
	assert_null(attach.command);
	assert_string_equal(attach.peer, "");
	assert_null(attach.trace.record);
	assert_int_equal(attach.duration_ns, 0);
	assert_int_equal(attach.interval_ns, 0);
	assert_int_equal(attach.trace.level, LEVEL_FULL);
	assert_int_equal(attach.trace.reader.policy, READER_IDLE);
	assert_string_equal(attach.output.format->name, "text");
	assert_null(attach.output.path);
	assert_int_equal(attach.output.verbosity, 0);
}

TEST(every_kind_of_target_will_do)
{
	assert_pids(ARGV("--pid=1,2,3"), PIDS(1, 2, 3));
	assert_int_equal(accept(ARGV("-p", "1", "--level", "light")).trace.level, LEVEL_LIGHT);
	assert_int_equal(accept(ARGV("-p", "1", "--stacks=1ms", "--explain")).trace.stacks_over_ns,
			 1000000);
	assert_int_equal(accept(ARGV("-p", "1", "--stacks", "--record", "f")).trace.level,
			 LEVEL_DEEP);
	refuse_line(ARGV("-p", "1", "--stacks"), "--stacks", "explanation", "--explain");
	assert_int_equal(accept(ARGV("-p", "1", "--reader-policy", "other")).trace.reader.policy,
			 READER_OTHER);
	assert_int_equal(accept(ARGV("-p", "1", "--reader-policy", "2-3")).trace.reader.policy,
			 READER_CPUS);
	ASSERT_TARGETS(ARGV("--comm", "redis-*"), {TARGET_COMM, .name = "redis-*"});
	ASSERT_TARGETS(ARGV("--cgroup", "/sys/fs/cgroup/x"),
		       {TARGET_CGROUP, .name = "/sys/fs/cgroup/x"});
	ASSERT_TARGETS(ARGV("--unix", "@name"), {TARGET_UNIX, .name = "@name"});
	ASSERT_TARGETS(ARGV("--port", "65535"), {TARGET_PORT, .number = 65535});
	ASSERT_TARGETS(ARGV("--port=1"), {TARGET_PORT, .number = 1});
}

TEST(repeated_targets_add_up)
{
	ASSERT_TARGETS(ARGV("--comm", "a", "--comm", "b*"), {TARGET_COMM, .name = "a"},
		       {TARGET_COMM, .name = "b*"});
	ASSERT_TARGETS(ARGV("--port", "80", "--unix", "/x", "-p", "1", "--port=81", "--cgroup",
			    "/y", "--unix=@z", "--cgroup", "/w", "-p", "2,3"),
		       {TARGET_PORT, .number = 80}, {TARGET_UNIX, .name = "/x"},
		       {TARGET_PID, .number = 1}, {TARGET_PORT, .number = 81},
		       {TARGET_CGROUP, .name = "/y"}, {TARGET_UNIX, .name = "@z"},
		       {TARGET_CGROUP, .name = "/w"}, {TARGET_PID, .number = 2},
		       {TARGET_PID, .number = 3});
}

TEST(every_option_is_taken)
{
	struct attach_options attach = accept(
		ARGV("-p", "1", "--comm=x", "--port", "80", "-d", "10s", "--interval", "500ms",
		     "--peer", "psql*", "--record", "run.ipct", "-f", "json", "-o", "out", "-v"));

	assert_true(attach.duration_ns == 10000000000ull);
	assert_int_equal(attach.interval_ns, 500000000);
	assert_string_equal(attach.peer, "psql*");
	assert_string_equal(attach.calls.server, "");
	assert_string_equal(attach.calls.client, "");
	assert_false(attach.calls.in_turn);
	assert_string_equal(attach.trace.record, "run.ipct");
	assert_string_equal(attach.output.format->name, "json");
	assert_string_equal(attach.output.path, "out");
	assert_int_equal(attach.output.verbosity, 1);
	assert_int_equal(accept(ARGV("-p", "1", "--duration=1ms", "-q")).output.verbosity, -1);
}

TEST(children_can_be_left_out)
{
	assert_false(accept(ARGV("-p", "1")).no_children);
	assert_true(accept(ARGV("-p", "1", "--no-children")).no_children);
}

TEST(options_say_what_a_call_is)
{
	struct attach_options attach =
		accept(ARGV("-p", "1", "--server", "redis*", "--client=4711", "--calls", "fifo"));

	assert_string_equal(attach.calls.server, "redis*");
	assert_string_equal(attach.calls.client, "4711");
	assert_true(attach.calls.in_turn);
	refuse_line(ARGV("-p", "1", "--calls", "lifo"), "--calls", "lifo", "--calls fifo");
}

TEST(what_stands_behind_the_dashes_is_the_command)
{
	struct attach_options attach = accept(ARGV("-d", "1s", "--", "./server", "--once", "-v"));

	assert_non_null(attach.command);
	assert_string_equal(attach.command[0], "./server");
	assert_string_equal(attach.command[1], "--once");
	assert_string_equal(attach.command[2], "-v");
	assert_null(attach.command[3]);
	assert_int_equal(attach.output.verbosity, 0);
	assert_true(attach.duration_ns == 1000000000);
}

/* The command can even look like a command or an option of ipctrace. */
TEST(a_command_may_have_any_name)
{
	struct attach_options attach = accept(ARGV("--", "--help"));

	assert_string_equal(attach.command[0], "--help");
	assert_null(attach.command[1]);
	attach = accept(ARGV("-p", "1", "--", "run", "--", "x"));
	assert_string_equal(attach.command[0], "run");
	assert_string_equal(attach.command[1], "--");
	assert_string_equal(attach.command[2], "x");
}

TEST(without_a_target_there_is_nothing_to_attach_to)
{
	refuse_line(ARGV(), "attach", "no target", "-p PID");
	refuse_line(ARGV("-d", "1s"), "attach", "no target", "-- COMMAND");
	refuse_line(ARGV("--peer", "x"), "attach", "no target", "--port N");
	refuse_line(ARGV("--"), "attach", "no target", "-- COMMAND");
}

TEST(a_word_of_its_own_is_no_target)
{
	refuse_line(ARGV("812"), "812", "option", "-p PID");
	refuse_line(ARGV("-p", "1", "redis"), "redis", "command", "after --");
}

TEST(blanks_separate_pids_as_commas_do)
{
	assert_pids(ARGV("-p", "12 13"), PIDS(12, 13));
	assert_pids(ARGV("-p", "12\n13\n"), PIDS(12, 13));
	assert_pids(ARGV("-p", "\t 12\t13  14 \n"), PIDS(12, 13, 14));
	assert_pids(ARGV("-p", "12, 13 ,14 , 15"), PIDS(12, 13, 14, 15));
	assert_pids(ARGV("--pid=12 12,12"), PIDS(12, 12, 12));
	assert_pids(ARGV("-p", "4194304"), PIDS(4194304));
}

TEST(a_list_of_pids_without_one_of_them_is_refused)
{
	refuse_line(ARGV("-p", ""), "--pid", "''", "has no PID");
	refuse_line(ARGV("-p", " \t "), "--pid", "has no PID", "-p 812");
	refuse_line(ARGV("-p", ","), "--pid", "','", "missing");
	refuse_line(ARGV("-p", "12,,13"), "--pid", "'12,,13'", "one comma");
	refuse_line(ARGV("-p", "12, ,13"), "--pid", "'12, ,13'", "missing");
	refuse_line(ARGV("-p", ",12"), "--pid", "',12'", "missing");
	refuse_line(ARGV("-p", "12,"), "--pid", "'12,'", "missing");
	refuse_line(ARGV("-p", "12, "), "--pid", "'12, '", "missing");
}

TEST(a_pid_is_a_number)
{
	refuse_line(ARGV("-p", "12 x"), "--pid", "its part 'x': not a whole number", "--comm");
	refuse_line(ARGV("-p", "12;13"), "--pid", "its part '12;13': not a whole number",
		    "commas or blanks");
	refuse_line(ARGV("-p", "0"), "--pid", "0", "1 to 4194304");
	refuse_line(ARGV("-p", "12 4194305"), "--pid", "4194305", "1 to 4194304");
	refuse_line(ARGV("-p", "-1"), "--pid", "-1", "whole number");
	refuse_line(ARGV("-p", "18446744073709551617"), "--pid", "18446744073709551617", "4194304");
	/* `-p $(pidof NAME) -d 1s` without a process of that name. */
	refuse_line(ARGV("-p", "-d", "1s"), "--pid", "its part '-d': not a whole number", "-p 812");
}

/* `-p $(pidof NAME)` without quotes. */
TEST(pids_may_follow_as_words_of_their_own)
{
	char **const argv = ARGV("-p", "12", "13", "14", "--", "15", "16");
	struct options options;

	assert_pids(ARGV("-p", "12", "13", "14"), PIDS(12, 13, 14));
	assert_pids(ARGV("-p12", "13", "-d", "1s", "14", "-q"), PIDS(12, 13, 14));
	assert_pids(ARGV("-p", "12", "13", "-p", "14", "15"), PIDS(12, 13, 14, 15));
	accept_line(argv, &options, COMMAND_ATTACH);
	assert_int_equal(options.attach.targets.cnt, 3);
	assert_string_equal(options.attach.command[0], "15");
	assert_string_equal(options.attach.command[1], "16");
}

TEST(other_words_after_a_pid_are_refused)
{
	refuse_line(ARGV("-p", "12", "13,14"), "'13,14'", "-p PID", "after --");
	refuse_line(ARGV("-p", "12", ""), "''", "-p PID", "after --");
	refuse_line(ARGV("-p", "12", "13x"), "'13x'", "-p PID", "after --");
	refuse_line(ARGV("-p", "12", "0"), "--pid", "0", "1 to 4194304");
	refuse_line(ARGV("13", "-p", "12"), "'13'", "-p PID", "after --");
	refuse_line(ARGV("--comm", "x", "13"), "'13'", "-p PID", "after --");
	refuse_line(ARGV("-p", "12", "./server", "--once"), "'./server'", "command", "after --");
}

TEST(a_port_is_a_number)
{
	refuse_line(ARGV("--port", "0"), "--port", "0", "65535");
	refuse_line(ARGV("--port", "65536"), "--port", "65536", "65535");
	refuse_line(ARGV("--port", "http"), "--port", "http", "number");
	refuse_line(ARGV("--port", ""), "--port", "''", "number");
	refuse_line(ARGV("--port", "80x"), "--port", "80x", "number");
	refuse_line(ARGV("--port", "-1"), "--port", "-1", "number");
}

TEST(a_duration_has_a_unit)
{
	refuse_line(ARGV("-p", "1", "-d", "10"), "--duration", "10", "unit");
	refuse_line(ARGV("-p", "1", "--interval", "1"), "--interval", "1", "unit");
	refuse_line(ARGV("-p", "1", "--interval", "soon"), "--interval", "soon", "");
}

TEST(an_unknown_name_is_refused)
{
	refuse_line(ARGV("-p", "1", "-f", "yaml"), "format", "yaml", "json");
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* Command lines that end the program while it parses: --help, --version, and argp's own errors. */
#include "support/build.h"
#include "support/command_line.h"

#include "cli/experiment.h"
#include "report/format.h"
#include "transport/transport.h"

#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define ARGV(...) ((char *[]){"ipctrace", ##__VA_ARGS__, NULL})

/* For what ends the process; what it said goes into both captures. */
static int exit_status(char **argv, struct capture *out, struct capture *err)
{
	int status = 0;
	pid_t pid;

	capture_begin(out, STDOUT_FILENO);
	capture_begin(err, STDERR_FILENO);
	pid = fork();
	if (!pid) {
		struct options options;
		int error = options_parse(words_in(argv), argv, &options);

		_exit(error ? 100 - error : 100);
	}
	waitpid(pid, &status, 0);
	capture_end(err);
	capture_end(out);
	assert_true(pid > 0 && WIFEXITED(status));
	return WEXITSTATUS(status);
}

TEST(an_unknown_option_ends_with_status_2_and_is_named)
{
	static const struct {
		const char *word;
		const char *name;
	} bad[] = {{"--bogus", "--bogus"},
		   {"--clients-count=5", "--clients-count"},
		   {"-x", "'x'"},
		   {"--client", "--client"}}; /* short for two options */
	struct capture out, err;

	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		assert_int_equal(exit_status(ARGV((char *)bad[i].word), &out, &err), 2);
		assert_string_equal(out.text, "");
		assert_has(err.text, bad[i].name);
		assert_has(err.text, "--help");
	}
}

TEST(an_option_of_run_is_none_of_report)
{
	struct capture out, err;

	assert_int_equal(exit_status(ARGV("report", "x", "--clients", "5"), &out, &err), 2);
	assert_has(err.text, "--clients");
	assert_has(err.text, "--help");
}

TEST(options_of_reports_are_none_of_other_commands)
{
	static char *const bad[][2] = {{"list", "--brief"},       {"doctor", "--brief"},
				       {"list", "--published"},   {"doctor", "--published"},
				       {"attach", "--published"}, {"list", "--slower-than=1ms"}};
	struct capture out, err;

	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		assert_int_equal(exit_status(ARGV(bad[i][0], bad[i][1]), &out, &err), 2);
		assert_string_equal(out.text, "");
		assert_has(err.text, "--help");
	}
}

TEST(an_option_without_its_value_ends_with_status_2_and_is_named)
{
	static const char *const bad[] = {"--transport", "--clients", "--period", "--cpus",
					  "--record",    "--format",  "--output", "--color"};
	struct capture out, err;

	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		assert_int_equal(exit_status(ARGV((char *)bad[i]), &out, &err), 2);
		assert_string_equal(out.text, "");
		assert_has(err.text, bad[i]);
	}
}

TEST(help_goes_to_stdout_and_names_every_option)
{
	static const char *const expected[] = {"--transport",
					       "--pattern",
					       "--clients",
					       "--messages",
					       "--warmup",
					       "--period",
					       "--size",
					       "--handler",
					       "--load",
					       "--threads",
					       "--reader",
					       "--read-size",
					       "--runs",
					       "--experiment",
					       "--policy",
					       "--cpus",
					       "--server-priority",
					       "--client-priority",
					       "--no-trace",
					       "--record",
					       "--format",
					       "--output",
					       "--color",
					       "--quiet",
					       "--verbose",
					       "--version",
					       "report FILE",
					       "sudo ipctrace --transport uds --clients 5"};
	struct capture out, err;

	assert_int_equal(exit_status(ARGV("--help"), &out, &err), 0);
	assert_string_equal(err.text, "");
	for (size_t i = 0; i < ARRAY_SIZE(expected); i++)
		assert_has(out.text, expected[i]);
	assert_int_equal(exit_status(ARGV("report", "--help"), &out, &err), 0);
	assert_has(out.text, "FILE");
	assert_has(out.text, "--format");
}

TEST(help_has_every_word_that_the_parser_takes)
{
	const struct transport_ops *transport;
	const struct experiment *experiment;
	struct capture out, err;

	assert_int_equal(exit_status(ARGV("--help"), &out, &err), 0);
	for (size_t i = 0; (transport = transports[i]); i++) {
		assert_has(out.text, transport->name);
		assert_string_equal(
			accept_run(ARGV("--transport", (char *)transport->name)).spec.transport,
			transport->name);
	}
	for (size_t i = 0; (experiment = experiment_at(i)); i++) {
		assert_has(out.text, experiment->name);
		assert_has(out.text, experiment->summary);
	}
	assert_has(out.text, "pingpong");
	assert_has(out.text, "translate");
	assert_has(out.text, "launch");
}

/* argp would sort them by name. */
TEST(help_has_the_options_in_the_order_of_use)
{
	static const char *const expected[] = {"What to send:",  " --transport ",  " --pattern ",
					       " --size ",       "How many",       " --clients ",
					       " --messages ",   " --warmup ",     " --period ",
					       "What to print:", " -f, --format ", " --brief",
					       " --color ",      "Help:",          " -h, --help",
					       " -V, --version", "Examples:"};
	struct capture out, err;
	const char *at = out.text;

	assert_int_equal(exit_status(ARGV("-?"), &out, &err), 0);
	for (size_t i = 0; i < ARRAY_SIZE(expected); i++) {
		at = strstr(at, expected[i]);
		if (!at)
			fail_msg("'%s' is not where it belongs", expected[i]);
	}
}

TEST(help_names_ndjson_only_where_it_is_accepted)
{
	static const struct {
		char *command;
		bool has_messages;
	} commands[] = {{"run", true},
			{"attach", true},
			{"report", true},
			{"list", false},
			{"doctor", false}};
	struct capture out, err;

	for (size_t i = 0; i < ARRAY_SIZE(commands); i++) {
		assert_int_equal(exit_status(ARGV(commands[i].command, "--help"), &out, &err), 0);
		assert_int_equal(!!strstr(out.text, "ndjson"), commands[i].has_messages);
		assert_int_equal(!!strstr(out.text, "--brief"), commands[i].has_messages);
	}
}

TEST(h_is_short_for_help)
{
	struct capture out, err;

	assert_int_equal(exit_status(ARGV("-h"), &out, &err), 0);
	assert_string_equal(err.text, "");
	assert_has(out.text, "--transport");
}

TEST(version_is_name_and_number)
{
	struct capture out, err;

	assert_int_equal(exit_status(ARGV("--version"), &out, &err), 0);
	assert_string_equal(out.text, "ipctrace 0.1\n");
	assert_int_equal(exit_status(ARGV("-V"), &out, &err), 0);
	assert_string_equal(out.text, "ipctrace 0.1\n");
	assert_string_equal(err.text, "");
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* The command line: defaults, and every option with its value. */
#include "support/build.h"
#include "support/command_line.h"

#include "cli/experiment.h"
#include "report/format.h"
#include "transport/transport.h"

#include <stdio.h>
#include <string.h>

#define ARGV(...) ((char *[]){"ipctrace", ##__VA_ARGS__, NULL})

static void assert_defaults_of_workload(const struct workload_spec *spec)
{
	assert_string_equal(spec->transport, "uds");
	assert_string_equal(spec->pattern, "push");
	assert_int_equal(spec->messages, 1000);
	assert_int_equal(spec->warmup, 100);
	assert_int_equal(spec->period_ns, 10000000);
	assert_int_equal(spec->size, 64);
	assert_int_equal(spec->sched_policy, POLICY_RR);
	assert_int_equal(spec->server_priority, 99);
	assert_int_equal(spec->client_priority, 98);
	assert_int_equal(spec->cpu_affinity, CPUS_FREE);
	assert_string_equal(spec->handler, "");
	assert_string_equal(spec->load, "");
	assert_false(spec->threads);
	assert_int_equal(spec->reader, READER_BLOCK);
	assert_int_equal(spec->read_size, 0);
	assert_int_equal(spec->run, 0);
}

static void assert_defaults_of_output(const struct output_options *output)
{
	assert_non_null(output->format);
	assert_string_equal(output->format->name, "text");
	assert_null(output->path);
	assert_int_equal(output->color, COLOR_AUTO);
	assert_int_equal(output->verbosity, 0);
	assert_false(output->is_brief);
	assert_false(output->shows_published);
}

TEST(without_options_everything_is_as_documented)
{
	struct options options;

	accept_line(ARGV(), &options, COMMAND_RUN);
	assert_int_equal(options.command, COMMAND_RUN);
	assert_int_equal(options.run.matrix.cnt, 1);
	assert_defaults_of_workload(&options.run.matrix.spec[0]);
	assert_defaults_of_output(&options.run.output);
	assert_int_equal(options.run.matrix.spec[0].clients, 1);
	assert_false(options.run.no_trace);
	assert_null(options.run.trace.record);
	assert_null(options.run.experiment);
}

TEST(the_sentence_that_must_always_work_works)
{
	struct options options;

	accept_line(ARGV("--transport", "uds", "--clients", "5"), &options, COMMAND_RUN);
	assert_int_equal(options.command, COMMAND_RUN);
	assert_int_equal(options.run.matrix.cnt, 1);
	assert_defaults_of_workload(&options.run.matrix.spec[0]);
	assert_int_equal(options.run.matrix.spec[0].clients, 5);
}

TEST(the_word_run_may_be_left_out)
{
	assert_int_equal(accept_run(ARGV("--messages", "7")).spec.messages, 7);
	assert_int_equal(accept_run(ARGV("run", "--messages", "7")).spec.messages, 7);
	assert_int_equal(accept_run(ARGV("run")).spec.messages, 1000);
}

TEST(the_words_of_the_caller_are_left_as_they_were)
{
	char *argv[] = {"ipctrace", "run", "--size", "7", NULL};
	char *bad[] = {"ipctrace", "run", "--size", "x", NULL};

	accept_run(argv);
	assert_string_equal(argv[0], "ipctrace");
	assert_string_equal(argv[1], "run");
	refuse_line(bad, "--size", "x", "not a number or a list");
	assert_string_equal(bad[0], "ipctrace");
	assert_string_equal(bad[1], "run");
}

TEST(every_option_of_the_workload_is_taken)
{
	struct workload_spec spec =
		accept_run(ARGV("--transport", "uds", "--pattern", "push", "--messages", "12",
				"--warmup", "0", "--period", "250us", "--size", "1000"))
			.spec;

	assert_string_equal(spec.transport, "uds");
	assert_string_equal(spec.pattern, "push");
	assert_int_equal(spec.messages, 12);
	assert_int_equal(spec.warmup, 0);
	assert_int_equal(spec.period_ns, 250000);
	assert_int_equal(spec.size, 1000);
}

TEST(handler_load_threads_and_reader_are_taken)
{
	struct workload_spec spec;

	spec = accept_run(ARGV("--pattern", "request", "--transport", "tcp", "--handler",
			       "spin=20us", "--load", "launch", "--threads", "--reader", "epoll",
			       "--read-size", "7"))
		       .spec;
	assert_string_equal(spec.pattern, "request");
	assert_string_equal(spec.handler, "spin=20us");
	assert_string_equal(spec.load, "launch");
	assert_true(spec.threads);
	assert_int_equal(spec.reader, READER_EPOLL);
	assert_int_equal(spec.read_size, 7);
	assert_int_equal(accept_run(ARGV("--reader", "poll")).spec.reader, READER_POLL);
	assert_int_equal(accept_run(ARGV("--reader", "block")).spec.reader, READER_BLOCK);
	assert_string_equal(accept_run(ARGV("--load", "make -j2")).spec.load, "make -j2");
}

TEST(only_push_has_a_tick_unless_one_is_asked_for)
{
	static const char *const others[] = {"pingpong", "request", "connect", "flood"};

	for (size_t i = 0; i < ARRAY_SIZE(others); i++) {
		char *name = (char *)others[i];

		assert_int_equal(accept_run(ARGV("--pattern", name)).spec.period_ns, 0);
		assert_int_equal(
			accept_run(ARGV("--period", "1ms", "--pattern", name)).spec.period_ns,
			1000000);
	}
	assert_int_equal(accept_run(ARGV("--pattern", "push")).spec.period_ns, 10000000);
}

TEST(only_requests_are_handled)
{
	assert_string_equal(accept_run(ARGV("--pattern", "request")).spec.handler, "echo");
	assert_string_equal(accept_run(ARGV("--pattern", "pingpong")).spec.handler, "");
	refuse_line(ARGV("--handler", "echo"), "--handler", "pattern push", "--pattern request");
	refuse_line(ARGV("--handler", "echo", "--pattern", "flood"), "--handler", "pattern flood",
		    "leave it out");
}

TEST(runs_are_all_combinations_in_a_fixed_order)
{
	static const struct {
		const char *transport;
		uint64_t size;
		uint32_t clients;
	} expected[] = {
		{"tcp", 1, 2},  {"tcp", 1, 3},  {"tcp", 1500, 2},  {"tcp", 1500, 3},
		{"pipe", 1, 2}, {"pipe", 1, 3}, {"pipe", 1500, 2}, {"pipe", 1500, 3},
	};
	struct options options;

	accept_line(ARGV("--transport", "tcp,pipe", "--size", "1,1500", "--clients", "2,3"),
		    &options, COMMAND_RUN);
	assert_int_equal(options.run.matrix.cnt, ARRAY_SIZE(expected));
	for (size_t i = 0; i < ARRAY_SIZE(expected); i++) {
		const struct workload_spec *spec = &options.run.matrix.spec[i];

		assert_string_equal(spec->transport, expected[i].transport);
		assert_int_equal(spec->size, expected[i].size);
		assert_int_equal(spec->clients, expected[i].clients);
		assert_int_equal(spec->run, 0);
	}
}

TEST(repeated_runs_go_over_all_combinations_one_after_the_other)
{
	struct options options;

	accept_line(ARGV("--clients", "2,3", "--runs", "3"), &options, COMMAND_RUN);
	assert_int_equal(options.run.matrix.cnt, 6);
	for (size_t i = 0; i < 6; i++) {
		assert_int_equal(options.run.matrix.spec[i].clients, 2 + i % 2);
		assert_int_equal(options.run.matrix.spec[i].run, 1 + i / 2);
	}
	assert_int_equal(accept_run(ARGV("--runs", "1")).spec.run, 0);
	refuse_line(ARGV("--clients", "1-1000", "--runs", "11"), "--runs", "11", "shorten");
	refuse_line(ARGV("--clients", "1-1000", "--size", "1-11"), "--size", "10000", "shorten");
}

TEST(contradicting_options_are_refused_with_the_reason)
{
	refuse_line(ARGV("--policy", "other", "--server-priority", "5"), "--policy", "other",
		    "has no priorities");
	refuse_line(ARGV("--experiment", "lipc", "--client-priority", "5"), "--policy", "other",
		    "has no priorities");
	refuse_line(ARGV("--read-size", "8"), "--read-size",
		    "a receive on uds always returns a whole message", "byte stream");
	refuse_line(ARGV("--read-size", "8", "--transport", "tcp,udp"), "--read-size", "udp",
		    "byte stream");
	refuse_line(ARGV("--experiment", "grame", "--pattern", "push"), "--experiment", "grame",
		    "leave out --pattern");
	refuse_line(ARGV("--experiment", "studio6", "--handler", "echo"), "--handler",
		    "experiment studio6", "leave it out");
}

TEST(every_policy_and_priority_is_taken)
{
	static const char *const names[NR_SCHED_POLICIES] = {[POLICY_RR] = "rr",
							     [POLICY_FIFO] = "fifo",
							     [POLICY_DEADLINE] = "deadline",
							     [POLICY_OTHER] = "other"};
	struct workload_spec spec;

	for (int i = 0; i < NR_SCHED_POLICIES; i++)
		assert_int_equal(accept_run(ARGV("--policy", (char *)names[i])).spec.sched_policy,
				 i);
	spec = accept_run(ARGV("--server-priority", "1", "--client-priority", "99")).spec;
	assert_int_equal(spec.server_priority, 1);
	assert_int_equal(spec.client_priority, 99);
}

TEST(every_cpu_affinity_is_accepted)
{
	struct workload_spec spec;

	assert_int_equal(accept_run(ARGV("--cpus", "free")).spec.cpu_affinity, CPUS_FREE);
	assert_int_equal(accept_run(ARGV("--cpus", "one")).spec.cpu_affinity, CPUS_ONE);
	assert_int_equal(accept_run(ARGV("--cpus", "spread")).spec.cpu_affinity, CPUS_SPREAD);
	spec = accept_run(ARGV("--cpus", "server=0,clients=1-3")).spec;
	assert_int_equal(spec.cpu_affinity, CPUS_LISTS);
	assert_string_equal(spec.server_cpus, "0");
	assert_string_equal(spec.client_cpus, "1-3");
	spec = accept_run(ARGV("--cpus=server=0,2,4-5,clients=1,3")).spec;
	assert_string_equal(spec.server_cpus, "0,2,4-5");
	assert_string_equal(spec.client_cpus, "1,3");
}

TEST(cpu_lists_are_never_cut_short)
{
	char text[3 * SPEC_TEXT_LEN], digits[SPEC_TEXT_LEN + 1];
	struct workload_spec spec;

	memset(digits, '1', SPEC_TEXT_LEN);
	digits[SPEC_TEXT_LEN] = '\0';
	snprintf(text, sizeof(text), "server=%s,clients=0", digits);
	refuse_line(ARGV("--cpus", text), "--cpus", text, "server=LIST,clients=LIST");
	snprintf(text, sizeof(text), "server=0,clients=%s", digits);
	refuse_line(ARGV("--cpus", text), "--cpus", text, "server=LIST,clients=LIST");
	snprintf(text, sizeof(text), "server=%s,clients=%s", digits + 1, digits + 1);
	spec = accept_run(ARGV("--cpus", text)).spec;
	assert_string_equal(spec.server_cpus, digits + 1);
	assert_string_equal(spec.client_cpus, digits + 1);
}

TEST(clients_may_be_a_list)
{
	static const uint32_t expected[] = {1, 2, 3, 4, 5, 7, 10};
	struct options options;

	accept_line(ARGV("--clients", "1-5,7,10"), &options, COMMAND_RUN);
	assert_int_equal(options.run.matrix.cnt, ARRAY_SIZE(expected));
	for (size_t i = 0; i < ARRAY_SIZE(expected); i++)
		assert_int_equal(options.run.matrix.spec[i].clients, expected[i]);
}

TEST(tracing_options_are_taken)
{
	struct run_options run = accept_run(ARGV("--no-trace", "--record", "run.ipct"));

	assert_true(run.no_trace);
	assert_string_equal(run.trace.record, "run.ipct");
}

TEST(stacks_need_a_reader)
{
	struct run_options run = accept_run(ARGV("--record", "f", "--stacks"));

	assert_int_equal(run.trace.stacks_over_ns, 100000);
	assert_int_equal(run.trace.level, LEVEL_DEEP);
	assert_int_equal(accept_run(ARGV("--record", "f")).trace.stacks_over_ns, 0);
	assert_int_equal(accept_run(ARGV("--explain", "--stacks=2ms")).trace.stacks_over_ns,
			 2000000);
	assert_int_equal(accept_run(ARGV("-f", "html", "-o", "f")).trace.level, LEVEL_DEEP);
	assert_int_equal(
		accept_run(ARGV("--record", "f", "--stacks", "--level", "full")).trace.level,
		LEVEL_FULL);
	refuse_line(ARGV("--stacks"), "--stacks", "explanation", "--record FILE");
	refuse_line(ARGV("--stacks=x", "--record", "f"), "--stacks", "'x'", "10ms");
	refuse_line(ARGV("--stacks", "--record", "f", "--no-trace"), "--stacks", "--no-trace",
		    "leave out");
}

static uint64_t stacks_over_ns(const char *stacks, const char *slower_than)
{
	return accept_run(ARGV("--explain", (char *)stacks, (char *)slower_than))
		.trace.stacks_over_ns;
}

TEST(the_threshold_of_stacks_follows_slower_than)
{
	assert_int_equal(stacks_over_ns("--slower-than=5us", NULL), 0);
	assert_int_equal(stacks_over_ns("--stacks", "--slower-than=5us"), 5000);
	assert_int_equal(stacks_over_ns("--slower-than=5us", "--stacks"), 5000);
	assert_int_equal(stacks_over_ns("--stacks", NULL), 100000);
	assert_int_equal(stacks_over_ns("--stacks=7us", "--slower-than=5us"), 7000);
}

TEST(level_light_is_for_unix_and_tcp_sockets)
{
	assert_int_equal(accept_run(ARGV()).trace.level, LEVEL_FULL);
	assert_int_equal(accept_run(ARGV("--level", "light")).trace.level, LEVEL_LIGHT);
	assert_int_equal(accept_run(ARGV("--level", "deep", "--transport", "udp")).trace.level,
			 LEVEL_DEEP);
	accept_run(ARGV("--level", "light", "--transport", "uds,uds-stream,uds-seqpacket,tcp"));
	accept_run(ARGV("--level", "full", "--transport", "pipe"));
	refuse_line(ARGV("--level", "none"), "--level", "'none'", "full, light or deep");
	refuse_line(ARGV("--level", "light", "--transport", "uds,udp"), "--level: 'light'", "udp",
		    "--level full");
	refuse_line(ARGV("--transport", "pipe", "--level", "light"), "--level: 'light'", "pipe",
		    "uds-stream");
	refuse_line(ARGV("--level", "light", "--transport", "shm"), "--level: 'light'", "shm",
		    "--level full");
}

TEST(every_output_option_is_taken)
{
	struct output_options output;

	output = accept_run(ARGV("-f", "json", "-o", "out.json", "--color", "never", "-q")).output;
	assert_string_equal(output.format->name, "json");
	assert_string_equal(output.path, "out.json");
	assert_int_equal(output.color, COLOR_NEVER);
	assert_int_equal(output.verbosity, -1);
	output = accept_run(ARGV("--format=ndjson", "--output=x", "--color=always", "-vv")).output;
	assert_string_equal(output.format->name, "ndjson");
	assert_string_equal(output.path, "x");
	assert_int_equal(output.color, COLOR_ALWAYS);
	assert_int_equal(output.verbosity, 2);
	output = accept_run(ARGV("--format", "text", "--color", "auto", "--verbose")).output;
	assert_string_equal(output.format->name, "text");
	assert_int_equal(output.color, COLOR_AUTO);
	assert_int_equal(output.verbosity, 1);
	assert_int_equal(accept_run(ARGV("--quiet")).output.verbosity, -1);
	assert_int_equal(accept_run(ARGV("--quiet")).output.slower_than_ns, 0);
	assert_int_equal(accept_run(ARGV("--slower-than", "1ms")).output.slower_than_ns, 1000000);
}

TEST(the_text_report_may_be_brief_or_show_published_figures)
{
	struct options options;

	assert_true(accept_run(ARGV("--brief")).output.is_brief);
	assert_false(accept_run(ARGV("--brief")).output.shows_published);
	assert_true(accept_run(ARGV("--published", "-f", "text")).output.shows_published);
	accept_line(ARGV("report", "x", "--published", "--brief"), &options, COMMAND_REPORT);
	assert_true(options.report.output.is_brief && options.report.output.shows_published);
	accept_line(ARGV("attach", "-p", "1", "--brief"), &options, COMMAND_ATTACH);
	assert_true(options.attach.output.is_brief);
}

TEST(report_takes_a_file_and_output_options_in_any_order)
{
	struct options options;

	accept_line(ARGV("report", "run.ipct"), &options, COMMAND_REPORT);
	assert_int_equal(options.command, COMMAND_REPORT);
	assert_string_equal(options.report.path, "run.ipct");
	assert_defaults_of_output(&options.report.output);
	accept_line(ARGV("report", "run.ipct", "-f", "ndjson", "-o", "out"), &options,
		    COMMAND_REPORT);
	assert_string_equal(options.report.path, "run.ipct");
	assert_string_equal(options.report.output.format->name, "ndjson");
	assert_string_equal(options.report.output.path, "out");
	assert_false(options.report.no_limit);
	accept_line(ARGV("report", "run.ipct", "--server", "bus*", "--calls=fifo"), &options,
		    COMMAND_REPORT);
	assert_string_equal(options.report.calls.server, "bus*");
	assert_true(options.report.calls.in_turn);
	accept_line(ARGV("report", "run.ipct", "--no-limit"), &options, COMMAND_REPORT);
	assert_true(options.report.no_limit);
	accept_line(ARGV("report", "--color=never", "-v", "run.ipct"), &options, COMMAND_REPORT);
	assert_string_equal(options.report.path, "run.ipct");
	assert_int_equal(options.report.output.color, COLOR_NEVER);
	assert_int_equal(options.report.output.verbosity, 1);
}

TEST(report_prints_a_schema_without_a_file)
{
	struct options options;

	accept_line(ARGV("report", "--schema", "list"), &options, COMMAND_REPORT);
	assert_null(options.report.path);
	assert_string_equal(options.report.schema, "list");
	accept_line(ARGV("report", "run.ipct"), &options, COMMAND_REPORT);
	assert_null(options.report.schema);
}

TEST(hgrm_takes_a_unit)
{
	struct options options;
	struct output_options output = accept_run(ARGV("-f", "hgrm")).output;

	assert_false(output.has_unit);
	output = accept_run(ARGV("--unit", "message", "--format=hgrm")).output;
	assert_true(output.has_unit);
	assert_int_equal(output.unit, UNIT_MESSAGE);
	accept_line(ARGV("report", "run.ipct", "-f", "hgrm", "--unit=round"), &options,
		    COMMAND_REPORT);
	assert_int_equal(options.report.output.unit, UNIT_ROUND);
}

TEST(a_file_may_be_called_like_an_option_or_a_command)
{
	struct options options;

	accept_line(ARGV("report", "--", "-f"), &options, COMMAND_REPORT);
	assert_string_equal(options.report.path, "-f");
	accept_line(ARGV("report", "run"), &options, COMMAND_REPORT);
	assert_string_equal(options.report.path, "run");
}

TEST(report_wants_one_file)
{
	refuse_line(ARGV("report"), "report", "FILE", "--record FILE");
	refuse_line(ARGV("report", "-q"), "report", "FILE", "--record FILE");
	refuse_line(ARGV("report", "a.ipct", "b.ipct"), "report", "b.ipct", "one FILE");
}

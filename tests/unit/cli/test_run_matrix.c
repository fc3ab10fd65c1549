/* SPDX-License-Identifier: BSD-2-Clause */
/* The runs of the published experiments, and how options change them. */
#include "support/build.h"
#include "support/command_line.h"

#include "cli/experiment.h"
#include "transport/transport.h"
#include "workload/handler.h"
#include "workload/pattern.h"

#include <string.h>

#define ARGV(...) ((char *[]){"ipctrace", ##__VA_ARGS__, NULL})

static struct options parsed(char **argv)
{
	struct options options;

	accept_line(argv, &options, COMMAND_RUN);
	return options;
}

static size_t count_of(char **argv)
{
	return parsed(argv).run.matrix.cnt;
}

/* Counts the runs with this transport, this many clients and messages (0: any). */
static size_t count_runs(const struct run_matrix *matrix, const char *transport, uint32_t clients,
			 uint64_t messages)
{
	size_t cnt = 0;

	for (size_t i = 0; i < matrix->cnt; i++) {
		const struct workload_spec *spec = &matrix->spec[i];

		cnt += !strcmp(spec->transport, transport) &&
		       (!clients || spec->clients == clients) &&
		       (!messages || spec->messages == messages);
	}
	return cnt;
}

TEST(every_word_of_an_experiment_is_known)
{
	const struct experiment *experiment;

	for (size_t i = 0; (experiment = experiment_at(i)); i++) {
		struct options options = parsed(ARGV("--experiment", (char *)experiment->name));

		assert_true(options.run.matrix.cnt > 0);
		for (size_t k = 0; k < options.run.matrix.cnt; k++) {
			const struct workload_spec *spec = &options.run.matrix.spec[k];
			const struct pattern *pattern = pattern_find(spec->pattern);
			const char *argument;
			char why[256];

			if (!transport_find(spec->transport) || !pattern)
				fail_msg("%s: %s over %s", experiment->name, spec->pattern,
					 spec->transport);
			assert_int_equal(pattern->handles, spec->handler[0] != 0);
			assert_int_equal(pattern->needs_period, spec->period_ns > 0);
			if (spec->handler[0])
				assert_non_null(
					handler_find(spec->handler, &argument, why, sizeof(why)));
		}
	}
}

TEST(grame_has_sockets_and_kernel_idle_and_busy)
{
	struct options options = parsed(ARGV("--experiment", "grame"));
	const struct run_matrix *matrix = &options.run.matrix;
	size_t busy = 0;

	assert_string_equal(options.run.experiment->name, "grame");
	assert_int_equal(matrix->cnt, 2 * 7 + 2 * 3);
	assert_int_equal(count_runs(matrix, "uds", 10, 1000), 1);
	assert_int_equal(count_runs(matrix, "kernel", 7, 1000), 1);
	for (size_t i = 0; i < matrix->cnt; i++) {
		assert_int_equal(matrix->spec[i].sched_policy, POLICY_RR);
		assert_int_equal(matrix->spec[i].run, 0);
		busy += matrix->spec[i].load[0] && matrix->spec[i].clients == 1;
	}
	assert_int_equal(busy, 6);
}

TEST(colorado_runs_every_cell_five_times)
{
	struct options options = parsed(ARGV("--experiment", "colorado"));
	const struct run_matrix *matrix = &options.run.matrix;

	assert_int_equal(matrix->cnt, 27 * 5);
	assert_int_equal(count_runs(matrix, "shm", 16, 8), 5);
	assert_int_equal(count_runs(matrix, "tcp", 128, 64), 5);
	assert_int_equal(count_runs(matrix, "fifo", 256, 128), 5);
	for (size_t i = 0; i < matrix->cnt; i++) {
		assert_int_equal(matrix->spec[i].sched_policy, POLICY_OTHER);
		assert_int_equal(matrix->spec[i].cpu_affinity, CPUS_FREE);
		assert_string_equal(matrix->spec[i].handler, "translate");
		assert_true(matrix->spec[i].threads);
		assert_int_equal(matrix->spec[i].run, 1 + i / 27);
	}
}

TEST(options_win_over_an_experiments_own)
{
	struct options options =
		parsed(ARGV("--experiment", "colorado", "--runs", "1", "--clients", "3,4",
			    "--messages", "7", "--warmup", "2", "--size", "100", "--policy", "fifo",
			    "--handler", "echo", "--cpus", "one", "--period", "1ms"));
	const struct run_matrix *matrix = &options.run.matrix;

	assert_int_equal(matrix->cnt, 6);
	assert_int_equal(count_runs(matrix, "fifo", 4, 7), 1);
	for (size_t i = 0; i < matrix->cnt; i++) {
		assert_int_equal(matrix->spec[i].warmup, 2);
		assert_int_equal(matrix->spec[i].size, 100);
		assert_int_equal(matrix->spec[i].sched_policy, POLICY_FIFO);
		assert_int_equal(matrix->spec[i].cpu_affinity, CPUS_ONE);
		assert_int_equal(matrix->spec[i].period_ns, 1000000);
		assert_int_equal(matrix->spec[i].run, 0);
		assert_string_equal(matrix->spec[i].handler, "echo");
	}
}

TEST(only_requests_of_an_experiment_take_the_handler)
{
	struct options options = parsed(ARGV("--experiment", "ipc-bench", "--handler", "echo"));
	const struct run_matrix *matrix = &options.run.matrix;

	for (size_t i = 0; i < matrix->cnt; i++)
		assert_string_equal(matrix->spec[i].handler,
				    strcmp(matrix->spec[i].pattern, "request") ? "" : "echo");
}

/* 7 clients over sockets, the same over the kernel, and one client with each load. */
TEST(runs_that_options_have_made_alike_are_run_once)
{
	assert_int_equal(count_of(ARGV("--experiment", "grame", "--transport", "uds")), 7 + 3);
	assert_int_equal(
		count_of(ARGV("--experiment", "grame", "--transport", "uds", "--load", "cpu")), 7);
	assert_int_equal(count_of(ARGV("--clients", "3,3")), 2);
}

TEST(specs_are_the_same_if_all_but_the_run_is)
{
	const struct workload_spec spec = {.transport = "uds", .clients = 3, .run = 1};
	struct workload_spec other = spec;

	other.run = 2;
	assert_true(spec_same(&spec, &other));
	strcpy(other.load, "ftp");
	assert_false(spec_same(&spec, &other));
	other = spec;
	other.threads = true;
	assert_false(spec_same(&spec, &other));
	other = spec;
	other.read_size = 1;
	assert_false(spec_same(&spec, &other));
}

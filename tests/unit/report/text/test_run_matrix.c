/* SPDX-License-Identifier: BSD-2-Clause */
/* -f text of several runs, over more than clients, and of the published experiments. */
#include "support/build.h"
#include "support/capture.h"
#include "support/page.h"
#include "support/sample.h"

#include "cli/experiment.h"
#include "report/published.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define RUNS_SHOWN 64

/* Runs made by hand. */
struct made {
	struct summary *run[RUNS_SHOWN];
	size_t cnt;
};

static struct made made; /* of each test */

static int setup(void **state)
{
	made.cnt = 0;
	return 0;
}

EACH_TEST(setup, NULL)

static struct summary *add_run(struct made *made, const char *pattern, const char *transport,
			       uint32_t clients, uint64_t size)
{
	struct summary *summary =
		strcmp(pattern, "push") ? sample_paced(pattern, clients) : sample_summary(clients);

	assert_true(made->cnt < RUNS_SHOWN);
	strcpy(summary->info.workload.transport, transport);
	summary->info.workload.size = size;
	made->run[made->cnt++] = summary;
	return summary;
}

static void make_experiment(struct made *made, const char *name)
{
	for (size_t i = 0; i < made->cnt; i++)
		strcpy(made->run[i]->info.experiment, name);
}

static const char *show_made(const struct made *made)
{
	return shown_run_matrix((const struct summary *const *)made->run, made->cnt);
}

/* Up to three decimals, as many as fit. */
static const char *ms(double ns)
{
	static char text[4][32];
	static int i;

	i = (i + 1) % 4;
	snprintf(text[i], sizeof(text[i]), "%.3f", ns / 1e6);
	return text[i];
}

TEST(several_transports_and_sizes_have_a_row_each)
{
	struct summary *tcp, *pipe;
	char expected[256];
	const char *text;

	tcp = add_run(&made, "pingpong", "tcp", 1, 64);
	pipe = add_run(&made, "pingpong", "pipe", 1, 1500);
	text = show_made(&made);
	assert_has(text, "pingpong over several transports, 1 client x 100 messages of several "
			 "sizes, SCHED_RR");
	assert_has(text, "transport bytes mean p99 mean p99 mean tcp 64");
	snprintf(expected, sizeof(expected), " tcp 64 %.1f %.1f %.1f %.1f 2.0 ",
		 stat_mean(&tcp->latency) / 1e3, stat_percentile(&tcp->latency, 99) / 1e3,
		 stat_mean(&tcp->calls.round_trip) / 1e3,
		 stat_percentile(&tcp->calls.round_trip, 99) / 1e3);
	assert_has(text, expected);
	assert_has(text, " pipe 1500 ");
	assert_has_not(text, "GRAME");
	assert_has_not(text, "fastest");
	assert_has_not(text, "clients transport");
	(void)pipe;
}

TEST(push_over_transports_compares_latencies)
{
	struct summary *tcp;
	char expected[128];
	const char *text;

	tcp = add_run(&made, "push", "tcp", 2, 64);
	add_run(&made, "push", "uds", 2, 64);
	text = show_made(&made);
	snprintf(expected, sizeof(expected), "tcp %.1f %.1f %.1f ", stat_mean(&tcp->latency) / 1e3,
		 stat_percentile(&tcp->latency, 50) / 1e3,
		 stat_percentile(&tcp->latency, 99) / 1e3);
	assert_has(text, expected);
	assert_has(text, "fastest tcp with a latency of ");
	assert_has(text, "uds takes 1.00 times as long");
}

TEST(floods_compare_messages_per_second)
{
	const char *text;

	add_run(&made, "flood", "tcp", 1, 64)->flow.seconds = 0.004;
	add_run(&made, "flood", "pipe", 1, 64);
	text = show_made(&made);
	assert_has(text, "throughput messages transport /s MB/s spread");
	assert_has(text, " tcp 24750 1.6 - ");
	assert_has(text, " pipe 99000 6.3 - ");
	assert_has(text, "fastest pipe with 99000 /s; tcp does 25 % of that");
	assert_has(text, "observer traced: the cost of that is part of these figures");
	made.run[0]->info.traced = made.run[1]->info.traced = false;
	text = show_made(&made);
	assert_has(text, "untraced");
	assert_has(text, "observer none: these runs were not traced");
}

TEST(under_several_conditions_the_fastest_is_the_one_that_wins_most)
{
	const char *text;

	add_run(&made, "flood", "tcp", 1, 64)->flow.seconds = 0.004;
	add_run(&made, "flood", "tcp", 1, 1500)->flow.seconds = 0.0001;
	add_run(&made, "flood", "tcp", 1, 4096)->flow.seconds = 0.004;
	add_run(&made, "flood", "pipe", 1, 64);
	add_run(&made, "flood", "pipe", 1, 1500);
	add_run(&made, "flood", "pipe", 1, 4096);
	text = show_made(&made);
	assert_has(text, "fastest tcp in 1 of 3 comparisons, pipe in 2 of 3 comparisons");
}

TEST(what_was_not_measured_is_not_the_fastest)
{
	add_run(&made, "flood", "tcp", 1, 64)->flow.messages = 0;
	add_run(&made, "flood", "pipe", 1, 64);
	assert_has_not(show_made(&made), "fastest");
}

TEST(several_runs_are_one_row)
{
	char expected[64];
	const char *text;

	for (uint32_t run = 1; run <= 3; run++)
		add_run(&made, "push", "uds", 2, 64)->info.workload.run = run;
	text = show_made(&made);
	assert_has(text, "3 runs each, the lowest and the highest dropped");
	snprintf(expected, sizeof(expected), " 2 %.1f ",
		 stat_mean(&made.run[0]->rounds.first) / 1e3);
	assert_has(text, expected);
	assert_has(text, " 2 600 600 0 0 ");
	made.run[2]->info.workload.clients = 1;
	assert_has(show_made(&made), "up to 2 runs each host");
}

TEST(warnings_name_the_configuration_and_the_problem)
{
	struct summary *tcp;
	const char *text;

	strcpy(add_run(&made, "flood", "pipe", 1, 64)->info.workload.load, "ftp");
	tcp = add_run(&made, "flood", "tcp", 2, 1500);
	strcpy(tcp->info.workload.load, "ftp");
	tcp->integrity.corrupt = 4;
	assert_has(show_made(&made), "warning 2 clients over tcp");
	tcp->load.ended = true;
	text = show_made(&made);
	assert_has(text, "warning 2 clients over tcp, 1500 bytes: 200 sent, 200 matched, "
			 "0 incomplete, 0 lost, 4 corrupt");
	assert_has(text, "load ftp, which ended by itself");
	assert_has_not(text, "warning 1 client over pipe");
	tcp->flow.messages = 150;
	text = show_made(&made);
	assert_has(text, "4 corrupt; every message adds up; ended early after 150 of 200 messages; "
			 "load");
	tcp->flow.messages = 200;
	make_experiment(&made, "ipc-bench");
	text = show_made(&made);
	assert_has(text, "integrity of all runs: 300 sent, 300 matched, 0 incomplete, 0 lost, 4 "
			 "corrupt");
	assert_has(text, "warning 2 clients over tcp");
}

TEST(loads_are_shown_with_their_total_count)
{
	static const char *const loads[] = {"", "ftp", "launch", "ftp"};
	const char *text;

	for (size_t i = 0; i < ARRAY_SIZE(loads); i++) {
		struct summary *run = add_run(&made, "push", "uds", 1 + i, 64);

		strcpy(run->info.workload.load, loads[i]);
		run->load.count = 10 * i;
	}
	text = show_made(&made);
	assert_has(text, "loads ftp, 40 times in the meantime; launch, 20 times in the meantime");
	made.cnt = 1;
	assert_has_not(show_made(&made), "loads");
}

TEST(a_run_matrix_by_the_kernel_shows_the_order_of_each_configuration)
{
	const char *text;

	add_run(&made, "push", "kernel", 1, 64);
	add_run(&made, "push", "kernel", 2, 64);
	text = show_made(&made);
	assert_has(text, "serving order of 2 clients does not vary");
	assert_has_not(text, "of 1 client");
	assert_has_not(text, "corrupt");
	strcpy(made.run[1]->info.workload.load, "ftp");
	assert_has(show_made(&made), "serving order of 2 clients beside ftp does not vary");
}

TEST(grame_shows_both_transports_and_the_loads)
{
	struct summary *busy;
	char expected[128];
	const char *text;

	add_run(&made, "push", "uds", 1, 64);
	add_run(&made, "push", "uds", 3, 64);
	add_run(&made, "push", "kernel", 1, 64);
	add_run(&made, "push", "kernel", 3, 64);
	busy = add_run(&made, "push", "uds", 1, 64);
	strcpy(busy->info.workload.load, "launch");
	make_experiment(&made, "grame");
	text = show_made(&made);
	assert_has(text, "experiment grame: push over several transports, 1-3 clients");
	assert_has(text, "uds: latency (us)");
	assert_has(text, "kernel: latency (us)");
	assert_has(text, "Windows 98 15 40 - 55-90 medium");
	assert_has(text, "this run, kernel, 64 bytes");
	assert_has(text, "GRAME 2001, 1 client, busy (us) largest range peak");
	assert_has(text, "kernel module, no IPC 25-40 71");
	assert_has(text, "Windows 2000 - >8000");
	assert_has(text, "this run, uds, idle ");
	snprintf(expected, sizeof(expected), "this run, uds, launch %.0f-%.0f %.0f ",
		 (busy->peaks.medium_ns - busy->peaks.width_ns) / 1e3,
		 (busy->peaks.medium_ns + busy->peaks.width_ns) / 1e3, busy->latency.max / 1e3);
	assert_has(text, expected);
	assert_has(text, "with 1 client sockets take 1.00 times as long for the first, with 3 "
			 "clients sockets take 1.00 times as long for the first and 1.00 times as "
			 "long for the last (published: 2 to 3 times");
	assert_has(text, "serving order of 3 clients does not vary");
}

TEST(grame_without_the_kernel_has_no_comparison_with_it)
{
	const char *text;

	add_run(&made, "push", "uds", 1, 64);
	make_experiment(&made, "grame");
	text = show_made(&made);
	assert_has(text, "uds: latency (us)");
	assert_has_not(text, "kernel: latency");
	assert_has_not(text, "sockets take");
	assert_has_not(text, "1 client, busy");
}

TEST(lipc_counts_connections_per_second)
{
	const char *text;

	add_run(&made, "connect", "uds-stream", 1, 64);
	add_run(&made, "connect", "tcp", 1, 64)->flow.seconds = 0.004;
	make_experiment(&made, "lipc");
	text = show_made(&made);
	assert_has(text, "connections per second unix tcp unix / tcp");
	assert_has(text, "published, C and C++ 115000 25000 4.6");
	assert_has(text, "published, Python 65000 15000 4.3");
	assert_has(text, "this run 100000 25000 4.0");
	made.cnt = 1;
	assert_has(show_made(&made), "this run 100000 - -");
}

TEST(colorado_shows_each_configuration_beside_the_published_one)
{
	struct summary *shm, *fifo;
	char expected[128];
	const char *text;

	shm = add_run(&made, "request", "shm", 16, 64);
	shm->info.workload.messages = 64;
	fifo = add_run(&made, "request", "fifo", 16, 64);
	fifo->info.workload.messages = 128;
	make_experiment(&made, "colorado");
	text = show_made(&made);
	assert_has(text, "shm: ms per message");
	assert_has(text, "fifo: ms per message");
	snprintf(expected, sizeof(expected), " 16 64 0.095 %s %s %s %.1f %% %s ",
		 ms(stat_mean(&shm->latency)), ms(stat_mean(&shm->calls.round_trip)), "2.0",
		 100 * 1500.0 / 1850, ms(2016000));
	assert_has(text, expected);
	assert_has(text, " 16 128 - ");
	assert_has(text, "deadlocked beyond 128 clients x 8 messages");
}

TEST(studio6_shows_the_time_for_all_exchanges_and_what_merged)
{
	const char *text;
	struct summary *merged = add_run(&made, "pingpong", "signal-std", 1, 64);

	merged->info.workload.messages = 5000;
	merged->flow.wakes_sent = 15000;
	merged->flow.wakes_delivered = 5000;
	merged->client[0].time_ns = 12345000;
	add_run(&made, "pingpong", "pipe", 1, 64)->info.workload.messages = 1000;
	make_experiment(&made, "studio6");
	text = show_made(&made);
	assert_has(text, " signal-std 5000 12.345 69.400 ");
	assert_has(text, " pipe 1000 110.000 - ");
	assert_has(text, "signal-std, 5000 exchanges: 15000 sent, 5000 delivered, 10000 merged "
			 "with one that was pending (published: 15956 sent for 5000 received)");
}

TEST(ipc_bench_shows_latency_throughput_and_the_servers_own_time)
{
	struct summary *uds, *exec;
	char expected[128];
	const char *text;

	uds = add_run(&made, "pingpong", "uds-stream", 1, 100);
	add_run(&made, "pingpong", "tcp", 1, 23);
	add_run(&made, "flood", "udp", 1, 1500);
	exec = add_run(&made, "request", "uds-stream", 1, 100);
	strcpy(exec->info.workload.handler, "exec=echo answer");
	make_experiment(&made, "ipc-bench");
	text = show_made(&made);
	snprintf(expected, sizeof(expected), " uds-stream 100 2115 %.0f %.0f ",
		 stat_mean(&uds->calls.round_trip) / 2, stat_mean(&uds->latency));
	assert_has(text, expected);
	assert_has(text, " tcp 23 - ");
	assert_has(text, "flood: throughput one way");
	assert_has(text, " udp 1500 99000 6.3 ");
	snprintf(expected, sizeof(expected), " exec=echo answer %.1f 2.0 %.1f ",
		 stat_mean(&exec->calls.round_trip) / 1e3,
		 stat_mean(&exec->calls.round_trip) / 1e3 - 2);
	assert_has(text, expected);
	assert_has(text, "C client, C server 2 us, Python client, C server 53 us");
	assert_has(text, "server forks a shell command 900 us");
}

/* Every experiment has tables for all its configurations. */
TEST(every_experiment_has_a_report)
{
	const struct experiment *experiment;

	for (size_t i = 0; (experiment = experiment_at(i)); i++) {
		struct made made = {0};
		char title[64];
		const char *text;

		for (size_t k = 0; k < experiment->block_cnt; k++) {
			const struct block *block = &experiment->block[k];
			struct summary *run = add_run(&made, block->pattern, block->transports[0],
						      block->clients[0], block->sizes[0]);

			strcpy(run->info.workload.load, block->loads[0]);
			strcpy(run->info.workload.handler, block->handler ?: "");
		}
		make_experiment(&made, experiment->name);
		text = show_made(&made);
		snprintf(title, sizeof(title), "experiment %s: ", experiment->name);
		assert_has(text, title);
		assert_has(text, strcmp(experiment->name, "grame") ? "ublished" : PUBLISHED_SOURCE);
	}
}

TEST(what_was_not_published_is_no_number)
{
	assert_true(isnan(published_colorado_ms("tcp", 16, 9)));
	assert_true(isnan(published_colorado_ms("fifo", 16, 8)));
	assert_true(published_colorado_ms("tcp", 256, 128) == 3.515);
	assert_true(isnan(published_studio6_ms("pipe", 4999)));
	assert_true(isnan(published_studio6_ms("shm", 5000)));
	assert_true(published_studio6_ms("fifo", 5000) == 21.3);
	assert_true(isnan(published_ipc_bench_ns("udp", 1)));
	assert_true(published_ipc_bench_ns("pipe", 1500) == 2062);
}

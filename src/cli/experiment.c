/* SPDX-License-Identifier: BSD-2-Clause */
/* Lists the published experiments. Their published figures are in report/published.c. */
#include "cli/experiment.h"

#include "util/word_list.h"

#include <string.h>

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))
#define WORDS(...)      ((const char *const[]){__VA_ARGS__, NULL})
#define NUMBERS(...)    ((const uint32_t[]){__VA_ARGS__, 0})

#define IDLE            WORDS("")
#define ONE_CLIENT      NUMBERS(1)
#define SMALL           NUMBERS(64)

#define GRAME_PERIOD_NS 10000000

/* Pattern, transports, loads, sizes, clients and messages; then what not every block has. */

/* An idle machine with more and more clients, then one client on a busy machine. */
static const struct block grame_blocks[] = {
	{"push", WORDS("uds", "kernel"), IDLE, SMALL, NUMBERS(1, 2, 3, 4, 5, 7, 10), NUMBERS(1000),
	 .warmup = 100, .period_ns = GRAME_PERIOD_NS},
	{"push", WORDS("uds", "kernel"), WORDS("launch", "ftp", "window"), SMALL, ONE_CLIENT,
	 NUMBERS(1000), .warmup = 100, .period_ns = GRAME_PERIOD_NS},
};

/* The original ran for one second per transport. This many connections take about as long. */
static const struct block lipc_blocks[] = {
	{"connect", WORDS("uds-stream", "tcp"), IDLE, SMALL, ONE_CLIENT, NUMBERS(10000),
	 .warmup = 100},
};

static const struct block colorado_blocks[] = {
	{"request", WORDS("shm", "tcp", "fifo"), IDLE, SMALL, NUMBERS(16, 128, 256),
	 NUMBERS(8, 64, 128), .handler = "translate", .threads = true},
};

static const struct block studio6_blocks[] = {
	{"pingpong", WORDS("signal-std", "signal", "pipe", "fifo", "uds-stream", "tcp"), IDLE,
	 SMALL, ONE_CLIENT, NUMBERS(1000, 2000, 3000, 4000, 5000), .warmup = 0},
};

#define BENCH_TRANSPORTS WORDS("pipe", "uds-stream", "tcp", "udp")
#define BENCH_SIZES      NUMBERS(1, 23, 100, 1500)

/* Latency and throughput by message size, then the time that a server needs for an answer. */
static const struct block ipc_bench_blocks[] = {
	{"pingpong", BENCH_TRANSPORTS, IDLE, BENCH_SIZES, ONE_CLIENT, NUMBERS(10000),
	 .warmup = 100},
	{"flood", BENCH_TRANSPORTS, IDLE, BENCH_SIZES, ONE_CLIENT, NUMBERS(20000), .warmup = 100},
	{"request", WORDS("uds-stream"), IDLE, NUMBERS(100), ONE_CLIENT, NUMBERS(10000),
	 .warmup = 100, .handler = "echo"},
	{"request", WORDS("uds-stream"), IDLE, NUMBERS(100), ONE_CLIENT, NUMBERS(10000),
	 .warmup = 100, .handler = "translate"},
	{"request", WORDS("uds-stream"), IDLE, NUMBERS(100), ONE_CLIENT, NUMBERS(500), .warmup = 10,
	 .handler = "exec=echo answer"},
};

static const struct experiment experiments[] = {
	{"grame", "push to 1-10 clients (GRAME report of 2001)", POLICY_RR, 1, grame_blocks,
	 COUNT_OF(grame_blocks)},
	{"lipc", "connections per second by unix sockets and TCP", POLICY_OTHER, 1, lipc_blocks,
	 COUNT_OF(lipc_blocks)},
	{"colorado", "a translator that serves up to 256 clients", POLICY_OTHER, 5, colorado_blocks,
	 COUNT_OF(colorado_blocks)},
	{"studio6", "up to 5000 exchanges by signals, pipes and sockets", POLICY_OTHER, 1,
	 studio6_blocks, COUNT_OF(studio6_blocks)},
	{"ipc-bench", "latency and throughput by message size", POLICY_OTHER, 1, ipc_bench_blocks,
	 COUNT_OF(ipc_bench_blocks)},
};

const struct experiment *experiment_find(const char *name)
{
	for (size_t i = 0; i < COUNT_OF(experiments); i++) {
		if (!strcmp(experiments[i].name, name))
			return &experiments[i];
	}
	return NULL;
}

const struct experiment *experiment_at(size_t i)
{
	return i < COUNT_OF(experiments) ? &experiments[i] : NULL;
}

const char *experiment_names(void)
{
	static char names[128];
	struct word_list list = {.text = names, .size = sizeof(names)};

	for (size_t i = 0; i < COUNT_OF(experiments); i++)
		word_list_add(&list, "%s", experiments[i].name);
	return names;
}

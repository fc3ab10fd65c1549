/* SPDX-License-Identifier: BSD-2-Clause */
/* Runs whole workloads for tests, and keeps their records. */
#pragma once

#include "workload/workload.h"

/* Not more messages than the shortest queue holds: even a client without a CPU loses nothing. */
#define MESSAGES 8
#define WARMUP   2
#define ROUNDS   (MESSAGES + WARMUP)
#define CLIENTS  3

/* No run has more clients. */
#define CLIENTS_MOST 100

/* Runs at the same time: every pattern with processes and with threads. */
#define RUNS_MAX  6

#define PERIOD_NS 1000000

/* The instants of one message, in their order. */
struct instants {
	uint64_t stamp_ns;
	uint64_t send_ns;
	uint64_t queued_ns;
	uint64_t enter_ns;
	uint64_t exit_ns;
	uint64_t user_ns;
};

/* The records of a run, summed up. */
struct outcome {
	struct workload_spec spec;
	struct record_role role[CLIENTS_MOST + 1];
	struct record_traffic traffic[CLIENTS_MOST + 1][2];
	uint64_t stamps[CLIENTS_MOST + 1][2];
	struct record_stamp last[CLIENTS_MOST + 1][2];
	struct instants instants[CLIENTS_MOST + 1][2][ROUNDS]; /* where transports note them */
	uint64_t sends;
	uint64_t receives;
	uint64_t ticks;
	uint32_t roles;
	uint32_t directions;
	struct record_left left[CLIENTS_MOST + 1];
	uint32_t lefts;
	struct record_pauses pauses;
	uint64_t lost;
	uint64_t kill_round; /* not 0: at that round, kill_process is killed */
	unsigned int kill_process;
	uint64_t per_round;  /* messages */
	uint64_t stop_round; /* not 0: at that round, the run is stopped */
	bool is_lazy;        /* the driver drains only when all members wait for that */
	uint64_t rounds_seen;
};

struct outcome workload_outcome_of(const char *transport, const char *pattern);

struct workload *workload_begin(const struct workload_spec *spec);

/* Hands the records since the last call to `outcome`, and lets members that pause go on. */
void workload_drain(struct outcome *outcome, struct workload *workload);

void workload_finish(struct outcome *outcome, struct workload *workload);

/* Runs several workloads at the same time, for those that mostly wait. */
void workload_run_together(struct outcome *outcomes, size_t count);

void workload_run(struct outcome *outcome);

#define LINKED_PATTERNS_CNT 3

/* The patterns with links: one with ticks and two with exchanges. */
extern const char *const linked_patterns[LINKED_PATTERNS_CNT];

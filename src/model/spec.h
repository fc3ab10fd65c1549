/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Defines struct run_info, which says what is measured and on which machine. Recordings and
 * reports contain run_info.
 */
#pragma once

#include "model/condition.h"

#include "bpf/record.h"

#include <sched.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SPEC_TEXT_LEN 64
#define CLIENTS_MAX   1000

enum sched_policy { POLICY_RR, POLICY_FIFO, POLICY_DEADLINE, POLICY_OTHER, NR_SCHED_POLICIES };

/* Where threads may run. CPUS_LISTS: in `server_cpus` and `client_cpus`. */
enum cpu_affinity { CPUS_FREE, CPUS_ONE, CPUS_SPREAD, CPUS_LISTS, NR_CPU_AFFINITIES };

/*
 * The syscall in which a receiver waits: the receive itself, or one that watches several channels.
 */
enum reader { READER_BLOCK, READER_POLL, READER_EPOLL, NR_READERS };

/* One run of a run_matrix: the workload is the same, traced or not. */
struct workload_spec {
	char transport[SPEC_TEXT_LEN];
	char pattern[SPEC_TEXT_LEN];
	uint32_t clients;
	uint64_t messages;           /* per client, after the warm-up */
	uint64_t warmup;             /* per client, before these; in no statistic */
	uint64_t period_ns;          /* 0: each exchange begins when the last one ends */
	uint64_t size;               /* bytes of one message */
	char handler[SPEC_TEXT_LEN]; /* what the server does with a request: "echo", "spin=20us" */
	char load[SPEC_TEXT_LEN];    /* what loads the machine meanwhile; empty: nothing */
	bool threads;                /* clients are threads of one process */
	enum reader reader;
	uint64_t read_size; /* bytes asked for by one receive on byte streams; 0: `size` */
	uint32_t run;       /* number of this repetition, from 1; 0: the only one */
	enum sched_policy sched_policy;
	int server_priority; /* rr and fifo only */
	int client_priority;
	enum cpu_affinity cpu_affinity;
	char server_cpus[SPEC_TEXT_LEN];
	char client_cpus[SPEC_TEXT_LEN];
};

/* The machine of a run. An empty text is not known. */
struct host {
	char kernel[SPEC_TEXT_LEN];
	char arch[SPEC_TEXT_LEN];
	uint32_t cpus;
	char preemption[SPEC_TEXT_LEN];
	char clocksource[SPEC_TEXT_LEN];
	char virtual_machine[SPEC_TEXT_LEN]; /* the hypervisor, "yes" if it has no name, or "no" */
};

/*
 * READER_IDLE: a CPU only if no other thread wants it, as long as the ring buffer does not fill up.
 * READER_OTHER: as any other thread. READER_CPUS: the same, but only on `cpus`.
 * Recordings contain these numbers.
 */
enum reader_policy { READER_IDLE, READER_OTHER, READER_CPUS, NR_READER_POLICIES };

/* How the thread that reads records gets its CPU. */
struct reader_spec {
	enum reader_policy policy;
	cpu_set_t cpus; /* READER_CPUS */
};

/*
 * How much is traced. At LEVEL_LIGHT no BPF program runs at syscalls: their begins and ends are not
 * known. LEVEL_DEEP is LEVEL_FULL and the records of bpf/deep.h.
 */
enum level { LEVEL_FULL, LEVEL_LIGHT, LEVEL_DEEP, NR_LEVELS };

/* A run has a workload of its own; an attach traces programs that run anyway. */
enum mode { MODE_RUN, MODE_ATTACH, NR_MODES };

/* When tracing began. Recordings before version 11 do not have it: all are 0. */
struct begin {
	uint64_t unix_ns;     /* wall-clock time, since 1970 */
	uint64_t ns;          /* the same instant of CLOCK_MONOTONIC */
	int32_t utc_offset_s; /* of local time at the machine that recorded, east is positive */
};

/*
 * MODE_ATTACH: processes that targets have started, and that are no targets although they have a
 * socket or a pipe open. Of their messages only those with a target are recorded.
 */
#define UNTRACED_NAMED_MAX 3
#define PROCESS_COMM_LEN   16

struct untraced_process {
	uint32_t pid;
	char comm[PROCESS_COMM_LEN];
};

struct untraced {
	uint32_t cnt;
	struct untraced_process named[UNTRACED_NAMED_MAX]; /* the first ones */
};

/* How many of them are named. */
static inline uint32_t untraced_named(const struct untraced *untraced)
{
	return untraced->cnt < UNTRACED_NAMED_MAX ? untraced->cnt : UNTRACED_NAMED_MAX;
}

/* What a report has to know about a recording before its first record. */
struct run_info {
	char version[SPEC_TEXT_LEN]; /* of the ipctrace that recorded */
	char command_line[512];
	struct host host;
	enum mode mode;
	struct workload_spec workload;  /* MODE_RUN */
	char target[4 * SPEC_TEXT_LEN]; /* MODE_ATTACH: what was attached to, in words */
	char peer[SPEC_TEXT_LEN]; /* MODE_ATTACH: only messages with such a peer; empty: all */
	bool calls_in_turn; /* MODE_ATTACH: answers come in the order of requests (--calls fifo) */
	char server[SPEC_TEXT_LEN]; /* MODE_ATTACH: this process serves, by number or glob; empty:
				     */
	char client[SPEC_TEXT_LEN]; /* as found out; this process calls */
	char experiment[SPEC_TEXT_LEN]; /* of which this run is a part; empty: none */
	bool traced;                    /* false: --no-trace, only the stamps of the workload */
	uint32_t tracer_pid;            /* of the ipctrace that recorded; 0: not known */
	struct begin begin;
	struct untraced untraced; /* when tracing began; older recordings do not have it */
	enum level level;
	uint64_t keeps_slower_ns; /* --slower-than: of these the recording has records; 0: not given
				   */
	char condition[CONDITION_TEXT_LEN]; /* the recording has records only around messages or
					       calls that fulfil it; empty: it has all */
	uint64_t keep_ns;                   /* from this time before such a message on */
	bool shows_switch; /* the kernel shows the end of a context switch (sched_exit_tp) */
	bool shows_room;   /* waits for room are recorded, from version 10 of recordings on */
};

/* Whether a run can have a pattern of this name. */
bool spec_pattern_is_known(const char *pattern);

/* What follows from the name of the pattern; all false without one. */
bool spec_has_rounds(const struct workload_spec *spec);      /* a tick sends to all clients */
bool spec_has_calls(const struct workload_spec *spec);       /* the server answers */
bool spec_has_stamps(const struct workload_spec *spec);      /* receivers note every message */
bool spec_has_connections(const struct workload_spec *spec); /* a new one for each message */
bool spec_server_sends(const struct workload_spec *spec);    /* and only it: all clients receive */

/* Whether records show how the connections of a run were opened. */
bool info_shows_connections(const struct run_info *info);

/* Whether message or round `index`, counted from the start of the run, is part of the warm-up. */
static inline bool spec_is_warmup(const struct workload_spec *spec, uint64_t index)
{
	return index < spec->warmup;
}

/* The words of the command line and of reports. */
#define NR_PATTERNS 5
extern const char *const spec_pattern_names[NR_PATTERNS];
extern const char *const mode_names[NR_MODES];
extern const char *const sched_policy_names[NR_SCHED_POLICIES];
extern const char *const cpu_affinity_names[NR_CPU_AFFINITIES];
extern const char *const reader_names[NR_READERS];
extern const char *const level_names[NR_LEVELS];
extern const char *const reader_policy_names[NR_READER_POLICIES];
extern const char *const left_reason_names[NR_LEFT_REASONS]; /* send_failed */
extern const char *const loss_names[NR_LOSSES];              /* ring_full */

/* Whether both are the same workload; the number of the repetition does not matter. */
bool spec_same(const struct workload_spec *a, const struct workload_spec *b);

/* "free", "one", "spread" or "server=0,clients=1-3" into `text`. */
void cpu_affinity_text(const struct workload_spec *spec, char *text, size_t size);

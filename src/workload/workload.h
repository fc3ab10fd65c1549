/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Declares the workload, which is the server and the clients of one run. The workload knows
 * nothing of tracing. The workload hands out the clock readings of the server and the clients as
 * records.
 *
 *	w = workload__new(&spec);	checks the spec, makes directory and shared memory
 *	workload__spawn(w);		processes exist, have policy and CPUs, wait at the gate
 *	... trace each of workload__pid(w, i) ...
 *	workload__start(w);		opens the gate
 *	while (workload__running(w)) workload__drain(w, put, ctx), workload__drained(w, ns), sleep;
 *	workload__drain(w, put, ctx);
 *	workload__free(w);		ends the remaining processes, removes everything it made
 *
 * Errors are logged once (log.h), and returned as -errno.
 */
#pragma once

#include "bpf/record.h"
#include "model/spec.h"
#include "util/ring_gauge.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct workload;

/* Exchanges without a period follow one another at once, but hardly faster than this. */
#define WORKLOAD_FASTEST_NS 2000

/* The shortest time from one tick or exchange to the next, in ns. */
static inline uint64_t workload_step_ns(const struct workload_spec *spec)
{
	return spec->period_ns ? spec->period_ns : WORKLOAD_FASTEST_NS;
}

/* Removes what killed runs of this user have left in the system. */
void workload_tidy(void);

/* Copies `spec`. NULL and errno on failure; EINVAL: the spec cannot be run (already logged). */
struct workload *workload__new(const struct workload_spec *spec);

/*
 * Forks server and clients. Returns when all of them wait at the gate: policy set and privileges
 * dropped. -EPERM: the policy needs a privilege. After a failure no process is left.
 */
int workload__spawn(struct workload *w);

/* Pid of process i, server first; 0 past the end. Processes that these start are not counted. */
pid_t workload__pid(const struct workload *w, unsigned int i);

/* Opens the gate. Returns 0 when all clients have a link to the server, or -errno. */
int workload__start(struct workload *w);

/*
 * Reaps processes that have ended. False once all have. A client that stays for two seconds after
 * the server has ended is killed, which is a LEFT record and not an error. Two kinds of clients are
 * ended at once by SIGTERM: one that the server has dropped, and in a stopped run one that has
 * received everything.
 */
bool workload__running(struct workload *w);

/* Whether a process has failed. workload__running() has logged it. */
bool workload__failed(const struct workload *w);

/* Rounds that the server has sent, or exchanges of each client so far, warm-up included. */
uint64_t workload__rounds(const struct workload *w);

/* Messages of all clients together. An exchange is two messages. */
uint64_t workload__messages_per_round(const struct workload *w);

/*
 * Hands out the records since the last call: ROLE and CHANNEL first, then the records of server and
 * clients (TICK, STAMP, SEND, RECEIVE), LEFT, and after the end of all processes TRAFFIC and
 * PAUSES. Call it
 * at least every workload__drain_interval_ns(): records that find no room in the shared memory are
 * lost, and counted.
 */
int workload__drain(struct workload *w, record_put_fn *put, void *ctx);
uint64_t workload__drain_interval_ns(const struct workload *w);

/*
 * Before workload__spawn(): the kernel writes at most `bytes` bytes of records for a message to the
 * ring behind `gauge`. Members pause before it is full.
 */
void workload__share_ring(struct workload *w, const struct ring_gauge *gauge, uint64_t bytes);

/*
 * All records are read that there were, those of the kernel as well: members that pause go on. They
 * pause again if the next call does not come within `within_ns`.
 */
void workload__drained(struct workload *w, uint64_t within_ns);

/*
 * Whether all members that begin exchanges or rounds pause, or have finished, and no message is
 * under way any more. Async-signal-safe.
 */
bool workload__pauses(const struct workload *w);

/* Records that found no room in the shared memory. */
uint64_t workload__lost(const struct workload *w);

/*
 * Asks the server to end after the current round. Async-signal-safe. workload__running() ends a
 * server that goes on for two more seconds, for example asleep until a far tick.
 */
void workload__stop(struct workload *w);

/* NULL allowed. Kills all processes, waits for them, removes directory and shared memory. */
void workload__free(struct workload *w);

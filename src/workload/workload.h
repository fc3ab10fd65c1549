/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The workload: server and client processes that run one cell of an experiment. Knows nothing of
 * tracing; what it measures by itself (ticks, client stamps) comes out as records.
 *
 *	w = workload__new(&spec);	checks the spec, makes directory and shared memory
 *	workload__spawn(w);		processes exist, have policy and CPUs, wait at the gate
 *	... trace each of workload__pid(w, i) ...
 *	workload__start(w);		opens the gate
 *	while (workload__running(w)) workload__drain(w, put, ctx), sleep;
 *	workload__drain(w, put, ctx);
 *	workload__free(w);		ends what still lives, removes everything it made
 *
 * Errors are logged here (log.h), once, in the user's words, and returned as -errno.
 */
#ifndef IPCTRACE_WORKLOAD_H
#define IPCTRACE_WORKLOAD_H

#include "bpf/record.h"
#include "model/spec.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct workload;

/* Without a period exchanges follow one another as fast as they can: hardly faster than this. */
#define WORKLOAD_FASTEST_NS 2000

/* Takes one record; the record is only valid during the call. 0 or -errno, which ends the drain. */
typedef int workload_put_fn(void *ctx, const struct record *record);

/* Removes what runs of this user that were killed have left in the system. */
void workload_tidy(void);

/* Copies `spec`. NULL and errno on failure; EINVAL: the spec cannot be run (already logged). */
struct workload *workload__new(const struct workload_spec *spec);

/*
 * Forks server and clients. Returns when all of them are ready: policy set, privileges dropped,
 * open handshake still to come. -EPERM: policy needs a privilege. On failure none of it lives on.
 */
int workload__spawn(struct workload *w);

/* Process i of all, server first; 0 past the end. Those that it makes later are its own. */
pid_t workload__pid(const struct workload *w, unsigned int i);

/* Opens the gate. Returns when all clients have a link to the server, or with the reason why not.
 */
int workload__start(struct workload *w);

/*
 * Reaps what ended. False once all processes have left. A client that stays after the server has
 * ended is given two seconds and then killed; that is a LEFT record, not an error. Ended at once,
 * by SIGTERM: a client that the server has dropped, and in a stopped run one that has received all.
 */
bool workload__running(struct workload *w);

/* Whether a process has failed, which workload__running() has logged. */
bool workload__failed(const struct workload *w);

/* Rounds that the server has sent, or exchanges per client so far, warm-up included. */
uint64_t workload__rounds(const struct workload *w);

/* Of all clients together; an exchange is two. */
uint64_t workload__messages_per_round(const struct workload *w);

/*
 * Hands out what happened since the last call: ROLE and CHANNEL records first, then what server and
 * clients have noted (TICK, STAMP, SEND, RECEIVE), LEFT, and when all has ended TRAFFIC. Call it at
 * least every workload__drain_interval_ns(), or the shared logs fill up (which is counted).
 */
int workload__drain(struct workload *w, workload_put_fn *put, void *ctx);
uint64_t workload__drain_interval_ns(const struct workload *w);

/* Records that did not fit into the shared logs. */
uint64_t workload__lost(const struct workload *w);

/*
 * Asks the server to end after its present round, from a signal handler too. One that has not ended
 * two seconds later (it sleeps until a far tick) is ended by workload__running().
 */
void workload__stop(struct workload *w);

/* NULL allowed. Kills what still runs, waits for it, removes directory and shared memory. */
void workload__free(struct workload *w);

#endif

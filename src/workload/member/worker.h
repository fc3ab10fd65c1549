/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Defines the worker, which holds the data that the server or a client needs. Declares what
 * reports its failures, and what runs its process.
 */
#pragma once

#include "bpf/record.h"
#include "transport/transport.h"
#include "workload/member/shared.h"
#include "workload/plan.h"

#include <stdbool.h>
#include <sys/types.h>

struct worker {
	const struct plan *plan;
	const char *directory;
	struct shared *shared;
	struct medium *medium;
	uint32_t number; /* 0: the server; else the number of the client */
	pid_t parent;
};

/* "ipctrace-server" or "ipctrace-cl-7", as in ROLE records. */
void worker_name(uint32_t number, char name[RECORD_COMM_LEN]);

/*
 * Reports what failed: which thing: why (`err`, negative errno): what to do. The driver logs the
 * first failure of all members. Returns the exit status.
 */
int worker_fail(const struct worker *worker, const char *what, const char *thing, int err,
		const char *remedy);

struct slot *worker_slot(const struct worker *worker);

/* Whether this member is to end: the whole run is stopped, or this member alone. */
bool worker_is_over(const struct worker *worker);

/* Returns early if this member is to end. */
void worker_sleep_until(const struct worker *worker, uint64_t time_ns);

/*
 * Runs a process from fork to _exit: it is set up as root, drops privileges, reports that it is
 * ready, waits at the gate, and runs the server, a client, or (plan.spec.threads) all clients. It
 * has one thread until the gate opens, so that the caller can mark it for tracing.
 */
_Noreturn void process_run(const struct worker *worker);

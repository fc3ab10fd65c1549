/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Defines the worker, which holds the data that the server or a client needs. Declares functions
 * that set up threads, report failures, and drop privileges.
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
 * Sets up a thread of a workload: name, CPUs, scheduling policy, and its journals in memory. 0, or
 * the exit status of a failure that is already reported.
 */
int worker_set_up_thread(const struct worker *worker);

/* A part of worker_set_up_thread(). */
int worker_set_policy(const struct worker *worker);

/* Kills this process when its parent ends. A change of user undoes that. */
void worker_follow_death(const struct worker *worker);

/*
 * Drops the privileges of the whole process for good. 0, or the exit status of a failure that is
 * already reported.
 */
int worker_drop_privileges(const struct worker *worker);

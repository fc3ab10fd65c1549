/* SPDX-License-Identifier: BSD-2-Clause */
/* What one member of a workload, the server or a client, knows, and how it says what went wrong. */
#ifndef IPCTRACE_WORKLOAD_MEMBER_WORKER_H
#define IPCTRACE_WORKLOAD_MEMBER_WORKER_H

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
	uint32_t number; /* 0: the server; else the client's number */
	pid_t parent;
};

/* "ipctrace-server", "ipctrace-cl-7", also in ROLE records. */
void worker_name(uint32_t number, char name[RECORD_COMM_LEN]);

/*
 * What failed: which thing: why (`err`, negative errno): what to do. The driver logs the first of
 * all these. Returns the exit status for a body to return.
 */
int worker_fail(const struct worker *worker, const char *what, const char *thing, int err,
		const char *remedy);

struct slot *worker_slot(const struct worker *worker);

/* Whether this member is to end: everybody is, or this one alone. */
bool worker_is_over(const struct worker *worker);

/* Returns early if this member is to end. */
void worker_sleep_until(const struct worker *worker, uint64_t time_ns);

/*
 * What each thread of a workload has of its own: name, CPUs, scheduling, and its journals at hand.
 * 0, or the exit status of a failure that has been said.
 */
int worker_set_up_thread(const struct worker *worker);

/* Part of the above. */
int worker_set_policy(const struct worker *worker);

/* This process is killed when its parent ends. A change of user undoes that. */
void worker_follow_death(const struct worker *worker);

/* The whole process: for good. 0, or the exit status of a failure that has been said. */
int worker_drop_privileges(const struct worker *worker);

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/* The driver's own view of a workload, for the files that implement workload.h. */
#ifndef IPCTRACE_WORKLOAD_DRIVER_H
#define IPCTRACE_WORKLOAD_DRIVER_H

#include "workload/directory.h"
#include "workload/plan.h"
#include "workload/shared.h"
#include "workload/workload.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct process {
	pid_t pid; /* stays after the end, for those who want to know who it was */
	bool alive;
	bool asked;    /* to end, by SIGTERM */
	bool forced;   /* to end, by SIGKILL */
	bool has_left; /* `left` is to be handed out */
	struct record_left left;
};

struct workload {
	struct plan plan;
	struct directory directory;
	struct shared *shared;
	bool server_died;         /* before its last round, and not because it was asked to */
	uint64_t server_ended_ns; /* 0: it has not */
	uint64_t stop_seen_ns;    /* 0: no stop, or not seen yet */
	bool failure_logged;
	bool roles_told;
	unsigned int forked;        /* processes[] up to here are valid */
	struct process processes[]; /* the server, then the clients */
};

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/* What the driver knows of a workload, for the files that implement workload.h. */
#ifndef IPCTRACE_WORKLOAD_STATE_H
#define IPCTRACE_WORKLOAD_STATE_H

#include "workload/member/shared.h"
#include "workload/plan.h"
#include "workload/setup/directory.h"
#include "workload/workload.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct process {
	pid_t pid; /* stays after the end, for those who want to know who it was */
	bool alive;
	bool forced;          /* to end, by SIGKILL */
	uint64_t stopped_ns;  /* since when a signal has stopped it; 0: it has not */
	unsigned int resumed; /* how often the driver has ended such a stop */
};

/* The server or a client: a process of its own, or a thread. */
struct member {
	bool ended;
	bool asked;    /* to end, by SIGTERM */
	bool has_left; /* `left` is to be handed out */
	struct record_left left;
};

struct workload {
	struct plan plan;
	struct directory directory;
	struct medium *medium;
	struct shared *shared;
	bool server_died;          /* before its last round, and not because it was asked to */
	uint64_t server_ended_ns;  /* 0: it has not */
	uint64_t clients_ended_ns; /* the last of them; 0: they have not */
	uint64_t stop_seen_ns;     /* 0: no stop, or not seen yet */
	bool failure_logged;
	bool roles_reported;
	bool traffic_reported;
	uint64_t ticks_reported;   /* of the kernel's timer: the next one */
	unsigned int forked;       /* processes[] up to here are valid */
	struct process *processes; /* the server, then the clients, or the one that has them all */
	struct member members[];   /* the server, then the clients */
};

/* The process of a member. */
struct process *workload_process(const struct workload *w, uint32_t member);

#endif

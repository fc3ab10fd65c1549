/* SPDX-License-Identifier: BSD-2-Clause */
/* Defines the state of a workload, which driver.c, reaper.c and records.c share. */
#pragma once

#include "workload/member/shared.h"
#include "workload/plan.h"
#include "workload/setup/directory.h"
#include "workload/workload.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct process {
	pid_t pid; /* kept after the end */
	bool alive;
	bool forced;          /* is ended by SIGKILL */
	uint64_t stopped_ns;  /* when a signal stopped it; 0: it is not stopped */
	unsigned int resumed; /* how often the driver has resumed it */
};

/* The server or a client, which is a process or a thread. */
struct member {
	bool ended;
	bool asked;    /* is ended by SIGTERM */
	bool has_left; /* `left` has not been handed out yet */
	struct record_left left;
};

struct workload {
	struct plan plan;
	struct directory directory;
	struct medium *medium;
	struct shared *shared;
	bool server_died;          /* before its last round, and not by request */
	uint64_t server_ended_ns;  /* 0: it lives */
	uint64_t clients_ended_ns; /* when the last client ended; 0: one lives */
	uint64_t stop_seen_ns;     /* 0: no stop seen yet */
	bool failure_logged;
	bool roles_reported;
	bool traffic_reported;
	uint64_t ticks_reported; /* kernel_sends: the next tick to report */
	unsigned int forked;     /* number of valid processes[] */
	struct process
		*processes;      /* the server, then the clients, or one process for all clients */
	struct member members[]; /* the server, then the clients */
};

/* ---- reaper.c ---- */

/* Reaps all processes and threads that have ended. Returns how many processes live. */
unsigned int reaper_reap(struct workload *w);

/* Ends clients that can receive nothing more, and a server that does not react to a stop. */
void reaper_press(struct workload *w);

/* Whether no process lives any more. */
bool reaper_is_complete(const struct workload *w);

/* Kills and reaps all processes. */
void reaper_force(struct workload *w);

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Finds the blame of one message: how long each thread, interrupt or softirq ran on the CPU while
 * the receiver waited for this CPU. Each entry has a class, for example task or irq.
 */
#pragma once

#include "analysis/history/cpu_slices.h"
#include "analysis/history/names.h"
#include "analysis/history/roles.h"
#include "analysis/history/deep_events.h"
#include "model/message.h"

#define BLAMES_MAX 1024 /* per message; one more share `unknown` has the rest */

struct blames {
	struct blame blame[BLAMES_MAX];
	uint64_t began_ns[BLAMES_MAX]; /* of each blame, until they are sorted: when it ran first */
	uint64_t reserve_ns[BLAMES_MAX]; /* the same: how much of it before a real-time thread */
	uint64_t vain_ns[BLAMES_MAX];    /* the same: how much while the thread was awake in vain */
	uint32_t cnt;
	struct cpu_shares shares; /* of one wait: for blame_add_wait() */
	uint32_t cpu;             /* the one waited for, or BLAME_CPU_UNKNOWN: for blame_add() */
};

/* The roles of threads in this message: they decide the class of a thread before its name does. */
struct blame_roles {
	uint32_t sender_tid;
	uint32_t tracer_pid;       /* the process of ipctrace itself; 0: not known */
	const struct roles *roles; /* borrowed */
	struct deep_events *deep;  /* borrowed; NULL: nothing is known */
	const char *group;         /* whose quota holds the waiting thread back; NULL: not known */
};

/* Adds the shares of one runqueue segment. */
void blame_add(struct blames *blames, const struct cpu_shares *shares, struct names *names,
	       const struct blame_roles *roles);

/*
 * Whether the thread that ran had been woken in vain. False: it was not, or that is not known yet.
 * `deep` NULL: nothing is known.
 */
bool share_is_in_vain(struct deep_events *deep, const struct cpu_share *share);

/* Fills in the shares of one wait for a CPU, and its CPU. */
void blame_cut_wait(struct blames *blames, struct cpu_slices *cpus, const struct cpu_wait *wait);

/* The culprit of a share, without its time and CPU. */
struct blame blame_of_share(struct names *names, const struct blame_roles *roles,
			    const struct cpu_share *share);

/* Adds what ran during a wait for a CPU, or bandwidth control if that held the thread back. */
void blame_add_wait(struct blames *blames, struct cpu_slices *cpus, const struct cpu_wait *wait,
		    struct names *names, const struct blame_roles *roles);

/* Largest first. */
void blame_sort(struct blames *blames);

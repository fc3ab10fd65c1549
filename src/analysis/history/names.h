/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Finds the name that a thread or an interrupt has at a given instant. The instant matters because
 * the kernel reuses thread ids, and because names change. Keeps only the LRU_THREADS_MAX most
 * recently used ids.
 */
#pragma once

#include "bpf/record.h"

#include <stdbool.h>

struct names;

struct names *names__new(void); /* NULL: out of memory */
void names__free(struct names *names);

#define NAMES_PER_ID_MAX 64 /* older names of one id are forgotten */

/* 0 or -ENOMEM. */
int names__add(struct names *names, const struct record_name *name);

#define FAIR_PRIORITY 100 /* the priorities below are those of real-time threads */

/* Whether bandwidth control can hold the thread back; NULL: not known. */
static inline bool name_is_fair(const struct record_name *name)
{
	return name && name->priority >= FAIR_PRIORITY;
}

/* Whether the thread runs before all ordinary ones; NULL: not known. */
static inline bool name_is_realtime(const struct record_name *name)
{
	enum { FIFO = 1, RR = 2 }; /* include/uapi/linux/sched.h */

	return name && (name->policy == FIFO || name->policy == RR);
}

/*
 * Whether it is the process that names functions, with --stacks, for the ipctrace with this pid.
 * NULL, 0: not known.
 */
bool name_is_namer(const struct record_name *name, uint32_t tracer_pid);

/* Adds the process to the name with the same thread and `since_ns`. Without one, does nothing. */
void names__add_process(struct names *names, const struct record_process *process);

/*
 * The name at `at_ns`, or else the first one known; NULL: none is known. Softirqs always have a
 * name. Borrowed until the next names__add().
 */
const struct record_name *names__find(struct names *names, uint32_t kind, uint32_t id,
				      uint64_t at_ns);

/*
 * The process of thread `tid` at `at_ns`. NULL: not known, or the thread is the first one of its
 * process. Borrowed until the next names__add().
 */
const struct record_process *names__process(struct names *names, uint32_t tid, uint64_t at_ns);

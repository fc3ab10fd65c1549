/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Remembers the calls that threads made, until it is known in whose service:
 *
 *	request   |--------------- service ----------------|  answer
 *	             |-- made call --|   |-- made call --|
 *
 * Mostly the request that made a thread call is known when it calls, see request_behind(). Where it
 * is not, because the thread has slept since it got the request, or got it from a queue, the calls
 * of a thread that works on a request belong to that one, unless the thread got another one. A loop
 * that serves many clients gets others; there the call belongs to the request that the thread
 * answered because of what it got back:
 *
 *	loop   request 1 | request 2 ... calls | (asleep) | gets back, answers request 1
 */
#pragma once

#include "analysis/attach/calls/service_path.h"
#include "model/call.h"

/* Calls of one thread, or for one request, and all that are remembered: the youngest. */
#define MADE_CALLS_MAX     4096
#define MADE_CALLS_ALL_MAX (1u << 18)

/* Threads and requests whose calls are remembered; then the oldest is forgotten. */
#define MADE_CALLS_OWNERS_MAX 65536

struct made_calls;

struct made_calls *made_calls__new(void); /* NULL: out of memory */
void made_calls__free(struct made_calls *made);

/* A call that has an answer. */
struct made_call {
	uint64_t parent; /* the number of the request that made the thread call; 0: not known */
	uint64_t callee; /* the service that was called */
	uint32_t tid;    /* that called */
	uint32_t channel;
	uint64_t sent_ns;
	uint64_t back_ns;
};

/* `is_longer`: it was added before, with an earlier `back_ns`. 0 or -ENOMEM. */
int made_calls__add(struct made_calls *made, const struct made_call *call, bool is_longer);

/*
 * Fills in which calls were made in the service of this call, whose threads and helpers are `path`.
 * Calls that had their answer later are none of them. Forgets those of its request. 0 or -ENOMEM.
 */
int made_calls__take(struct made_calls *made, struct work_log *work, struct timelines *lines,
		     const struct service_path *path, struct call *call);

/* Forgets what had its answer before `horizon_ns`. */
void made_calls__trim(struct made_calls *made, uint64_t horizon_ns);

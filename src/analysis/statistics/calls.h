/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Computes the statistics of calls. A call consists of a request, the service and the response.
 * The service is what the server does between receiving the request and sending the response. In
 * ipctrace's own workload, the request and the response have the same number.
 */
#pragma once

#include "analysis/history/timeline.h"
#include "model/summary.h"

#define CALLS_OPEN_MAX (1u << 18) /* calls with one message; beyond, the oldest is dropped */

struct calls;

struct calls *calls__new(void); /* NULL: out of memory */
void calls__free(struct calls *calls);

/*
 * Adds the stamp of one message of a call. With the second one, in either order, the call is
 * complete and goes into `summary`. `server` is the time line of the serving thread, which cuts the
 * service; NULL: there is none. 0 or -ENOMEM.
 */
int calls__add(struct calls *calls, const struct record_stamp *stamp, const struct timeline *server,
	       struct calls_summary *summary);

/* The thread that serves the call of this message; 0: not known. */
uint32_t calls__server(const struct calls *calls, const struct record_stamp *stamp);

/* No open request was received before this instant; UINT64_MAX: none is open. */
uint64_t calls__horizon(const struct calls *calls);

/* What a thread did for a call. */
struct service {
	uint64_t state_ns[NR_SERVICE_STATES];
	struct blocked_calls blocked; /* adds up to SERVICE_BLOCKED */
};

/*
 * Cuts what a thread did in [from_ns, to_ns) by state. It runs at both ends, where its syscalls
 * return and begin. With `may_end_off_cpu`, another thread may queue the answer, and the server may
 * be off its CPU at the end. False: the time line has a gap there, or contradicts this.
 */
bool service_cut(const struct timeline *line, uint64_t from_ns, uint64_t to_ns,
		 bool may_end_off_cpu, struct service *service);

/* Adds one call whose service is known. */
void service_add(const struct service *service, struct calls_summary *summary);

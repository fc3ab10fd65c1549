/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Computes the statistics of calls. A call consists of a request, the service and the response.
 * The service is what the server does between receiving the request and sending the response. In
 * ipctrace's own workload, the request and the response have the same number.
 */
#pragma once

#include "analysis/history/timeline.h"
#include "analysis/statistics/service.h"
#include "model/summary.h"

#define CALLS_OPEN_MAX (1u << 18) /* calls with one message; beyond, the oldest is dropped */

struct calls;

/* The thread that serves a call. */
struct serving_thread {
	uint32_t tid;
	struct timeline line;
};

/* A complete call, and the thread that served it (0: not known). 0 or -errno. */
typedef int calls_fn(void *ctx, const struct record_stamp *request,
		     const struct record_stamp *response, uint32_t server);

/* Complete calls go to `on_call`, too, unless it is NULL. NULL: out of memory. */
struct calls *calls__new(calls_fn *on_call, void *ctx);
void calls__free(struct calls *calls);

/*
 * Adds the stamp of one message of a call. With the second one, in either order, the call is
 * complete and goes into `summary`. The time line of `server` cuts the service, and `blame` gets
 * the waits for a CPU in it; `summary` NULL: there are no statistics; `server` NULL: it is not
 * traced. 0, -ENOMEM, or what `on_call` returned.
 */
int calls__add(struct calls *calls, const struct record_stamp *stamp,
	       const struct serving_thread *server, struct service_blame *blame,
	       struct calls_summary *summary);

/* The thread that serves the call of this message; 0: not known. */
uint32_t calls__server(const struct calls *calls, const struct record_stamp *stamp);

/* No open request was received before this instant; UINT64_MAX: none is open. */
uint64_t calls__horizon(const struct calls *calls);

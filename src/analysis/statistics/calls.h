/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Calls: a request, what its server did, and the response. The two messages of a call have the same
 * number on the two ways of one link.
 */
#ifndef IPCTRACE_ANALYSIS_STATISTICS_CALLS_H
#define IPCTRACE_ANALYSIS_STATISTICS_CALLS_H

#include "analysis/history/timeline.h"
#include "model/summary.h"

#define CALLS_OPEN_MAX (1u << 18) /* half calls; when there are more, the oldest is dropped */

struct calls;

struct calls *calls__new(void); /* NULL: out of memory */
void calls__free(struct calls *calls);

/*
 * One message of a call has been taken by its receiver. With the other one, whichever comes first,
 * the call is complete and goes into `summary`. `server` is the serving thread's time line, which
 * cuts the service; NULL: there is none. 0 or -ENOMEM.
 */
int calls__add(struct calls *calls, const struct record_stamp *stamp, const struct timeline *server,
	       struct calls_summary *summary);

/* The thread that serves the call of this message; 0: not known. */
uint32_t calls__server(const struct calls *calls, const struct record_stamp *stamp);

/* No open request was taken before this; UINT64_MAX: none is open. */
uint64_t calls__horizon(const struct calls *calls);

/* What a thread did for a call. */
struct service {
	uint64_t state_ns[NR_SERVICE_STATES];
	struct blocked_calls blocked; /* adds up to SERVICE_BLOCKED */
};

/*
 * What a thread did in [from_ns, to_ns), by state. It ran at both: it came from a system call, and
 * made one. `may_end_off_cpu`: or others ended the service, by queueing what it had sent before.
 * False: its time line has a gap there, or contradicts that.
 */
bool service_cut(const struct timeline *line, uint64_t from_ns, uint64_t to_ns,
		 bool may_end_off_cpu, struct service *service);

/* One more call of which the service is known. */
void service_add(const struct service *service, struct calls_summary *summary);

#endif

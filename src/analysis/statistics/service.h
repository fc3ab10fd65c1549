/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Cuts the service of a call by what the serving threads did: they ran, waited for a CPU, slept, or
 * were being woken. Lists their waits for a CPU.
 */
#pragma once

#include "analysis/history/history.h"
#include "analysis/history/names.h"
#include "analysis/history/roles.h"
#include "analysis/statistics/blame_totals.h"
#include "model/summary.h"

#define SERVICE_WAITS_MAX 256 /* further waits are not listed */

/* A wait of a serving thread for a CPU. */
struct service_wait {
	uint32_t tid;
	uint64_t from_ns;
	uint64_t to_ns;
	uint16_t cpu;  /* or SEGMENT_CPU_ */
	bool is_moved; /* it began with a migration */
};

/* What threads did for a call. */
struct service {
	uint64_t state_ns[NR_SERVICE_STATES];
	struct blocked_calls blocked; /* adds up to SERVICE_BLOCKED */
	uint32_t wait_cnt;
	struct service_wait wait[SERVICE_WAITS_MAX]; /* in order of time */
};

/*
 * The time in which one thread serves. It runs at both ends, where its syscalls return and begin:
 *
 *	 received          hands over            answered
 *	 |  first thread   | next thread          |
 *	                     woken   runs
 */
struct service_part {
	uint32_t tid;
	uint64_t from_ns;
	uint64_t to_ns;
	bool is_handed_over;  /* another thread hands the work to it, and it may be asleep */
	bool may_end_off_cpu; /* another thread may queue what it sends at the end */
};

/* Nothing is cut yet. */
void service_clear(struct service *service);

/*
 * Adds what the thread of `part` did, by state. False: the time line has a gap there, or
 * contradicts what is said of the part.
 */
bool service_cut(struct service *service, const struct service_part *part,
		 const struct timeline *line);

/* Adds one call whose service is known. */
void service_add(const struct service *service, struct calls_summary *summary);

/* Adds up what ran while serving threads waited for a CPU. */
struct service_blame;

/*
 * Borrows all. `tracer_pid`: see struct blame_roles; `relation`: as for blame_totals__new(). NULL:
 * out of memory.
 */
struct service_blame *service_blame__new(struct history *history, struct names *names,
					 const struct roles *roles, uint32_t tracer_pid,
					 blame_relation_fn *relation, void *ctx);
void service_blame__free(struct service_blame *blame);

/* Adds one call, to `top` as well, unless it is NULL. 0 or -ENOMEM. */
int service_blame__add(struct service_blame *blame, const struct service *service,
		       struct blame_top *top);

/* Adds what took the waits to `top` only. */
void service_blame__find(struct service_blame *blame, const struct service *service,
			 struct blame_top *top);

/* What took the largest share of the waits, which are not added up; ns 0: there were none. */
struct blame service_blame__largest(struct service_blame *blame, const struct service *service);

/* Fills in `blame` and `blame_cnt`, largest first, which the summary owns. 0 or -ENOMEM. */
int service_blame__finish(const struct service_blame *blame, struct calls_summary *summary);

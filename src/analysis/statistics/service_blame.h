/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Adds up what ran while serving threads waited for a CPU. The shares add up to the run queue time
 * of all services.
 */
#pragma once

#include "analysis/history/cpu_slices.h"
#include "analysis/history/groups.h"
#include "analysis/history/names.h"
#include "analysis/history/roles.h"
#include "analysis/history/deep_events.h"
#include "analysis/statistics/blame_totals.h"
#include "analysis/statistics/service.h"

struct service_blame;

/* Borrows all. `groups`, `deep`: may be NULL. `tracer_pid`: see struct blame_roles. NULL: no
 * memory. */
struct service_blame *service_blame__new(struct cpu_slices *cpus, struct names *names,
					 const struct roles *roles, struct thread_groups *groups,
					 struct deep_events *deep, uint32_t tracer_pid);
void service_blame__free(struct service_blame *blame);

/* An attach: see blame_totals__set_relation(). */
void service_blame__set_relation(struct service_blame *blame, blame_relation_fn *relation,
				 void *ctx);

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

/* SPDX-License-Identifier: BSD-2-Clause */
/* Looks up what ran on the CPUs that serving threads waited for. */
#include "analysis/statistics/service_blame.h"

#include "analysis/breakdown/blame.h"

#include <stdlib.h>

struct service_blame {
	struct cpu_slices *cpus;
	struct names *names;
	const struct roles *roles;
	struct thread_groups *groups;
	struct deep_events *deep;
	uint32_t tracer_pid;
	struct blame_totals *totals;
	struct blames blames; /* of one call */
};

struct service_blame *service_blame__new(struct cpu_slices *cpus, struct names *names,
					 const struct roles *roles, struct thread_groups *groups,
					 struct deep_events *deep, uint32_t tracer_pid)
{
	struct service_blame *blame = calloc(1, sizeof(*blame));

	if (!blame)
		return NULL;
	blame->cpus = cpus;
	blame->names = names;
	blame->roles = roles;
	blame->groups = groups;
	blame->deep = deep;
	blame->tracer_pid = tracer_pid;
	blame->totals = blame_totals__new(names);
	if (blame->totals)
		return blame;
	free(blame);
	return NULL;
}

void service_blame__free(struct service_blame *blame)
{
	if (!blame)
		return;
	blame_totals__free(blame->totals);
	free(blame);
}

void service_blame__set_relation(struct service_blame *blame, blame_relation_fn *relation,
				 void *ctx)
{
	blame_totals__set_relation(blame->totals, relation, ctx);
}

static void service_blame_add_wait(struct service_blame *blame, const struct service_wait *wait)
{
	const struct blame_roles roles = {
		.tracer_pid = blame->tracer_pid,
		.roles = blame->roles,
		.deep = blame->deep,
		.group = thread_groups__find(blame->groups, wait->tid),
	};
	const struct record_name *name =
		names__find(blame->names, SLICE_TASK, wait->tid, wait->from_ns);
	const struct cpu_wait cpu_wait = {
		.cpu = wait->cpu,
		.held_kind =
			!wait->is_moved && name_is_fair(name) ? SHARE_THROTTLED : SHARE_UNKNOWN,
		.began_ns = wait->from_ns,
		.from_ns = wait->from_ns,
		.to_ns = wait->to_ns,
	};

	blame_add_wait(&blame->blames, blame->cpus, &cpu_wait, blame->names, &roles);
}

/* Waits that are not listed. */
static void service_blame_add_unknown(struct service_blame *blame, uint64_t ns)
{
	const struct service_wait wait = {.to_ns = ns, .cpu = SEGMENT_CPU_UNKNOWN};

	if (ns)
		service_blame_add_wait(blame, &wait);
}

/* False: the threads did not wait. */
static bool find_blames(struct service_blame *blame, const struct service *service)
{
	uint64_t left_ns = service->state_ns[SERVICE_RUNQUEUE];

	if (!left_ns)
		return false;
	blame->blames.cnt = 0;
	for (uint32_t i = 0; i < service->wait_cnt; i++) {
		service_blame_add_wait(blame, &service->wait[i]);
		left_ns -= service->wait[i].to_ns - service->wait[i].from_ns;
	}
	service_blame_add_unknown(blame, left_ns);
	return true;
}

int service_blame__add(struct service_blame *blame, const struct service *service,
		       struct blame_top *top)
{
	if (!find_blames(blame, service))
		return 0;
	if (top)
		blame_top_add(top, blame->blames.blame, blame->blames.cnt);
	return blame_totals__add(blame->totals, blame->blames.blame, blame->blames.cnt,
				 service->wait[service->wait_cnt - 1].to_ns);
}

void service_blame__find(struct service_blame *blame, const struct service *service,
			 struct blame_top *top)
{
	if (find_blames(blame, service))
		blame_top_add(top, blame->blames.blame, blame->blames.cnt);
}

struct blame service_blame__largest(struct service_blame *blame, const struct service *service)
{
	if (!find_blames(blame, service))
		return (struct blame){0};
	blame_sort(&blame->blames);
	return blame->blames.blame[0];
}

int service_blame__finish(const struct service_blame *blame, struct calls_summary *summary)
{
	return blame_totals__finish(blame->totals, &summary->blame, &summary->blame_cnt);
}

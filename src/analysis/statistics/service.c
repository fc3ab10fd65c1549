/* SPDX-License-Identifier: BSD-2-Clause */
/* Walks through the time lines of serving threads, and blames what ran instead of them. */
#include "analysis/statistics/service.h"

#include "analysis/breakdown/blame.h"
#include "analysis/history/stretches.h"

#include <stdlib.h>
#include <string.h>

void service_clear(struct service *service)
{
	/* Not the waits, which are many. */
	memset(service, 0, offsetof(struct service, wait));
}

static void service_add_wait(struct service *service, uint32_t tid, const struct stretch *stretch)
{
	if (service->wait_cnt == SERVICE_WAITS_MAX || stretch->to_ns == stretch->from_ns)
		return;
	service->wait[service->wait_cnt++] = (struct service_wait){
		.tid = tid,
		.from_ns = stretch->from_ns,
		.to_ns = stretch->to_ns,
		.cpu = stretch_wait_cpu(stretch),
		.is_moved = stretch->was_runnable,
	};
}

/* `is_first`: the part begins with this stretch. */
static void service_add_stretch(struct service *service, const struct service_part *part,
				const struct stretch *stretch, bool is_first)
{
	uint64_t ns = stretch->to_ns - stretch->from_ns;

	if (stretch->state == STATE_RUNNABLE) {
		service->state_ns[SERVICE_RUNQUEUE] += ns;
		service_add_wait(service, part->tid, stretch);
	} else if (!state_is_asleep(stretch->state)) {
		service->state_ns[SERVICE_ON_CPU] += ns;
	} else if (is_first && part->is_handed_over) {
		service->state_ns[SERVICE_WAKEUP] += ns;
	} else {
		service->state_ns[SERVICE_BLOCKED] += ns;
		blocked_calls_add(&service->blocked, change_syscall(stretch->began), ns, 1);
	}
}

bool service_cut(struct service *service, const struct service_part *part,
		 const struct timeline *line)
{
	struct stretch_walk walk = part->is_handed_over
					   ? stretch_walk(line, part->from_ns, part->to_ns)
					   : stretch_walk_running(line, part->from_ns, part->to_ns);
	struct stretch stretch = {.state = walk.state};
	bool is_first = true;

	while (stretch_next(&walk, &stretch)) {
		if (stretch.state == STATE_UNKNOWN)
			return false;
		service_add_stretch(service, part, &stretch, is_first);
		is_first = false;
	}
	return part->may_end_off_cpu || stretch.state == STATE_RUNNING;
}

void service_add(const struct service *service, struct calls_summary *summary)
{
	summary->state_cnt++;
	for (int i = 0; i < NR_SERVICE_STATES; i++)
		summary->state_ns[i] += service->state_ns[i];
	blocked_calls_merge(&summary->blocked, &service->blocked);
}

struct service_blame {
	struct history *history;
	struct names *names;
	struct blame_roles roles;
	struct blame_totals *totals;
	struct blames blames; /* of one call */
};

struct service_blame *service_blame__new(struct history *history, struct names *names,
					 const struct roles *roles, uint32_t tracer_pid,
					 blame_relation_fn *relation, void *ctx)
{
	struct service_blame *blame = calloc(1, sizeof(*blame));

	if (!blame)
		return NULL;
	blame->history = history;
	blame->names = names;
	blame->roles = (struct blame_roles){
		.tracer_pid = tracer_pid, .roles = roles, .deep = history->deep};
	blame->totals = blame_totals__new(names, relation, ctx);
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

static void service_blame_add_wait(struct service_blame *blame, const struct service_wait *wait)
{
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

	blame->roles.group = deep_events__group(blame->history->deep, wait->tid);
	blame_add_wait(&blame->blames, blame->history->cpus, &cpu_wait, blame->names,
		       &blame->roles);
}

/* False: the threads did not wait. */
static bool find_blames(struct service_blame *blame, const struct service *service)
{
	uint64_t left_ns = service->state_ns[SERVICE_RUNQUEUE];
	struct service_wait others = {.cpu = SEGMENT_CPU_UNKNOWN};

	if (!left_ns)
		return false;
	blame->blames.cnt = 0;
	for (uint32_t i = 0; i < service->wait_cnt; i++) {
		service_blame_add_wait(blame, &service->wait[i]);
		left_ns -= service->wait[i].to_ns - service->wait[i].from_ns;
	}
	/* Waits that are not listed. */
	others.to_ns = left_ns;
	if (left_ns)
		service_blame_add_wait(blame, &others);
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

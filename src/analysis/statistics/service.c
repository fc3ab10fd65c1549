/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Adds up how long the serving thread ran, waited for a CPU or was blocked between the receive of a
 * request and the send of its answer.
 */
#include "analysis/statistics/service.h"

#include "analysis/container/step_limit.h"
#include "analysis/history/thread_state.h"

#include <string.h>

static enum service_state service_state_of(enum thread_state state)
{
	return state == STATE_RUNNABLE  ? SERVICE_RUNQUEUE
	       : state_is_asleep(state) ? SERVICE_BLOCKED
					: SERVICE_ON_CPU;
}

/* A state of the thread, and where it waits or sleeps. */
struct stretch {
	enum thread_state state;
	uint64_t from_ns;
	uint16_t call; /* asleep: the syscall */
	uint16_t cpu;  /* runnable: as in struct service_wait */
	bool is_moved;
};

static struct stretch stretch_after(const struct change *change, const struct stretch *before)
{
	return (struct stretch){
		.state = state_after(change, false),
		.from_ns = change->at_ns,
		.call = change_syscall(change),
		.cpu = change->kind == CHANGE_THROTTLE ? SEGMENT_CPU_THROTTLED : change->cpu,
		.is_moved = before->state == STATE_RUNNABLE,
	};
}

/* `next` NULL: the stretch ends with the service. */
static void add_wait(struct service *service, const struct stretch *stretch, uint64_t to_ns,
		     const struct change *next)
{
	/* The thread runs on another CPU than it waited for: its migration is not recorded. */
	bool moved_unseen = next && next->kind != CHANGE_MIGRATE && next->cpu != stretch->cpu &&
			    stretch->cpu != SEGMENT_CPU_THROTTLED;

	if (service->wait_cnt == SERVICE_WAITS_MAX || to_ns == stretch->from_ns)
		return;
	service->wait[service->wait_cnt++] = (struct service_wait){
		.from_ns = stretch->from_ns,
		.to_ns = to_ns,
		.cpu = moved_unseen ? SEGMENT_CPU_UNKNOWN : stretch->cpu,
		.is_moved = stretch->is_moved,
	};
}

static void add_stretch(struct service *service, const struct stretch *stretch, uint64_t to_ns,
			const struct change *next)
{
	uint64_t duration_ns = to_ns - stretch->from_ns;

	service->state_ns[service_state_of(stretch->state)] += duration_ns;
	if (state_is_asleep(stretch->state))
		blocked_calls_add(&service->blocked, stretch->call, duration_ns, 1);
	else if (stretch->state == STATE_RUNNABLE)
		add_wait(service, stretch, to_ns, next);
}

/*
 * Whether this change arrived from one CPU before earlier changes arrived from another. The missing
 * ones are not part of a complete service: a thread reports its changes with its answer.
 */
static bool is_early(const struct timeline *line, size_t i)
{
	return line->open_ns && line->change[i].at_ns >= line->open_ns;
}

/*
 *	from                                              to
 *	 |  on CPU  |  blocked  | run queue |   on CPU     |
 *	          SLEEP       WAKE        SWITCH
 *
 * The end of a switch does not change the state. A change that cannot end the current state shows
 * that one before it is missing. The first change after `to` shows whether one before it is
 * missing.
 */
bool service_cut(const struct timeline *line, uint64_t from_ns, uint64_t to_ns,
		 bool may_end_off_cpu, struct service *service)
{
	struct stretch stretch = {.state = STATE_RUNNING, .from_ns = from_ns};
	size_t i = from_ns ? timeline_find(line, from_ns - 1) : 0;

	/* Not the waits, which are many. */
	memset(service, 0, offsetof(struct service, wait));
	for (; i < line->cnt && line->change[i].at_ns < to_ns && step_limit_spend(1); i++) {
		const struct change *change = &line->change[i];
		bool ends_switch = change->kind == CHANGE_RUN && stretch.state == STATE_RUNNING;

		if (!timeline_follows(line, i) ||
		    !(ends_switch || state_can_end(stretch.state, change->kind)))
			return false;
		if (state_is_asleep(stretch.state) && change->kind == CHANGE_WOKEN)
			continue;
		add_stretch(service, &stretch, change->at_ns, change);
		stretch = stretch_after(change, &stretch);
	}
	if (i < line->cnt && !timeline_follows(line, i) && !is_early(line, i))
		return false;
	add_stretch(service, &stretch, to_ns, NULL);
	return may_end_off_cpu || stretch.state == STATE_RUNNING;
}

void service_add(const struct service *service, struct calls_summary *summary)
{
	summary->state_cnt++;
	for (int i = 0; i < NR_SERVICE_STATES; i++)
		summary->state_ns[i] += service->state_ns[i];
	blocked_calls_merge(&summary->blocked, &service->blocked);
}

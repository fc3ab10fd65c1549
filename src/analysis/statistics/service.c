/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Adds up how long serving threads ran, waited for a CPU, were blocked or were being woken between
 * the receive of a request and the send of its answer.
 */
#include "analysis/statistics/service.h"

#include "analysis/history/stretches.h"

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

/* SPDX-License-Identifier: BSD-2-Clause */
/* Adds up the states of a thread between the instant at which a round was due and its start. */
#include "analysis/statistics/late_start.h"

static enum component longest(const struct service *states)
{
	const uint64_t *ns = states->state_ns;
	uint64_t asleep_ns = ns[SERVICE_WAKEUP] + ns[SERVICE_BLOCKED];

	if (asleep_ns > ns[SERVICE_ON_CPU] && asleep_ns > ns[SERVICE_RUNQUEUE])
		return COMPONENT_BLOCKED;
	return ns[SERVICE_RUNQUEUE] > ns[SERVICE_ON_CPU] ? COMPONENT_RUNQUEUE : COMPONENT_BUSY;
}

struct late_start late_start_of(const struct timeline *line, uint32_t tid, uint64_t due_ns,
				uint64_t start_ns, struct service_blame *blame)
{
	/* The thread may be in any state when the round is due, and runs when it sends. */
	const struct service_part part = {
		.tid = tid, .from_ns = due_ns, .to_ns = start_ns, .is_handed_over = true};
	struct late_start late = {0};
	struct service states;

	service_clear(&states);
	if (!service_cut(&states, &part, line))
		return late;
	late.is_known = true;
	late.component = longest(&states);
	if (late.component == COMPONENT_RUNQUEUE && blame)
		late.blame = service_blame__largest(blame, &states);
	return late;
}

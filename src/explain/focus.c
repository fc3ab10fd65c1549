/* SPDX-License-Identifier: BSD-2-Clause */
/* Holds the rule for what an explanation begins with. */
#include "explain/focus.h"

/* A share of the time of all units: of the slow ones, or of what exceeds the usual time. */
#define MOST_OF_TIME 0.5

/* Slow units that take less than so many times as long as usual ones are usual ones. */
#define SLOW_FACTOR 2

/* So few slow units say little of the others. */
#define SLOW_UNITS_FEW 10

/* A share of the usual time. */
#define MOSTLY_WAITS 0.5

/* A wait that has an end elsewhere: not that for the machine itself, which leaves idle. */
static bool is_wait(const struct explain_row *row)
{
	if (row->reason)
		return true;
	switch (row->cost) {
	case COMPONENT_ROOM:
	case COMPONENT_BLOCKED:
	case COST_STOPPED:
		return true;
	case COMPONENT_RUNQUEUE:
		return row->role == CAUSE_RAN && row->by.class != BLAME_IDLE;
	default:
		return row->role == CAUSE_KEPT;
	}
}

static double usual_waits_ns(const struct explanation *explanation)
{
	double ns = 0;

	for (uint32_t i = 0; i < explanation->usual_cnt; i++) {
		const struct explain_row *row = &explanation->usual[i];

		if (!row->is_component && !row->depth && is_wait(row))
			ns += row->base_ns;
	}
	return ns;
}

enum explain_focus focus_of(const struct explanation *explanation, bool is_default)
{
	double slow_ns = explain_mean_ns(&explanation->slow), usual_ns;

	if (explanation->outcome == EXPLAIN_TOO_FEW)
		return FOCUS_SLOWEST;
	usual_ns = explain_mean_ns(&explanation->base);
	if (explanation->has_other || !is_default || !explanation->base.count)
		return FOCUS_DIFFERENCE;
	if (explanation->tail_share >= MOST_OF_TIME)
		return FOCUS_TAIL;
	if (explanation->mean_ns >= usual_ns / MOST_OF_TIME)
		return FOCUS_DIFFERENCE;
	if (slow_ns < SLOW_FACTOR * usual_ns || explanation->slow.count < SLOW_UNITS_FEW ||
	    usual_waits_ns(explanation) >= MOSTLY_WAITS * usual_ns)
		return FOCUS_USUAL;
	return FOCUS_DIFFERENCE;
}

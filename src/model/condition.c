/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Evaluates conditions. The steps of a condition are in the order in which a stack of results needs
 * them: `a and b` is a, b, AND.
 */
#include "model/condition.h"

#include <stdio.h>

/* Of those that are no components. */
static const char *const quantity_names[NR_QUANTITIES] = {
	[QUANTITY_LATENCY] = "latency",   [QUANTITY_LATE] = "late",
	[QUANTITY_FIRST] = "first",       [QUANTITY_NEXT] = "next",
	[QUANTITY_LAST] = "last",         [QUANTITY_ROUND_TRIP] = "round_trip",
	[QUANTITY_REQUEST] = "request",   [QUANTITY_SERVICE] = "service",
	[QUANTITY_RESPONSE] = "response",
};

const char *quantity_name(enum quantity quantity)
{
	bool is_component = (int)quantity < NR_COMPONENTS;

	return is_component ? components[quantity].name : quantity_names[quantity];
}

const char *const comparison_names[NR_COMPARISONS] = {
	[COMPARISON_ABOVE] = ">",
	[COMPARISON_AT_LEAST] = ">=",
	[COMPARISON_BELOW] = "<",
	[COMPARISON_AT_MOST] = "<=",
};

static bool condition_compare(const struct condition_step *step, const struct quantities *of)
{
	uint64_t ns = of->ns[step->quantity];

	if (!(of->known & 1u << step->quantity))
		return false;
	switch (step->comparison) {
	case COMPARISON_ABOVE:
		return ns > step->limit_ns;
	case COMPARISON_AT_LEAST:
		return ns >= step->limit_ns;
	case COMPARISON_BELOW:
		return ns < step->limit_ns;
	case COMPARISON_AT_MOST:
		return ns <= step->limit_ns;
	default:
		return false;
	}
}

bool condition_is_true(const struct condition *condition, const struct quantities *of)
{
	bool result[CONDITION_STEPS_MAX + 1] = {false};
	uint32_t cnt = 0;

	for (uint32_t i = 0; i < condition->step_cnt; i++) {
		const struct condition_step *step = &condition->step[i];

		if (step->kind == STEP_COMPARE) {
			result[cnt++] = condition_compare(step, of);
			continue;
		}
		cnt--;
		result[cnt - 1] = step->kind == STEP_AND ? result[cnt - 1] && result[cnt]
							 : result[cnt - 1] || result[cnt];
	}
	return result[0];
}

enum quantity condition_decider(const struct condition *condition, const struct quantities *of)
{
	for (uint32_t i = 0; i < condition->step_cnt; i++) {
		const struct condition_step *step = &condition->step[i];

		if (step->kind == STEP_COMPARE && condition_compare(step, of))
			return step->quantity;
	}
	return QUANTITY_LATENCY;
}

struct condition condition_slower_than(uint64_t limit_ns)
{
	struct condition condition = {
		.step[0] = {.kind = STEP_COMPARE,
			    .quantity = QUANTITY_LATENCY,
			    .comparison = COMPARISON_ABOVE,
			    .limit_ns = limit_ns},
		.step_cnt = 1,
		.owners = QUANTITY_OF_MESSAGE,
	};

	snprintf(condition.text, sizeof(condition.text), "latency>%lluns",
		 (unsigned long long)limit_ns);
	return condition;
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* Keeps sums, and the name of the callee of most units. */
#include "explain/nested.h"

#include <stdio.h>
#include <string.h>

/*
 * A share of the units that make calls. With more, their calls are not said to follow one another.
 */
#define OVERLAP_MAX 0.01

void nested_add(struct nested *nested, const struct unit *unit)
{
	const struct unit_service *service = unit->service;
	bool is_same;

	nested->units++;
	if (!service || !service->callee_calls)
		return;
	is_same = !strcmp(nested->callee, service->callee);
	if (!nested->most_votes && !is_same) {
		snprintf(nested->callee, sizeof(nested->callee), "%s", service->callee);
		nested->callers = nested->calls = nested->overlapping = 0;
		nested->ns = 0;
		is_same = true;
	}
	nested->most_votes = is_same ? nested->most_votes + 1 : nested->most_votes - 1;
	if (!is_same)
		return;
	nested->callers++;
	nested->calls += service->callee_calls;
	nested->ns += service->callee_ns;
	nested->overlapping += !service->are_nested_apart;
}

struct explain_nested nested_finish(const struct nested *nested)
{
	struct explain_nested mean = {0};

	if (!nested->callers)
		return mean;
	mean.calls = (double)nested->calls / (double)nested->units;
	mean.ns = (double)((long double)nested->ns / nested->units);
	mean.are_apart = (double)nested->overlapping <= OVERLAP_MAX * (double)nested->callers;
	memcpy(mean.callee, nested->callee, sizeof(mean.callee));
	return mean;
}

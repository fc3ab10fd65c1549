/* SPDX-License-Identifier: BSD-2-Clause */
/* Keeps sums, and the name of the callee of most units. */
#include "explain/nested.h"

#include <stdio.h>
#include <string.h>

/* A share of the units that make calls: with more, calls do not follow one another. */
#define OVERLAP_MAX 0.01

/* A share of the calls: with fewer to the callee that has a name, there are others. */
#define MOSTLY_ONE 0.9

static void vote_callee(struct nested *nested, const struct unit_service *service)
{
	bool is_same = !strcmp(nested->callee, service->callee);

	if (!nested->votes && !is_same) {
		snprintf(nested->callee, sizeof(nested->callee), "%s", service->callee);
		nested->callee_calls = nested->calls_since = 0;
		is_same = true;
	}
	nested->votes = is_same ? nested->votes + 1 : nested->votes - 1;
	nested->callee_calls += is_same ? service->callee_calls : 0;
	nested->calls_since += service->nested;
}

void nested_add(struct nested *nested, const struct unit *unit)
{
	const struct unit_service *service = unit->service;

	nested->units++;
	if (!service || !service->nested)
		return;
	nested->callers++;
	nested->calls += service->nested;
	nested->ns += service->nested_ns;
	nested->overlapping += !service->are_nested_apart;
	vote_callee(nested, service);
}

struct explain_nested nested_finish(const struct nested *nested)
{
	struct explain_nested mean = {0};

	if (!nested->callers)
		return mean;
	mean.calls = (double)nested->calls / (double)nested->units;
	mean.ns = (double)((long double)nested->ns / nested->units);
	mean.are_apart = (double)nested->overlapping <= OVERLAP_MAX * (double)nested->callers;
	mean.has_others = (double)nested->callee_calls < MOSTLY_ONE * (double)nested->calls_since;
	memcpy(mean.callee, nested->callee, sizeof(mean.callee));
	return mean;
}

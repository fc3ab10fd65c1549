/* SPDX-License-Identifier: BSD-2-Clause */
/* Adds up components. */
#include "model/component_sum.h"

void component_sum_merge(struct component_sum *sum, const struct component_sum *more)
{
	sum->count += more->count;
	for (int i = 0; i < NR_COMPONENTS; i++)
		sum->ns[i] += more->ns[i];
}

void component_sum_add_call(struct component_sum *sum, const struct call *call)
{
	struct component_sum one = {.count = 1};

	if (call_components(call, one.ns))
		component_sum_merge(sum, &one);
}

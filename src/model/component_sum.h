/* SPDX-License-Identifier: BSD-2-Clause */
/* Defines sums of components. */
#pragma once

#include "model/call.h"

/* Divided by `count` they are means. */
struct component_sum {
	uint64_t count;
	uint64_t ns[NR_COMPONENTS];
};

/* Adds the sums of others, or a call if its components are known. */
void component_sum_merge(struct component_sum *sum, const struct component_sum *more);
void component_sum_add_call(struct component_sum *sum, const struct call *call);

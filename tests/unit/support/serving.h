/* SPDX-License-Identifier: BSD-2-Clause */
/* An empty history, in which the waits of serving threads for a CPU are looked up. */
#pragma once

#include "analysis/statistics/service.h"

struct serving {
	struct history history;
	struct names *names;
	struct roles *roles;
	struct service_blame *blame;
};

/* 0, or -1: out of memory. In both cases serving_teardown() frees what there is. */
int serving_setup(struct serving *serving);
void serving_teardown(struct serving *serving);

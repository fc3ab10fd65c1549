/* SPDX-License-Identifier: BSD-2-Clause */
#include "core/spec.h"

#include <stdio.h>

static const char *const policy_names[NR_POLICIES] = {
	[POLICY_RR] = "rr",
	[POLICY_FIFO] = "fifo",
	[POLICY_DEADLINE] = "deadline",
	[POLICY_OTHER] = "other",
};

static const char *const placement_names[NR_PLACEMENTS] = {
	[CPUS_FREE] = "free",
	[CPUS_ONE] = "one",
	[CPUS_SPREAD] = "spread",
	[CPUS_LISTS] = "lists",
};

const char *policy_name(enum policy policy)
{
	return policy < NR_POLICIES ? policy_names[policy] : NULL;
}

const char *placement_name(enum placement placement)
{
	return placement < NR_PLACEMENTS ? placement_names[placement] : NULL;
}

void placement_text(const struct workload_spec *spec, char *text, size_t size)
{
	if (spec->placement == CPUS_LISTS)
		snprintf(text, size, "server=%s,clients=%s", spec->server_cpus, spec->client_cpus);
	else
		snprintf(text, size, "%s", placement_name(spec->placement));
}

/* SPDX-License-Identifier: BSD-2-Clause */
#include "sink/derived.h"

static uint64_t sum(const uint64_t *counter, int cnt)
{
	uint64_t total = 0;

	for (int i = 0; i < cnt; i++)
		total += counter[i];
	return total;
}

uint64_t integrity_incomplete(const struct integrity *integrity)
{
	return sum(integrity->incomplete, NR_INCOMPLETES);
}

uint64_t integrity_lost(const struct integrity *integrity)
{
	return sum(integrity->loss, NR_LOSSES);
}

bool integrity_clean(const struct integrity *integrity)
{
	return integrity->matched > 0 && integrity->matched == integrity->sent &&
	       !integrity_incomplete(integrity) && !integrity_lost(integrity) &&
	       !integrity->residual_ns_max && !integrity->truncated;
}

double context_switch_ns(const struct summary *summary)
{
	return stat_mean(&summary->component[COMPONENT_WAKEUP]) +
	       stat_mean(&summary->component[COMPONENT_RUNQUEUE]) +
	       stat_mean(&summary->component[COMPONENT_SWITCH]);
}

double share_of_latency(const struct summary *summary, double mean_ns)
{
	double latency_ns = stat_mean(&summary->latency);

	return latency_ns > 0 ? mean_ns / latency_ns : 0;
}

bool has_range(const struct summary *summary)
{
	return summary->rounds.count ? summary->rounds.complete > 0 : summary->latency.count > 0;
}

/* SPDX-License-Identifier: BSD-2-Clause */
#include "core/summary.h"

#include <stdlib.h>

void summary_clean(struct summary *summary)
{
	stat_free(&summary->latency);
	for (int i = 0; i < NR_COMPONENTS; i++)
		stat_free(&summary->component[i]);
	stat_free(&summary->rounds.first);
	stat_free(&summary->rounds.next);
	stat_free(&summary->rounds.last);
	stat_free(&summary->tick.lateness);
	stat_free(&summary->from_due);
	stat_free(&summary->calls.round_trip);
	stat_free(&summary->calls.request);
	stat_free(&summary->calls.service);
	stat_free(&summary->calls.response);
	stat_free(&summary->calls.from_due);
	for (uint32_t i = 0; summary->client && i < summary->client_cnt; i++)
		stat_free(&summary->client[i].latency);
	for (uint32_t i = 0; i < summary->channel_cnt; i++)
		stat_free(&summary->channel[i].latency);
	free(summary->channel);
	free(summary->client);
	free(summary->blame);
}

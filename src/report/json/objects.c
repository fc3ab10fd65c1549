/* SPDX-License-Identifier: BSD-2-Clause */
/* Builds the JSON objects of whole structs, and knows the further tables of all. */
#include "report/json_value.h"

#include "model/explanation.h"
#include "report/json/summary_fields.h"

static json_t *cpus_json(const struct json_place *place)
{
	char cpus[2 * SPEC_TEXT_LEN + sizeof("server=,clients=")];

	cpu_affinity_text(place->of, cpus, sizeof(cpus));
	return json_value_text(cpus);
}

static const struct member workload_spec_more_rows[] = {
	{TEXT, .name = "cpus",
	 "where threads may run: free, one, spread, or server=LIST,clients=LIST", NOT_NULL,
	 .derive = cpus_json},
};
static MORE(workload_spec);

#define MORE_OF(tag)                                                                               \
	{                                                                                          \
		&tag##_members, &tag##_more                                                        \
	}

const struct json_more json_more[] = {
	MORE_OF(summary),
	MORE_OF(integrity),
	MORE_OF(observer),
	MORE_OF(rounds_summary),
	MORE_OF(serving_order),
	MORE_OF(missed_cause),
	MORE_OF(peaks_summary),
	MORE_OF(peak),
	MORE_OF(client_summary),
	MORE_OF(room_summary),
	MORE_OF(signals),
	MORE_OF(flow_summary),
	MORE_OF(load_summary),
	MORE_OF(found_summary),
	MORE_OF(chosen_process),
	MORE_OF(choice_summary),
	MORE_OF(workload_spec),
	MORE_OF(begin),
	MORE_OF(blame),
	MORE_OF(blame_summary),
	MORE_OF(end_summary),
	MORE_OF(calls_summary),
	MORE_OF(service_summary),
	MORE_OF(answer_parts),
	MORE_OF(channel_summary),
	MORE_OF(chain_hop),
	{NULL, NULL},
};

json_t *summary_json(const struct summary *summary)
{
	const struct json_place place = {
		.more = json_more, .info = &summary->info, .summary = summary};

	return json_members(&place, &summary_members, summary);
}

json_t *explanation_json(const struct explanation *explanation)
{
	const struct json_place place = {.more = json_more, .info = &explanation->info};

	return json_members(&place, &explanation_object, explanation);
}

json_t *host_json(const struct host *host)
{
	const struct json_place place = {.more = json_more};

	return json_members(&place, &host_members, host);
}

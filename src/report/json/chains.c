/* SPDX-License-Identifier: BSD-2-Clause */
/* Builds the JSON array of the chains of a summary. */
#include "model/transport_names.h"
#include "report/json_value.h"
#include "report/words/labels.h"

/* The name of a channel, if it is one of the list. */
static const char *name_of(const struct summary *summary, uint32_t channel)
{
	for (uint32_t i = 0; i < summary->channel_cnt; i++) {
		if (!summary->channel[i].folded && summary->channel[i].id == channel)
			return summary->channel[i].name;
	}
	return NULL;
}

/* null: nothing follows this hop. */
static json_t *time_json(const struct chain_time *time, uint64_t count, bool known)
{
	if (!known)
		return json_null();
	return json_pack("{s:o, s:I}", "mean", json_value_real((double)time->ns / (double)count),
			 "max", json_value_int(time->max_ns));
}

static json_t *hop_json(const struct summary *summary, const struct chain_summary *chain,
			uint32_t i)
{
	const struct chain_hop *hop = &chain->hop[i];
	const char *name = hop->channel ? name_of(summary, hop->channel) : NULL;

	return json_pack(
		"{s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "from", json_value_end(&hop->from), "to",
		json_value_end(&hop->to), "channel", json_value_integer(hop->channel, hop->channel),
		"transport", json_value_text(transport_id_name(hop->transport)), "name",
		json_value_text(name), "latency_ns", time_json(&hop->latency, chain->count, true),
		"handled_ns", time_json(&hop->handled, chain->count, i + 1 < chain->hop_cnt));
}

static json_t *chain_json(const struct summary *summary, const struct chain_summary *chain)
{
	json_t *hops = json_array();
	int error = 0;

	for (uint32_t i = 0; i < chain->hop_cnt; i++)
		error |= json_array_append_new(hops, hop_json(summary, chain, i));
	return json_pack("{s:o, s:I, s:o}", "hops", json_value_whole(hops, error), "count",
			 json_value_int(chain->count), "cycle_ns", json_value_stat(&chain->cycle));
}

json_t *chains_json(const struct summary *summary)
{
	json_t *chains = json_array();
	int error = 0;

	for (uint32_t i = 0; i < summary->chain_cnt; i++)
		error |= json_array_append_new(chains, chain_json(summary, &summary->chain[i]));
	return json_value_whole(chains, error);
}

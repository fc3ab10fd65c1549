/* SPDX-License-Identifier: BSD-2-Clause */
/* The JSON array "channels" of an attach. */
#include "report/json/channels.h"

#include "model/transport_names.h"
#include "report/json/json_value.h"
#include "report/labels.h"

static json_t *end_json(const struct end_summary *end)
{
	return json_pack("{s:o, s:o, s:o, s:b}", "pid", json_value_integer(end->pid, end->pid > 0),
			 "tid", json_value_integer(end->tid, end->tid > 0), "comm",
			 json_value_text(end->comm), "outside", tid_is_outside(end->tid));
}

static json_t *channel_json(const struct channel_summary *channel, const struct run_info *info)
{
	bool one = !channel->folded;

	return json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:I, s:I, s:I, s:o, s:o}", "id",
			 json_value_integer(channel->id, one), "transport",
			 json_value_text(transport_id_name(channel->transport)), "name",
			 json_value_text(channel->name), "channels",
			 json_value_integer(one ? 1 : channel->folded, true), "sender",
			 one ? end_json(&channel->sender) : json_null(), "receiver",
			 one ? end_json(&channel->receiver) : json_null(), "messages",
			 (json_int_t)channel->messages, "bytes", (json_int_t)channel->bytes,
			 "calls", (json_int_t)channel->calls, "latency_ns",
			 json_value_stat(&channel->latency), "components_ns",
			 json_value_means(&channel->components, info, false));
}

json_t *channels_json(const struct summary *summary)
{
	json_t *channels = json_array();
	int error = 0;

	for (uint32_t i = 0; i < summary->channel_cnt; i++)
		error |= json_array_append_new(channels,
					       channel_json(&summary->channel[i], &summary->info));
	return json_value_whole(channels, error);
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* Builds the JSON object of a summary (schema ipctrace.summary/1). */
#include "model/transport_names.h"
#include "report/json_value.h"
#include "report/words/labels.h"
#include "insight/metrics.h"

/* {name: count} of counters, of which each has a row of the table, which begins with its name. */
#define COUNTERS(counter, table)                                                                   \
	counters_json(counter, &(table)[0], ROWS(table), sizeof((table)[0]))
#define ROWS(table) (sizeof(table) / sizeof((table)[0]))

static json_t *counters_json(const uint64_t *counter, const void *row, size_t cnt, size_t size)
{
	json_t *counters = json_object();
	int error = 0;

	for (size_t i = 0; i < cnt; i++)
		error |= json_object_set_new(counters,
					     *(const char *const *)((const char *)row + i * size),
					     json_value_integer(counter[i], true));
	return json_value_whole(counters, error);
}

static json_t *integrity_json(const struct summary *summary)
{
	const struct integrity *integrity = &summary->integrity;

	return json_pack(
		"{s:I, s:I, s:o, s:I, s:o, s:I, s:I, s:o, s:b, s:o, s:o, s:o, s:o}", "sent",
		json_value_int(integrity->sent), "matched", json_value_int(integrity->matched),
		"incomplete", COUNTERS(integrity->incomplete, incompletes), "lost",
		json_value_int(integrity_lost(integrity)), "residual_ns_max",
		json_value_integer(integrity->residual_ns_max, summary->info.traced),
		"unseen_switches", json_value_int(integrity->unseen_switches), "unseen_wakeups",
		json_value_int(integrity->unseen_wakeups), "losses",
		COUNTERS(integrity->loss, loss_names), "truncated", integrity->truncated, "corrupt",
		json_value_integer(integrity->corrupt, verifies(summary)), "elsewhere",
		json_value_integer(integrity->elsewhere, summary->info.mode == MODE_ATTACH),
		"dropped",
		json_value_integer(integrity->dropped, summary->info.mode == MODE_ATTACH),
		"notifications",
		json_value_integer(integrity->notifications, summary->info.mode == MODE_ATTACH));
}

static json_t *observer_json(const struct summary *summary)
{
	const struct observer *observer = &summary->observer;
	const struct observer_effect *effect = &observer->effect;
	const char *level = summary->info.traced ? level_names[summary->info.level] : NULL;
	bool has_reader = observer->has_reader;

	return json_pack(
		"{s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}",
		"bpf_ns_per_message",
		observer->measured ? json_value_real(observer->bpf_ns_per_message) : json_null(),
		"traced_over_untraced",
		effect->pairs ? json_value_real(effect->ratio) : json_null(),
		"traced_over_untraced_interval",
		effect->pairs ? json_pack("[o, o]", json_value_real(effect->low),
					  json_value_real(effect->high))
			      : json_null(),
		"pairs", json_value_integer(effect->pairs, effect->pairs), "level",
		json_value_text(level), "reader_policy",
		json_value_text(has_reader ? reader_policy_names[observer->reader] : NULL),
		"reader_hurried_ns", json_value_integer(observer->hurried_ns, has_reader),
		"start_ns", json_value_integer(observer->start_ns, has_reader), "runqueue_share",
		summary->info.traced ? json_value_real(own_share_of_waits(summary)) : json_null(),
		"longest_wait_ns",
		json_value_integer(own_longest_wait_ns(summary), summary->info.traced), "pauses",
		json_value_integer(observer->pauses, observer->has_pauses), "paused_ns",
		json_value_integer(observer->paused_ns, observer->has_pauses));
}

static json_t *matches_json(const struct summary *summary)
{
	return summary->info.traced ? COUNTERS(summary->integrity.match, match_names) : json_null();
}

static json_t *components_json(const struct summary *summary)
{
	json_t *stats;
	int error = 0;

	if (!summary->info.traced)
		return json_null();
	stats = json_object();
	for (int i = 0; i < NR_COMPONENTS; i++) {
		json_t *stat = component_applies(&summary->info, i)
				       ? json_value_stat(&summary->component[i])
				       : json_null();

		error |= json_object_set_new(stats, components[i].name, stat);
	}
	return json_value_whole(stats, error);
}

static json_t *paths_json(const struct summary *summary)
{
	return summary->info.traced ? COUNTERS(summary->path, paths) : json_null();
}

static json_t *wakes_json(const struct flow_summary *flow)
{
	uint64_t merged = flow->wakes_sent > flow->wakes_delivered
				  ? flow->wakes_sent - flow->wakes_delivered
				  : 0;

	if (!flow->wakes_sent)
		return json_null();
	return json_pack("{s:I, s:I, s:I}", "sent", json_value_int(flow->wakes_sent), "delivered",
			 json_value_int(flow->wakes_delivered), "merged", json_value_int(merged));
}

static json_t *flow_json(const struct summary *summary)
{
	const struct flow_summary *flow = &summary->flow;

	if (!flow->messages)
		return json_null();
	return json_pack("{s:I, s:I, s:o, s:o, s:o, s:o}", "messages",
			 json_value_int(flow->messages), "bytes", json_value_int(flow->bytes),
			 "seconds", json_value_real(flow->seconds), "messages_per_second",
			 json_value_real(messages_per_second(summary)), "bytes_per_second",
			 json_value_real(bytes_per_second(summary)), "signals", wakes_json(flow));
}

static json_t *fairness_json(const struct summary *summary)
{
	struct fairness fairness;

	if (!fairness_of(summary, &fairness))
		return json_null();
	return json_pack(
		"{s:I, s:I, s:o, s:I, s:o}", "shortest_ns", json_value_int(fairness.shortest_ns),
		"longest_ns", json_value_int(fairness.longest_ns), "spread",
		json_value_real(fairness.spread), "gap_ns", json_value_int(fairness.gap_ns),
		"client", json_value_integer(fairness.client, fairness.gap_ns > 0));
}

static json_t *load_json(const struct summary *summary)
{
	const struct load_summary *load = &summary->load;

	if (!summary->info.workload.load[0])
		return json_null();
	return json_pack("{s:o, s:o, s:b}", "name", json_value_text(summary->info.workload.load),
			 "count", json_value_integer(load->count, load->count > 0), "ended",
			 load->ended);
}

static json_t *trigger_json(const struct window_trigger *trigger)
{
	return json_pack(
		"{s:s, s:I, s:I, s:I, s:s, s:I, s:I}", "kind",
		trigger->is_call ? "call" : "message", "channel", json_value_int(trigger->channel),
		"seq", json_value_int(trigger->position), "tid", json_value_int(trigger->tid),
		"quantity", quantity_name(trigger->quantity % NR_QUANTITIES), "value_ns",
		json_value_int(trigger->value_ns), "at_ns", json_value_int(trigger->at_ns));
}

/* The first ones. */
static json_t *triggers_json(const struct window_summary *windows)
{
	json_t *list = windows->known ? json_array() : json_null();

	for (uint32_t i = 0; i < windows->trigger_cnt; i++)
		json_array_append_new(list, trigger_json(&windows->trigger[i]));
	return list;
}

/* null: the recording keeps everything. */
static json_t *windows_json(const struct summary *summary)
{
	const struct run_info *info = &summary->info;
	const struct window_summary *windows = &summary->windows;
	uint64_t slower_ns = info->keeps_slower_ns;

	if (!info->condition[0])
		return json_null();
	return json_pack("{s:o, s:o, s:b, s:o, s:I, s:o, s:o, s:o, s:o}", "slower_than_ns",
			 json_value_integer(slower_ns, slower_ns), "messages",
			 json_value_integer(summary->slower_cnt, slower_ns), "statistics",
			 !lacks_statistics(summary), "condition", json_value_text(info->condition),
			 "keep_ns", json_value_int(info->keep_ns), "windows",
			 json_value_integer(windows->windows, windows->known), "shortened",
			 json_value_integer(windows->shortened, windows->known), "window_messages",
			 json_value_integer(windows->messages, windows->known), "triggers",
			 triggers_json(windows));
}

static json_t *tick_json(const struct tick_summary *tick)
{
	return json_pack("{s:o, s:I}", "lateness_ns", json_value_stat(&tick->lateness), "skipped",
			 json_value_int(tick->skipped));
}

static json_t *range_json(const struct summary *summary)
{
	const struct peaks_summary *peaks = &summary->peaks;

	if (!has_range(summary))
		return json_pack("{s:n, s:n}", "medium", "width");
	return json_pack("{s:o, s:o}", "medium", json_value_real(peaks->medium_ns), "width",
			 json_value_real(peaks->width_ns));
}

static json_t *causes_json(const struct peaks_summary *peaks)
{
	json_t *causes = json_array();
	int error = 0;

	for (int i = 0; i < NR_COMPONENTS; i++) {
		if (peaks->cause[i])
			error |= json_array_append_new(
				causes, json_pack("{s:s, s:I}", "component", components[i].name,
						  "count", json_value_int(peaks->cause[i])));
	}
	return json_value_whole(causes, error);
}

static json_t *largest_json(const struct summary *summary)
{
	const struct peaks_summary *peaks = &summary->peaks;
	const struct peak *peak = &peaks->largest;
	bool traced = summary->info.traced;
	uint64_t since_begin_ns;
	bool has_begin = peak_since_begin(summary, &since_begin_ns);

	if (!peaks->has_largest)
		return json_null();
	return json_pack("{s:I, s:I, s:o, s:o, s:o, s:o, s:o}", "latency_ns",
			 json_value_int(peak->latency_ns), "at_ns", json_value_int(peak->at_ns),
			 "client", json_value_integer(peak->client, peak->client > 0), "component",
			 json_value_text(traced ? components[peak->component].name : NULL),
			 "component_ns", json_value_integer(peak->component_ns, traced), "blame",
			 peak->blame.ns ? json_value_blame(&peak->blame) : json_null(),
			 "since_begin_ns", json_value_integer(since_begin_ns, has_begin));
}

static json_t *peaks_json(const struct summary *summary)
{
	const struct peaks_summary *peaks = &summary->peaks;
	bool known = peaks->count > 0;

	return json_pack("{s:I, s:o, s:o, s:o, s:o, s:o}", "count", json_value_int(peaks->count),
			 "per_second", json_value_real(peaks->per_second), "min_ns",
			 json_value_integer(peaks->min_ns, known), "max_ns",
			 json_value_integer(peaks->max_ns, known), "causes", causes_json(peaks),
			 "largest", largest_json(summary));
}

static json_t *departure_json(const struct client_summary *client)
{
	if (!client->left)
		return json_null();
	return json_pack("{s:s, s:I, s:I}", "reason", departure_reason_name(client->left_reason),
			 "detail", json_value_int(client->left_detail), "round",
			 json_value_int(client->left_round));
}

static json_t *server_departure_json(const struct summary *summary)
{
	if (!summary->server_left)
		return json_null();
	return json_pack("{s:s, s:I}", "reason", departure_reason_name(summary->server_left_reason),
			 "detail", json_value_int(summary->server_left_detail));
}

/* `signal`, `done`, `planned` and `unit` are null if they do not apply. */
static json_t *ended_json(const struct summary *summary)
{
	static const char *const names[NR_END_CAUSES] = {
		[END_PLAN] = "plan",          [END_SIGNAL] = "signal",
		[END_SERVER] = "server_left", [END_CLIENTS] = "clients_left",
		[END_DURATION] = "duration",  [END_TARGETS] = "targets_left",
		[END_STOP_AT] = "stop_at",    [END_COUNT] = "count",
	};
	const struct run_ending ending = run_ending_of(summary);

	return json_pack("{s:s?, s:b, s:o, s:o, s:o, s:s?}", "by", names[ending.by], "early",
			 ending.is_early, "signal",
			 json_value_integer((uint64_t)ending.signal, ending.by == END_SIGNAL),
			 "done", json_value_integer(ending.done, ending.unit), "planned",
			 json_value_integer(ending.planned, ending.unit), "unit", ending.unit);
}

static json_t *client_json(const struct client_summary *client, const struct run_info *info)
{
	json_t *means =
		info->traced ? json_value_means(&client->components, info, true) : json_null();
	json_t *position = json_null();

	if (client->position_cnt)
		position = json_value_real((double)client->position_sum /
					   (double)client->position_cnt);
	return json_pack("{s:I, s:I, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "client",
			 json_value_int(client->client), "tid", json_value_int(client->tid), "comm",
			 json_value_text(client->comm), "latency_ns",
			 json_value_stat(&client->latency), "components_ns", means, "position_mean",
			 position, "left", departure_json(client), "time_ns",
			 json_value_integer(client->time_ns, client->time_ns > 0), "gap_ns",
			 json_value_integer(client->gap_ns, client->time_ns > 0));
}

static json_t *clients_json(const struct summary *summary)
{
	json_t *clients = json_array();
	int error = 0;

	for (uint32_t i = 0; i < summary->client_cnt; i++)
		error |= json_array_append_new(clients,
					       client_json(&summary->client[i], &summary->info));
	return json_value_whole(clients, error);
}

static json_t *channel_json(const struct summary *summary, const struct channel_summary *channel)
{
	bool one = !channel->folded, is_other = !one && !channel->transport;

	return json_pack(
		"{s:o, s:o, s:o, s:o, s:o, s:o, s:I, s:I, s:I, s:I, s:I, s:o, s:o}", "id",
		json_value_integer(channel->id, one), "transport",
		json_value_text(transport_id_name(channel->transport)), "name",
		json_value_text(channel->name), "channels",
		json_value_integer(one ? 1 : channel->folded, true), "sender",
		is_other ? json_null() : json_value_process(summary, &channel->sender), "receiver",
		is_other ? json_null() : json_value_process(summary, &channel->receiver),
		"messages", json_value_int(channel->messages), "bytes",
		json_value_int(channel->bytes), "calls", json_value_int(channel->calls), "awake",
		json_value_int(channel->awake), "dropped", json_value_int(channel->dropped),
		"latency_ns", json_value_stat(&channel->latency), "components_ns",
		json_value_means(&channel->components, &summary->info, false));
}

/* Empty for a run. */
static json_t *channels_json(const struct summary *summary)
{
	json_t *channels = json_array();
	int error = 0;

	for (uint32_t i = 0; i < summary->channel_cnt; i++)
		error |= json_array_append_new(channels,
					       channel_json(summary, &summary->channel[i]));
	return json_value_whole(channels, error);
}

json_t *summary_json(const struct summary *summary)
{
	const struct run_info *info = &summary->info;

	return json_pack(
		"{s:s, s:o, s:o, s:s, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o,"
		" s:o, s:o, s:o, s:o, s:b, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, "
		"s:o, s:o, s:o, s:o, s:o, s:o}",
		"schema", "ipctrace.summary/1", "version", json_value_text(info->version), "host",
		host_json(&info->host), "mode", mode_name(info->mode), "workload",
		workload_json(info), "integrity", integrity_json(summary), "observer",
		observer_json(summary), "latency_ns", json_value_stat(&summary->latency),
		"components_ns", components_json(summary), "paths", paths_json(summary), "rounds",
		rounds_json(summary), "calls", calls_json(summary), "range_ns", range_json(summary),
		"peaks", peaks_json(summary), "blame",
		json_value_blames(summary, summary->blame, info->traced ? summary->blame_cnt : 0,
				  (double)summary->component[COMPONENT_RUNQUEUE].sum),
		"clients", clients_json(summary), "channels", channels_json(summary), "tick",
		tick_json(&summary->tick), "server_left", server_departure_json(summary), "traced",
		info->traced, "duration_s", json_value_real(summary->duration_s), "flow",
		flow_json(summary), "fairness", fairness_json(summary), "from_due_ns",
		json_value_due(&summary->from_due), "load", load_json(summary), "matches",
		matches_json(summary), "target", json_value_text(info->target), "blocked_on",
		json_value_blocked_on(&summary->blocked, info, "messages"), "recording_keeps",
		windows_json(summary), "ended", ended_json(summary), "room", room_json(summary),
		"tracing", tracing_json(summary), "found", found_json(summary), "steal",
		steal_json(summary), "chains", chains_json(summary), "chains_other",
		json_value_integer(summary->chains_other, info->mode == MODE_ATTACH), "choices",
		choices_json(summary));
}

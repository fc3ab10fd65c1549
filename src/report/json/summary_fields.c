/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What JSON has of a summary besides its members; but for calls and channels (traffic_fields.c).
 * Builds the objects of whole structs.
 */
#include "insight/metrics.h"
#include "report/json_value.h"
#include "report/json/summary_fields.h"
#include "report/words/labels.h"

#include <math.h>

static json_t *summary_fields_lost_json(const struct json_place *place)
{
	return json_value_integer(integrity_lost(place->of), true);
}

static const struct member integrity_more_rows[] = {
	{NUMBER, .name = "lost", "records that were lost", .after = "incomplete",
	 .derive = summary_fields_lost_json},
};
static MORE(integrity);

static json_t *level_json(const struct json_place *place)
{
	return json_value_text(member_word(place->member, place->info->level));
}

static const struct member observer_more_rows[] = {
	{REAL, .at = offsetof(struct observer, effect.low), .name = "traced_over_untraced_interval",
	 "its 95 % interval", "no --overhead", IF(observer, effect.pairs), .cnt = 2,
	 .after = "traced_over_untraced"},
	{WORD, .name = "level", "how much was traced", IF_TRACED, .after = "pairs",
	 NAMES(level_names), .derive = level_json},
	{SHARE, .name = "runqueue_share",
	 "the part of all waiting for a CPU in which ipctrace itself had the CPU", IF_TRACED,
	 .after = "start_ns", .real = own_share_of_waits},
	{NS, .name = "longest_wait_ns",
	 "the longest time that one message or call waited for a CPU behind ipctrace itself",
	 IF_TRACED, .after = "runqueue_share", .number = own_longest_wait_ns},
};
static MORE(observer);

static const struct member serving_order_more_rows[] = {
	{NUMBER, AT(serving_order, first), "first",
	 "the clients in the order of arrival, at most eight",
	 .cnt = SIZE_IN(serving_order, first) / SIZE_IN(serving_order, first[0])},
};
static MORE(serving_order);

static const char *const missed_words[] = {"unfinished", "late"};

/* Its time is that of one message: it has none here. */
static const struct member missed_culprit_rows[] = {
	{WORD, AT(blame, class), "class", NAMES_OF(blame_classes, NR_BLAME_CLASSES)},
	{TEXT, AT(blame, comm), "comm", "its name", "it has none, or it is not known"},
	{NUMBER, AT(blame, tid), "tid", "the thread", "several of that name", IF_SET},
	{FLAG, .name = "outside", OUTSIDE_SAYS, .derive = blame_outside_json},
};
static OBJECT(missed_culprit, blame, "What had the CPU.");

static const struct member missed_cause_more_rows[] = {
	{NUMBER, AT(missed_cause, is_late), "missed", .after = "", NAMES(missed_words)},
	{STRUCT, AT(missed_cause, blame), "blame", NULL, "no wait for a CPU",
	 IF(missed_cause, has_blame), .of = &missed_culprit_object, .after = "component"},
};
static MORE(missed_cause);

/* A distribution has these, too. */
static const struct member first_rows[] = {
	{REAL_NS, AT(rounds_summary, first_components), "components_ns",
	 "the mean of each component", IF_TRACED, COMPONENTS, .derive = means_json},
};
static OBJECT(first, rounds_summary);
static const struct member next_rows[] = {
	{REAL_NS, AT(rounds_summary, next_components), "components_ns",
	 "the mean of each component", IF_TRACED, COMPONENTS, .derive = means_json},
};
static OBJECT(next, rounds_summary);

static const struct member rounds_summary_more_rows[] = {
	{DISTRIBUTION, AT(rounds_summary, first), "first_latency_ns",
	 "The latency of the client that gets its message first.", .after = "tick_ns",
	 .of = &first_object},
	{DISTRIBUTION, AT(rounds_summary, next), "next_latency_ns",
	 "The time from the receive of one client to that of the next one.",
	 .after = "first_latency_ns", .of = &next_object},
};
static MORE(rounds_summary);

/* The range is known as a whole. */
static json_t *range_json(const struct json_place *place)
{
	const double *value = json_value_at(place);

	return json_value_real(has_range(place->summary) ? *value : NAN);
}

static const struct member range_rows[] = {
	{REAL_NS, AT(peaks_summary, medium_ns), "medium", "the mean of the range", "not known",
	 .derive = range_json},
	{REAL_NS, AT(peaks_summary, width_ns), "width", "two standard deviations", "not known",
	 .derive = range_json},
};
static OBJECT(range, peaks_summary);

struct peak_cause {
	enum component component;
	uint64_t count;
};

static const struct member peak_cause_rows[] = {
	{WORD, AT(peak_cause, component), "component", "the largest component",
	 NAMES_OF(components, NR_COMPONENTS)},
	{NUMBER, AT(peak_cause, count), "count", "peaks"},
};
static OBJECT(peak_cause, peak_cause);

static json_t *peak_causes_json(const struct json_place *place)
{
	const struct peaks_summary *peaks = place->of;
	json_t *list = json_array();
	int error = 0;

	for (int i = 0; i < NR_COMPONENTS; i++) {
		const struct peak_cause cause = {.component = i, .count = peaks->cause[i]};

		if (cause.count)
			error |= json_array_append_new(
				list, json_members(place, place->member->of, &cause));
	}
	return json_value_whole(list, error);
}

static const struct member peaks_summary_more_rows[] = {
	{RATE, AT(peaks_summary, per_second), "per_second", "how many in each second",
	 "less than a second", .after = "count"},
	{LIST, .name = "causes", "the largest components of peaks", .after = "max_ns",
	 .of = &peak_cause_object, .derive = peak_causes_json},
};
static MORE(peaks_summary);

static json_t *since_begin_json(const struct json_place *place)
{
	uint64_t since_begin_ns;
	bool has_begin = peak_since_begin(place->summary, &since_begin_ns);

	return json_value_integer(since_begin_ns, has_begin);
}

static const struct member peak_more_rows[] = {
	{NS, .name = "since_begin_ns", "since tracing began", "not known",
	 .derive = since_begin_json},
};
static MORE(peak);

static const struct member client_summary_more_rows[] = {
	{REAL_NS, AT(client_summary, components), "components_ns", "the mean of each component",
	 "no messages, or not traced", .known = is_traced, COMPONENTS, .after = "latency_ns",
	 .derive = means_json},
	{REAL, MEAN_OF(client_summary, position_sum, position_cnt), "position_mean",
	 "its mean place in the order of arrival, from 1", "no complete round",
	 IF(client_summary, position_cnt), .least = 1, .after = "components_ns"},
};
static MORE(client_summary);

static json_t *room_share_json(const struct json_place *place)
{
	const struct room_summary *room = place->of;
	double all_ns = (double)place->summary->component[COMPONENT_ROOM].sum;

	return json_value_real(all_ns > 0 ? (double)room->ns / all_ns : 0);
}

static const struct member room_summary_more_rows[] = {
	{STRUCT, AT(room_summary, reader), "reader", NULL, "several receivers",
	 IF(room_summary, reader.tid), .of = &process_object, .after = ""},
	{SHARE, .name = "share", "of all waiting for room", .after = "ns",
	 .derive = room_share_json},
	{LIST, AT(room_summary, blocked), "blocked_on", NULL, IN_ATTACH, .of = &slept_sleeps_object,
	 .derive = slept_json},
};
static MORE(room_summary);

static json_t *merged_json(const struct json_place *place)
{
	const struct flow_summary *flow = place->of;
	uint64_t merged = flow->wakes_sent > flow->wakes_delivered
				  ? flow->wakes_sent - flow->wakes_delivered
				  : 0;

	return json_value_integer(merged, true);
}

static const struct member signals_more_rows[] = {
	{NUMBER, .name = "merged", "sent while one was pending", .derive = merged_json},
};
static MORE(signals);

static const struct member flow_summary_more_rows[] = {
	{RATE, .name = "messages_per_second", "messages in each second", .after = "seconds",
	 .real = messages_per_second},
	{RATE, .name = "bytes_per_second", "bytes in each second", .after = "messages_per_second",
	 .real = bytes_per_second},
};
static MORE(flow_summary);

static double connections_per_second(const struct summary *summary)
{
	double seconds = traced_seconds(summary);

	return seconds > 0 ? (double)summary->connections.latency.count / seconds : NAN;
}

static double requests_per_connection(const struct summary *summary)
{
	uint64_t cnt = summary->connections.first_call.count;

	return cnt ? (double)summary->connections.requests / (double)cnt : NAN;
}

static const struct member connections_summary_more_rows[] = {
	{RATE, .name = "per_second", "connections of latency_ns in each second", "not known",
	 .after = "connect_calls", .real = connections_per_second},
	{RATE, .name = "requests_per_connection", "requests for each connection with a first call",
	 "none is known", .after = "requests", .real = requests_per_connection},
};
static MORE(connections_summary);

static const struct member listener_summary_more_rows[] = {
	{LIST, AT(listener_summary, blocked), "queue_blocked_on", "in these system calls",
	 .of = &slept_sleeps_object, .derive = slept_json, .after = "queue_blocked_ns"},
};
static MORE(listener_summary);

static json_t *load_name_json(const struct json_place *place)
{
	return json_value_text(place->info->workload.load);
}

static const struct member load_summary_more_rows[] = {
	{TEXT, .name = "name", "the load", .after = "", .derive = load_name_json},
};
static MORE(load_summary);

static const struct member heir_rows[] = {
	{NUMBER, AT(end_summary, pid), "pid", "the process that has this name now", .least = 1},
	{TEXT, AT(end_summary, comm), "comm", "its name", "not known"},
};
static OBJECT(heir, end_summary);

static const struct member found_summary_more_rows[] = {
	{STRUCT, AT(found_summary, now), "now", NULL, "none", IF(found_summary, now.pid),
	 .of = &heir_object},
};
static MORE(found_summary);

static const struct member chosen_process_more_rows[] = {
	{NUMBER, AT(chosen_process, end.pid), "pid", "the process", "several", IF_SET, .after = ""},
	{TEXT, AT(chosen_process, end.comm), "comm", "its name", NOT_NULL, .after = ""},
};
static MORE(chosen_process);

/* What the option of this place in struct summary says. */
static json_t *wanted_json(const struct json_place *place)
{
	const struct choice_summary *choice = place->of;
	const struct run_info *info = place->info;
	const char *const wanted[NR_CHOICES] = {[CHOICE_PEER] = info->peer,
						[CHOICE_SERVER] = info->server,
						[CHOICE_CLIENT] = info->client};

	return json_value_text(wanted[choice - place->summary->choice]);
}

static const struct member choice_summary_more_rows[] = {
	{TEXT, .name = "wanted", "what the option says", NOT_NULL, .after = "",
	 .derive = wanted_json},
};
static MORE(choice_summary);

#define CHOICE(name, kind, option)                                                                 \
	{                                                                                          \
		STRUCT, AT(summary, choice[kind]), name, NULL, "not given",                        \
			IF(summary, info.option[0]), .of = &choice_summary_members                 \
	}

static const struct member choices_rows[] = {
	CHOICE("peer", CHOICE_PEER, peer),
	CHOICE("server", CHOICE_SERVER, server),
	CHOICE("client", CHOICE_CLIENT, client),
};
static OBJECT(choices, summary, "What the options of these names met.");

static bool has_choices(const struct run_info *info, const void *of)
{
	(void)of;
	return info->peer[0] || info->server[0] || info->client[0];
}

static json_t *utc_json(const struct json_place *place)
{
	char utc[BEGIN_LEN];

	begin_in_utc(place->of, utc);
	return json_value_text(utc);
}

static const struct member begin_more_rows[] = {
	{TEXT, .name = "utc", "the instant as a date in UTC", NOT_NULL, .after = "",
	 .derive = utc_json},
};
static MORE(begin);

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

static json_t *traced_ns_json(const struct json_place *place)
{
	uint64_t ns = traced_ns(place->summary);

	return json_value_integer(ns, ns > 0);
}

static const struct member tracing_rows[] = {
	{STRUCT, AT(summary, info.begin), "began", NULL, "not known",
	 IF(summary, info.begin.unix_ns), .of = &begin_members},
	{NS, .name = "duration_ns", "for how long an attach traced", "not known, or a run",
	 .derive = traced_ns_json},
	{RATE, .name = "messages_per_second", "sends in each second of this time", "not known",
	 .real = sends_per_second},
	{RATE, .name = "calls_per_second", "calls in each second of this time", "not known",
	 .real = calls_per_second},
	{STRUCT, AT(summary, info.untraced), "untraced", NULL,
	 "there are none, a run, or an older recording", IF(summary, info.untraced.cnt),
	 .of = &untraced_members},
};
static OBJECT(tracing, summary, "When and for how long was traced.");

static const struct member steal_rows[] = {
	{NS, .name = "ns", "for how long the host took CPUs away", .number = steal_ns},
	{RATE, .name = "share", "of the time of all CPUs", .real = steal_share},
	{ENTRIES, AT(summary, steal), "cpus", CNT_AT(summary, steal_cnt),
	 .of = &steal_summary_members},
};
static OBJECT(steal, summary);

static const char *const trigger_words[] = {"message", "call"};

static const char *quantity_word(uint32_t quantity)
{
	return quantity_name(quantity);
}

static json_t *quantity_json(const struct json_place *place)
{
	const struct window_trigger *trigger = place->of;

	return json_value_text(member_word(place->member, trigger->quantity % NR_QUANTITIES));
}

static const struct member trigger_rows[] = {
	{NUMBER, AT(window_trigger, is_call), "kind", NAMES(trigger_words)},
	{NUMBER, AT(window_trigger, channel), "channel", "its channel"},
	{NUMBER, AT(window_trigger, position), "seq", "its number in the channel"},
	{NUMBER, AT(window_trigger, tid), "tid", "its thread"},
	{WORD, .name = "quantity", "what was over its limit", .word_of = quantity_word,
	 .cnt = NR_QUANTITIES, .derive = quantity_json},
	{NS, AT(window_trigger, value_ns), "value_ns", "its value"},
	{NS, AT(window_trigger, at_ns), "at_ns", "when"},
};
static OBJECT(trigger, window_trigger);

static json_t *statistics_json(const struct json_place *place)
{
	return json_boolean(!lacks_statistics(place->summary));
}

static const struct member keeps_rows[] = {
	{NS, AT(summary, info.keeps_slower_ns), "slower_than_ns", "--slower-than", "not given",
	 IF_SET},
	{NUMBER, AT(summary, slower_cnt), "messages", "messages that were slower",
	 "no --slower-than", IF(summary, info.keeps_slower_ns)},
	{FLAG, .name = "statistics", "the recording has the statistics of all messages",
	 .derive = statistics_json},
	{TEXT, AT(summary, info.condition), "condition",
	 "what a message fulfils whose time is kept"},
	{NS, AT(summary, info.keep_ns), "keep_ns", "from this time before such a message on"},
	{NUMBER, AT(summary, windows.windows), "windows", "times that are kept", "not known",
	 IF(summary, windows.known)},
	{NUMBER, AT(summary, windows.shortened), "shortened",
	 "windows that are shorter, for lack of memory", "not known", IF(summary, windows.known)},
	{NUMBER, AT(summary, windows.messages), "window_messages", "messages in windows",
	 "not known", IF(summary, windows.known)},
	{LIST, AT(summary, windows.trigger), "triggers",
	 "the first ones that fulfilled the condition", "not known", IF(summary, windows.known),
	 CNT_AT(summary, windows.trigger_cnt), .of = &trigger_object},
};
static OBJECT(keeps, summary);

static const char *const end_words[NR_END_CAUSES] = {
	[END_PLAN] = "plan",          [END_SIGNAL] = "signal",
	[END_SERVER] = "server_left", [END_CLIENTS] = "clients_left",
	[END_DURATION] = "duration",  [END_TARGETS] = "targets_left",
	[END_STOP_AT] = "stop_at",    [END_COUNT] = "count",
};

static const char *const planned_words[] = {"rounds", "exchanges", "messages"};

static bool is_by_signal(const struct run_info *info, const void *of)
{
	const struct run_ending *ending = of;

	(void)info;
	return ending->by == END_SIGNAL;
}

static const struct member ended_rows[] = {
	{WORD, AT(run_ending, by), "by", "what ended it", "not known", NAMES(end_words)},
	{FLAG, AT(run_ending, is_early), "early", "before its planned end"},
	{NUMBER, AT(run_ending, signal), "signal", "the number of the signal", "no signal",
	 .known = is_by_signal},
	{NUMBER, AT(run_ending, done), "done", "how much of the plan was done", "an attach",
	 IF(run_ending, unit)},
	{NUMBER, AT(run_ending, planned), "planned", "the plan", "an attach", IF(run_ending, unit)},
	{NAME, AT(run_ending, unit), "unit", "of both numbers", "an attach", NAMES(planned_words)},
};
static OBJECT(ended, run_ending);

static json_t *ended_json(const struct json_place *place)
{
	const struct run_ending ending = run_ending_of(place->summary);

	return json_members(place, place->member->of, &ending);
}

static const struct member fairness_rows[] = {
	{NS, AT(fairness, shortest_ns), "shortest_ns",
	 "the shortest time that a client took for all of its messages"},
	{NS, AT(fairness, longest_ns), "longest_ns", "the longest time"},
	{REAL, AT(fairness, spread), "spread", "their difference as a share of the mean"},
	{NS, AT(fairness, gap_ns), "gap_ns", "the longest time between two messages of a client"},
	{NUMBER, AT(fairness, client), "client", "the client of this gap", "none", .least = 1,
	 IF(fairness, gap_ns)},
};
static OBJECT(fairness, fairness);

static json_t *fairness_json(const struct json_place *place)
{
	struct fairness fairness;

	if (!fairness_of(place->summary, &fairness))
		return json_null();
	return json_members(place, place->member->of, &fairness);
}

static json_t *summary_fields_components_json(const struct json_place *place)
{
	json_t *all = json_object();
	int error = 0;

	for (int i = 0; i < NR_COMPONENTS; i++) {
		json_t *stat = component_applies(place->info, i)
				       ? json_value_stat(&place->summary->component[i])
				       : json_null();

		error |= json_object_set_new(all, member_word(place->member, i), stat);
	}
	return json_value_whole(all, error);
}

static bool summary_fields_has_room(const struct run_info *info, const void *of)
{
	(void)of;
	return info->traced && component_applies(info, COMPONENT_ROOM);
}

static const struct member summary_more_rows[] = {
	{WORD, .name = "schema", .after = "", WORDS("ipctrace.summary/1")},
	{TEXT, AT(summary, info.version), "version", "of the ipctrace that recorded", .after = ""},
	{STRUCT, AT(summary, info.host), "host", .after = "", .of = &host_members},
	{WORD, AT(summary, info.mode), "mode", .after = "", NAMES(mode_names)},
	{STRUCT, AT(summary, info.workload), "workload", NULL, IN_RUN, .after = "",
	 .of = &workload_spec_members},
	{DISTRIBUTION, .name = "components_ns", "The distribution of each component", IF_TRACED,
	 COMPONENTS, .after = "latency_ns", .derive = summary_fields_components_json},
	{STRUCT, AT(summary, peaks), "range_ns", .after = "calls", .of = &range_object},
	{ENTRIES, AT(summary, blame), "blame",
	 "What ran while receivers waited for a CPU, longest first.", .after = "peaks",
	 CNT_AT(summary, blame_cnt), .of = &blame_summary_members, .derive = blames_json},
	{FLAG, AT(summary, info.traced), "traced", "false: --no-trace", .after = "server_left"},
	{STRUCT, .name = "fairness", NULL, "fewer than two clients", .after = "flow",
	 .of = &fairness_object, .derive = fairness_json},
	{NUMBER, AT(summary, integrity.match), "matches", "how messages were joined", IF_TRACED,
	 .after = "load", EACH(match_names)},
	{TEXT, AT(summary, info.target), "target", "what was attached to, in words", "a run",
	 .after = "matches"},
	{LIST, AT(summary, blocked), "blocked_on", NULL, IN_ATTACH, .after = "target",
	 .of = &slept_messages_object, .derive = slept_json},
	{STRUCT, ALL(summary), "recording_keeps", NULL, "the recording keeps everything",
	 IF(summary, info.condition[0]), .after = "blocked_on", .of = &keeps_object},
	{STRUCT, .name = "ended", .after = "recording_keeps", .of = &ended_object,
	 .derive = ended_json},
	{ENTRIES, AT(summary, room), "room", "the receivers that messages waited for to make room",
	 "not known", .known = summary_fields_has_room, .after = "ended", CNT_AT(summary, room_cnt),
	 .of = &room_summary_members},
	{STRUCT, ALL(summary), "tracing", .after = "room", .of = &tracing_object},
	{STRUCT, ALL(summary), "steal", NULL, "not known", IF(summary, steal_cnt), .after = "found",
	 .of = &steal_object},
	{STRUCT, ALL(summary), "choices", NULL, "none of them is given", .known = has_choices,
	 .after = "chains_other", .of = &choices_object},
	{STRUCT, .name = "explanation", "with --explain", .is_optional = true, .after = "choices",
	 .of = &explanation_object},
};
static MORE(summary);

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
	MORE_OF(connections_summary),
	MORE_OF(listener_summary),
	MORE_OF(failing_summary),
	MORE_OF(sleeper_summary),
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

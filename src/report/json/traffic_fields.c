/* SPDX-License-Identifier: BSD-2-Clause */
/* What JSON has of threads, calls, services, channels and chains besides their members. */
#include "insight/metrics.h"
#include "insight/services.h"
#include "report/json_value.h"
#include "report/json/summary_fields.h"
#include "report/words/labels.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static json_t *end_outside_json(const struct json_place *place)
{
	const struct end_summary *end = place->of;

	return json_boolean(tid_is_outside(end->tid));
}

static const struct member end_summary_more_rows[] = {
	{FLAG, .name = "outside",
	 "it is outside of the tracer's PID namespace, and its number is not its own",
	 .derive = end_outside_json},
};
MORE(end_summary);

static json_t *process_script_json(const struct json_place *place)
{
	const struct end_summary *end = place->of;

	return json_value_text(summary_script(place->summary, end->pid));
}

#define SCRIPT_SAYS "what it executes, if it is an interpreter"

static const struct member process_rows[] = {
	{STRUCT, ALL(end_summary), .name = "", .of = &end_summary_members},
	{TEXT, .name = "script", SCRIPT_SAYS, .derive = process_script_json, .after = "outside"},
};
OBJECT(process, end_summary);

json_t *blame_outside_json(const struct json_place *place)
{
	const struct blame *blame = place->of;

	return json_boolean(blame->kind == SLICE_TASK && tid_is_outside(blame->tid));
}

static const struct member blame_more_rows[] = {
	{FLAG, .name = "outside", OUTSIDE_SAYS, .derive = blame_outside_json, .after = "ns"},
};
MORE(blame);

/* The time of one entry, as a share of that of all. */
static json_t *share_json(const struct json_place *place)
{
	uint64_t ns = *(const uint64_t *)json_value_at(place);

	return json_value_real(place->whole > 0 ? (double)ns / place->whole : 0);
}

static json_t *scheduling_json(const struct json_place *place)
{
	char scheduling[NAME_LEN];

	blame_scheduling(json_value_at(place), scheduling);
	return json_value_text(scheduling);
}

/* What has to do with the target or is one has a script, if its interpreter is known. */
static json_t *blame_script_json(const struct json_place *place)
{
	const struct blame_summary *blame = place->of;
	bool is_traced = blame_relations[blame->relation].is_traced;
	uint32_t pid = blame->pid ?: blame->total.tid;

	return json_value_text(is_traced ? summary_script(place->summary, pid) : NULL);
}

static json_t *worst_cpu_json(const struct json_place *place)
{
	const struct blame_summary *blame = place->of;
	bool has_cpu = blame->worst_ns && blame->worst_cpu < BLAME_CPU_SEVERAL;

	return json_value_integer(blame->worst_cpu, has_cpu);
}

static const struct member blame_summary_more_rows[] = {
	{SHARE, AT(blame_summary, total.ns), "share", "of all waiting", .derive = share_json,
	 .after = "folded"},
	{TEXT, AT(blame_summary, total), "scheduling", "its policy and priority",
	 "no thread, or not known", .derive = scheduling_json, .after = "share"},
	{TEXT, .name = "script", SCRIPT_SAYS, .derive = blame_script_json, .after = "relation"},
	{NUMBER, .name = "worst_cpu", "the CPU of this wait", "several, or not known",
	 .derive = worst_cpu_json, .after = "worst_ns"},
};
MORE(blame_summary);

static json_t *blames_of(const struct json_place *place, double runqueue_ns)
{
	struct json_place list = *place;

	list.whole = runqueue_ns;
	return json_members_list(&list, place->member);
}

json_t *blames_json(const struct json_place *place)
{
	if (!place->info->traced)
		return json_array();
	return blames_of(place, (double)place->summary->component[COMPONENT_RUNQUEUE].sum);
}

static json_t *syscall_json(const struct json_place *place)
{
	const struct blocked_call *blocked = place->of;

	return json_value_text(SYSCALL(place->info->host.arch, blocked->call));
}

json_t *slept_json(const struct json_place *place)
{
	const struct member list = {LIST, AT(blocked_calls, entry), .of = place->member->of,
				    CNT_AT(blocked_calls, cnt)};
	struct json_place blocked = *place;

	blocked.of = json_value_at(place);
	blocked.whole = (double)blocked_calls_ns(blocked.of);
	return json_members_list(&blocked, &list);
}

/* In how many messages, calls or sleeps. */
#define SLEPT(what)                                                                                \
	static const struct member slept_##what##_rows[] = {                                       \
		{TEXT, .name = "call", "the system call; or 'no call', 'stopped', 'others'",       \
		 NOT_NULL, .derive = syscall_json},                                                \
		{NS, AT(blocked_call, ns), "ns", "for how long"},                                  \
		{NUMBER, AT(blocked_call, cnt), #what, "in how many " #what},                      \
		{SHARE, AT(blocked_call, ns), "share", "of all of these sleeps",                   \
		 .derive = share_json},                                                            \
	};                                                                                         \
	const struct members slept_##what##_object = {.name = "slept_" #what,                      \
						      .size = sizeof(struct blocked_call),         \
						      ROWS(slept_##what##_rows)}
SLEPT(messages);
SLEPT(calls);
SLEPT(sleeps);

/* A component that does not apply is not known. */
static json_t *means_of(const struct json_place *place, bool has_dispatch)
{
	const struct component_sum *sum = json_value_at(place);
	json_t *means;
	int error = 0;

	if (!sum->count)
		return json_null();
	means = json_object();
	for (int i = 0; i < NR_COMPONENTS; i++) {
		bool known = component_applies(place->info, i) ||
			     (has_dispatch && i == COMPONENT_DISPATCH);
		double mean = known ? (double)sum->ns[i] / (double)sum->count : NAN;

		error |= json_object_set_new(means, member_word(place->member, i),
					     json_value_real(mean));
	}
	return json_value_whole(means, error);
}

json_t *means_json(const struct json_place *place)
{
	return means_of(place, true);
}

/* What serving threads did, in the mean. */
struct states {
	uint64_t count;
	double ns[NR_SERVICE_STATES];
};

static const struct member states_rows[] = {
	{NUMBER, AT(states, count), "count", "calls whose service could be cut", .least = 1},
	{REAL_NS, AT(states, ns[SERVICE_ON_CPU]), "on_cpu", "the serving threads ran"},
	{REAL_NS, AT(states, ns[SERVICE_RUNQUEUE]), "runqueue", "they waited for a CPU"},
	{REAL_NS, AT(states, ns[SERVICE_BLOCKED]), "blocked", "they slept"},
	{REAL_NS, AT(states, ns[SERVICE_WAKEUP]), "wakeup",
	 "the work was handed on, and the next thread was not runnable yet"},
};
static OBJECT(states, states, "Means of what serving threads did");

/* The sums are those of so many calls as the number at `flag_at` says. */
static json_t *states_json(const struct json_place *place)
{
	const uint64_t *state_ns = json_value_at(place);
	struct states states = {.count = *(uint64_t *)((char *)place->of + place->member->flag_at)};

	for (int i = 0; i < NR_SERVICE_STATES; i++)
		states.ns[i] = (double)state_ns[i] / (double)states.count;
	return json_members(place, &states_object, &states);
}

#define STATES(tag, member, count)                                                                 \
	STRUCT, AT(tag, member), "states_ns", NULL, "not known", IF(tag, count),                   \
		.of = &states_object, .derive = states_json

static json_t *parts_known_json(const struct json_place *place)
{
	const struct answer_parts *parts = place->of;
	double known_ns = (double)server_time_ns(&parts->did);

	return json_value_real(parts->ns ? 100 * known_ns / (double)parts->ns : NAN);
}

static const struct member answer_parts_more_rows[] = {
	{REAL_NS, MEAN_OF(answer_parts, ns, calls), "between_ns",
	 "from the send of the first message to that of the last, in the mean"},
	{RATE, .name = "states_known_pct",
	 "the share of this time of which it is known what the server did, in percent", "no time",
	 .derive = parts_known_json},
	{STATES(answer_parts, did.state_ns, calls)},
	{LIST, AT(answer_parts, did.blocked), "blocked_on", NULL, IN_ATTACH,
	 .of = &slept_calls_object, .derive = slept_json},
};
MORE(answer_parts);

static json_t *service_rate_json(const struct json_place *place)
{
	const struct service_summary *service = place->of;
	uint64_t all = service->count + service->open_several;
	double seconds = traced_seconds(place->summary);

	return json_value_real(seconds > 0 ? (double)all / seconds : NAN);
}

static json_t *service_known_json(const struct json_place *place)
{
	const struct service_summary *service = place->of;
	double known = service->count ? (double)service->state_cnt / (double)service->count : 0;

	return json_value_real(service->count ? 100 * known : NAN);
}

#define CALL_COMPONENTS(tag)                                                                       \
	REAL_NS, AT(tag, components), "components_ns",                                             \
		"of request and response together: the mean of each component", "not known",       \
		COMPONENTS, .derive = means_json

#define CALLS_CUT(tag)                                                                             \
	NUMBER, AT(tag, components.count), "components_count", "so many calls these are of"

static const struct member service_summary_more_rows[] = {
	{STRUCT, AT(service_summary, server), "service", "the server", "not known",
	 IF(service_summary, server.pid), .of = &process_object},
	{STRUCT, AT(service_summary, client), "client", "the client", "several",
	 IF(service_summary, client.pid), .of = &process_object, .after = "transport"},
	{RATE, .name = "per_second", "calls in each second", "not known", .after = "guessed",
	 .derive = service_rate_json},
	{STATES(service_summary, state_ns, state_cnt), .after = "service_ns"},
	{RATE, .name = "states_known_pct", "calls whose service could be cut, in percent",
	 "no calls", .after = "states_ns", .derive = service_known_json},
	{LIST, AT(service_summary, blocked), "blocked_on", NULL, IN_ATTACH,
	 .of = &slept_calls_object, .after = "response_ns", .derive = slept_json},
	{REAL_NS, MEAN_OF(service_summary, nested_ns, nests), "nested_ns",
	 "for how long these were open, in the mean", "none", IF(service_summary, nests),
	 .after = "nests"},
	{CALL_COMPONENTS(service_summary), .after = "answer_parts"},
	{CALLS_CUT(service_summary), .after = "components_ns"},
};
MORE(service_summary);

/* A service as one client sees it, or with the calls of all its clients to all its processes. */
struct listed_service {
	struct service_summary service;
	uint32_t clients; /* 0: some are not told apart */
	uint32_t processes;
};

static const struct member listed_service_rows[] = {
	{STRUCT, AT(listed_service, service), .name = "", .of = &service_summary_members},
	{NUMBER, AT(listed_service, clients), "clients", "how many clients", "several", IF_SET,
	 .after = "states_known_pct"},
};
static OBJECT(listed_service, listed_service, "The calls of one client of one service.");

static const struct member whole_service_rows[] = {
	{STRUCT, ALL(listed_service), .name = "", .of = &listed_service_object},
	{NUMBER, AT(listed_service, processes), "processes",
	 "how many processes of one program serve under the name", .least = 1,
	 .after = "answer_parts"},
};
static OBJECT(whole_service, listed_service,
	      "The calls of all clients of one service, but for those to itself.");

static json_t *services_json(const struct json_place *place)
{
	const struct calls_summary *calls = &place->summary->calls;
	json_t *services = json_array();
	int error = 0;

	for (uint32_t i = 0; i < calls->service_cnt; i++) {
		const struct listed_service service = {
			.service = calls->service_of[i],
			.clients = !!calls->service_of[i].client.pid,
		};

		error |= json_array_append_new(services,
					       json_members(place, place->member->of, &service));
	}
	return json_value_whole(services, error);
}

/* How many processes call it; 0: some are not told apart. Its name stays if all have it. */
static uint32_t traffic_fields_clients_of(const struct service_summary *sum,
					  const struct calls_summary *calls)
{
	uint32_t cnt = 0;

	for (uint32_t i = 0; i < calls->service_cnt; i++) {
		const struct service_summary *client = &calls->service_of[i];
		bool is_new = is_same_service(client, sum) && !is_call_to_itself(calls, client);

		if (is_new && !client->client.pid)
			return 0;
		for (uint32_t k = 0; k < i && is_new; k++)
			is_new = calls->service_of[k].client.pid != client->client.pid ||
				 !is_same_service(&calls->service_of[k], sum);
		cnt += is_new;
	}
	return cnt;
}

static json_t *whole_service_json(const struct json_place *place,
				  const struct service_summary *first)
{
	const struct calls_summary *calls = &place->summary->calls;
	struct listed_service whole = {.processes = service_processes(calls, first)};
	json_t *json;

	service_sum_name(&whole.service, first);
	service_sum_add_clients(&whole.service, calls);
	whole.clients = traffic_fields_clients_of(&whole.service, calls);
	if (whole.clients == 1)
		whole.service.client = first->client;
	json = json_members(place, place->member->of, &whole);
	service_sum_clean(&whole.service);
	return json;
}

/* Whether an earlier client of the list calls the same service. */
static bool is_added(const struct calls_summary *calls, uint32_t i)
{
	for (uint32_t k = 0; k < i; k++) {
		if (is_same_service(&calls->service_of[k], &calls->service_of[i]) &&
		    !is_call_to_itself(calls, &calls->service_of[k]))
			return true;
	}
	return false;
}

static json_t *whole_services_json(const struct json_place *place)
{
	const struct calls_summary *calls = &place->summary->calls;
	json_t *services = json_array();
	int error = 0;

	for (uint32_t i = 0; i < calls->service_cnt; i++) {
		const struct service_summary *service = &calls->service_of[i];

		if (!is_call_to_itself(calls, service) && !is_added(calls, i))
			error |=
				json_array_append_new(services, whole_service_json(place, service));
	}
	return json_value_whole(services, error);
}

static json_t *gaps_json(const struct json_place *place)
{
	return json_value_integer(service_gaps(place->of), true);
}

static const struct member uncut_rows[] = {
	{NUMBER, AT(calls_summary, handed_over), "another_thread", "another thread answered"},
	{NUMBER, .name = "history_lost", "records are missing", .derive = gaps_json},
};
static OBJECT(uncut, calls_summary, "Calls whose service could not be cut, by reason");

/* Recordings before version 8 do not have it. */
static json_t *service_blame_json(const struct json_place *place)
{
	const struct calls_summary *calls = place->of;
	uint64_t runqueue_ns = calls->state_ns[SERVICE_RUNQUEUE];

	if (runqueue_ns && !calls->blame_cnt)
		return json_null();
	return blames_of(place, (double)runqueue_ns);
}

/* The instants of messages at which round trips begin and end. */
static const char *const begin_words[] = {"stamp", "send", "queued"};
static const char *const end_words[] = {"user", "recv", "taken"};

static json_t *instant_json(const struct json_place *place)
{
	bool is_run = place->info->mode == MODE_RUN;

	return json_value_text(place->member->words[is_run                              ? 0
						    : place->info->level == LEVEL_LIGHT ? 2
											: 1]);
}

/* The distribution of service times has these, too. */
static const struct member service_states_rows[] = {
	{STATES(calls_summary, state_ns, state_cnt)},
};
static OBJECT(service_states, calls_summary);

static const struct member calls_summary_more_rows[] = {
	{DISTRIBUTION, AT(calls_summary, service), "service_ns",
	 "The time that the server needs to answer.", .of = &service_states_object,
	 .after = "request_ns"},
	{LIST, AT(calls_summary, blocked), "blocked_on", NULL, IN_ATTACH, .of = &slept_calls_object,
	 .after = "from_due_ns", .derive = slept_json},
	{STRUCT, ALL(calls_summary), "service_not_cut", NULL, IF_TRACED, .of = &uncut_object,
	 .after = "blocked_on"},
	{ENTRIES, AT(calls_summary, blame), "service_blame",
	 "what ran while serving threads waited for a CPU", "not known",
	 CNT_AT(calls_summary, blame_cnt), .of = &blame_summary_members, .after = "service_not_cut",
	 .derive = service_blame_json},
	{ENTRIES, .name = "services", "most calls first", IN_ATTACH, .of = &listed_service_object,
	 .after = "in_parts", .derive = services_json},
	{WORD, .name = "begin_at", "the instant at which a round trip begins", .after = "services",
	 NAMES(begin_words), .derive = instant_json},
	{WORD, .name = "end_at", "the instant at which it ends", .after = "begin_at",
	 NAMES(end_words), .derive = instant_json},
	{ENTRIES, .name = "whole_services",
	 "the same services, each with all its clients and processes", IN_ATTACH,
	 .of = &whole_service_object, .after = "unbalanced", .derive = whole_services_json},
	{CALL_COMPONENTS(calls_summary), .after = "whole_services"},
	{CALLS_CUT(calls_summary), .after = "components_ns"},
};
MORE(calls_summary);

static json_t *folded_json(const struct json_place *place)
{
	const struct channel_summary *channel = place->of;

	return json_value_integer(channel->folded ?: 1, true);
}

static bool traffic_fields_has_ends(const struct run_info *info, const void *of)
{
	const struct channel_summary *channel = of;

	(void)info;
	return !channel->folded || channel->transport;
}

static json_t *channel_means_json(const struct json_place *place)
{
	return means_of(place, false);
}

static const struct member channel_summary_more_rows[] = {
	{NUMBER, .name = "channels", "so many channels are counted here", .least = 1,
	 .after = "name", .derive = folded_json},
	{STRUCT, AT(channel_summary, sender), "sender", NULL, "several",
	 .known = traffic_fields_has_ends, .of = &process_object, .after = "channels"},
	{STRUCT, AT(channel_summary, receiver), "receiver", NULL, "several",
	 .known = traffic_fields_has_ends, .of = &process_object, .after = "sender"},
	{REAL_NS, AT(channel_summary, components), "components_ns", "the mean of each component",
	 "no messages", COMPONENTS, .after = "latency_ns", .derive = channel_means_json},
};
MORE(channel_summary);

/* The name of a channel, if it is one of the list. */
static json_t *channel_name_json(const struct json_place *place)
{
	const struct chain_hop *hop = place->of;
	const struct summary *summary = place->summary;

	for (uint32_t i = 0; hop->channel && i < summary->channel_cnt; i++) {
		if (!summary->channel[i].folded && summary->channel[i].id == hop->channel)
			return json_value_text(summary->channel[i].name);
	}
	return json_null();
}

struct hop_time {
	double mean_ns;
	uint64_t max_ns;
};

static const struct member hop_time_rows[] = {
	{REAL_NS, AT(hop_time, mean_ns), "mean", "the mean"},
	{NS, AT(hop_time, max_ns), "max", "the largest"},
};
static OBJECT(hop_time, hop_time);

static json_t *hop_time_json(const struct json_place *place)
{
	const struct chain_summary *chain = place->parent->of;
	const struct chain_time *time = json_value_at(place);
	const struct hop_time mean = {(double)time->ns / (double)chain->count, time->max_ns};

	return json_members(place, &hop_time_object, &mean);
}

/* Nothing follows the last hop. */
static json_t *handled_json(const struct json_place *place)
{
	const struct chain_summary *chain = place->parent->of;

	return place->index + 1 < chain->hop_cnt ? hop_time_json(place) : json_null();
}

static const struct member chain_hop_more_rows[] = {
	{TEXT, .name = "name", "the name of the channel", .derive = channel_name_json},
	{STRUCT, AT(chain_hop, latency), "latency_ns", "From send to receive.",
	 .of = &hop_time_object, .derive = hop_time_json},
	{STRUCT, AT(chain_hop, handled), "handled_ns", "From the receive to the next send",
	 "the last hop", .of = &hop_time_object, .derive = handled_json},
};
MORE(chain_hop);

static json_t *failing_call_json(const struct json_place *place)
{
	const struct failing_summary *failing = place->of;

	return json_value_text(SYSCALL(place->info->host.arch, failing->number));
}

static json_t *failing_error_json(const struct json_place *place)
{
	const struct failing_summary *failing = place->of;

	return json_value_text(strerrorname_np((int)failing->error));
}

static const struct member failing_summary_more_rows[] = {
	{TEXT, .name = "call", "the system call", .after = "thread", .derive = failing_call_json},
	{TEXT, .name = "error", "the name of errno", "it has none here", .after = "errno",
	 .derive = failing_error_json},
};
MORE(failing_summary);

static json_t *sleeper_call_json(const struct json_place *place)
{
	const struct sleeper_summary *sleeper = place->of;

	return json_value_text(SYSCALL(place->info->host.arch, sleeper->number));
}

static json_t *sleeper_waits_json(const struct json_place *place)
{
	const struct sleeper_summary *sleeper = place->of;

	return json_value_text(sleeper->flags & ASLEEP_STOPPED    ? "stopped"
			       : sleeper->flags & ASLEEP_FOR_ROOM ? "room"
			       : sleeper->flags & ASLEEP_FOR_DATA ? "data"
								  : NULL);
}

static json_t *sleeper_all_time_json(const struct json_place *place)
{
	const struct sleeper_summary *sleeper = place->of;

	return json_boolean(sleeper->flags & ASLEEP_ALL_TIME);
}

static json_t *sleeper_unread_json(const struct json_place *place)
{
	const struct sleeper_summary *sleeper = place->of;

	return json_boolean(sleeper->flags & ASLEEP_UNREAD);
}

static const struct member sleeper_summary_more_rows[] = {
	{TEXT, .name = "call", "the system call", .after = "thread", .derive = sleeper_call_json},
	{TEXT, .name = "waits_for", "room, data, or stopped", "something else", .after = "number",
	 .derive = sleeper_waits_json},
	{FLAG, .name = "all_time", "in one sleep since tracing began", .after = "asleep_ns",
	 .derive = sleeper_all_time_json},
	{FLAG, .name = "unread",
	 "it has not received what `other` has sent to it, which leaves little room for more",
	 .after = "all_time", .derive = sleeper_unread_json},
};
MORE(sleeper_summary);

/* SPDX-License-Identifier: BSD-2-Clause */
/* Makes the JSON of calls (requests with their answers), and of the services that answered them. */
#include "model/transport_names.h"
#include "report/json_value.h"
#include "insight/metrics.h"
#include "insight/service_sum.h"

#include <math.h>

/* Means over the calls whose service could be cut into states. */
static json_t *states_json(uint64_t cnt, const uint64_t state_ns[NR_SERVICE_STATES])
{
	json_t *states;
	int error = 0;

	if (!cnt)
		return json_null();
	states = json_pack("{s:I}", "count", json_value_int(cnt));
	for (int i = 0; i < NR_SERVICE_STATES; i++)
		error |= json_object_set_new(states, service_states[i].name,
					     json_value_real((double)state_ns[i] / (double)cnt));
	return json_value_whole(states, error);
}

static json_t *service_json(const struct calls_summary *calls)
{
	json_t *service = json_value_stat(&calls->service);

	return json_value_whole(
		service, json_object_set_new(service, "states_ns",
					     states_json(calls->state_cnt, calls->state_ns)));
}

/* Calls whose service could not be cut into states, by reason. */
static json_t *uncut_json(const struct calls_summary *calls, bool traced)
{
	uint64_t gaps = service_gaps(calls);

	return traced ? json_pack("{s:I, s:I}", "another_thread",
				  json_value_int(calls->handed_over), "history_lost",
				  json_value_int(gaps))
		      : json_null();
}

/* Recordings before version 8 do not have it. */
static json_t *service_blame_json(const struct summary *summary)
{
	const struct calls_summary *calls = &summary->calls;

	if (calls->state_ns[SERVICE_RUNQUEUE] && !calls->blame_cnt)
		return json_null();
	return json_value_blames(summary, calls->blame, calls->blame_cnt,
				 (double)calls->state_ns[SERVICE_RUNQUEUE]);
}

/* What an attach alone knows of calls is null for a run. */
static json_t *attach_count(uint64_t cnt, const struct run_info *info)
{
	return json_value_integer(cnt, info->mode == MODE_ATTACH);
}

static json_t *attach_stat(const struct stat *stat, const struct run_info *info)
{
	return info->mode == MODE_ATTACH ? json_value_stat(stat) : json_null();
}

/* Answers of several messages; null: there are none. The means are those of the calls. */
static json_t *answer_parts_json(const struct answer_parts *parts, const struct run_info *info)
{
	double known_ns = (double)server_time_ns(&parts->did);

	if (!parts->calls)
		return json_null();
	return json_pack("{s:I, s:o, s:o, s:o, s:o}", "count", json_value_int(parts->calls),
			 "between_ns", json_value_real((double)parts->ns / (double)parts->calls),
			 "states_known_pct",
			 json_value_real(parts->ns ? 100 * known_ns / (double)parts->ns : NAN),
			 "states_ns", states_json(parts->calls, parts->did.state_ns), "blocked_on",
			 json_value_blocked_on(&parts->did.blocked, info, "calls"));
}

/* A service, as one client or all of them see it. */
static json_t *one_service_json(const struct summary *summary,
				const struct service_summary *service)
{
	uint64_t all = service->count + service->open_several;
	double seconds = traced_seconds(summary);
	double known = service->count ? (double)service->state_cnt / (double)service->count : 0;

	return json_pack(
		"{s:o, s:o, s:o, s:o, s:I, s:I, s:I, s:I, s:o, s:o, s:o, s:o, s:o}", "service",
		service->server.pid ? json_value_process(summary, &service->server) : json_null(),
		"channel", json_value_text(service->name), "transport",
		json_value_text(transport_id_name(service->transport)), "client",
		service->client.pid ? json_value_process(summary, &service->client) : json_null(),
		"count", json_value_int(service->count), "open_several",
		json_value_int(service->open_several), "ambiguous",
		json_value_int(service->ambiguous), "guessed", json_value_int(service->guessed),
		"per_second", json_value_real(seconds > 0 ? (double)all / seconds : NAN),
		"round_trip_ns", json_value_stat(&service->round_trip), "service_ns",
		json_value_stat(&service->service), "states_ns",
		states_json(service->state_cnt, service->state_ns), "states_known_pct",
		json_value_real(service->count ? 100 * known : NAN));
}

static json_t *name_json(const char *name, uint64_t cnt)
{
	return cnt ? json_value_text(name) : json_null();
}

static json_t *callees_json(const struct service_summary *service)
{
	json_t *callees = json_array();
	int error = 0;

	for (uint32_t i = 0; i < service->callee_cnt; i++) {
		const struct callee_summary *callee = &service->callee[i];

		error |= json_array_append_new(callees,
					       json_pack("{s:o, s:I, s:I}", "service",
							 json_value_text(callee->name), "calls",
							 json_value_int(callee->calls), "open_ns",
							 json_value_int(callee->ns)));
	}
	return json_value_whole(callees, error);
}

/* Its threads, and the calls that were made in it; then those in which it was called. */
static json_t *work_json(const struct service_summary *service, uint32_t clients,
			 const struct run_info *info)
{
	return json_pack(
		"{s:o, s:o, s:o, s:o, s:o, s:I, s:I, s:o, s:o, s:o, s:I, s:o, s:o}", "clients",
		json_value_integer(clients, clients), "request_ns",
		json_value_stat(&service->request), "response_ns",
		json_value_stat(&service->response), "blocked_on",
		json_value_blocked_on(&service->blocked, info, "calls"), "worker",
		service->worker.tid ? json_value_end(&service->worker) : json_null(),
		"worker_calls", json_value_int(service->worker_calls), "nests",
		json_value_int(service->nests), "nested_ns",
		json_value_real(service->nests ? (double)service->nested_ns / (double)service->nests
					       : NAN),
		"callee", name_json(service->callee[0].name, service->callee_cnt), "callees",
		callees_json(service), "nested", json_value_int(service->nested), "inside",
		name_json(service->inside, service->nested), "answer_parts",
		answer_parts_json(&service->parts, info));
}

/* Clients that are not told apart are none. */
static json_t *service_json_of(const struct summary *summary, const struct service_summary *service,
			       uint32_t clients)
{
	json_t *one = one_service_json(summary, service);

	return json_value_whole(
		one, json_object_update_new(one, work_json(service, clients, &summary->info)));
}

/* How many processes call it; 0: some are not told apart. Its name stays if all have it. */
static uint32_t clients_of(struct service_summary *sum, const struct calls_summary *calls)
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

static json_t *whole_service_json(const struct summary *summary,
				  const struct service_summary *first)
{
	const struct calls_summary *calls = &summary->calls;
	struct service_summary sum = {0};
	json_t *whole;
	uint32_t clients;

	service_sum_name(&sum, first);
	service_sum_add_clients(&sum, calls);
	clients = clients_of(&sum, calls);
	if (clients == 1)
		sum.client = first->client;
	whole = service_json_of(summary, &sum, clients);
	service_sum_clean(&sum);
	return json_value_whole(whole,
				json_object_set_new(whole, "processes",
						    json_integer(service_processes(calls, first))));
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

/*
 * Each service as each of its clients sees it; `is_whole`: with the calls of all its clients to all
 * its processes.
 */
static json_t *services_json(const struct summary *summary, bool is_whole)
{
	const struct calls_summary *calls = &summary->calls;
	json_t *services;
	int error = 0;

	if (summary->info.mode != MODE_ATTACH)
		return json_null();
	services = json_array();
	for (uint32_t i = 0; i < calls->service_cnt; i++) {
		const struct service_summary *service = &calls->service_of[i];

		if (is_whole && (is_call_to_itself(calls, service) || is_added(calls, i)))
			continue;
		error |= json_array_append_new(
			services,
			is_whole ? whole_service_json(summary, service)
				 : service_json_of(summary, service, !!service->client.pid));
	}
	return json_value_whole(services, error);
}

/* The instants of messages at which round trips begin and end. */
static const char *begin_of_calls(const struct run_info *info)
{
	if (info->mode == MODE_RUN)
		return "stamp";
	return info->level == LEVEL_LIGHT ? "queued" : "send";
}

static const char *end_of_calls(const struct run_info *info)
{
	if (info->mode == MODE_RUN)
		return "user";
	return info->level == LEVEL_LIGHT ? "taken" : "recv";
}

json_t *calls_json(const struct summary *summary)
{
	const struct calls_summary *calls = &summary->calls;
	const struct run_info *info = &summary->info;

	if (!calls_seen(calls))
		return json_null();
	return json_pack(
		"{s:I, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o,"
		" s:o, s:s, s:s, s:o, s:o, s:o}",
		"count", json_value_int(calls->count), "guessed",
		attach_count(calls->guessed, info), "ambiguous",
		attach_count(calls->ambiguous, info), "unasked", attach_count(calls->unasked, info),
		"round_trip_ns", json_value_stat(&calls->round_trip), "request_ns",
		json_value_stat(&calls->request), "service_ns", service_json(calls), "response_ns",
		json_value_stat(&calls->response), "from_due_ns", json_value_due(&calls->from_due),
		"blocked_on", json_value_blocked_on(&calls->blocked, info, "calls"),
		"service_not_cut", uncut_json(calls, info->traced), "service_blame",
		service_blame_json(summary), "response_first_ns",
		attach_stat(&calls->response_first, info), "open_several",
		attach_stat(&calls->open_several, info), "undecided",
		attach_count(calls->undecided, info), "in_parts",
		attach_count(calls->in_parts, info), "services", services_json(summary, false),
		"begin_at", begin_of_calls(info), "end_at", end_of_calls(info), "answer_parts",
		answer_parts_json(&calls->parts, info), "unbalanced",
		attach_count(calls->unbalanced, info), "whole_services",
		services_json(summary, true));
}

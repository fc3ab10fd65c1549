/* SPDX-License-Identifier: BSD-2-Clause */
/* Merges the statistics, and keeps the names of one client. */
#include "insight/service_sum.h"

#include "insight/metrics.h"

#include <string.h>

#define ONLY_SHARE 0.9 /* of all calls */

/*
 * With fewer of all calls, what targets serve is not what they are for. Otherwise the calls that
 * they make themselves, but in no service, say little: they may wait for work.
 */
#define TARGETS_SHARE 0.1

bool is_same_service(const struct service_summary *a, const struct service_summary *b)
{
	if (strcmp(a->name, b->name))
		return false;
	if (a->server.pid == b->server.pid)
		return true;
	return a->name[0] && a->server.pid && b->server.pid &&
	       !strcmp(a->server.comm, b->server.comm);
}

bool is_call_to_itself(const struct calls_summary *calls, const struct service_summary *service)
{
	uint32_t client = service->client.pid;

	if (!client || client == service->server.pid)
		return client;
	for (uint32_t i = 0; i < calls->service_cnt; i++) {
		if (calls->service_of[i].server.pid == client &&
		    is_same_service(&calls->service_of[i], service))
			return true;
	}
	return false;
}

/* Whether no row before this one is of the same process of the service. */
static bool is_first_of_process(const struct calls_summary *calls, uint32_t i)
{
	const struct service_summary *service = calls->service_of;

	for (uint32_t k = 0; k < i; k++) {
		if (service[k].server.pid == service[i].server.pid &&
		    is_same_service(&service[k], &service[i]))
			return false;
	}
	return true;
}

uint32_t service_processes(const struct calls_summary *calls, const struct service_summary *service)
{
	uint32_t cnt = 0;

	for (uint32_t i = 0; i < calls->service_cnt; i++)
		cnt += is_same_service(&calls->service_of[i], service) &&
		       is_first_of_process(calls, i);
	return cnt ?: 1;
}

/* The time in calls of all its clients; 0 if most of these calls are made in other services. */
static double service_time_ns(const struct calls_summary *calls,
			      const struct service_summary *service, bool counts_nested)
{
	double ns = 0, cnt = 0, nested = 0;

	for (uint32_t i = 0; i < calls->service_cnt; i++) {
		const struct service_summary *client = &calls->service_of[i];

		if (!is_same_service(client, service))
			continue;
		ns += (double)client->round_trip.sum;
		cnt += (double)client->count;
		nested += (double)client->nested;
	}
	return counts_nested || nested <= cnt / 2 ? ns : 0;
}

/* Whether the calls with known parts stand for the others. */
static bool is_timed(const struct service_summary *client)
{
	return (double)client->count >=
	       KNOWN_CALLS * (double)(client->count + client->open_several);
}

/* Whether targets serve so many of the calls that the others are what they do besides. */
static bool are_of_targets(const struct calls_summary *calls)
{
	double of_targets = 0, all = 0;

	for (uint32_t i = 0; i < calls->service_cnt; i++) {
		const struct service_summary *client = &calls->service_of[i];
		double cnt = client->nested <= client->count / 2 ? (double)client->count : 0;

		all += cnt;
		of_targets += client->is_target ? cnt : 0;
	}
	return of_targets > 0 && of_targets >= TARGETS_SHARE * all;
}

static const struct service_summary *busiest_of(const struct calls_summary *calls,
						bool counts_nested, bool counts_untimed)
{
	bool of_targets = are_of_targets(calls);
	const struct service_summary *busiest = NULL;
	double most_ns = 0;

	for (uint32_t i = 0; i < calls->service_cnt; i++) {
		const struct service_summary *client = &calls->service_of[i];
		double ns = client->count ? service_time_ns(calls, client, counts_nested) : 0;

		if (ns < most_ns || ns <= 0 || !(counts_untimed || is_timed(client)) ||
		    (of_targets && !client->is_target))
			continue;
		if (ns > most_ns || client->round_trip.sum > busiest->round_trip.sum)
			busiest = client;
		most_ns = ns;
	}
	return busiest;
}

const struct service_summary *busiest_service(const struct calls_summary *calls)
{
	return busiest_of(calls, false, false)
		       ?: busiest_of(calls, false, true) ?: busiest_of(calls, true, true);
}

bool is_only_service(const struct calls_summary *calls, const struct service_summary *service)
{
	uint64_t cnt = 0, seen = 0;
	double ns = 0;

	for (uint32_t i = 0; i < calls->service_cnt; i++) {
		const struct service_summary *one = &calls->service_of[i];

		if (!is_same_service(one, service) || is_call_to_itself(calls, one))
			continue;
		cnt += one->count;
		seen += one->count + one->open_several;
		ns += (double)one->round_trip.sum;
	}
	return (double)cnt >= ONLY_SHARE * (double)calls->count &&
	       (double)seen >= ONLY_SHARE * (double)calls_seen(calls) &&
	       ns >= ONLY_SHARE * (double)calls->round_trip.sum;
}

void service_sum_add(struct service_summary *sum, const struct service_summary *client)
{
	sum->count += client->count;
	sum->open_several += client->open_several;
	sum->ambiguous += client->ambiguous;
	sum->guessed += client->guessed;
	stat_merge(&sum->round_trip, &client->round_trip);
	stat_merge(&sum->request, &client->request);
	stat_merge(&sum->service, &client->service);
	stat_merge(&sum->response, &client->response);
	sum->state_cnt += client->state_cnt;
	for (int i = 0; i < NR_SERVICE_STATES; i++)
		sum->state_ns[i] += client->state_ns[i];
	blocked_calls_merge(&sum->blocked, &client->blocked);
	blame_top_add(&sum->blame, client->blame.entry, client->blame.cnt);
	answer_parts_merge(&sum->parts, &client->parts);
	if (client->worker.tid == sum->worker.tid)
		sum->worker_calls += client->worker_calls;
	sum->nested += client->nested;
	sum->nests += client->nests;
	sum->nested_ns += client->nested_ns;
	for (uint32_t i = 0; i < client->callee_cnt; i++) {
		const struct callee_summary *callee = &client->callee[i];

		service_callee_add(sum, callee->name, callee->calls, callee->ns);
	}
}

void service_sum_finish(struct service_summary *sum)
{
	blocked_calls_sort(&sum->blocked);
	blame_top_sort(&sum->blame);
	server_time_sort(&sum->parts.did);
	service_callees_sort(sum);
}

uint32_t service_sum_add_clients(struct service_summary *sum, const struct calls_summary *calls)
{
	uint32_t cnt = 0;

	for (uint32_t i = 0; i < calls->service_cnt; i++) {
		const struct service_summary *client = &calls->service_of[i];

		if (!is_same_service(client, sum) || is_call_to_itself(calls, client))
			continue;
		service_sum_add(sum, client);
		cnt++;
	}
	service_sum_finish(sum);
	return cnt;
}

void service_sum_name(struct service_summary *sum, const struct service_summary *client)
{
	sum->server = client->server;
	sum->transport = client->transport;
	sum->worker = client->worker;
	memcpy(sum->name, client->name, sizeof(sum->name));
	memcpy(sum->inside, client->inside, sizeof(sum->inside));
}

void service_sum_clean(struct service_summary *sum)
{
	stat_free(&sum->round_trip);
	stat_free(&sum->request);
	stat_free(&sum->service);
	stat_free(&sum->response);
}

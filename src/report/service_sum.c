/* SPDX-License-Identifier: BSD-2-Clause */
/* Merges the statistics, and keeps the names of one client. */
#include "report/service_sum.h"

#include <string.h>

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

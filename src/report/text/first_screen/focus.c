/* SPDX-License-Identifier: BSD-2-Clause */
/* Adds up the calls of all clients of one service, and puts these in the place of all calls. */
#include "report/text/first_screen/focus.h"

#include "report/metrics.h"
#include "report/text/first_screen/ends.h"

#include <string.h>

static void add_client(struct service_summary *sum, const struct service_summary *client)
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
	if (client->worker.tid == sum->worker.tid)
		sum->worker_calls += client->worker_calls;
	for (int i = 0; i < NR_SERVICE_STATES; i++)
		sum->state_ns[i] += client->state_ns[i];
	blocked_calls_merge(&sum->blocked, &client->blocked);
	sum->nested += client->nested;
	sum->nests += client->nests;
	sum->nested_ns += client->nested_ns;
}

/* The names are those of the client with most time. */
static void begin_sum(struct service_summary *sum, const struct service_summary *busiest)
{
	sum->server = busiest->server;
	sum->worker = busiest->worker;
	sum->transport = busiest->transport;
	memcpy(sum->name, busiest->name, sizeof(sum->name));
	memcpy(sum->inside, busiest->inside, sizeof(sum->inside));
	memcpy(sum->callee, busiest->callee, sizeof(sum->callee));
}

static void add_clients(struct service_summary *sum, const struct calls_summary *calls)
{
	for (uint32_t i = 0; i < calls->service_cnt; i++) {
		if (is_same_service(&calls->service_of[i], sum))
			add_client(sum, &calls->service_of[i]);
	}
	blocked_calls_sort(&sum->blocked);
}

/* What is known of all calls only is left out, unless nearly all of it is of this service. */
static void replace_calls(struct calls_summary *calls, struct service_summary *service)
{
	double all_ns = (double)calls->state_ns[SERVICE_RUNQUEUE];

	calls->count = calls->cut_tries = service->count;
	calls->round_trip = service->round_trip;
	calls->request = service->request;
	calls->service = service->service;
	calls->response = calls->response_first = service->response;
	calls->open_several = (struct stat){0};
	calls->state_cnt = service->state_cnt;
	calls->handed_over = service->count - service->state_cnt;
	memcpy(calls->state_ns, service->state_ns, sizeof(calls->state_ns));
	calls->blocked = service->blocked;
	if ((double)service->state_ns[SERVICE_RUNQUEUE] < NEARLY_ALL * all_ns)
		calls->blame_cnt = 0;
	calls->service_of = service;
	calls->service_cnt = 1;
}

void focus_on_service(struct focus *focus, const struct summary *summary)
{
	const struct calls_summary *calls = &summary->calls;
	const struct service_summary *busiest = busiest_service(calls);

	*focus = (struct focus){.summary = *summary};
	/* Recordings before version 11 lack what is needed of each service. */
	if (!busiest || is_only_service(calls, busiest) || !busiest->request.count)
		return;
	focus->is_one_of_several = true;
	begin_sum(&focus->service, busiest);
	add_clients(&focus->service, calls);
	replace_calls(&focus->summary.calls, &focus->service);
}

void focus_clean(struct focus *focus)
{
	stat_free(&focus->service.round_trip);
	stat_free(&focus->service.request);
	stat_free(&focus->service.service);
	stat_free(&focus->service.response);
}

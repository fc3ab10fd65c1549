/* SPDX-License-Identifier: BSD-2-Clause */
/* Puts the calls of all clients of one service in the place of all calls. */
#include "report/words/focus.h"

#include "insight/metrics.h"
#include "insight/service_sum.h"
#include "report/words/culprits.h"
#include "report/words/ends.h"

#include <string.h>

static void replace_calls(struct calls_summary *calls, struct service_summary *service)
{
	calls->count = calls->cut_tries = service->count;
	calls->round_trip = service->round_trip;
	calls->request = service->request;
	calls->service = service->service;
	calls->response = calls->response_first = service->response;
	calls->open_several = (struct stat){0};
	calls->unbalanced = service->open_several; /* or a part of these */
	calls->state_cnt = service->state_cnt;
	calls->handed_over =
		service->count > service->state_cnt ? service->count - service->state_cnt : 0;
	memcpy(calls->state_ns, service->state_ns, sizeof(calls->state_ns));
	calls->blocked = service->blocked;
	calls->parts = service->parts;
	calls->service_of = service;
	calls->service_cnt = 1;
}

/* Of all services the list is exact; recordings before version 14 have no other. */
static void replace_blame(struct focus *focus, const struct calls_summary *all)
{
	struct calls_summary *calls = &focus->summary.calls;
	double wait_ns = (double)focus->service.state_ns[SERVICE_RUNQUEUE];
	struct blame_list list;

	if (wait_ns >= NEARLY_ALL * (double)all->state_ns[SERVICE_RUNQUEUE])
		return;
	list = blame_of_top(&focus->summary, &focus->service.blame, wait_ns, focus->blame);
	calls->blame = focus->blame;
	calls->blame_cnt = list.cnt;
}

/* Recordings before version 11 lack what is needed of each service. */
bool is_one_of_several(const struct calls_summary *calls)
{
	const struct service_summary *busiest = busiest_service(calls);

	return busiest && !is_only_service(calls, busiest) && busiest->request.count;
}

void focus_on_service(struct focus *focus, const struct summary *summary)
{
	const struct calls_summary *calls = &summary->calls;
	const struct service_summary *busiest = busiest_service(calls);

	*focus = (struct focus){.summary = *summary};
	if (!is_one_of_several(calls))
		return;
	focus->is_one_of_several = true;
	service_sum_name(&focus->service, busiest);
	focus->service.processes = service_processes(calls, busiest);
	service_sum_add_clients(&focus->service, calls);
	replace_calls(&focus->summary.calls, &focus->service);
	replace_blame(focus, calls);
}

void focus_words(struct paragraph *whose, const struct focus *focus,
		 const struct calls_summary *all)
{
	const struct service_summary *service = &focus->service;

	if (!focus->is_one_of_several)
		return;
	/* A long name is cut at the end of the line. */
	paragraph_add(whose, "These are %llu of %llu calls: those to %s%s%s",
		      (unsigned long long)service->count, (unsigned long long)calls_seen(all),
		      service->server.comm, service->name[0] ? " on " : "", service->name);
}

void focus_clean(struct focus *focus)
{
	service_sum_clean(&focus->service);
}

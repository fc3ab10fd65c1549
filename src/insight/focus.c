/* SPDX-License-Identifier: BSD-2-Clause */
/* Takes the calls of one service, and their messages, for all of them. */
#include "insight/focus.h"

#include "insight/metrics.h"

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
	calls->components = service->components;
	calls->service_of = service;
	calls->service_cnt = 1;
}

/* Of all services the list is exact; recordings before version 14 have no other. */
static void focus_replace_blame(struct focus *focus, const struct calls_summary *all)
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

/* A process that serves may also be a client of others, and answers of these come to it. */
static bool is_of_service(const void *ctx, const struct channel_summary *channel)
{
	const struct calls_summary *all = ctx;
	const struct service_summary *busiest = busiest_service(all);
	uint32_t pid = channel->calls ? channel->receiver.pid : channel->sender.pid;

	for (uint32_t i = 0; i < all->service_cnt; i++) {
		const struct service_summary *one = &all->service_of[i];

		if (one->server.pid == pid && is_same_service(one, busiest))
			return true;
	}
	return false;
}

int focus_on_service(struct focus *focus, const struct summary *summary)
{
	const struct calls_summary *calls = &summary->calls;
	const struct service_summary *busiest = busiest_service(calls);
	int err;

	*focus = (struct focus){.summary = *summary};
	if (!is_one_of_several(calls))
		return 0;
	err = part_summary_of(&focus->messages, summary, is_of_service, calls);
	if (err)
		return err;
	focus->summary = focus->messages.summary;
	focus->is_one_of_several = true;
	service_sum_name(&focus->service, busiest);
	focus->service.processes = service_processes(calls, busiest);
	service_sum_add_clients(&focus->service, calls);
	replace_calls(&focus->summary.calls, &focus->service);
	focus_replace_blame(focus, calls);
	return 0;
}

void focus_clean(struct focus *focus)
{
	part_summary_clean(&focus->messages);
	service_sum_clean(&focus->service);
}

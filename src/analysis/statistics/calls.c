/* SPDX-License-Identifier: BSD-2-Clause */
/* Finds the request and the response of each call by their stamps. */
#include "analysis/statistics/calls.h"

#include "container/hash_table.h"
#include "container/step_limit.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <uthash.h>

struct call_id {
	uint64_t client;
	uint64_t index;
};

/* A call of which one message is known. */
struct open_call {
	struct call_id id;
	struct record_stamp stamp;
	UT_hash_handle hh;
};

struct calls {
	struct open_call *open; /* hash by id, oldest first */
	calls_fn *on_call;      /* NULL: not asked for */
	void *ctx;              /* of that */
};

struct calls *calls__new(calls_fn *on_call, void *ctx)
{
	struct calls *calls = calloc(1, sizeof(*calls));

	if (!calls)
		return NULL;
	calls->on_call = on_call;
	calls->ctx = ctx;
	return calls;
}

void calls__free(struct calls *calls)
{
	if (calls)
		HASH_DROP_ALL(calls->open);
	free(calls);
}

static struct open_call *find_call(const struct calls *calls, const struct record_stamp *stamp)
{
	struct call_id id = {.client = stamp->client, .index = stamp->index};
	struct open_call *call;

	HASH_FIND(hh, calls->open, &id, sizeof(id), call);
	return call;
}

static int open_call(struct calls *calls, const struct record_stamp *stamp)
{
	const struct call_id id = {.client = stamp->client, .index = stamp->index};
	struct open_call *call;

	if (HASH_COUNT(calls->open) >= CALLS_OPEN_MAX)
		HASH_DROP(calls->open, calls->open);
	HASH_ADD_NEW(calls->open, id, id, call);
	if (!call)
		return -ENOMEM;
	call->stamp = *stamp;
	return 0;
}

uint32_t calls__server(const struct calls *calls, const struct record_stamp *stamp)
{
	const struct open_call *call;

	if (stamp->to_server)
		return stamp->head.tid;
	call = find_call(calls, stamp);
	return call && call->stamp.to_server ? call->stamp.head.tid : 0;
}

static int cut_service(const struct serving_thread *server, struct service_blame *blame,
		       uint64_t from_ns, uint64_t to_ns, struct calls_summary *summary)
{
	const struct service_part part = {
		.tid = server ? server->tid : 0, .from_ns = from_ns, .to_ns = to_ns};
	struct service service;

	service_clear(&service);
	if (!server || !service_cut(&service, &part, &server->line))
		return 0;
	service_add(&service, summary);
	return service_blame__add(blame, &service, NULL);
}

static int add_call(const struct record_stamp *request, const struct record_stamp *response,
		    const struct serving_thread *server, struct service_blame *blame,
		    struct calls_summary *summary)
{
	summary->count++;
	stat_add(&summary->round_trip, response->user_ns - request->stamp_ns);
	stat_add(&summary->request, request->user_ns - request->stamp_ns);
	stat_add(&summary->service, response->stamp_ns - request->user_ns);
	stat_add(&summary->response, response->user_ns - response->stamp_ns);
	if (response->due_ns && response->due_ns <= response->user_ns)
		stat_add(&summary->from_due, response->user_ns - response->due_ns);
	return cut_service(server, blame, request->user_ns, response->stamp_ns, summary);
}

/* Both messages are known. */
static int complete_call(const struct calls *calls, const struct record_stamp *request,
			 const struct record_stamp *response, const struct serving_thread *server,
			 struct service_blame *blame, struct calls_summary *summary)
{
	int err = 0;

	if (request->stamp_ns > request->user_ns || request->user_ns > response->stamp_ns ||
	    response->stamp_ns > response->user_ns)
		return 0;
	if (summary)
		err = add_call(request, response, server, blame, summary);
	if (err || !calls->on_call)
		return err;
	return calls->on_call(calls->ctx, request, response, server ? server->tid : 0);
}

int calls__add(struct calls *calls, const struct record_stamp *stamp,
	       const struct serving_thread *server, struct service_blame *blame,
	       struct calls_summary *summary)
{
	struct open_call *call = find_call(calls, stamp);
	int err = 0;

	if (!call)
		return open_call(calls, stamp);
	if (stamp->to_server != call->stamp.to_server)
		err = complete_call(calls, stamp->to_server ? stamp : &call->stamp,
				    stamp->to_server ? &call->stamp : stamp, server, blame,
				    summary);
	HASH_DROP(calls->open, call);
	return err;
}

uint64_t calls__horizon(const struct calls *calls)
{
	uint64_t horizon_ns = UINT64_MAX;

	for (const struct open_call *call = calls->open; call && step_limit_spend(STEPS_OF_CALL);
	     call = call->hh.next) {
		if (call->stamp.to_server && call->stamp.user_ns < horizon_ns)
			horizon_ns = call->stamp.user_ns;
	}
	return horizon_ns;
}

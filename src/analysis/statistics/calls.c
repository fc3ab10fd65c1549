/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Finds the request and the response of each call by their stamps, the clock readings of the
 * workload. Adds up how long the server's thread ran, waited for a CPU or was blocked between
 * request and response.
 */
#include "analysis/statistics/calls.h"

#include "analysis/history/thread_state.h"
#include "analysis/container/step_limit.h"

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
};

struct calls *calls__new(void)
{
	return calloc(1, sizeof(struct calls));
}

static void close_call(struct calls *calls, struct open_call *call)
{
	HASH_DEL(calls->open, call);
	free(call);
}

void calls__free(struct calls *calls)
{
	while (calls && calls->open)
		close_call(calls, calls->open);
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
	struct open_call *call;

	if (HASH_COUNT(calls->open) >= CALLS_OPEN_MAX)
		close_call(calls, calls->open);
	call = calloc(1, sizeof(*call));
	if (!call)
		return -ENOMEM;
	call->id = (struct call_id){.client = stamp->client, .index = stamp->index};
	call->stamp = *stamp;
	HASH_ADD(hh, calls->open, id, sizeof(call->id), call);
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

static enum service_state service_state_of(enum thread_state state)
{
	return state == STATE_RUNNABLE  ? SERVICE_RUNQUEUE
	       : state_is_asleep(state) ? SERVICE_BLOCKED
					: SERVICE_ON_CPU;
}

/* Whether no change is missing before this one. The first change of a thread has index 0. */
static bool follows(const struct timeline *line, size_t i)
{
	uint64_t index = line->change[i].index;

	return !index || (i && line->change[i - 1].index + 1 == index);
}

static void add_stretch(struct service *service, enum thread_state state, uint16_t call,
			uint64_t duration_ns)
{
	service->state_ns[service_state_of(state)] += duration_ns;
	if (state_is_asleep(state))
		blocked_calls_add(&service->blocked, call, duration_ns, 1);
}

/*
 * Whether this change arrived from one CPU before earlier changes arrived from another. The missing
 * ones are not part of a complete service: a thread reports its changes with its answer.
 */
static bool is_early(const struct timeline *line, size_t i)
{
	return line->open_ns && line->change[i].at_ns >= line->open_ns;
}

/*
 *	from                                              to
 *	 |  on CPU  |  blocked  | run queue |   on CPU     |
 *	          SLEEP       WAKE        SWITCH
 *
 * The end of a switch does not change the state. A change that cannot end the current state shows
 * that one before it is missing. The first change after `to` shows whether one before it is
 *missing.
 */
bool service_cut(const struct timeline *line, uint64_t from_ns, uint64_t to_ns,
		 bool may_end_off_cpu, struct service *service)
{
	enum thread_state state = STATE_RUNNING;
	uint16_t call = CALL_UNKNOWN;
	uint64_t since_ns = from_ns;
	size_t i = from_ns ? timeline_find(line, from_ns - 1) : 0;

	memset(service, 0, sizeof(*service));
	for (; i < line->cnt && line->change[i].at_ns < to_ns && step_limit_spend(1); i++) {
		const struct change *change = &line->change[i];
		bool ends_switch = change->kind == CHANGE_RUN && state == STATE_RUNNING;

		if (!follows(line, i) || !(ends_switch || state_can_end(state, change->kind)))
			return false;
		if (state_is_asleep(state) && change->kind == CHANGE_WOKEN)
			continue;
		add_stretch(service, state, call, change->at_ns - since_ns);
		since_ns = change->at_ns;
		state = state_after(change, false);
		call = change_syscall(change);
	}
	if (i < line->cnt && !follows(line, i) && !is_early(line, i))
		return false;
	add_stretch(service, state, call, to_ns - since_ns);
	return may_end_off_cpu || state == STATE_RUNNING;
}

void service_add(const struct service *service, struct calls_summary *summary)
{
	summary->state_cnt++;
	for (int i = 0; i < NR_SERVICE_STATES; i++)
		summary->state_ns[i] += service->state_ns[i];
	blocked_calls_merge(&summary->blocked, &service->blocked);
}

static void cut_service(const struct timeline *server, uint64_t from_ns, uint64_t to_ns,
			struct calls_summary *summary)
{
	struct service service;

	if (server && service_cut(server, from_ns, to_ns, false, &service))
		service_add(&service, summary);
}

static void add_call(const struct record_stamp *request, const struct record_stamp *response,
		     const struct timeline *server, struct calls_summary *summary)
{
	if (request->stamp_ns > request->user_ns || request->user_ns > response->stamp_ns ||
	    response->stamp_ns > response->user_ns)
		return;
	summary->count++;
	stat_add(&summary->round_trip, response->user_ns - request->stamp_ns);
	stat_add(&summary->request, request->user_ns - request->stamp_ns);
	stat_add(&summary->service, response->stamp_ns - request->user_ns);
	stat_add(&summary->response, response->user_ns - response->stamp_ns);
	if (response->due_ns && response->due_ns <= response->user_ns)
		stat_add(&summary->from_due, response->user_ns - response->due_ns);
	cut_service(server, request->user_ns, response->stamp_ns, summary);
}

int calls__add(struct calls *calls, const struct record_stamp *stamp, const struct timeline *server,
	       struct calls_summary *summary)
{
	struct open_call *call = find_call(calls, stamp);

	if (!call)
		return open_call(calls, stamp);
	if (stamp->to_server != call->stamp.to_server)
		add_call(stamp->to_server ? stamp : &call->stamp,
			 stamp->to_server ? &call->stamp : stamp, server, summary);
	close_call(calls, call);
	return 0;
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

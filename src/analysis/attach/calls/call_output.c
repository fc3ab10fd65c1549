/* SPDX-License-Identifier: BSD-2-Clause */
/* Counts completed calls, and passes them on. */
#include "analysis/attach/calls/call_output.h"

#include "analysis/attach/calls/made_calls.h"
#include "analysis/attach/calls/service_path.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

int call_output_add(const struct call_output *output, const struct call *call)
{
	struct calls_summary *calls = output->calls;

	calls->guessed += call->is_guessed;
	calls->ambiguous += call->is_ambiguous;
	if (call->match == CALL_UNBALANCED) {
		/* Each message may have been a request. */
		calls->unbalanced += call->requests;
		return output->on_call(output->ctx, call);
	}
	if (call->match == CALL_SEVERAL) {
		stat_add(&calls->open_several, call->back_ns - call->sent_ns);
		return output->on_call(output->ctx, call);
	}
	calls->count++;
	calls->in_parts += call->requests > 1;
	calls->messages += call->requests + call->answers;
	stat_add(&calls->round_trip, call->back_ns - call->sent_ns);
	stat_add(&calls->request, call->received_ns - call->sent_ns);
	stat_add(&calls->service, call->answered_ns - call->received_ns);
	stat_add(&calls->response, call->back_ns - call->answered_ns);
	stat_add(&calls->response_first, call->first_back_ns - call->answered_ns);
	answer_parts_add(&calls->parts, call_parts_ns(call), call->between);
	component_sum_add_call(&calls->components, call);
	return output->on_call(output->ctx, call);
}

void call_add_request(struct call *call, const struct call_message *part)
{
	if (!call->requests || part->sent_ns < call->sent_ns)
		call->sent_ns = part->sent_ns;
	if (!call->requests || part->recv_ns >= call->received_ns) {
		call->received_ns = part->recv_ns;
		call->server = part->server;
		call->position = part->position;
		memcpy(call->request_part_ns, part->component_ns, sizeof(part->component_ns));
	}
	if (!call->requests) {
		call->client = part->client;
		call->number = part->number;
		call->parent = part->parent.number;
		call->parent_channel = part->parent.channel;
	}
	call->requests++;
	call->channel = part->channel;
	call->transport = part->transport;
	call->is_guessed |= part->is_guessed;
	call->is_ambiguous |= part->is_ambiguous;
}

void call_add_answer(struct call *call, const struct call_message *part)
{
	if (!call->answers || part->sent_ns < call->answered_ns)
		call->answered_ns = part->sent_ns;
	if (!call->answers || part->recv_ns < call->first_back_ns)
		call->first_back_ns = part->recv_ns;
	if (!call->answers || part->recv_ns > call->back_ns) {
		call->back_ns = part->recv_ns;
		call->back_channel = part->channel;
		call->back_position = part->position;
		memcpy(call->response_part_ns, part->component_ns, sizeof(part->component_ns));
	}
	if (!call->answers || part->sent_ns > call->last_sent_ns)
		call->last_sent_ns = part->sent_ns;
	call->answers++;
	call->is_ambiguous |= part->is_ambiguous;
}

void call_check_parent(struct call *call, const struct request_id *parent,
		       const struct call_output *output)
{
	const struct work *work = work_log__request(output->work, parent);

	if (work && work->answered_ns && work->answered_ns < call->first_back_ns)
		call->parent = call->parent_channel = 0;
}

/* The last thread sends the answer, which another thread may queue if its call is not seen. */
static bool cut_path(struct service *service, struct service_path *path, bool hides_calls,
		     const struct call_output *output)
{
	service_clear(service);
	for (uint32_t i = 0; i < path->cnt; i++) {
		struct service_part *part = &path->part[i];
		struct timeline line = timelines__of(output->lines, part->tid);

		part->may_end_off_cpu = hides_calls || i + 1 < path->cnt;
		if (!service_cut(service, part, &line))
			return false;
	}
	return path->cnt;
}

/* Where the helpers of a wait are not known, the wait itself is. */
static bool cut(struct service *service, struct service_path *path, const struct service_ends *ends,
		bool hides_calls, const struct call_output *output)
{
	struct service_path without = *path;

	service_helpers_put(path, output->work, output->lines, ends);
	if (cut_path(service, path, hides_calls, output))
		return true;
	if (path->cnt == without.cnt)
		return false;
	*path = without;
	return cut_path(service, path, hides_calls, output);
}

static bool is_first_of_thread(const struct service_path *path, uint32_t i)
{
	for (uint32_t k = 0; k < i; k++) {
		if (path->part[k].tid == path->part[i].tid)
			return false;
	}
	return true;
}

static uint64_t worked_ns(const struct service_path *path, uint32_t tid)
{
	uint64_t ns = 0;

	for (uint32_t i = 0; i < path->cnt; i++) {
		if (path->part[i].tid == tid)
			ns += path->part[i].to_ns - path->part[i].from_ns;
	}
	return ns;
}

/* The threads of the service, and the one that worked on it longest. */
static void note_threads(struct call *call, const struct service_path *path)
{
	call->worker = path->part[0].tid;
	call->threads = 0;
	for (uint32_t i = 0; i < path->cnt; i++) {
		call->threads += is_first_of_thread(path, i);
		if (worked_ns(path, path->part[i].tid) > worked_ns(path, call->worker))
			call->worker = path->part[i].tid;
	}
}

/*
 * The request has its answer. Calls that are made for it from now on are not part of its service.
 */
static int end_request(struct call *call, const struct service_path *path,
		       const struct call_output *output)
{
	const struct request_id id = {.number = call->number, .tid = call->server.tid};
	struct work *work = work_log__request(output->work, &id);

	if (work)
		work->answered_ns = call->answered_ns;
	return made_calls__take(output->made, output->work, output->lines, path, call);
}

int call_service_cut(struct call *call, const struct call_message *answer,
		     const struct call_output *output)
{
	const struct service_ends ends = {.receiver = call->server.tid,
					  .received_ns = call->received_ns,
					  .answerer = answer->server.tid,
					  .answered_ns = call->answered_ns};
	static const struct service_path none = {0};
	struct service_path path;
	struct service service;
	bool is_cut;
	int err;

	output->calls->cut_tries++;
	service_path_find(&path, output->work, output->lines, &ends);
	service_helpers_find(&path, output->work, &ends);
	err = end_request(call, &path, output);
	if (err)
		return err;
	output->calls->handed_over += !path.cnt;
	is_cut = cut(&service, &path, &ends, answer->hides_calls, output);
	if (output->on_service)
		err = output->on_service(output->service_ctx, call, is_cut ? &path : &none);
	if (err || !is_cut)
		return err;
	call->has_states = true;
	note_threads(call, &path);
	call->blocked = service.blocked;
	output->calls->followed += path.cnt > 1;
	memcpy(call->state_ns, service.state_ns, sizeof(call->state_ns));
	service_add(&service, output->calls);
	return service_blame__add(output->blame, &service, &call->blame);
}

int call_service_between(struct call *call, uint32_t answerer, const struct call_message *part,
			 const struct call_output *output)
{
	const struct service_part between = {.tid = part->server.tid,
					     .from_ns = call->last_sent_ns,
					     .to_ns = part->sent_ns,
					     .may_end_off_cpu = part->hides_calls};
	struct timeline line = timelines__of(output->lines, part->server.tid);
	struct server_time did = {0};
	struct service service;

	service_clear(&service);
	if (part->server.tid != answerer || between.to_ns <= between.from_ns ||
	    !service_cut(&service, &between, &line))
		return 0;
	if (!call->between)
		call->between = calloc(1, sizeof(*call->between));
	if (!call->between)
		return -ENOMEM;
	memcpy(did.state_ns, service.state_ns, sizeof(did.state_ns));
	did.blocked = service.blocked;
	service_blame__find(output->blame, &service, &did.blame);
	server_time_add(call->between, &did);
	return 0;
}

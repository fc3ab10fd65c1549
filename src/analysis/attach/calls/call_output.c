/* SPDX-License-Identifier: BSD-2-Clause */
/* Counts completed calls, and passes them on. */
#include "analysis/attach/calls/call_output.h"

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

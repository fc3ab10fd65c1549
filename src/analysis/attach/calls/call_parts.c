/* SPDX-License-Identifier: BSD-2-Clause */
/* A call lasts from the first part of its request to the last one of its answer. */
#include "analysis/attach/calls/call_parts.h"

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

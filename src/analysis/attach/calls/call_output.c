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

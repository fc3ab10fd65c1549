/* SPDX-License-Identifier: BSD-2-Clause */
/* Notes when the parts of a request are received. */
#include "analysis/attach/calls/begun_request.h"

bool begun_request_is(const struct begun_request *begun, const struct call_message *request)
{
	return begun->state && begun->message.channel == request->channel &&
	       begun->message.position == request->position;
}

void begun_request_add(struct begun_request *begun, const struct call_message *part)
{
	if (!begun_request_is(begun, part))
		begun->part_cnt = 0;
	begun->message = *part;
	begun->state = BEGUN_PART;
	begun->part_ns[begun->part_cnt++ % BEGUN_PARTS_KEPT] = part->recv_ns;
}

uint64_t begun_request_last_part_ns(const struct begun_request *begun, uint64_t before_ns)
{
	uint64_t last_ns = 0;

	for (uint32_t i = 0; i < begun->part_cnt && i < BEGUN_PARTS_KEPT; i++) {
		if (begun->part_ns[i] <= before_ns && begun->part_ns[i] > last_ns)
			last_ns = begun->part_ns[i];
	}
	return last_ns;
}

bool begun_request_was_there(const struct begun_request *begun, const struct call_message *request,
			     uint64_t at_ns)
{
	return request->recv_ns <= at_ns ||
	       (begun_request_is(begun, request) && begun_request_last_part_ns(begun, at_ns));
}

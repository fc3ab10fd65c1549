/* SPDX-License-Identifier: BSD-2-Clause */
/* Keeps open requests in an array, of which the front is used again. */
#include "analysis/attach/calls/open_requests.h"

#include "container/array.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Room that a connection keeps when no request is open. */
#define ROOM_KEPT 64

/*
 * Makes room for one more request. Entries are only moved when at least as many are gone as are
 * left. 0 or -ENOMEM.
 */
static int open_requests_reserve(struct open_requests *open)
{
	size_t cnt = open_requests_cnt(open);

	if (open->end < open->room)
		return 0;
	if (cnt && open->answered >= cnt) {
		memmove(open->request, open->request + open->answered,
			cnt * sizeof(*open->request));
		open->answered = 0;
		open->end = cnt;
		return 0;
	}
	return array_grow(&open->request, open->end, &open->room, sizeof(*open->request));
}

int open_requests_add(struct open_requests *open, const struct call_message *request)
{
	if (open_requests_reserve(open))
		return -ENOMEM;
	open->request[open->end++] = *request;
	return 0;
}

void open_requests_drop(struct open_requests *open, size_t cnt)
{
	open->answered += cnt;
	if (open_requests_cnt(open))
		return;
	open->answered = open->end = 0;
	if (open->room > ROOM_KEPT)
		open_requests_free(open);
}

size_t open_requests_received(const struct open_requests *open, uint64_t at_ns)
{
	size_t cnt = 0;

	while (cnt < open_requests_cnt(open) && open_requests_at(open, cnt)->recv_ns <= at_ns)
		cnt++;
	return cnt;
}

void open_requests_free(struct open_requests *open)
{
	free(open->request);
	*open = (struct open_requests){0};
}

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

/* SPDX-License-Identifier: BSD-2-Clause */
/* Makes a new track where a slice would overlap those of all others. */
#include "report/perfetto/lanes.h"

#include <stdlib.h>

#define ROOM_LEAST 4

void lanes_free(struct lanes *lanes)
{
	fit_free(&lanes->fit);
	free(lanes->uuid);
	lanes->uuid = NULL;
	lanes->room = 0;
}

static bool grow(struct lanes *lanes)
{
	uint32_t room = lanes->room ? 2 * lanes->room : ROOM_LEAST;
	uint64_t *uuid;

	if (lanes->fit.cnt < lanes->room)
		return true;
	uuid = reallocarray(lanes->uuid, room, sizeof(*uuid));
	if (!uuid)
		return false;
	lanes->uuid = uuid;
	lanes->room = room;
	return true;
}

static uint64_t add(struct lanes *lanes, struct packets *packets, uint64_t to_ns)
{
	struct track track = {.parent = lanes->parent, .name = lanes->name, .rank = lanes->rank};
	uint32_t id;

	if (!grow(lanes) || !fit_add(&lanes->fit, to_ns, &id)) {
		packets__fail(packets);
		return 0;
	}
	track.uuid = lanes->uuid[id] = packets__uuid(packets);
	packets__track(packets, &track);
	return track.uuid;
}

/*
 * One slice ends strictly before the next one begins: the order of packets does not matter then.
 */
uint64_t lanes_take(struct lanes *lanes, struct packets *packets, uint64_t from_ns, uint64_t to_ns)
{
	uint32_t id;

	if (fit_take(&lanes->fit, from_ns, to_ns, false, &id))
		return lanes->uuid[id];
	return add(lanes, packets, to_ns);
}

void lanes_put(struct lanes *lanes, struct packets *packets, struct event *event, uint64_t from_ns,
	       uint64_t to_ns)
{
	struct event end = {.type = EVENT_END, .at_ns = to_ns};

	event->type = EVENT_BEGIN;
	event->at_ns = from_ns;
	event->track = end.track = lanes_take(lanes, packets, from_ns, to_ns);
	packets__begin(packets, from_ns, to_ns);
	packets__put(packets, event);
	packets__put(packets, &end);
}

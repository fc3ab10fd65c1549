/* SPDX-License-Identifier: BSD-2-Clause */
#include "analysis/join/pending.h"
#include "analysis/work.h"

#include <stdlib.h>
#include <string.h>

#define ROOM_LEAST 64

/* Room for so many messages is not worth giving back. */
#define ROOM_KEPT 4096

void pending_free(struct pending *opens)
{
	free(opens->message);
	free(opens->bucket);
	*opens = (struct pending){0};
}

/* Neighbours in a channel are neighbours here. */
static uint32_t *bucket_of(const struct pending *opens, uint32_t channel, uint64_t position)
{
	return &opens->bucket[(position + channel * 0x9e3779b1u) & opens->mask];
}

static bool is_it(const struct pending_message *message, uint32_t channel, uint64_t position)
{
	return message->send.position == position && message->send.channel == channel;
}

struct pending_message *pending_find(const struct pending *opens, uint32_t channel,
				     uint64_t position)
{
	uint32_t place = opens->bucket ? *bucket_of(opens, channel, position) : 0;

	while (place && !is_it(&opens->message[place - 1], channel, position))
		place = work_spend(1) ? opens->message[place - 1].next : 0;
	return place ? &opens->message[place - 1] : NULL;
}

static void link_in(struct pending *opens, struct pending_message *message)
{
	uint32_t *bucket = bucket_of(opens, message->send.channel, message->send.position);

	message->next = *bucket;
	*bucket = message - opens->message + 1;
}

/* Moves what is open to the front, and finds all of it anew. */
static void move_to_front(struct pending *opens)
{
	size_t kept = 0;

	work_spend(opens->end - opens->first);
	memset(opens->bucket, 0, (opens->mask + 1) * sizeof(*opens->bucket));
	for (size_t i = opens->first; i < opens->end; i++) {
		if (opens->message[i].is_closed)
			continue;
		if (kept != i)
			opens->message[kept] = opens->message[i];
		link_in(opens, &opens->message[kept++]);
	}
	opens->first = 0;
	opens->end = kept;
}

/* All has to be found anew then. */
static bool resize(struct pending *opens, size_t room)
{
	struct pending_message *message = realloc(opens->message, room * sizeof(*message));
	size_t buckets = 1;
	uint32_t *bucket;

	if (!message)
		return false;
	opens->message = message;
	opens->room = room;
	while (buckets < room)
		buckets *= 2;
	bucket = realloc(opens->bucket, buckets * sizeof(*bucket));
	if (!bucket)
		return false;
	opens->bucket = bucket;
	opens->mask = buckets - 1;
	return true;
}

static bool grow(struct pending *opens)
{
	return resize(opens, opens->room ? opens->room + opens->room / 2 : ROOM_LEAST);
}

/* Of what is closed the room is used again, if that is worth the while. */
static bool has_room(struct pending *opens)
{
	if (opens->end < opens->room)
		return true;
	if (opens->cnt >= opens->room / 4 * 3 && !grow(opens))
		return false;
	move_to_front(opens);
	return true;
}

struct pending_message *pending_add(struct pending *opens, uint32_t channel, uint64_t position)
{
	struct pending_message *message;

	if (!has_room(opens))
		return NULL;
	message = &opens->message[opens->end++];
	*message = (struct pending_message){
		.send = {.channel = channel, .position = position},
		.receive = {.channel = channel, .position = position},
	};
	link_in(opens, message);
	opens->cnt++;
	return message;
}

void pending_close(struct pending *opens, struct pending_message *message)
{
	uint32_t place = message - opens->message + 1;
	uint32_t *link = bucket_of(opens, message->send.channel, message->send.position);

	while (*link != place) {
		work_spend(1); /* it is there: nothing else ends this */
		link = &opens->message[*link - 1].next;
	}
	*link = message->next;
	message->is_closed = true;
	opens->cnt--;
	while (opens->first < opens->end && opens->message[opens->first].is_closed)
		opens->first++;
	if (opens->cnt)
		return;
	/* The room that was used last is in the caches. */
	opens->first = opens->end = 0;
}

/* What came all at once has left far more room than is needed. */
static void fit(struct pending *opens)
{
	move_to_front(opens);
	resize(opens, ROOM_KEPT > 2 * opens->cnt ? ROOM_KEPT : 2 * opens->cnt);
	move_to_front(opens);
}

void pending_close_ranks(struct pending *opens)
{
	if (opens->end - opens->first > opens->cnt + opens->cnt / 4)
		move_to_front(opens);
	if (opens->room > ROOM_KEPT && opens->room / 8 > opens->cnt)
		fit(opens);
}

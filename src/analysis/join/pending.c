/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A closed message leaves a gap in the array. To remove gaps, the pending messages move to the
 * front, and the hash table is rebuilt.
 */
#include "analysis/join/pending.h"
#include "container/step_limit.h"

#include <stdlib.h>
#include <string.h>

#define ROOM_LEAST 64

/* Room for so many messages is not worth giving back. */
#define ROOM_KEPT 4096

void pending_free(struct pending *pending)
{
	free(pending->message);
	free(pending->bucket);
	*pending = (struct pending){0};
}

/* Neighbours in a channel are neighbours in the hash. */
static uint32_t *pending_bucket_of(const struct pending *pending, uint32_t channel,
				   uint64_t position)
{
	return &pending->bucket[(position + channel * 0x9e3779b1u) & pending->mask];
}

static bool is_it(const struct pending_message *message, uint32_t channel, uint64_t position)
{
	return message->send.position == position && message->send.channel == channel;
}

struct pending_message *pending_find(const struct pending *pending, uint32_t channel,
				     uint64_t position)
{
	uint32_t place = pending->bucket ? *pending_bucket_of(pending, channel, position) : 0;

	while (place && !is_it(&pending->message[place - 1], channel, position))
		place = step_limit_spend(1) ? pending->message[place - 1].next : 0;
	return place ? &pending->message[place - 1] : NULL;
}

static void link_in(struct pending *pending, struct pending_message *message)
{
	uint32_t *bucket =
		pending_bucket_of(pending, message->send.channel, message->send.position);

	message->next = *bucket;
	*bucket = message - pending->message + 1;
}

/* Moves pending messages to the front, and makes all buckets anew. */
static void pending_move_to_front(struct pending *pending)
{
	size_t kept = 0;

	step_limit_spend(pending->end - pending->first);
	memset(pending->bucket, 0, (pending->mask + 1) * sizeof(*pending->bucket));
	for (size_t i = pending->first; i < pending->end; i++) {
		if (pending->message[i].is_closed)
			continue;
		if (kept != i)
			pending->message[kept] = pending->message[i];
		link_in(pending, &pending->message[kept++]);
	}
	pending->first = 0;
	pending->end = kept;
}

/* The buckets are invalid afterwards. */
static bool pending_resize(struct pending *pending, size_t room)
{
	struct pending_message *message = realloc(pending->message, room * sizeof(*message));
	size_t buckets = 1;
	uint32_t *bucket;

	if (!message)
		return false;
	pending->message = message;
	pending->room = room;
	while (buckets < room)
		buckets *= 2;
	bucket = realloc(pending->bucket, buckets * sizeof(*bucket));
	if (!bucket)
		return false;
	pending->bucket = bucket;
	pending->mask = buckets - 1;
	return true;
}

/* Uses the room of closed messages again, if there is enough of it. */
static bool pending_has_room(struct pending *pending)
{
	size_t more = pending->room ? pending->room + pending->room / 2 : ROOM_LEAST;

	if (pending->end < pending->room)
		return true;
	if (pending->cnt >= pending->room / 4 * 3 && !pending_resize(pending, more))
		return false;
	pending_move_to_front(pending);
	return true;
}

struct pending_message *pending_add(struct pending *pending, uint32_t channel, uint64_t position)
{
	struct pending_message *message;

	if (!pending_has_room(pending))
		return NULL;
	message = &pending->message[pending->end++];
	*message = (struct pending_message){
		.send = {.channel = channel, .position = position},
		.receive = {.channel = channel, .position = position},
	};
	link_in(pending, message);
	pending->cnt++;
	return message;
}

void pending_close(struct pending *pending, struct pending_message *message)
{
	uint32_t place = message - pending->message + 1;
	uint32_t *link = pending_bucket_of(pending, message->send.channel, message->send.position);

	while (*link != place) {
		step_limit_spend(1); /* the message is in this bucket, which ends the loop */
		link = &pending->message[*link - 1].next;
	}
	*link = message->next;
	message->is_closed = true;
	pending->cnt--;
	while (pending->first < pending->end && pending->message[pending->first].is_closed)
		pending->first++;
	if (pending->cnt)
		return;
	/* The room that was used last is in the caches. */
	pending->first = pending->end = 0;
}

void pending_close_ranks(struct pending *pending)
{
	if (pending->end - pending->first > pending->cnt + pending->cnt / 4)
		pending_move_to_front(pending);
	if (pending->room <= ROOM_KEPT || pending->room / 8 <= pending->cnt)
		return;
	/* Gives back room after very many messages. */
	pending_move_to_front(pending);
	pending_resize(pending, ROOM_KEPT > 2 * pending->cnt ? ROOM_KEPT : 2 * pending->cnt);
	pending_move_to_front(pending);
}

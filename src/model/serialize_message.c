/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Converts a message, its segments and its blame to 64-bit words and back. A segment is a part of
 * the latency. Blame is what ran while the receiver waited for a CPU.
 */
#include "model/slow_messages.h"

/* Words of one entry. */
#define SEGMENT_WORDS 4
#define BLAME_WORDS   8

/* A new member belongs into this file, and the version of recordings has to be raised. */
_Static_assert(sizeof(struct message) == 288, "message");
_Static_assert(sizeof(struct blame) == 48, "blame");
_Static_assert(sizeof(struct segment) == 24, "segment");

void serialize_blame(struct serializer *s, struct blame *blame)
{
	SERIALIZER_BELOW(s, blame->class, NR_BLAME_CLASSES);
	SERIALIZER(s, blame->kind);
	SERIALIZER(s, blame->tid);
	SERIALIZER(s, blame->ns);
	SERIALIZER(s, blame->policy);
	SERIALIZER(s, blame->priority);
	SERIALIZER_TEXT(s, blame->comm);
}

void serialize_components(struct serializer *s, uint64_t ns[NR_COMPONENTS])
{
	for (int i = 0; i < NR_COMPONENTS; i++) {
		if (i != COMPONENT_ROOM || !s->lacks_room)
			SERIALIZER(s, ns[i]);
	}
}

void serialize_component(struct serializer *s, uint32_t *component)
{
	serializer_below(s, component, NR_COMPONENTS - s->lacks_room);
	if (s->lacks_room && *component >= COMPONENT_ROOM)
		++*component;
}

static void serialize_segment(struct serializer *s, struct segment *segment)
{
	uint32_t component = segment->component;

	SERIALIZER(s, segment->from_ns);
	SERIALIZER(s, segment->to_ns);
	serialize_component(s, &component);
	segment->component = component;
	SERIALIZER(s, segment->cpu);
}

static void serialize_party(struct serializer *s, struct party *party)
{
	SERIALIZER(s, party->tid);
	SERIALIZER(s, party->cpu);
	SERIALIZER_TEXT(s, party->comm);
}

static void serialize_instants(struct serializer *s, struct message *message)
{
	SERIALIZER(s, message->stamp_ns);
	SERIALIZER(s, message->send_ns);
	SERIALIZER(s, message->queued_ns);
	SERIALIZER(s, message->recv_ns);
	SERIALIZER(s, message->user_ns);
}

static void serialize_quality(struct serializer *s, struct message *message)
{
	SERIALIZER_BELOW(s, message->path, NR_PATHS);
	SERIALIZER_BELOW(s, message->match, NR_MATCHES);
	serializer_flag(s, &message->hides_calls);
	serializer_flag(s, &message->shows_switch);
	serializer_flag(s, &message->unseen_switch);
	serializer_flag(s, &message->unseen_wakeup);
	SERIALIZER(s, message->latency_ns);
	serialize_components(s, message->component_ns);
	message->shows_room = !s->lacks_room;
}

static void serialize_lists(struct serializer *s, struct message *message,
			    struct slow_messages_lists *lists)
{
	serializer_entries(s, &lists->segment, &message->segment_cnt, sizeof(*lists->segment),
			   SEGMENT_WORDS);
	for (uint32_t i = 0; i < message->segment_cnt; i++)
		serialize_segment(s, &lists->segment[i]);
	serializer_entries(s, &lists->blame, &message->blame_cnt, sizeof(*lists->blame),
			   BLAME_WORDS);
	for (uint32_t i = 0; i < message->blame_cnt; i++)
		serialize_blame(s, &lists->blame[i]);
	message->segment = lists->segment;
	message->blame = lists->blame;
}

void serialize_message(struct serializer *s, struct message *message,
		       struct slow_messages_lists *lists)
{
	SERIALIZER(s, message->channel);
	SERIALIZER(s, message->transport);
	SERIALIZER(s, message->position);
	SERIALIZER(s, message->bytes);
	SERIALIZER(s, message->receives);
	SERIALIZER(s, message->client);
	serializer_flag(s, &message->to_server);
	serializer_flag(s, &message->has_round);
	serializer_flag(s, &message->has_stamp);
	SERIALIZER(s, message->round);
	SERIALIZER(s, message->due_ns);
	serialize_party(s, &message->sender);
	serialize_party(s, &message->receiver);
	serialize_instants(s, message);
	serialize_quality(s, message);
	serialize_lists(s, message, lists);
}

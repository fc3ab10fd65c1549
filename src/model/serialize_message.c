/* SPDX-License-Identifier: BSD-2-Clause */
#include "model/slow_messages.h"

/* Words that one of these takes. */
#define SEGMENT_WORDS 4
#define BLAME_WORDS   8

/* A new member belongs into this file, and a recording's version has to be raised. */
_Static_assert(sizeof(struct message) == 264, "message");
_Static_assert(sizeof(struct blame) == 48, "blame");
_Static_assert(sizeof(struct segment) == 24, "segment");

void keep_blame(struct serializer *a, struct blame *blame)
{
	SERIALIZER_BELOW(a, blame->class, NR_BLAME_CLASSES);
	SERIALIZER(a, blame->kind);
	SERIALIZER(a, blame->tid);
	SERIALIZER(a, blame->ns);
	SERIALIZER(a, blame->policy);
	SERIALIZER(a, blame->priority);
	SERIALIZER_TEXT(a, blame->comm);
}

static void keep_segment(struct serializer *a, struct segment *segment)
{
	SERIALIZER(a, segment->from_ns);
	SERIALIZER(a, segment->to_ns);
	SERIALIZER_BELOW(a, segment->component, NR_COMPONENTS);
	SERIALIZER(a, segment->cpu);
}

static void keep_party(struct serializer *a, struct party *party)
{
	SERIALIZER(a, party->tid);
	SERIALIZER(a, party->cpu);
	SERIALIZER_TEXT(a, party->comm);
}

static void keep_instants(struct serializer *a, struct message *message)
{
	SERIALIZER(a, message->stamp_ns);
	SERIALIZER(a, message->send_ns);
	SERIALIZER(a, message->queued_ns);
	SERIALIZER(a, message->recv_ns);
	SERIALIZER(a, message->user_ns);
}

static void keep_judgement(struct serializer *a, struct message *message)
{
	SERIALIZER_BELOW(a, message->path, NR_PATHS);
	SERIALIZER_BELOW(a, message->match, NR_MATCHES);
	serializer_flag(a, &message->hides_calls);
	serializer_flag(a, &message->shows_switch);
	serializer_flag(a, &message->unseen_switch);
	serializer_flag(a, &message->unseen_wakeup);
	SERIALIZER(a, message->latency_ns);
	SERIALIZER(a, message->component_ns);
}

static void keep_lists(struct serializer *a, struct message *message,
		       struct slow_messages_lists *lists)
{
	serializer_entries(a, &lists->segment, &message->segment_cnt, sizeof(*lists->segment),
			   SEGMENT_WORDS);
	for (uint32_t i = 0; i < message->segment_cnt; i++)
		keep_segment(a, &lists->segment[i]);
	serializer_entries(a, &lists->blame, &message->blame_cnt, sizeof(*lists->blame),
			   BLAME_WORDS);
	for (uint32_t i = 0; i < message->blame_cnt; i++)
		keep_blame(a, &lists->blame[i]);
	message->segment = lists->segment;
	message->blame = lists->blame;
}

void keep_message(struct serializer *a, struct message *message, struct slow_messages_lists *lists)
{
	SERIALIZER(a, message->channel);
	SERIALIZER(a, message->transport);
	SERIALIZER(a, message->position);
	SERIALIZER(a, message->bytes);
	SERIALIZER(a, message->receives);
	SERIALIZER(a, message->client);
	serializer_flag(a, &message->to_server);
	serializer_flag(a, &message->has_round);
	serializer_flag(a, &message->has_stamp);
	SERIALIZER(a, message->round);
	SERIALIZER(a, message->due_ns);
	keep_party(a, &message->sender);
	keep_party(a, &message->receiver);
	keep_instants(a, message);
	keep_judgement(a, message);
	keep_lists(a, message, lists);
}

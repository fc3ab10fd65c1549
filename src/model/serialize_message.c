/* SPDX-License-Identifier: BSD-2-Clause */
#include "model/slow_messages.h"

/* Words that one of these takes. */
#define SEGMENT_WORDS 4
#define BLAME_WORDS   8

/* A new member belongs into this file, and a recording's version has to be raised. */
_Static_assert(sizeof(struct message) == 264, "message");
_Static_assert(sizeof(struct blame) == 48, "blame");
_Static_assert(sizeof(struct segment) == 24, "segment");

void keep_blame(struct archive *a, struct blame *blame)
{
	ARCHIVE_BELOW(a, blame->class, NR_BLAME_CLASSES);
	ARCHIVE(a, blame->kind);
	ARCHIVE(a, blame->tid);
	ARCHIVE(a, blame->ns);
	ARCHIVE(a, blame->policy);
	ARCHIVE(a, blame->priority);
	ARCHIVE_TEXT(a, blame->comm);
}

static void keep_segment(struct archive *a, struct segment *segment)
{
	ARCHIVE(a, segment->from_ns);
	ARCHIVE(a, segment->to_ns);
	ARCHIVE_BELOW(a, segment->component, NR_COMPONENTS);
	ARCHIVE(a, segment->cpu);
}

static void keep_party(struct archive *a, struct party *party)
{
	ARCHIVE(a, party->tid);
	ARCHIVE(a, party->cpu);
	ARCHIVE_TEXT(a, party->comm);
}

static void keep_instants(struct archive *a, struct message *message)
{
	ARCHIVE(a, message->stamp_ns);
	ARCHIVE(a, message->send_ns);
	ARCHIVE(a, message->queued_ns);
	ARCHIVE(a, message->recv_ns);
	ARCHIVE(a, message->user_ns);
}

static void keep_judgement(struct archive *a, struct message *message)
{
	ARCHIVE_BELOW(a, message->path, NR_PATHS);
	ARCHIVE_BELOW(a, message->match, NR_MATCHES);
	archive_flag(a, &message->hides_calls);
	archive_flag(a, &message->shows_switch);
	archive_flag(a, &message->unseen_switch);
	archive_flag(a, &message->unseen_wakeup);
	ARCHIVE(a, message->latency_ns);
	ARCHIVE(a, message->component_ns);
}

static void keep_lists(struct archive *a, struct message *message, struct kept_lists *lists)
{
	archive_entries(a, &lists->segment, &message->segment_cnt, sizeof(*lists->segment),
			SEGMENT_WORDS);
	for (uint32_t i = 0; i < message->segment_cnt; i++)
		keep_segment(a, &lists->segment[i]);
	archive_entries(a, &lists->blame, &message->blame_cnt, sizeof(*lists->blame), BLAME_WORDS);
	for (uint32_t i = 0; i < message->blame_cnt; i++)
		keep_blame(a, &lists->blame[i]);
	message->segment = lists->segment;
	message->blame = lists->blame;
}

void keep_message(struct archive *a, struct message *message, struct kept_lists *lists)
{
	ARCHIVE(a, message->channel);
	ARCHIVE(a, message->transport);
	ARCHIVE(a, message->position);
	ARCHIVE(a, message->bytes);
	ARCHIVE(a, message->receives);
	ARCHIVE(a, message->client);
	archive_flag(a, &message->to_server);
	archive_flag(a, &message->has_round);
	archive_flag(a, &message->has_stamp);
	ARCHIVE(a, message->round);
	ARCHIVE(a, message->due_ns);
	keep_party(a, &message->sender);
	keep_party(a, &message->receiver);
	keep_instants(a, message);
	keep_judgement(a, message);
	keep_lists(a, message, lists);
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* Fills in what the summary does not need of a message, and passes it on as a unit. */
#include "analysis/units.h"

#include "analysis/causes/message_causes.h"
#include "analysis/container/lru_table.h"
#include "analysis/container/step_limit.h"
#include "analysis/state.h"

#include <stdlib.h>

/* What is known of a channel. */
struct sent_channel {
	uint32_t id; /* channel */
	uint32_t used;
	uint64_t send_ns; /* of its last message; 0: none yet */
	UT_hash_handle hh;
};

struct units {
	LRU_TABLE(struct sent_channel);
	enum unit_kind kind;
	bool has_causes;
	unit_fn *on_unit;
	void *ctx;                /* of that */
	struct unit unit;         /* of the message that was built last, ... */
	struct cause_list causes; /* ... and its causes */
};

struct units *units__new(enum unit_kind kind, bool has_causes, unit_fn *on_unit, void *ctx)
{
	struct units *units = calloc(1, sizeof(*units));

	if (!units)
		return NULL;
	units->kind = kind;
	units->has_causes = has_causes;
	units->on_unit = on_unit;
	units->ctx = ctx;
	return units;
}

static void forget(struct units *units, struct sent_channel *channel)
{
	LRU_DELETE(units, channel);
	free(channel);
}

void units__free(struct units *units)
{
	while (units && units->first)
		forget(units, units->first);
	free(units);
}

void units__begin(struct units *units, const struct blames *blames, uint32_t receiver_tid)
{
	units->causes.cnt = 0;
	if (units->has_causes)
		message_causes_waits(&units->causes, blames, receiver_tid);
}

/* 0: the message is the first one of its channel, or was sent before one that came earlier. */
static uint64_t since_before(struct sent_channel *channel, uint64_t send_ns)
{
	uint64_t before_ns = channel->send_ns;

	if (send_ns > before_ns)
		channel->send_ns = send_ns;
	return before_ns && send_ns > before_ns ? send_ns - before_ns : 0;
}

static bool has_cpu(const struct change *change)
{
	switch (change->kind) {
	case CHANGE_PREEMPT:
	case CHANGE_WAKE:
	case CHANGE_MIGRATE:
	case CHANGE_SWITCH:
	case CHANGE_RUN:
	case CHANGE_RESUME:
		return true;
	default:
		return false;
	}
}

/* Whether the thread was on different CPUs in [from_ns, to_ns], or when it ran last before. */
static bool has_migrated(const struct timeline *line, uint64_t from_ns, uint64_t to_ns)
{
	uint32_t cpu = BLAME_CPU_UNKNOWN;

	for (size_t i = timeline_find(line, to_ns); i && step_limit_spend(1); i--) {
		const struct change *change = &line->change[i - 1];

		if (!has_cpu(change))
			continue;
		if (cpu != BLAME_CPU_UNKNOWN && cpu != change->cpu)
			return true;
		cpu = change->cpu;
		if (change->at_ns <= from_ns)
			break;
	}
	return false;
}

const struct unit *units__build(struct analysis *a, const struct breakdown_input *in,
				const struct message *message)
{
	struct units *units = a->units;
	uint64_t from_ns = message->has_stamp ? message->stamp_ns : message->send_ns;
	struct sent_channel *channel;

	LRU_FIND_OR_ADD(units, message->channel, channel, LRU_CHANNELS_MAX, forget);
	if (!channel)
		return NULL;
	units->unit = (struct unit){
		.kind = UNIT_MESSAGE,
		.from_ns = from_ns,
		.to_ns = from_ns + message->latency_ns,
		.channel = message->channel,
		.transport = message->transport,
		.position = message->position,
		.bytes = message->bytes,
		.receives = message->receives,
		.path = message->path,
		.sender = message->sender,
		.receiver = message->receiver,
		.sender_pid = a->mode->pid(a, message->sender.tid, message->send_ns),
		.receiver_pid = a->mode->pid(a, message->receiver.tid, message->recv_ns),
		.since_ns = since_before(channel, message->send_ns),
		.has_migrated = has_migrated(&in->timeline, message->queued_ns, message->recv_ns),
		.is_ambiguous = message->match == MATCH_AMBIGUOUS,
		.cause = units->has_causes ? units->causes.cause : NULL,
	};
	if (units->has_causes)
		message_causes_segments(&units->causes, message);
	units->unit.cause_cnt = units->causes.cnt;
	return &units->unit;
}

static void add_round(struct unit *unit, const struct message *message)
{
	if (!message->has_round)
		return;
	unit->has_round = true;
	unit->round = message->round;
	unit->client = message->client;
}

int units__message(struct units *units, const struct message *message)
{
	struct unit unit = *message->unit;

	add_round(&unit, message);
	return units->kind == UNIT_MESSAGE ? units->on_unit(units->ctx, &unit) : 0;
}

uint32_t analysis__moments(struct analysis *a, const struct unit *unit, struct moment *moment,
			   uint32_t max)
{
	(void)a, (void)unit, (void)moment, (void)max;
	return 0;
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* Collects the messages of rounds. Only complete rounds are drawn. */
#include "report/perfetto/tracks.h"

#include <stdlib.h>
#include <uthash.h>

struct round {
	uint64_t number;
	uint64_t from_ns;
	uint64_t to_ns;
	uint64_t first_ns; /* the first message was received */
	uint32_t cnt;      /* messages so far */
	UT_hash_handle hh;
};

static void round_tracks_drop(struct round_tracks *rounds, struct round *round)
{
	HASH_DEL(rounds->first, round);
	free(round);
}

void round_tracks_clean(struct round_tracks *rounds)
{
	while (rounds->first)
		round_tracks_drop(rounds, rounds->first);
	fit_free(&rounds->lanes.fit);
}

/* In a run with another pattern, the number of a message is no round. */
static bool is_of_round(const struct scene *scene, const struct message *message)
{
	return message->has_round && !message->to_server &&
	       (scene->info.mode == MODE_ATTACH || spec_has_rounds(&scene->info.workload));
}

static struct round *round_tracks_find(struct round_tracks *rounds, struct scene *scene,
				       uint64_t number)
{
	struct round *round;

	HASH_FIND(hh, rounds->first, &number, sizeof(number), round);
	if (round)
		return round;
	if (HASH_COUNT(rounds->first) >= ROUNDS_MAX)
		round_tracks_drop(rounds, rounds->first);
	round = calloc(1, sizeof(*round));
	if (!round) {
		packets__fail(scene->packets);
		return NULL;
	}
	round->number = number;
	round->from_ns = round->first_ns = UINT64_MAX;
	HASH_ADD(hh, rounds->first, number, sizeof(round->number), round);
	return round;
}

static void round_tracks_put(struct round_tracks *rounds, struct scene *scene,
			     const struct round *round)
{
	struct event event = {.name = "round", .category = "round"};

	event_note(&event, "round", round->number);
	event_note(&event, "messages", round->cnt);
	event_note(&event, "first_latency_ns", round->first_ns - round->from_ns);
	event_note(&event, "last_latency_ns", round->to_ns - round->from_ns);
	event.track = lanes_take(&rounds->lanes, scene->packets, round->from_ns, round->to_ns);
	slice_put(scene->packets, &event, round->from_ns, round->to_ns);
}

/* A round of an attach begins before the latency of its messages. */
static uint64_t round_tracks_begin_of(const struct message *message)
{
	uint64_t begin_ns = message_begin_ns(message);

	return message->has_stamp ? begin_ns : begin_ns - message->component_ns[COMPONENT_DISPATCH];
}

void round_tracks_message(struct round_tracks *rounds, struct scene *scene,
			  const struct message *message)
{
	bool is_attach = scene->info.mode == MODE_ATTACH;
	uint32_t size = is_attach ? message->round_size : scene->info.workload.clients;
	uint64_t end_ns = message_end_ns(message);
	struct round *round;

	if (!is_of_round(scene, message))
		return;
	round = round_tracks_find(rounds, scene, message->round);
	if (!round)
		return;
	if (round_tracks_begin_of(message) < round->from_ns)
		round->from_ns = round_tracks_begin_of(message);
	if (end_ns < round->first_ns)
		round->first_ns = end_ns;
	if (end_ns > round->to_ns)
		round->to_ns = end_ns;
	if (++round->cnt < size)
		return;
	round_tracks_put(rounds, scene, round);
	round_tracks_drop(rounds, round);
}

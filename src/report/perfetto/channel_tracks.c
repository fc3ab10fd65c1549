/* SPDX-License-Identifier: BSD-2-Clause */
/* Keeps the tracks of channels in a hash table. */
#include "report/perfetto/tracks.h"

#include "model/transport_names.h"
#include "model/unit.h"
#include "report/words/labels.h"

#include <stdio.h>
#include <stdlib.h>
#include <uthash.h>

/* In one stretch of the run queue; shorter ones are only in the sums of the first stretch. */
#define PIECES_DRAWN 32

/* The largest causes of a component that are named. */
#define CAUSES_NAMED 6

static const char *const role_titles[NR_CAUSE_ROLES] = {
	[CAUSE_RAN] = "ran instead", [CAUSE_INSIDE] = "interrupted by",   [CAUSE_WOKE] = "woken by",
	[CAUSE_KEPT] = "busy with",  [CAUSE_READER] = "room was made by",
};

/* The words of one cause, while the event is put together. */
struct cause_words {
	char title[NAME_LEN];
	char name[NAME_LEN];
	char ns_name[NAME_LEN];
};

/* The largest cause of this component that is shorter than `*before`, or the same and after it. */
static const struct cause *next_cause(const struct unit *unit, uint32_t component,
				      const struct cause *before)
{
	const struct cause *largest = NULL;

	for (uint32_t i = 0; i < unit->cause_cnt; i++) {
		const struct cause *cause = &unit->cause[i];
		bool is_left = !before || cause->by.ns < before->by.ns ||
			       (cause->by.ns == before->by.ns && cause > before);

		if (cause->parent || cause->cost != component || !role_titles[cause->role])
			continue;
		if (is_left && (!largest || cause->by.ns > largest->by.ns))
			largest = cause;
	}
	return largest;
}

/* What brought this component about, in all of its segments. */
static void note_causes(struct event *event, const struct unit *unit, uint32_t component,
			struct cause_words words[CAUSES_NAMED])
{
	const struct cause *cause = unit ? next_cause(unit, component, NULL) : NULL;

	for (uint32_t i = 0; cause && i < CAUSES_NAMED; i++) {
		const char *role = role_titles[cause->role];

		blame_title(&cause->by, words[i].title);
		snprintf(words[i].name, NAME_LEN, "%u: %s", i + 1, role);
		snprintf(words[i].ns_name, NAME_LEN, "%u: ns", i + 1);
		event_note_text(event, words[i].name, words[i].title);
		event_note(event, words[i].ns_name, cause->by.ns);
		cause = next_cause(unit, component, cause);
	}
}

/* The field `cpu` of a segment, whose meaning depends on its component. */
static void note_place(struct event *event, const struct scene *scene,
		       const struct segment *segment, char call[NAME_LEN])
{
	if (segment->component == COMPONENT_BLOCKED && segment->cpu != CALL_UNKNOWN) {
		syscall_name(scene->info.host.arch, segment->cpu, call);
		event_note_text(event, "asleep in", call);
	}
	if (segment->component == COMPONENT_RUNQUEUE && segment->cpu < SEGMENT_CPU_THROTTLED)
		event_note(event, "cpu", segment->cpu);
}

/* Without numbers: `title`, which may have some, is a note. */
static const char *channel_tracks_culprit_name(const struct blame *by, const char *title)
{
	const struct blame_class_info *class = &blame_classes[by->class];

	if (class->title)
		return title;
	return by->comm[0] ? by->comm : class->is_interrupt ? class->name : "thread";
}

static void put_culprit(struct scene *scene, uint64_t track, const struct moment *wait)
{
	char title[NAME_LEN];
	struct event event = {.type = EVENT_BEGIN,
			      .track = track,
			      .at_ns = wait->from_ns,
			      .name = channel_tracks_culprit_name(&wait->by, title),
			      .category = "culprit"};

	blame_title(&wait->by, title);
	event_note_text(&event, "culprit", title);
	event_note_text(&event, "class", blame_classes[wait->by.class].name);
	if (wait->by.kind == SLICE_TASK && wait->by.class != BLAME_IDLE)
		event_note(&event, "tid", wait->by.tid);
	packets__put(scene->packets, &event);
	slice_end(scene->packets, track, wait->to_ns);
}

/* What ran in a segment, as few pieces as possible. */
struct pieces {
	struct moment piece[UNIT_WAITS_MAX];
	uint32_t cnt;
};

static void channel_tracks_collect(struct pieces *pieces, const struct segment *segment,
				   const struct unit *unit)
{
	pieces->cnt = 0;
	for (uint32_t i = 0; unit && i < unit->wait_cnt; i++) {
		const struct moment *wait = &unit->wait[i];
		struct moment *last = pieces->cnt ? &pieces->piece[pieces->cnt - 1] : NULL;

		if (wait->from_ns < segment->from_ns || wait->to_ns > segment->to_ns)
			continue;
		if (last && last->role == wait->role && last->by.kind == wait->by.kind &&
		    last->by.tid == wait->by.tid && last->cpu == wait->cpu &&
		    last->to_ns == wait->from_ns)
			last->to_ns = wait->to_ns;
		else
			pieces->piece[pieces->cnt++] = *wait;
	}
}

static uint64_t channel_tracks_length_of(const struct moment *piece)
{
	return piece->to_ns - piece->from_ns;
}

static int compare_lengths(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x < y) - (x > y);
}

/* The least length of the PIECES_DRAWN longest pieces. */
static uint64_t least_length(const struct pieces *pieces)
{
	uint64_t length[UNIT_WAITS_MAX];

	if (pieces->cnt <= PIECES_DRAWN)
		return 0;
	for (uint32_t i = 0; i < pieces->cnt; i++)
		length[i] = channel_tracks_length_of(&pieces->piece[i]);
	qsort(length, pieces->cnt, sizeof(*length), compare_lengths);
	return length[PIECES_DRAWN - 1];
}

/* Nothing is drawn where it is not known what ran. */
static void put_culprits(struct scene *scene, uint64_t track, const struct segment *segment,
			 const struct unit *unit)
{
	struct pieces pieces;
	uint64_t least_ns;
	uint32_t left = PIECES_DRAWN;

	channel_tracks_collect(&pieces, segment, unit);
	least_ns = least_length(&pieces);
	for (uint32_t i = 0; i < pieces.cnt && left; i++) {
		const struct moment *piece = &pieces.piece[i];

		if (piece->role != CAUSE_RAN || channel_tracks_length_of(piece) < least_ns)
			continue;
		put_culprit(scene, track, piece);
		left--;
	}
}

void components_put(struct scene *scene, uint64_t track, const struct message *message)
{
	uint32_t seen = 0; /* bits of components */

	for (uint32_t i = 0; i < message->segment_cnt; i++) {
		const struct segment *segment = &message->segment[i];
		struct cause_words words[CAUSES_NAMED];
		char call[NAME_LEN];
		struct event event = {.type = EVENT_BEGIN,
				      .track = track,
				      .at_ns = segment->from_ns,
				      .name = components[segment->component].title,
				      .category = "component"};

		note_place(&event, scene, segment, call);
		if (!(seen & 1u << segment->component))
			note_causes(&event, message->unit, segment->component, words);
		seen |= 1u << segment->component;
		packets__put(scene->packets, &event);
		if (segment->component == COMPONENT_RUNQUEUE)
			put_culprits(scene, track, segment, message->unit);
		slice_end(scene->packets, track, segment->to_ns);
	}
}

/* The last segment of one of these components. */
static const struct segment *channel_tracks_last_of(const struct message *message,
						    uint32_t components)
{
	for (uint32_t i = message->segment_cnt; i; i--) {
		if (components & 1u << message->segment[i - 1].component)
			return &message->segment[i - 1];
	}
	return NULL;
}

static void channel_tracks_lose(struct scene *scene, const struct segment *segment,
				const char *what, const struct message *message)
{
	struct event event = {.name = what};

	if (!segment)
		return;
	event_note_thread(&event, &message->receiver);
	scene_lost(scene, segment->from_ns, segment->to_ns, &event);
}

static void lose_wait(struct scene *scene, const struct moment *wait, const struct message *message)
{
	bool is_known = wait->cpu != BLAME_CPU_UNKNOWN;
	struct event event = {.name = is_known ? "what ran on a CPU" : "where a receiver waited"};

	event_note_thread(&event, &message->receiver);
	if (is_known)
		event_note(&event, "cpu", wait->cpu);
	scene_lost(scene, wait->from_ns, wait->to_ns, &event);
}

/* Puts the stretches of the message of which something is not known on the track `lost`. */
static void components_lost(struct scene *scene, const struct message *message)
{
	const struct unit *unit = message->unit;

	if (message->unseen_wakeup)
		channel_tracks_lose(
			scene,
			channel_tracks_last_of(message,
					       1u << COMPONENT_WAKEUP | 1u << COMPONENT_BLOCKED),
			"the wakeup of a receiver", message);
	if (message->unseen_switch)
		channel_tracks_lose(scene,
				    channel_tracks_last_of(message, 1u << COMPONENT_RUNQUEUE),
				    "the switch to a receiver", message);
	for (uint32_t i = 0; unit && i < unit->wait_cnt; i++) {
		if (unit->wait[i].role == CAUSE_UNKNOWN)
			lose_wait(scene, &unit->wait[i], message);
	}
}

struct channel {
	uint32_t id;
	struct lanes lanes;
	UT_hash_handle hh;
};

static void channel_tracks_forget_first(struct channel_tracks *channels)
{
	struct channel *channel = channels->first;

	HASH_DEL(channels->first, channel);
	fit_free(&channel->lanes.fit);
	free(channel);
}

void channel_tracks_clean(struct channel_tracks *channels)
{
	while (channels->first)
		channel_tracks_forget_first(channels);
}

static struct channel *channel_tracks_find(struct channel_tracks *channels, struct scene *scene,
					   const struct message *message)
{
	struct channel *channel;

	HASH_FIND(hh, channels->first, &message->channel, sizeof(message->channel), channel);
	if (channel)
		return channel;
	if (HASH_COUNT(channels->first) >= CHANNELS_MAX)
		channel_tracks_forget_first(channels);
	channel = calloc(1, sizeof(*channel));
	if (!channel) {
		packets__fail(scene->packets);
		return NULL;
	}
	channel->id = message->channel;
	channel->lanes.parent = channels->group;
	snprintf(channel->lanes.name, sizeof(channel->lanes.name), "channel %u, %s: %s to %s",
		 message->channel, transport_id_name(message->transport) ?: "?",
		 message->sender.comm[0] ? message->sender.comm : "?",
		 message->receiver.comm[0] ? message->receiver.comm : "?");
	HASH_ADD(hh, channels->first, id, sizeof(channel->id), channel);
	return channel;
}

static void note_identity(struct event *event, const struct message *message)
{
	event_note(event, "channel", message->channel);
	event_note(event, "seq", message->position);
	if (message->has_round) {
		event_note(event, "round", message->round);
		event_note(event, "client", message->client);
	}
	event_note(event, "latency_ns", message->latency_ns);
	event_note(event, "bytes", message->bytes);
	event_note_text(event, "path", paths[message->path].name);
	if (message->match != MATCH_EXACT)
		event_note_text(event, "match", match_names[message->match]);
}

static void note_ends(struct event *event, const struct message *message)
{
	if (message->sender.comm[0])
		event_note_text(event, "sender", message->sender.comm);
	event_note(event, "sender_tid", message->sender.tid);
	if (message->receiver.comm[0])
		event_note_text(event, "receiver", message->receiver.comm);
	event_note(event, "receiver_tid", message->receiver.tid);
	event_note(event, "receiver_cpu", message->receiver.cpu);
}

void message_put(struct scene *scene, uint64_t track, const char *name,
		 const struct message *message)
{
	struct event event = {
		.type = EVENT_BEGIN,
		.track = track,
		.at_ns = message_begin_ns(message),
		.name = name,
		.category = "message",
	};

	note_identity(&event, message);
	note_ends(&event, message);
	packets__begin(scene->packets, event.at_ns, message_end_ns(message));
	packets__put(scene->packets, &event);
	components_put(scene, track, message);
	slice_end(scene->packets, track, message_end_ns(message));
}

void channel_tracks_message(struct channel_tracks *channels, struct scene *scene,
			    const struct message *message)
{
	struct channel *channel = channel_tracks_find(channels, scene, message);
	uint64_t track;

	if (!channel)
		return;
	track = lanes_take(&channel->lanes, scene->packets, message_begin_ns(message),
			   message_end_ns(message));
	message_put(scene, track, "message", message);
	components_lost(scene, message);
}

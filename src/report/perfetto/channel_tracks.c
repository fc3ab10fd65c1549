/* SPDX-License-Identifier: BSD-2-Clause */
/* Keeps the tracks of channels in a hash table. */
#include "report/perfetto/channel_tracks.h"

#include "model/transport_names.h"
#include "model/unit.h"
#include "report/perfetto/components.h"

#include <stdio.h>
#include <stdlib.h>
#include <uthash.h>

struct channel {
	uint32_t id;
	struct lanes lanes;
	UT_hash_handle hh;
};

struct channel_tracks {
	struct channel *first; /* the oldest one */
	uint64_t group;        /* track */
};

struct channel_tracks *channel_tracks__new(struct scene *scene)
{
	struct channel_tracks *channels = calloc(1, sizeof(*channels));

	if (channels)
		channels->group = scene_group(scene, "channels", 4);
	return channels;
}

static void forget_first(struct channel_tracks *channels)
{
	struct channel *channel = channels->first;

	HASH_DEL(channels->first, channel);
	lanes_free(&channel->lanes);
	free(channel);
}

void channel_tracks__free(struct channel_tracks *channels)
{
	if (!channels)
		return;
	while (channels->first)
		forget_first(channels);
	free(channels);
}

static struct channel *find(struct channel_tracks *channels, struct scene *scene,
			    const struct message *message)
{
	struct channel *channel;

	HASH_FIND(hh, channels->first, &message->channel, sizeof(message->channel), channel);
	if (channel)
		return channel;
	if (HASH_COUNT(channels->first) >= CHANNELS_MAX)
		forget_first(channels);
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
	const struct event end = {
		.type = EVENT_END, .track = track, .at_ns = message_end_ns(message)};
	struct event event = {
		.type = EVENT_BEGIN,
		.track = track,
		.at_ns = message_begin_ns(message),
		.name = name,
		.category = "message",
	};

	note_identity(&event, message);
	note_ends(&event, message);
	packets__begin(scene->packets, event.at_ns, end.at_ns);
	packets__put(scene->packets, &event);
	components_put(scene, track, message);
	packets__put(scene->packets, &end);
}

void channel_tracks__message(struct channel_tracks *channels, struct scene *scene,
			     const struct message *message)
{
	struct channel *channel = find(channels, scene, message);
	uint64_t track;

	if (!channel)
		return;
	track = lanes_take(&channel->lanes, scene->packets, message_begin_ns(message),
			   message_end_ns(message));
	message_put(scene, track, "message", message);
	components_lost(scene, message);
}

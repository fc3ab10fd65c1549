/* SPDX-License-Identifier: BSD-2-Clause */
/* Draws each message in its channel, as a slice with its components in it. */
#pragma once

#include "model/message.h"
#include "report/perfetto/scene.h"

/* After so many, a channel that comes again has other tracks. */
#define CHANNELS_MAX 65536

struct channel_tracks;

struct channel_tracks *channel_tracks__new(struct scene *scene); /* NULL: out of memory */
void channel_tracks__free(struct channel_tracks *channels);

void channel_tracks__message(struct channel_tracks *channels, struct scene *scene,
			     const struct message *message);

/* Begins the slice of a message on a track, with its components, and ends it. */
void message_put(struct scene *scene, uint64_t track, const char *name,
		 const struct message *message);

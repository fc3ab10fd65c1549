/* SPDX-License-Identifier: BSD-2-Clause */
/* Draws rounds, from their begin until the last receiver has its message. */
#pragma once

#include "model/message.h"
#include "report/perfetto/scene.h"

/* Rounds that are not complete; then the oldest one is forgotten. */
#define ROUNDS_MAX 4096

struct round_tracks;

struct round_tracks *round_tracks__new(struct scene *scene); /* NULL: out of memory */
void round_tracks__free(struct round_tracks *rounds);

void round_tracks__message(struct round_tracks *rounds, struct scene *scene,
			   const struct message *message);

/* SPDX-License-Identifier: BSD-2-Clause */
/* Draws calls with their request, service and response. */
#pragma once

#include "model/call.h"
#include "report/perfetto/scene.h"

struct call_tracks;

struct call_tracks *call_tracks__new(struct scene *scene); /* NULL: out of memory */
void call_tracks__free(struct call_tracks *calls);

/* A message of a run whose server answers may be the request or the response of a call. */
void call_tracks__message(struct call_tracks *calls, struct scene *scene,
			  const struct message *message);

/* A call of an attach. */
void call_tracks__call(struct call_tracks *calls, struct scene *scene, const struct call *call);

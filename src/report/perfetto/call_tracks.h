/* SPDX-License-Identifier: BSD-2-Clause */
/* Draws calls with their request, service and response. */
#pragma once

#include "model/call.h"
#include "model/spans.h"
#include "report/perfetto/scene.h"
#include "report/perfetto/slowest.h"

struct call_tracks;

struct call_tracks *call_tracks__new(struct scene *scene); /* NULL: out of memory */
void call_tracks__free(struct call_tracks *calls);

/* A message of a run whose server answers may be the request or the response of a call. */
void call_tracks__message(struct call_tracks *calls, struct scene *scene,
			  const struct message *message, bool is_full);

/* A call of an attach. `is_full`: it is written only if it turns out to be the slowest one. */
void call_tracks__call(struct call_tracks *calls, struct scene *scene, const struct call *call,
		       bool is_full);

/*
 * After the last call of a run: the slowest one on the root track, with the components of its
 * messages if these are among the slowest. Its time; empty: there is none.
 */
struct span call_tracks__put_slowest(const struct call_tracks *calls, struct scene *scene,
				     const struct slowest *slowest);

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Draws counters: the latency of messages, how many are in flight, and how late exchanges with a
 * fixed rate begin.
 */
#pragma once

#include "model/message.h"
#include "report/perfetto/scene.h"

/*
 * Messages come in the order of their ends, and the number of those in flight is needed in the
 * order of time. So many begins and ends wait for earlier ones. A message that began before what
 * has been written is not counted.
 */
#define FLIGHT_MAX 131072

struct counters;

struct counters *counters__new(struct scene *scene); /* NULL: out of memory */
void counters__free(struct counters *counters);

void counters__message(struct counters *counters, struct scene *scene,
		       const struct message *message);

/* How many bytes that takes, at most. */
uint64_t counters__bytes_waiting(const struct counters *counters);

/* Writes what waits. Returns how many messages were not counted as in flight. */
uint64_t counters__finish(struct counters *counters, struct scene *scene);

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Draws the tracks of processes and threads: what each thread did, its sends and receives, and an
 * arrow for each message.
 */
#pragma once

#include "model/message.h"
#include "model/unit.h"
#include "report/perfetto/scene.h"

/* After so many, a thread that comes again has another track. */
#define THREADS_MAX 65536

struct thread_tracks;

struct thread_tracks *thread_tracks__new(void); /* NULL: out of memory */
void thread_tracks__free(struct thread_tracks *threads);

/* After the last message of a run. */
void thread_tracks__end_run(struct thread_tracks *threads, struct scene *scene);

/* What a thread did: in the order of time, each stretch once. */
void thread_tracks__moments(struct thread_tracks *threads, struct scene *scene,
			    const struct thread_moments *moments);

/* `flow`: the identity of the arrow. */
void thread_tracks__message(struct thread_tracks *threads, struct scene *scene,
			    const struct message *message, uint64_t flow);

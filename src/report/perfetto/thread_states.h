/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Draws what threads did as the viewer's own states, from which it also makes the tracks of CPUs. A
 * state lasts until the next change of the thread: where nothing is known, one to no state comes.
 */
#pragma once

#include "model/unit.h"
#include "report/perfetto/scene.h"

/*
 * No real CPU. The format has no change to no state: readers refuse it. But if another thread
 * begins to run on a CPU, and the file does not say what state the one before it got, they give
 * that one none. So a thread whose state becomes unknown runs here for no time, and then the idle
 * thread does, which they do not draw.
 */
#define CPU_OF_UNKNOWN_STATES 4095

/* After so many, the state of the oldest one is forgotten. */
#define STATES_MAX 65536

struct thread_states;

struct thread_states *thread_states__new(void); /* NULL: out of memory */
void thread_states__free(struct thread_states *states);

/* What a thread did: in the order of time, each stretch once. */
void thread_states__moments(struct thread_states *states, struct scene *scene,
			    const struct thread_moments *moments);

/* The run ends: what threads do after their last stretch is not known. */
void thread_states__end_run(struct thread_states *states, struct scene *scene);

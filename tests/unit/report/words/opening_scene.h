/* SPDX-License-Identifier: BSD-2-Clause */
/* Calls for sentences of an explanation, made by hand. */
#pragma once

#include "explain/scene.h"
#include "support/capture.h"

#include "report/words/explain/explain_words.h"

/* x86-64 */
#define FUTEX 202

typedef void opening_words_fn(struct paragraph *line, const struct explanation *explanation);

/* Valid until the next one. */
static inline const char *say(opening_words_fn *words)
{
	static struct paragraph line;

	line = (struct paragraph){0};
	words(&line, &scene.explanation);
	return line.text;
}

static inline void of_calls(void)
{
	scene.choice.kind = UNIT_CALL;
	snprintf(scene.choice.info.host.arch, sizeof(scene.choice.info.host.arch), "x86_64");
}

/* A call, whose service consists of what is added to it next. */
static inline struct unit *add_call(uint64_t latency_ns)
{
	struct unit *unit = scene_add(&scene, scene.cnt * 10000000, latency_ns + scene.cnt);

	unit->kind = UNIT_CALL;
	return unit;
}

static inline struct cause *in_service(struct cause *cause)
{
	cause->part = PART_SERVICE;
	cause->call = CALL_UNKNOWN;
	return cause;
}

static inline void add_on_cpu(uint64_t ns)
{
	in_service(scene_cause(&scene, COST_ON_CPU, CAUSE_ITSELF, ns));
}

/* It sleeps in futex until this thread wakes it. */
static inline struct cause *add_lock(uint32_t tid, const char *comm, uint64_t ns)
{
	struct cause *cause = in_service(scene_wait(&scene, tid, comm, ns));

	cause->cost = COMPONENT_BLOCKED;
	cause->role = CAUSE_WOKE;
	cause->call = FUTEX;
	return cause;
}

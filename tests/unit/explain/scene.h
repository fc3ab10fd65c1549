/* SPDX-License-Identifier: BSD-2-Clause */
/* Units made by hand, with their causes, and the explanation of them. */
#pragma once

#include "explain/explainer.h"
#include "support/build.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SCENE_CAUSES 8

/* Zero-initialised has no units, and explains the slowest 1 % of messages. */
struct scene {
	struct unit *unit;
	struct cause (*cause)[SCENE_CAUSES]; /* of each unit */
	size_t cnt;
	size_t room;
	struct explain_choice choice;
	struct explanation explanation;
	unsigned int asked; /* how often moments were asked for */
};

/* A unit without causes. Valid until the next one. */
static inline struct unit *scene_add(struct scene *scene, uint64_t from_ns, uint64_t latency_ns)
{
	struct unit *unit;

	if (scene->cnt == scene->room) {
		scene->room = scene->room ? 2 * scene->room : 1024;
		scene->unit = realloc(scene->unit, scene->room * sizeof(*scene->unit));
		scene->cause = realloc(scene->cause, scene->room * sizeof(*scene->cause));
		assert_non_null(scene->unit);
		assert_non_null(scene->cause);
	}
	unit = &scene->unit[scene->cnt++];
	*unit = (struct unit){.from_ns = from_ns,
			      .to_ns = from_ns + latency_ns,
			      .channel = 1,
			      .position = scene->cnt,
			      .transport = TRANSPORT_UDS,
			      .bytes = 64};
	return unit;
}

/* Adds a cause to the unit that was added last. */
static inline struct cause *scene_cause(struct scene *scene, enum component cost,
					enum cause_role role, uint64_t ns)
{
	struct unit *unit = &scene->unit[scene->cnt - 1];
	struct cause *cause = &scene->cause[scene->cnt - 1][unit->cause_cnt++];

	assert_true(unit->cause_cnt <= SCENE_CAUSES);
	*cause = (struct cause){.cost = cost, .role = role, .by = {.ns = ns, .cpu = 1}};
	return cause;
}

/* A wait for a CPU on which this thread ran. */
static inline struct cause *scene_wait(struct scene *scene, uint32_t tid, const char *comm,
				       uint64_t ns)
{
	struct cause *cause = scene_cause(scene, COMPONENT_RUNQUEUE, CAUSE_RAN, ns);

	cause->by.class = BLAME_TASK;
	cause->by.kind = SLICE_TASK;
	cause->by.tid = tid;
	snprintf(cause->by.comm, sizeof(cause->by.comm), "%s", comm);
	return cause;
}

/* The rest of the latency is the receive's own. */
static inline void scene_receive_rest(struct scene *scene)
{
	struct unit *unit = &scene->unit[scene->cnt - 1];
	uint64_t left = unit_latency_ns(unit);

	for (uint32_t i = 0; i < unit->cause_cnt; i++)
		left -= scene->cause[scene->cnt - 1][i].parent
				? 0
				: scene->cause[scene->cnt - 1][i].by.ns;
	scene_cause(scene, COMPONENT_RECEIVE, CAUSE_ITSELF, left);
}

/* Both passes over units of `others`, too, if it is not NULL (AGAINST_FILE). */
static inline void scene_explain_against(struct scene *scene, struct scene *others)
{
	struct explain *explain = explain__new(&scene->choice);
	struct moment moment = {.cost = COST_ON_CPU};

	assert_non_null(explain);
	for (size_t i = 0; i < scene->cnt; i++)
		assert_int_equal(explain__rank(explain, &scene->unit[i]), 0);
	explain__choose(explain);
	for (size_t i = 0; others && i < others->cnt; i++) {
		others->unit[i].cause = others->cause[i];
		assert_int_equal(explain__add_other(explain, &others->unit[i]), 0);
	}
	for (size_t i = 0; i < scene->cnt; i++) {
		int status;

		scene->unit[i].cause = scene->cause[i];
		status = explain__add(explain, &scene->unit[i]);
		assert_in_range(status, 0, 1);
		if (!status)
			continue;
		moment.from_ns = scene->unit[i].from_ns;
		assert_int_equal(explain__typical(explain, &moment, 1), 0);
		scene->asked++;
	}
	explanation_clean(&scene->explanation);
	assert_int_equal(explain__finish(explain, &scene->explanation), 0);
	explain__free(explain);
}

static inline void scene_explain(struct scene *scene)
{
	scene_explain_against(scene, NULL);
}

static inline void scene_free(struct scene *scene)
{
	explanation_clean(&scene->explanation);
	free(scene->unit);
	free(scene->cause);
	*scene = (struct scene){0};
}

static struct scene scene; /* of each test */

static inline int scene_teardown(void **state)
{
	scene_free(&scene);
	return 0;
}

EACH_TEST(NULL, scene_teardown)

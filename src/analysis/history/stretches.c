/* SPDX-License-Identifier: BSD-2-Clause */
/* Finds the changes that end a stretch, and those that only repeat its state. */
#include "analysis/history/stretches.h"

#include "container/step_limit.h"
#include "model/message.h"

struct stretch_walk stretch_walk(const struct timeline *line, uint64_t from_ns, uint64_t to_ns)
{
	struct stretch_walk walk = {.line = line,
				    .next = timeline_find(line, from_ns),
				    .at_ns = from_ns,
				    .to_ns = to_ns,
				    .state = STATE_UNKNOWN};

	if (!walk.next)
		return walk;
	walk.began = &line->change[walk.next - 1];
	walk.state = state_after(walk.began, false);
	return walk;
}

struct stretch_walk stretch_walk_running(const struct timeline *line, uint64_t from_ns,
					 uint64_t to_ns)
{
	return (struct stretch_walk){
		.line = line,
		.next = from_ns ? timeline_find(line, from_ns - 1) : 0,
		.at_ns = from_ns,
		.to_ns = to_ns,
		.state = STATE_RUNNING,
	};
}

/* The end of a switch, and the start of a wakeup that ends later, do not change the state. */
static bool repeats(const struct change *change, enum thread_state state)
{
	return (state == STATE_RUNNING && change->kind == CHANGE_RUN) ||
	       (state_is_asleep(state) && change->kind == CHANGE_WOKEN);
}

/*
 * Whether this change arrived from one CPU before earlier changes arrived from another: those are
 * not part of what is asked for.
 */
static bool is_early(const struct timeline *line, size_t i)
{
	return line->open_ns && line->change[i].at_ns >= line->open_ns;
}

/* The next change that is not a repetition; NULL: it is not before the end of the walk. */
static const struct change *next_change(struct stretch_walk *walk)
{
	const struct timeline *line = walk->line;

	for (; walk->next < line->cnt && step_limit_spend(1); walk->next++) {
		const struct change *change = &line->change[walk->next];

		if (change->at_ns >= walk->to_ns)
			return NULL;
		if (!timeline_follows(line, walk->next) || !repeats(change, walk->state))
			return change;
	}
	return NULL;
}

static bool stretches_is_certain(const struct stretch_walk *walk, const struct change *ended)
{
	/* The first change after the walk shows whether one before it is missing. */
	if (!ended)
		return walk->next >= walk->line->cnt || timeline_follows(walk->line, walk->next) ||
		       is_early(walk->line, walk->next);
	return timeline_follows(walk->line, walk->next) && state_can_end(walk->state, ended->kind);
}

bool stretch_next(struct stretch_walk *walk, struct stretch *stretch)
{
	const struct change *ended;

	if (walk->at_ns >= walk->to_ns || !step_limit_spend(1))
		return false;
	ended = next_change(walk);
	*stretch = (struct stretch){
		.state = stretches_is_certain(walk, ended) ? walk->state : STATE_UNKNOWN,
		.from_ns = walk->at_ns,
		.to_ns = ended ? ended->at_ns : walk->to_ns,
		.began = walk->began,
		.ended = ended,
		.was_runnable = walk->was_runnable,
	};
	walk->at_ns = stretch->to_ns;
	if (!ended)
		return true;
	walk->was_runnable = walk->state == STATE_RUNNABLE;
	walk->state = state_after(ended, false);
	walk->began = ended;
	walk->next++;
	return true;
}

uint64_t asleep_since(const struct timeline *line, uint64_t at_ns)
{
	struct stretch_walk walk = stretch_walk(line, at_ns, at_ns);

	return walk.began && state_is_asleep(walk.state) ? walk.began->at_ns : 0;
}

uint16_t stretch_wait_cpu(const struct stretch *stretch)
{
	const struct change *began = stretch->began, *ended = stretch->ended;

	if (!began)
		return SEGMENT_CPU_UNKNOWN;
	if (began->kind == CHANGE_THROTTLE)
		return SEGMENT_CPU_THROTTLED;
	/* The thread runs on another CPU than it waited for: its migration is not recorded. */
	if (ended && ended->kind != CHANGE_MIGRATE && ended->cpu != began->cpu)
		return SEGMENT_CPU_UNKNOWN;
	return began->cpu;
}

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Walks through the changes of each thread once, as they become known:
 *
 *	shown before                       last change      watermark
 *	     | asleep | runnable | running     |                |
 *
 * What the thread does after its last change is handed out when the next change is known.
 */
#include "analysis/units/units.h"

#include "analysis/analysis.h"
#include "analysis/causes/thread_cut.h"
#include "analysis/history/stretches.h"
#include "analysis/message_builder.h"
#include "analysis/state.h"
#include "container/step_limit.h"
#include "model/blocked_calls.h"

#include <stdlib.h>

/* Lists what the threads of a unit did before it and during it. */

/* Sender, receiver and the threads that serve a call; further ones are left out. */
#define THREADS_MAX 8

struct threads_of_unit {
	uint32_t tid[THREADS_MAX];
	uint32_t cnt;
};

/* The list to be filled in. */
struct listing {
	struct moment *moment;
	uint32_t cnt;
	uint32_t max; /* for this thread */
	uint32_t tid;
};

static void moments_add_thread(struct threads_of_unit *threads, uint32_t tid)
{
	for (uint32_t i = 0; i < threads->cnt; i++) {
		if (threads->tid[i] == tid)
			return;
	}
	if (tid && threads->cnt < THREADS_MAX)
		threads->tid[threads->cnt++] = tid;
}

static struct threads_of_unit threads_of(const struct unit *unit)
{
	struct threads_of_unit threads = {0};

	moments_add_thread(&threads, unit->sender.tid);
	moments_add_thread(&threads, unit->receiver.tid);
	for (uint32_t i = 0; i < unit->cause_cnt; i++) {
		if (!unit->cause[i].parent)
			moments_add_thread(&threads, unit->cause[i].tid);
	}
	return threads;
}

/* For thread_cut(). */
static void moments_on_piece(void *ctx, const struct piece *piece)
{
	struct listing *listing = ctx;
	struct moment *moment = &listing->moment[listing->cnt];

	if (listing->cnt == listing->max)
		return;
	*moment = (struct moment){
		.from_ns = piece->from_ns,
		.to_ns = piece->to_ns,
		.tid = listing->tid,
		.cpu = piece->cpu,
		.cost = piece->cost,
		.call = piece->call,
		.role = piece->role,
		.from_interrupt = piece->from_interrupt,
		.by = piece->by,
	};
	moment->by.ns = piece->to_ns - piece->from_ns;
	listing->cnt++;
}

/*
 * Until when it is known what the thread did. A thread that has sent its last message may sleep,
 * and no record says so yet.
 */
static uint64_t known_until(struct units *units, const struct unit *unit, uint32_t tid)
{
	struct timeline line = timelines__of(units->cutter.history->timelines, tid);
	struct thread_events sent = thread_log_of(&units->cutter.sent, tid);
	uint64_t known_ns = line.cnt ? line.change[line.cnt - 1].at_ns : 0;

	if (tid == unit->receiver.tid && unit->kind != UNIT_CALL)
		return unit->to_ns;
	if (sent.cnt && sent.event[sent.cnt - 1].at_ns > known_ns)
		known_ns = sent.event[sent.cnt - 1].at_ns;
	return known_ns < unit->to_ns ? known_ns : unit->to_ns;
}

static void moments_add_moments(struct units *units, const struct unit *unit, uint32_t tid,
				struct listing *listing)
{
	const struct thread_span span = {
		.tid = tid,
		.from_ns =
			unit->from_ns > MOMENTS_BEFORE_NS ? unit->from_ns - MOMENTS_BEFORE_NS : 0,
		.to_ns = known_until(units, unit, tid),
		.cpu = BLAME_CPU_UNKNOWN,
		.shows_instants = true,
	};

	units->cutter.left = PIECES_MAX;
	listing->tid = tid;
	if (span.from_ns < span.to_ns)
		thread_cut(&units->cutter, &span, moments_on_piece, listing);
}

static int compare_moments(const void *a, const void *b)
{
	const struct moment *x = a, *y = b;

	if (x->from_ns != y->from_ns)
		return x->from_ns > y->from_ns ? 1 : -1;
	return (x->tid > y->tid) - (x->tid < y->tid);
}

uint32_t analysis__moments(struct analysis *a, const struct unit *unit, struct moment *moment,
			   uint32_t max)
{
	const struct threads_of_unit threads = threads_of(unit);
	struct listing listing = {.moment = moment};

	if (!a->units || !a->units->wants->has_causes)
		return 0;
	for (uint32_t i = 0; i < threads.cnt; i++) {
		listing.max = listing.cnt + (max - listing.cnt) / (threads.cnt - i);
		moments_add_moments(a->units, unit, threads.tid[i], &listing);
	}
	if (listing.cnt > 1)
		qsort(moment, listing.cnt, sizeof(*moment), compare_moments);
	return listing.cnt;
}

/* So many moments are handed out at once. */
#define BATCH_MAX 256

/* The kernel's, of nice 0. */
#define ORDINARY_PRIORITY 120

struct showing {
	struct analysis *a;
	uint64_t before_ns;
	struct thread_moments moments;
	struct moment moment[BATCH_MAX];
};

static uint16_t cost_of(const struct stretch *stretch)
{
	switch (stretch->state) {
	case STATE_ASLEEP:
	case STATE_POLLING:
	case STATE_WOKEN:
		return change_syscall(stretch->began) == CALL_STOPPED ? COST_STOPPED
								      : COMPONENT_BLOCKED;
	case STATE_RUNNABLE:
		return COMPONENT_RUNQUEUE;
	case STATE_SWITCHING:
	case STATE_RUNNING:
		return COST_ON_CPU;
	default:
		return COST_UNKNOWN;
	}
}

static struct moment moment_of(const struct stretch *stretch, uint32_t tid)
{
	const struct change *began = stretch->began;
	struct moment moment = {
		.from_ns = stretch->from_ns,
		.to_ns = stretch->to_ns,
		.tid = tid,
		.cpu = BLAME_CPU_UNKNOWN,
		.cost = cost_of(stretch),
		.call = CALL_UNKNOWN,
		.role = CAUSE_UNKNOWN,
		.by = no_culprit(),
	};

	if (moment.cost == COMPONENT_BLOCKED)
		moment.call = change_syscall(began);
	else if (began && moment.cost != COST_UNKNOWN && change_has_cpu(began))
		moment.cpu = began->cpu;
	return moment;
}

static int moments_hand_out(struct showing *showing)
{
	struct units *units = showing->a->units;
	int err = showing->moments.cnt
			  ? units->wants->on_moments(units->wants->ctx, &showing->moments)
			  : 0;

	showing->moments.cnt = 0;
	return err;
}

static void name_thread(struct showing *showing, uint32_t tid, uint64_t at_ns)
{
	const struct record_name *name = names__find(showing->a->names, SLICE_TASK, tid, at_ns);
	const struct record head = {.tid = tid};
	struct thread_moments *moments = &showing->moments;

	moments->thread = party_of(showing->a, &head, at_ns);
	moments->pid = unit_process(showing->a, &moments->thread, at_ns, moments->process);
	moments->priority = name ? name->priority : ORDINARY_PRIORITY;
	moments->moment = showing->moment;
}

static int moments_walk_on(struct showing *showing, uint32_t tid, struct stretch_walk *walk)
{
	struct thread_moments *moments = &showing->moments;
	struct stretch stretch;
	int err = 0;

	while (!err && stretch_next(walk, &stretch)) {
		/* Another thread had the id before: between the two, there was none. */
		bool is_between = stretch.ended && !stretch.ended->index;

		if (is_between ||
		    !windows_have(&showing->a->lasting.windows, stretch.from_ns, stretch.to_ns))
			continue;
		showing->moment[moments->cnt++] = moment_of(&stretch, tid);
		if (moments->cnt == BATCH_MAX)
			err = moments_hand_out(showing);
	}
	return err ?: moments_hand_out(showing);
}

/* As a timeline_fn. */
static int show_thread(void *ctx, uint32_t tid, const struct timeline *line, uint64_t *shown_ns)
{
	struct showing *showing = ctx;
	size_t cnt = timeline_find(line, showing->before_ns - 1);
	struct stretch_walk walk;
	uint64_t from_ns, to_ns;

	if (!cnt)
		return 0;
	from_ns = *shown_ns ?: line->change[0].at_ns;
	to_ns = line->change[cnt - 1].at_ns;
	if (from_ns >= to_ns)
		return 0;
	*shown_ns = to_ns;
	name_thread(showing, tid, to_ns);
	walk = stretch_walk(line, from_ns, to_ns);
	return moments_walk_on(showing, tid, &walk);
}

int thread_moments_settle(struct analysis *a, uint64_t before_ns)
{
	struct showing showing;

	if (!a->units || !a->units->wants->on_moments || !before_ns)
		return 0;
	showing.a = a;
	showing.before_ns = before_ns;
	showing.moments.cnt = 0;
	timelines__complete(a->history.timelines, before_ns);
	return timelines__each(a->history.timelines, show_thread, &showing);
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* Lists what the threads of a unit did before it and during it. */
#include "analysis/analysis.h"

#include "analysis/causes/thread_cut.h"
#include "analysis/state.h"
#include "analysis/units/units.h"

#include <stdlib.h>

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

static void add_thread(struct threads_of_unit *threads, uint32_t tid)
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

	add_thread(&threads, unit->sender.tid);
	add_thread(&threads, unit->receiver.tid);
	for (uint32_t i = 0; i < unit->cause_cnt; i++) {
		if (!unit->cause[i].parent)
			add_thread(&threads, unit->cause[i].tid);
	}
	return threads;
}

/* For thread_cut(). */
static void on_piece(void *ctx, const struct piece *piece)
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
	struct thread_events sent = thread_log__of(units->cutter.sent, tid);
	uint64_t known_ns = line.cnt ? line.change[line.cnt - 1].at_ns : 0;

	if (tid == unit->receiver.tid && unit->kind != UNIT_CALL)
		return unit->to_ns;
	if (sent.cnt && sent.event[sent.cnt - 1].at_ns > known_ns)
		known_ns = sent.event[sent.cnt - 1].at_ns;
	return known_ns < unit->to_ns ? known_ns : unit->to_ns;
}

static void add_moments(struct units *units, const struct unit *unit, uint32_t tid,
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
		thread_cut(&units->cutter, &span, on_piece, listing);
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
		add_moments(a->units, unit, threads.tid[i], &listing);
	}
	if (listing.cnt > 1)
		qsort(moment, listing.cnt, sizeof(*moment), compare_moments);
	return listing.cnt;
}

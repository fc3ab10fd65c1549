/* SPDX-License-Identifier: BSD-2-Clause */
#include "analysis/attach/overlap.h"

#include "analysis/container/array.h"
#include "analysis/work.h"
#include "bpf/timing.h"

#include <errno.h>
#include <stdlib.h>
#include <uthash.h>

struct end_key {
	uint32_t channel;
	uint32_t receives;
};

/* One end of a channel. */
struct end {
	struct end_key key;
	uint32_t tid; /* the last one */
	bool is_shared;
	bool is_queue;
	struct end_access *turn;
	size_t cnt, room;
	uint64_t oldest_ns; /* until then the one of these lasts that is over first */
	UT_hash_handle hh;
};

struct overlap {
	struct end *end; /* hash by key */
	struct record_starving *starving;
	size_t starving_cnt, starving_room;
	bool has_shared; /* or a queue, see overlap__starve() */
	struct join *join;
	uint64_t stop_ns; /* 0: not stopped */
};

struct overlap *overlap__new(struct join *join)
{
	struct overlap *turns = calloc(1, sizeof(*turns));

	if (turns)
		turns->join = join;
	return turns;
}

static void forget(struct overlap *turns, struct end *end)
{
	HASH_DEL(turns->end, end);
	free(end->turn);
	free(end);
}

void overlap__free(struct overlap *turns)
{
	struct end *end, *next;

	if (!turns)
		return;
	HASH_ITER (hh, turns->end, end, next)
		forget(turns, end);
	free(turns->starving);
	free(turns);
}

static struct end *find(const struct overlap *turns, uint32_t channel, bool receives)
{
	struct end_key key = {.channel = channel, .receives = receives};
	struct end *end;

	HASH_FIND(hh, turns->end, &key, sizeof(key), end);
	return end;
}

static struct end *make(struct overlap *turns, uint32_t channel, bool receives)
{
	struct end *end = calloc(1, sizeof(*end));

	if (!end)
		return NULL;
	end->key = (struct end_key){.channel = channel, .receives = receives};
	HASH_ADD(hh, turns->end, key, sizeof(end->key), end);
	return end;
}

static void doubt(const struct overlap *turns, const struct end_access *turn)
{
	if (turn->receives)
		join__doubt_receive(turns->join, turn->channel, turn->position);
	else
		join__doubt_send(turns->join, turn->channel, turn->position);
}

int overlap__add(struct overlap *turns, const struct end_access *turn)
{
	struct end *end = find(turns, turn->channel, turn->receives);

	if (!end && HASH_COUNT(turns->end) >= OVERLAP_MAX) {
		doubt(turns, turn);
		return 0;
	}
	if (!end)
		end = make(turns, turn->channel, turn->receives);
	if (!end)
		return -ENOMEM;
	end->is_shared |= turn->is_shared || (end->tid && end->tid != turn->tid);
	end->is_queue |= turn->is_queue;
	turns->has_shared |= end->is_shared || end->is_queue;
	end->tid = turn->tid;
	if (array_grow(&end->turn, end->cnt, &end->room, sizeof(*end->turn)))
		return -ENOMEM;
	if (!end->cnt || turn->until_ns < end->oldest_ns)
		end->oldest_ns = turn->until_ns;
	end->turn[end->cnt++] = *turn;
	return 0;
}

static int compare_turns(const void *a, const void *b)
{
	const struct end_access *x = a, *y = b;

	return (x->from_ns > y->from_ns) - (x->from_ns < y->from_ns);
}

static struct record_starving *known_to_starve(const struct overlap *turns,
					       const struct record_starving *starving)
{
	for (size_t i = 0; i < turns->starving_cnt && work_spend(1); i++) {
		if (turns->starving[i].head.tid == starving->head.tid &&
		    turns->starving[i].from_ns == starving->from_ns)
			return &turns->starving[i];
	}
	return NULL;
}

int overlap__starve(struct overlap *turns, const struct record_starving *starving)
{
	struct record_starving *known = known_to_starve(turns, starving);

	if (known) {
		known->until_ns = starving->until_ns;
		return 0;
	}
	if (array_grow(&turns->starving, turns->starving_cnt, &turns->starving_room,
		       sizeof(*turns->starving)))
		return -ENOMEM;
	turns->starving[turns->starving_cnt++] = *starving;
	return 0;
}

bool overlap__shared(const struct overlap *turns)
{
	return turns->has_shared;
}

/* Whoever starves is told of again before LATE_NS are over. */
static bool was_beside(const struct end *end, const struct end_access *turn,
		       const struct record_starving *starving)
{
	bool at_same_end =
		end->is_shared || (starving->at_queue && starving->head.tid != turn->tid);

	return at_same_end && starving->from_ns <= turn->until_ns &&
	       turn->from_ns <= starving->until_ns + LATE_NS;
}

static void doubt_beside_starving(const struct overlap *turns, const struct end *end)
{
	for (size_t i = 0; i < end->cnt; i++) {
		for (size_t k = 0; k < turns->starving_cnt && work_spend(1); k++) {
			if (was_beside(end, &end->turn[i], &turns->starving[k]))
				doubt(turns, &end->turn[i]);
		}
	}
}

/* As long as what they were beside may still be settled. */
static void drop_starving(struct overlap *turns, uint64_t before_ns)
{
	size_t kept = 0;

	work_spend(turns->starving_cnt);
	for (size_t i = 0; i < turns->starving_cnt; i++) {
		if (turns->starving[i].until_ns + 2 * LATE_NS >= before_ns)
			turns->starving[kept++] = turns->starving[i];
	}
	turns->starving_cnt = kept;
}

static void doubt_overlaps(const struct overlap *turns, struct end *end)
{
	if (!work_spend_sort(end->cnt))
		return;
	qsort(end->turn, end->cnt, sizeof(*end->turn), compare_turns);
	for (size_t i = 0; i < end->cnt; i++) {
		for (size_t k = i + 1;
		     k < end->cnt && end->turn[k].from_ns <= end->turn[i].until_ns &&
		     work_spend(STEPS_OF_OVERLAP);
		     k++) {
			if (end->turn[k].tid == end->turn[i].tid)
				continue;
			doubt(turns, &end->turn[i]);
			doubt(turns, &end->turn[k]);
		}
	}
}

void overlap__stop(struct overlap *turns, uint64_t at_ns)
{
	turns->stop_ns = at_ns;
}

/* Others at the same end may still be at it. */
static void doubt_last(const struct overlap *turns, const struct end *end)
{
	for (size_t i = 0; i < end->cnt && turns->stop_ns; i++) {
		if (end->turn[i].until_ns >= turns->stop_ns)
			doubt(turns, &end->turn[i]);
	}
}

/* What a later one may have overlapped stays. */
static void drop_old(struct end *end, uint64_t before_ns)
{
	uint64_t late_ns = end->is_shared || end->is_queue ? LATE_NS : 0;
	size_t kept = 0;

	if (!end->cnt || end->oldest_ns + late_ns >= before_ns)
		return;
	work_spend(end->cnt);
	end->oldest_ns = UINT64_MAX;
	for (size_t i = 0; i < end->cnt; i++) {
		if (end->turn[i].until_ns + late_ns < before_ns)
			continue;
		end->turn[kept++] = end->turn[i];
		if (end->turn[i].until_ns < end->oldest_ns)
			end->oldest_ns = end->turn[i].until_ns;
	}
	end->cnt = kept;
}

void overlap__settle(struct overlap *turns, uint64_t before_ns)
{
	struct end *end, *next;

	HASH_ITER (hh, turns->end, end, next) {
		if (!work_spend(STEPS_OF_END))
			return;
		if (end->is_shared)
			doubt_overlaps(turns, end);
		if (end->is_shared || end->is_queue)
			doubt_beside_starving(turns, end);
		if (end->is_shared && before_ns == UINT64_MAX)
			doubt_last(turns, end);
		drop_old(end, before_ns);
		if (!end->cnt)
			forget(turns, end);
	}
	drop_starving(turns, before_ns);
}

uint64_t overlap__known_ns(const struct overlap *turns, uint64_t before_ns)
{
	if (!turns->has_shared || before_ns == UINT64_MAX)
		return before_ns;
	return before_ns > LATE_NS ? before_ns - LATE_NS : 0;
}

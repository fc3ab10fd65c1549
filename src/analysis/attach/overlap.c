/* SPDX-License-Identifier: BSD-2-Clause */
/* Searches for calls that overlap at each watermark. */
#include "analysis/attach/overlap.h"

#include "container/hash_table.h"
#include "container/array.h"
#include "container/step_limit.h"
#include "bpf/timing.h"
#include "model/record_decode.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <uthash.h>

struct end_key {
	uint32_t channel;
	uint32_t receives;
};

/* One end of a channel, while it has accesses that are not settled. */
struct end {
	struct end_key key;
	uint32_t tid; /* the last one that used it */
	bool is_shared;
	bool is_queue;
	struct end_access *access;
	size_t cnt, room;
	uint64_t oldest_ns; /* the earliest until_ns of these */
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

/* Whether the receives of a channel are counted when their calls end, in any order. */
static bool receives_are_late(const struct channel_usage *usage)
{
	return usage->has_late || usage->transport == TRANSPORT_PIPE ||
	       usage->transport == TRANSPORT_FIFO || usage->transport == TRANSPORT_EVENTFD ||
	       usage->transport == TRANSPORT_MQUEUE || usage->transport == TRANSPORT_SYSV;
}

static uint64_t under_way_ns(const struct record_send *send)
{
	const struct record_send_outside *outside = (const void *)send;

	return send_is_outside(send) ? outside->since_ns : send->send_ns;
}

/* Whether the data may enter the channel in parts, with other threads' data in between. */
static bool may_be_in_parts(const struct channel_usage *usage, const struct record_send *send)
{
	return usage->transport == TRANSPORT_UDS_STREAM || transport_is_tcp(usage->transport) ||
	       (send->channel & CHANNEL_STREAM && send->bytes > PIPE_BUF);
}

/*
 * A send is counted after its last sleep. Two kinds may be counted while the sender sleeps: parts,
 * and a message that waits for room in a POSIX queue, which a receiver puts there.
 */
static uint64_t began_ns(const struct channel_usage *usage, const struct record_send *send,
			 const struct timeline *line)
{
	if (usage->transport == TRANSPORT_MQUEUE || may_be_in_parts(usage, send))
		return under_way_ns(send);
	return timeline_awake_ns(line, under_way_ns(send), send_counted_ns(send));
}

struct end_access access_of_send(const struct channel_usage *usage, const struct record_send *send,
				 const struct timeline *line)
{
	return (struct end_access){
		.channel = send->channel,
		.tid = send->head.tid,
		.position = send->position,
		.is_shared = usage->has_senders,
		.is_queue = transport_is_queue(usage->transport),
		.from_ns = began_ns(usage, send, line),
		.until_ns = send_counted_ns(send),
	};
}

/*
 * A queue hands a message to a sleeping receiver, and a stream may be received in parts before the
 * sleep (RECEIVE_LATE): such a receive may be counted at any instant of its call. For a receive
 * outside of any call only the end is known.
 */
struct end_access access_of_receive(const struct channel_usage *usage,
				    const struct record_receive *receive, uint64_t awake_ns)
{
	bool is_stream = receive->channel & CHANNEL_STREAM;
	bool is_long = is_stream ? usage->has_late : receives_are_late(usage);

	return (struct end_access){
		.channel = receive->channel,
		.receives = true,
		.tid = receive->head.tid,
		.position = receive->position,
		.is_shared = usage->has_receivers,
		.is_queue = transport_is_queue(usage->transport),
		.from_ns = is_long && !receive_is_outside(receive) ? receive->enter_ns : awake_ns,
		.until_ns = receive->exit_ns,
	};
}

struct end_access access_of_beside(const struct channel_usage *usage,
				   const struct record_beside *beside)
{
	return (struct end_access){
		.channel = beside->channel,
		.tid = beside->head.tid,
		.position = POSITION_NONE,
		.is_shared = usage->has_senders,
		.from_ns = beside->from_ns,
		.until_ns = beside->until_ns,
	};
}

struct overlap *overlap__new(struct join *join)
{
	struct overlap *overlap = calloc(1, sizeof(*overlap));

	if (overlap)
		overlap->join = join;
	return overlap;
}

static void overlap_forget(struct overlap *overlap, struct end *end)
{
	HASH_DEL(overlap->end, end);
	free(end->access);
	free(end);
}

void overlap__free(struct overlap *overlap)
{
	if (!overlap)
		return;
	while (overlap->end)
		overlap_forget(overlap, overlap->end);
	free(overlap->starving);
	free(overlap);
}

static void mark(const struct overlap *overlap, const struct end_access *access)
{
	if (access->receives)
		join__mark_receive(overlap->join, access->channel, access->position);
	else
		join__mark_send(overlap->join, access->channel, access->position);
}

int overlap__add(struct overlap *overlap, const struct end_access *access)
{
	const struct end_key key = {.channel = access->channel, .receives = access->receives};
	struct end *end;

	HASH_FIND(hh, overlap->end, &key, sizeof(key), end);
	if (!end && HASH_COUNT(overlap->end) >= OVERLAP_MAX) {
		mark(overlap, access);
		return 0;
	}
	if (!end) {
		HASH_ADD_NEW(overlap->end, key, key, end);
		if (!end)
			return -ENOMEM;
	}
	end->is_shared |= access->is_shared || (end->tid && end->tid != access->tid);
	end->is_queue |= access->is_queue;
	overlap->has_shared |= end->is_shared || end->is_queue;
	end->tid = access->tid;
	if (array_grow(&end->access, end->cnt, &end->room, sizeof(*end->access)))
		return -ENOMEM;
	if (!end->cnt || access->until_ns < end->oldest_ns)
		end->oldest_ns = access->until_ns;
	end->access[end->cnt++] = *access;
	return 0;
}

static int compare_accesses(const void *a, const void *b)
{
	const struct end_access *x = a, *y = b;

	return (x->from_ns > y->from_ns) - (x->from_ns < y->from_ns);
}

int overlap__starve(struct overlap *overlap, const struct record_starving *starving)
{
	for (size_t i = 0; i < overlap->starving_cnt && step_limit_spend(1); i++) {
		struct record_starving *known = &overlap->starving[i];

		if (known->head.tid != starving->head.tid || known->from_ns != starving->from_ns)
			continue;
		known->until_ns = starving->until_ns;
		return 0;
	}
	if (array_grow(&overlap->starving, overlap->starving_cnt, &overlap->starving_room,
		       sizeof(*overlap->starving)))
		return -ENOMEM;
	overlap->starving[overlap->starving_cnt++] = *starving;
	return 0;
}

bool overlap__shared(const struct overlap *overlap)
{
	return overlap->has_shared;
}

/* Starving threads are recorded again before LATE_NS are over. */
static bool was_beside(const struct end *end, const struct end_access *access,
		       const struct record_starving *starving)
{
	bool at_same_end =
		end->is_shared || (starving->at_queue && starving->head.tid != access->tid);

	return at_same_end && starving->from_ns <= access->until_ns &&
	       access->from_ns <= starving->until_ns + LATE_NS;
}

static void mark_beside_starving(const struct overlap *overlap, const struct end *end)
{
	for (size_t i = 0; i < end->cnt; i++) {
		for (size_t k = 0; k < overlap->starving_cnt && step_limit_spend(1); k++) {
			if (was_beside(end, &end->access[i], &overlap->starving[k]))
				mark(overlap, &end->access[i]);
		}
	}
}

/* A STARVING record is kept as long as accesses beside it may still be settled. */
static void drop_starving(struct overlap *overlap, uint64_t before_ns)
{
	size_t kept = 0;

	step_limit_spend(overlap->starving_cnt);
	for (size_t i = 0; i < overlap->starving_cnt; i++) {
		if (overlap->starving[i].until_ns + 2 * LATE_NS >= before_ns)
			overlap->starving[kept++] = overlap->starving[i];
	}
	overlap->starving_cnt = kept;
}

static void mark_overlaps(const struct overlap *overlap, struct end *end)
{
	if (!step_limit_spend_sort(end->cnt))
		return;
	qsort(end->access, end->cnt, sizeof(*end->access), compare_accesses);
	for (size_t i = 0; i < end->cnt; i++) {
		for (size_t k = i + 1;
		     k < end->cnt && end->access[k].from_ns <= end->access[i].until_ns &&
		     step_limit_spend(STEPS_OF_OVERLAP);
		     k++) {
			if (end->access[k].tid == end->access[i].tid)
				continue;
			mark(overlap, &end->access[i]);
			mark(overlap, &end->access[k]);
		}
	}
}

void overlap__stop(struct overlap *overlap, uint64_t at_ns)
{
	overlap->stop_ns = at_ns;
}

/* An access that a later one may have overlapped stays. */
static void overlap_drop_old(struct end *end, uint64_t before_ns)
{
	uint64_t late_ns = end->is_shared || end->is_queue ? LATE_NS : 0;
	size_t kept = 0;

	if (!end->cnt || end->oldest_ns + late_ns >= before_ns)
		return;
	step_limit_spend(end->cnt);
	end->oldest_ns = UINT64_MAX;
	for (size_t i = 0; i < end->cnt; i++) {
		if (end->access[i].until_ns + late_ns < before_ns)
			continue;
		end->access[kept++] = end->access[i];
		if (end->access[i].until_ns < end->oldest_ns)
			end->oldest_ns = end->access[i].until_ns;
	}
	end->cnt = kept;
}

void overlap__settle(struct overlap *overlap, uint64_t before_ns)
{
	struct end *end, *next;
	bool is_last;

	HASH_ITER (hh, overlap->end, end, next) {
		if (!step_limit_spend(STEPS_OF_END))
			return;
		if (end->is_shared)
			mark_overlaps(overlap, end);
		if (end->is_shared || end->is_queue)
			mark_beside_starving(overlap, end);
		/* At the stop other threads may still be in their calls at the same end. */
		is_last = end->is_shared && before_ns == UINT64_MAX && overlap->stop_ns;
		for (size_t i = 0; is_last && i < end->cnt; i++) {
			if (end->access[i].until_ns >= overlap->stop_ns)
				mark(overlap, &end->access[i]);
		}
		overlap_drop_old(end, before_ns);
		if (!end->cnt)
			overlap_forget(overlap, end);
	}
	drop_starving(overlap, before_ns);
}

uint64_t overlap__known_ns(const struct overlap *overlap, uint64_t before_ns)
{
	if (!overlap->has_shared || before_ns == UINT64_MAX)
		return before_ns;
	return before_ns > LATE_NS ? before_ns - LATE_NS : 0;
}

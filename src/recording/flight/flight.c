/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Decides which chunks of the ring belong to a window, and writes them. What leaves the ring goes
 * to the facts, so that a window can begin with these.
 */
#include "recording/flight/flight.h"

#include "bpf/record.h"
#include "model/record_decode.h"
#include "recording/flight/facts.h"

#include <errno.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <utlist.h>

/* Appends records to the last chunk, and takes chunks out at the other end. */

/* Memory is taken and given back in such pieces. */
#define CHUNK_SIZE (64 << 10)

/*
 * All records of a chunk and of those before it are of events before `end_ns`. Messages of which
 * one end is missing then were sent at or after `horizon_ns`.
 */
struct chunk {
	uint64_t number;
	uint64_t end_ns; /* 0: its drain is not over */
	uint64_t horizon_ns;
	size_t size; /* bytes of records */
	size_t room;
	char *bytes;
	struct chunk *prev, *next;
};

/* Zero-initialised is empty. Others may read it. */
struct ring {
	struct chunk *first; /* list, oldest first; the last one gets the next record */
	uint64_t number;     /* of the next chunk */
	size_t size;         /* memory of all */
};

#define CHUNK_SIZE_FIRST 1024

static struct chunk *last_chunk(const struct ring *ring)
{
	return ring->first ? ring->first->prev : NULL;
}

static struct chunk *new_chunk(struct ring *ring)
{
	struct chunk *chunk = calloc(1, sizeof(*chunk));

	if (!chunk)
		return NULL;
	chunk->number = ring->number++;
	ring->size += sizeof(*chunk);
	DL_APPEND(ring->first, chunk);
	return chunk;
}

/* Gives the chunk this much room. 0 or -ENOMEM. */
static int flight_resize(struct ring *ring, struct chunk *chunk, size_t room)
{
	char *bytes = room ? realloc(chunk->bytes, room) : NULL;

	if (!bytes)
		return -ENOMEM;
	ring->size += room - chunk->room;
	chunk->bytes = bytes;
	chunk->room = room;
	return 0;
}

/* The chunk that has room for so many bytes. NULL: out of memory. */
static struct chunk *chunk_for(struct ring *ring, size_t size)
{
	struct chunk *chunk = last_chunk(ring);
	size_t room;

	if (!chunk || chunk->end_ns || chunk->size + size > CHUNK_SIZE)
		chunk = new_chunk(ring);
	if (!chunk || chunk->size + size <= chunk->room)
		return chunk;
	room = chunk->room ? 2 * chunk->room : CHUNK_SIZE_FIRST;
	while (room < chunk->size + size)
		room *= 2;
	return flight_resize(ring, chunk, room) ? NULL : chunk;
}

/* Appends a copy. 0 or -ENOMEM. */
static int ring_add(struct ring *ring, const struct record *record)
{
	size_t size = record_size(record);
	struct chunk *chunk = chunk_for(ring, size);

	if (!chunk)
		return -ENOMEM;
	memcpy(chunk->bytes + chunk->size, record, size);
	chunk->size += size;
	return 0;
}

/* A drain is over: see struct chunk. */
static void ring_end_drain(struct ring *ring, uint64_t end_ns, uint64_t horizon_ns)
{
	struct chunk *chunk = last_chunk(ring);

	if (chunk && !chunk->end_ns)
		flight_resize(ring, chunk, chunk->size); /* it only shrinks */
	while (chunk && !chunk->end_ns) {
		chunk->end_ns = end_ns;
		chunk->horizon_ns = horizon_ns;
		chunk = chunk == ring->first ? NULL : chunk->prev;
	}
}

/* Takes out the oldest chunk, which the caller frees. NULL: there is none. */
static struct chunk *ring_take_first(struct ring *ring)
{
	struct chunk *first = ring->first;

	if (!first)
		return NULL;
	DL_DELETE(ring->first, first);
	ring->size -= sizeof(*first) + first->room;
	return first;
}

static void chunk_free(struct chunk *chunk)
{
	free(chunk->bytes);
	free(chunk);
}

static void ring_clean(struct ring *ring)
{
	struct chunk *chunk;

	while ((chunk = ring_take_first(ring)))
		chunk_free(chunk);
}

/* Calls `fn` for each record. 0, or what it returned. */
static int chunk_each(const struct chunk *chunk, record_put_fn *fn, void *ctx)
{
	int err = 0;

	for (size_t at = 0; !err && at < chunk->size;) {
		const struct record *record = (const void *)(chunk->bytes + at);

		err = fn(ctx, record);
		at += record_size(record);
	}
	return err;
}

/* A sender may have begun a round so long before a window: its messages belong together. */
#define ROUND_NS 20000000ULL

struct flight {
	struct flight_spec spec;
	struct flight_counts counts;
	struct ring ring;
	struct facts *facts;
	uint64_t gone_ns;         /* end_ns of the youngest chunk that has left the ring; 0: none */
	uint64_t gone_horizon_ns; /* its horizon_ns */
	uint64_t before_ns;       /* of the last watermark */
	uint64_t horizon_ns;      /* and what came with it */
	uint64_t written;         /* chunks with a smaller number are not of the window; */
	uint64_t until_ns;        /* it goes on until this watermark; 0: no window is open */
	bool lost_chunks;         /* some have left the ring before their drain was over */
	struct record_trigger *trigger; /* of this drain */
	size_t trigger_cnt, trigger_room;
};

struct flight *flight__new(const struct flight_spec *spec)
{
	struct flight *flight = calloc(1, sizeof(*flight));

	if (!flight)
		return NULL;
	flight->spec = *spec;
	flight->facts = facts__new();
	if (flight->facts)
		return flight;
	free(flight);
	return NULL;
}

void flight__free(struct flight *flight)
{
	if (!flight)
		return;
	ring_clean(&flight->ring);
	facts__free(flight->facts);
	free(flight->trigger);
	free(flight);
}

static int add_fact(void *ctx, const struct record *record)
{
	return facts__add(ctx, record);
}

static int flight_write_record(void *ctx, const struct record *record)
{
	const struct flight *flight = ctx;

	return flight->spec.write(flight->spec.ctx, record);
}

static int write_chunk(struct flight *flight, const struct chunk *chunk)
{
	flight->written = chunk->number + 1;
	return chunk_each(chunk, flight_write_record, flight);
}

/* Writes what belongs to the open window and has not been written. */
static int write_on(struct flight *flight)
{
	const struct chunk *chunk;
	int err = 0;

	DL_FOREACH(flight->ring.first, chunk)
	{
		if (!err && chunk->number >= flight->written)
			err = write_chunk(flight, chunk);
	}
	return err;
}

static int flight_forget_first(struct flight *flight)
{
	struct chunk *first = ring_take_first(&flight->ring);
	int err;

	flight->gone_ns = first->end_ns;
	flight->gone_horizon_ns = first->horizon_ns;
	flight->lost_chunks |= !first->end_ns;
	err = chunk_each(first, add_fact, flight->facts);
	chunk_free(first);
	return err;
}

static int limit_size(struct flight *flight)
{
	int err = 0;

	while (!err && flight->ring.size > flight->spec.bytes_max && flight->ring.first) {
		const struct chunk *first = flight->ring.first;

		if (flight->until_ns && first->number >= flight->written)
			err = write_chunk(flight, first);
		err = err ?: flight_forget_first(flight);
	}
	return err;
}

int flight__record(struct flight *flight, const struct record *record)
{
	int err = ring_add(&flight->ring, record);

	return err ? err : limit_size(flight);
}

static uint64_t less(uint64_t a_ns, uint64_t b_ns)
{
	return a_ns > b_ns ? a_ns - b_ns : 0;
}

static uint64_t flight_smaller(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

static uint64_t larger(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

/*
 * The records that a window from `from_ns` on needs: also those of messages that were under way
 * then, if they had been for at most `most_ns`. `horizon_ns` is known from a drain before.
 */
static uint64_t needed_from_ns(uint64_t from_ns, uint64_t horizon_ns, uint64_t most_ns)
{
	uint64_t since_ns = less(flight_smaller(from_ns, horizon_ns), ROUND_NS);

	return larger(since_ns, less(from_ns, larger(most_ns, ROUND_NS)));
}

/* The first chunk that may have a record of an event at or after `from_ns`. */
static const struct chunk *chunk_at(const struct flight *flight, uint64_t from_ns)
{
	const struct chunk *chunk = flight->ring.first;

	while (chunk && chunk->end_ns && chunk->end_ns <= from_ns)
		chunk = chunk->next;
	return chunk;
}

static uint64_t flight_end_before(const struct flight *flight, const struct chunk *chunk)
{
	return chunk && chunk != flight->ring.first ? chunk->prev->end_ns : flight->gone_ns;
}

static uint64_t horizon_before(const struct flight *flight, const struct chunk *chunk)
{
	return chunk && chunk != flight->ring.first ? chunk->prev->horizon_ns
						    : flight->gone_horizon_ns;
}

/* Chunks that no window will need. A message that is under way may become the next trigger. */
static int forget_old(struct flight *flight)
{
	uint64_t trigger_ns = flight_smaller(flight->horizon_ns, flight->before_ns);
	uint64_t from_ns = less(trigger_ns, flight->spec.keep_ns + flight->spec.late_ns);
	uint64_t horizon_ns = horizon_before(flight, chunk_at(flight, from_ns));
	uint64_t needed_ns = needed_from_ns(from_ns, horizon_ns, flight->spec.keep_ns);
	int err = 0;

	while (!err && flight->ring.first && flight->ring.first->end_ns &&
	       flight->ring.first->end_ns <= needed_ns)
		err = flight_forget_first(flight);
	return err;
}

/* Where a window begins. */
struct window_begin {
	const struct chunk *chunk; /* the first one; NULL: none */
	uint64_t from_ns;
};

/*
 * Records that are needed have gone: the window begins later, where all that was under way is still
 * here. What was so for very long would leave nothing of it.
 */
static struct window_begin find_later_begin(const struct flight *flight, uint64_t from_ns)
{
	uint64_t most_ns =
		flight_smaller(flight->spec.keep_ns, less(flight->before_ns, flight->gone_ns) / 4);
	const struct chunk *chunk = chunk_at(flight, from_ns);
	uint64_t needed_ns = needed_from_ns(from_ns, horizon_before(flight, chunk), most_ns);

	while (chunk && (from_ns < flight->gone_ns || needed_ns < flight->gone_ns)) {
		from_ns = larger(from_ns, chunk->end_ns);
		chunk = chunk->next;
		needed_ns = needed_from_ns(from_ns, horizon_before(flight, chunk), most_ns);
	}
	return (struct window_begin){chunk ? chunk_at(flight, needed_ns) : NULL, from_ns};
}

static struct window_begin find_begin(const struct flight *flight, uint64_t from_ns)
{
	const struct chunk *chunk = chunk_at(flight, from_ns);
	uint64_t needed_ns =
		needed_from_ns(from_ns, horizon_before(flight, chunk), flight->spec.keep_ns);

	if (needed_ns < flight->gone_ns)
		return find_later_begin(flight, from_ns);
	return (struct window_begin){chunk_at(flight, needed_ns), from_ns};
}

/* The facts of chunks in front of the window that are still in the ring. */
static int write_further_facts(struct flight *flight, const struct chunk *until)
{
	struct facts *facts = facts__new();
	const struct chunk *chunk;
	int err = facts ? 0 : -ENOMEM;

	DL_FOREACH(flight->ring.first, chunk)
	{
		if (err || chunk == until)
			break;
		err = chunk_each(chunk, add_fact, facts);
	}
	if (!err)
		err = facts__each(facts, flight_write_record, flight);
	facts__free(facts);
	return err;
}

static void note_shortened(struct flight *flight, const struct record_trigger *trigger,
			   uint64_t from_ns)
{
	uint64_t kept_ns = less(trigger->from_ns, from_ns);

	if (!flight->counts.shortened++ || kept_ns < flight->counts.shortest_ns)
		flight->counts.shortest_ns = kept_ns;
}

static int flight_begin_window(struct flight *flight, const struct window_begin *begin,
			       bool is_shortened)
{
	const struct record_window window = {
		.head = {.type = RECORD_WINDOW,
			 .words = RECORD_WORDS(window),
			 .flags = is_shortened ? WINDOW_SHORTENED : 0},
		.from_ns = begin->from_ns,
		.begun_ns = flight_end_before(flight, begin->chunk),
	};
	int err = flight_write_record(flight, &window.head);

	flight->counts.windows++;
	if (!err)
		err = facts__each(flight->facts, flight_write_record, flight);
	if (!err)
		err = write_further_facts(flight, begin->chunk);
	if (!err && flight->spec.write_facts)
		err = flight->spec.write_facts(flight->spec.ctx);
	flight->written = begin->chunk ? begin->chunk->number : flight->ring.number;
	return err;
}

/* Whether the last window has been written up to this one, and begins no later. */
static bool is_continued(const struct flight *flight, const struct window_begin *begin)
{
	return flight->counts.windows &&
	       (flight->until_ns || !begin->chunk || begin->chunk->number <= flight->written);
}

static int flight_pull(struct flight *flight, const struct record_trigger *trigger)
{
	uint64_t from_ns = less(trigger->from_ns, flight->spec.keep_ns);
	struct window_begin begin = find_begin(flight, from_ns);
	int err = 0;

	flight->counts.triggers++;
	if (!is_continued(flight, &begin)) {
		if (begin.from_ns > from_ns)
			note_shortened(flight, trigger, begin.from_ns);
		err = flight_begin_window(flight, &begin, begin.from_ns > from_ns);
	}
	if (!flight->until_ns || !flight->spec.has_fixed_end) {
		flight->counts.openings += !flight->until_ns;
		flight->until_ns = larger(flight->until_ns, trigger->at_ns + flight->spec.after_ns);
	}
	return err ? err : flight_write_record(flight, &trigger->head);
}

int flight__trigger(struct flight *flight, const struct record_trigger *trigger)
{
	size_t room = flight->trigger_room ? 2 * flight->trigger_room : 16;
	struct record_trigger *more;

	if (flight->trigger_cnt == flight->trigger_room) {
		more = reallocarray(flight->trigger, room, sizeof(*more));
		if (!more)
			return -ENOMEM;
		flight->trigger = more;
		flight->trigger_room = room;
	}
	flight->trigger[flight->trigger_cnt++] = *trigger;
	return 0;
}

static int pull_all(struct flight *flight)
{
	int err = 0;

	for (size_t i = 0; !err && i < flight->trigger_cnt; i++)
		err = flight_pull(flight, &flight->trigger[i]);
	flight->trigger_cnt = 0;
	return err;
}

static void end_drain(struct flight *flight, uint64_t now_ns, uint64_t before_ns,
		      uint64_t horizon_ns)
{
	ring_end_drain(&flight->ring, now_ns, horizon_ns);
	flight->before_ns = before_ns;
	flight->horizon_ns = horizon_ns;
	if (!flight->lost_chunks)
		return;
	flight->gone_ns = now_ns;
	flight->gone_horizon_ns = horizon_ns;
	flight->lost_chunks = false;
}

int flight__end_drain(struct flight *flight, uint64_t now_ns, uint64_t before_ns,
		      uint64_t horizon_ns)
{
	int err;

	end_drain(flight, now_ns, before_ns, horizon_ns);
	err = pull_all(flight);
	if (!err && flight->until_ns)
		err = write_on(flight);
	if (flight->until_ns && before_ns >= flight->until_ns)
		flight->until_ns = 0;
	return err ? err : forget_old(flight);
}

int flight__finish(struct flight *flight, uint64_t now_ns)
{
	const struct record_watermark all = {
		.head = {.type = RECORD_WATERMARK, .words = RECORD_WORDS(all)},
		.before_ns = UINT64_MAX,
	};
	int err;

	end_drain(flight, now_ns, now_ns, flight->horizon_ns);
	err = pull_all(flight);
	if (!err && flight->until_ns)
		err = write_on(flight);
	if (!err && flight->until_ns)
		err = flight_write_record(flight, &all.head);
	flight->until_ns = 0;
	return err;
}

struct flight_counts flight__counts(const struct flight *flight)
{
	struct flight_counts counts = flight->counts;

	counts.is_open = flight->until_ns;
	counts.forgotten = facts__forgotten(flight->facts);
	return counts;
}

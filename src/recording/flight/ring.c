/* SPDX-License-Identifier: BSD-2-Clause */
/* Appends records to the last chunk, and takes chunks out at the other end. */
#include "recording/flight/ring.h"

#include "model/record_decode.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <utlist.h>

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
static int resize(struct ring *ring, struct chunk *chunk, size_t room)
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
	return resize(ring, chunk, room) ? NULL : chunk;
}

int ring_add(struct ring *ring, const struct record *record)
{
	size_t size = record_size(record);
	struct chunk *chunk = chunk_for(ring, size);

	if (!chunk)
		return -ENOMEM;
	memcpy(chunk->bytes + chunk->size, record, size);
	chunk->size += size;
	return 0;
}

void ring_end_drain(struct ring *ring, uint64_t end_ns, uint64_t horizon_ns)
{
	struct chunk *chunk = last_chunk(ring);

	if (chunk && !chunk->end_ns)
		resize(ring, chunk, chunk->size); /* it only shrinks */
	while (chunk && !chunk->end_ns) {
		chunk->end_ns = end_ns;
		chunk->horizon_ns = horizon_ns;
		chunk = chunk == ring->first ? NULL : chunk->prev;
	}
}

struct chunk *ring_take_first(struct ring *ring)
{
	struct chunk *first = ring->first;

	if (!first)
		return NULL;
	DL_DELETE(ring->first, first);
	ring->size -= sizeof(*first) + first->room;
	return first;
}

void chunk_free(struct chunk *chunk)
{
	free(chunk->bytes);
	free(chunk);
}

void ring_clean(struct ring *ring)
{
	struct chunk *chunk;

	while ((chunk = ring_take_first(ring)))
		chunk_free(chunk);
}

int chunk_each(const struct chunk *chunk, chunk_record_fn *fn, void *ctx)
{
	int err = 0;

	for (size_t at = 0; !err && at < chunk->size;) {
		const struct record *record = (const void *)(chunk->bytes + at);

		err = fn(ctx, record);
		at += record_size(record);
	}
	return err;
}

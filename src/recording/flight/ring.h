/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Holds the youngest records in memory. The records lie in chunks, in the order in which they came.
 * A chunk ends with a drain (reading the ring buffer of the kernel), or when it is full.
 */
#pragma once

#include "bpf/record.h"

#include <stddef.h>
#include <stdint.h>

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

/* Appends a copy. 0 or -ENOMEM. */
int ring_add(struct ring *ring, const struct record *record);

/* A drain is over: see struct chunk. */
void ring_end_drain(struct ring *ring, uint64_t end_ns, uint64_t horizon_ns);

/* Takes out the oldest chunk, which the caller frees. NULL: there is none. */
struct chunk *ring_take_first(struct ring *ring);
void chunk_free(struct chunk *chunk);

void ring_clean(struct ring *ring);

/* Calls `fn` for each record. 0, or what it returned. */
typedef int chunk_record_fn(void *ctx, const struct record *record);
int chunk_each(const struct chunk *chunk, chunk_record_fn *fn, void *ctx);

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A journal: the ready-made records of one thread, on their way to the driver. A ring in shared
 * memory with one writer, which never waits, and one reader. What does not fit is counted; a writer
 * that may wait looks for room first.
 */
#ifndef IPCTRACE_WORKLOAD_MEMBER_JOURNAL_H
#define IPCTRACE_WORKLOAD_MEMBER_JOURNAL_H

#include "bpf/record.h"
#include "workload/workload.h"

#include <stdalign.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#define CACHE_LINE 64

union journal_entry {
	struct record head;
	struct record_tick tick;
	struct record_stamp stamp;
	struct record_send send;
	struct record_receive receive; /* without changes */
};

/* Writer's and reader's words are kept in cache lines of their own. */
struct journal {
	alignas(CACHE_LINE) _Atomic uint64_t written;  /* entries that are complete, ever */
	_Atomic uint64_t lost;                         /* entries that found no room, ever */
	alignas(CACHE_LINE) _Atomic uint64_t consumed; /* entries whose room is free again, ever */
	alignas(CACHE_LINE) union journal_entry *entries;
	uint64_t capacity; /* a power of two */
};

/* Bytes that `capacity` entries take, in whole pages: a page belongs to one journal. */
size_t journal_size(uint64_t capacity);

/* `entries`: journal_size() zeroed bytes, at the same address in writer and reader. */
void journal_init(struct journal *journal, void *entries, uint64_t capacity);

/* Writer: touches every page, so that none is missing when it counts. Before the first write. */
void journal_prefault(struct journal *journal);

void journal_write(struct journal *journal, const union journal_entry *entry);

/* Entries that can be written now without a loss, as anybody may ask. */
uint64_t journal_room(const struct journal *journal);

/* Reader: hands out all complete entries in order. 0 or what `put` said. */
int journal_drain(struct journal *journal, workload_put_fn *put, void *ctx);

/* Entries that found no room, ever. */
uint64_t journal_lost(const struct journal *journal);

#endif

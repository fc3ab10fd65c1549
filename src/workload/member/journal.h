/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Defines a journal, through which a thread of the workload passes records to the driver (the
 * parent process). The journal is a ring in shared memory, and has one writer and one reader. A
 * record that finds no room is counted as lost. A writer that can wait checks for room first.
 */
#pragma once

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
	struct record_stamp_exchange exchange;
	struct record_send send;
	struct record_receive receive; /* without state changes */
};

/* Writer and reader have cache lines of their own. */
struct journal {
	alignas(CACHE_LINE) _Atomic uint64_t written; /* complete entries so far */
	_Atomic uint64_t lost;                        /* entries without room so far */
	alignas(CACHE_LINE) _Atomic uint64_t
		consumed; /* entries that the reader has freed so far */
	alignas(CACHE_LINE) union journal_entry *entries;
	uint64_t capacity; /* a power of two */
};

/* Rounds up to whole pages. */
size_t whole_pages(size_t size);

/* Bytes of `capacity` entries, rounded up to whole pages: no two journals share a page. */
size_t journal_size(uint64_t capacity);

/* `entries`: journal_size() zeroed bytes, at the same address in writer and reader. */
void journal_init(struct journal *journal, void *entries, uint64_t capacity);

/*
 * For the writer, before its first write: touches every page, so that no page fault disturbs the
 * measurement.
 */
void journal_prefault(struct journal *journal);

void journal_write(struct journal *journal, const union journal_entry *entry);

/* Entries that can be written now without a loss. Any thread may ask. */
uint64_t journal_room(const struct journal *journal);

/* For the reader: hands out all complete entries in order. 0 or the error of `put`. */
int journal_drain(struct journal *journal, record_put_fn *put, void *ctx);

/* Entries without room so far. */
uint64_t journal_lost(const struct journal *journal);

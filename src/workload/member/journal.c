/* SPDX-License-Identifier: BSD-2-Clause */
/* Implements the journal, a ring of records in shared memory. */
#include "workload/member/journal.h"

#include <unistd.h>

static size_t page_size(void)
{
	return (size_t)sysconf(_SC_PAGESIZE);
}

size_t whole_pages(size_t size)
{
	size_t page = page_size();

	return (size + page - 1) / page * page;
}

size_t journal_size(uint64_t capacity)
{
	return whole_pages(capacity * sizeof(union journal_entry));
}

void journal_init(struct journal *journal, void *entries, uint64_t capacity)
{
	*journal = (struct journal){.entries = entries, .capacity = capacity};
}

void journal_prefault(struct journal *journal)
{
	size_t size = journal_size(journal->capacity);
	volatile char *bytes = (volatile char *)journal->entries;

	for (size_t at = 0; at < size; at += page_size())
		bytes[at] = 0;
}

static union journal_entry *entry_at(struct journal *journal, uint64_t index)
{
	return &journal->entries[index & (journal->capacity - 1)];
}

void journal_write(struct journal *journal, const union journal_entry *entry)
{
	uint64_t written = atomic_load_explicit(&journal->written, memory_order_relaxed);
	uint64_t consumed = atomic_load_explicit(&journal->consumed, memory_order_acquire);

	if (written - consumed == journal->capacity) {
		atomic_fetch_add_explicit(&journal->lost, 1, memory_order_relaxed);
		return;
	}
	*entry_at(journal, written) = *entry;
	atomic_store_explicit(&journal->written, written + 1, memory_order_release);
}

/* Writer and reader may go on meanwhile: `consumed` is read last and may be ahead of `written`. */
uint64_t journal_room(const struct journal *journal)
{
	uint64_t written = atomic_load_explicit(&journal->written, memory_order_acquire);
	uint64_t consumed = atomic_load_explicit(&journal->consumed, memory_order_acquire);

	return consumed < written ? journal->capacity - (written - consumed) : journal->capacity;
}

int journal_drain(struct journal *journal, record_put_fn *put, void *ctx)
{
	uint64_t written = atomic_load_explicit(&journal->written, memory_order_acquire);
	uint64_t consumed = atomic_load_explicit(&journal->consumed, memory_order_relaxed);
	int err = 0;

	while (consumed != written && !err)
		err = put(ctx, &entry_at(journal, consumed++)->head);
	atomic_store_explicit(&journal->consumed, consumed, memory_order_release);
	return err;
}

uint64_t journal_lost(const struct journal *journal)
{
	return atomic_load_explicit(&journal->lost, memory_order_relaxed);
}

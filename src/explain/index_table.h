/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Defines a hash table of the indexes of an array that only grows. The caller has the array, and
 * compares its entries with a key. The hash of each entry is beside its index, so that few entries
 * are read.
 */
#pragma once

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define INDEX_NONE       UINT32_MAX
#define INDEX_FIRST_ROOM 256

struct index_slot {
	uint32_t hash;
	uint32_t entry; /* 1 + index; 0: empty */
};

/* Zero-initialised is empty. Owns its slots: free(). */
struct index_table {
	struct index_slot *slot; /* [room] */
	uint32_t room;           /* 0 or a power of two */
	uint32_t cnt;
};

/* Whether the entry with this index has that key. */
typedef bool index_same_fn(const void *entries, uint32_t index, const void *key);

/* Mixes a word into a hash (the finalizer of MurmurHash3). */
static inline uint64_t hash_word(uint64_t hash, uint64_t word)
{
	hash = (hash ^ word) * 0xff51afd7ed558ccdULL;
	return hash ^ hash >> 32;
}

/* The hash of a table, from one of 64 bits. */
static inline uint32_t hash_fold(uint64_t hash)
{
	return hash_word(hash, 0x9e3779b97f4a7c15ULL) >> 16;
}

/* INDEX_NONE: there is none. */
static inline uint32_t index_table_find(const struct index_table *table, uint32_t hash,
					index_same_fn *same, const void *entries, const void *key)
{
	uint32_t mask = table->room - 1;

	if (!table->room)
		return INDEX_NONE;
	for (uint32_t i = hash & mask; table->slot[i].entry; i = (i + 1) & mask) {
		if (table->slot[i].hash == hash && same(entries, table->slot[i].entry - 1, key))
			return table->slot[i].entry - 1;
	}
	return INDEX_NONE;
}

static inline void index_table_put(struct index_table *table, struct index_slot slot)
{
	uint32_t mask = table->room - 1, i = slot.hash & mask;

	while (table->slot[i].entry)
		i = (i + 1) & mask;
	table->slot[i] = slot;
}

static inline int index_table_grow(struct index_table *table)
{
	struct index_table larger = {.room = table->room ? 2 * table->room : INDEX_FIRST_ROOM,
				     .cnt = table->cnt};

	larger.slot = calloc(larger.room, sizeof(*larger.slot));
	if (!larger.slot)
		return -ENOMEM;
	for (uint32_t i = 0; i < table->room; i++) {
		if (table->slot[i].entry)
			index_table_put(&larger, table->slot[i]);
	}
	free(table->slot);
	*table = larger;
	return 0;
}

/* Adds an index whose key is not in the table. 0 or -ENOMEM. */
static inline int index_table_add(struct index_table *table, uint32_t hash, uint32_t index)
{
	if (2 * (table->cnt + 1) > table->room && index_table_grow(table))
		return -ENOMEM;
	index_table_put(table, (struct index_slot){hash, index + 1});
	table->cnt++;
	return 0;
}

/*
 * Makes room for one more entry in an array of `cnt` entries whose room doubles, from 16. 0 or
 * -ENOMEM. `array` is the address of the pointer to its first entry.
 */
static inline int array_make_room(void *array, uint32_t cnt, size_t size)
{
	void *first;

	if (cnt && (cnt < 16 || (cnt & (cnt - 1))))
		return 0;
	memcpy(&first, array, sizeof(first));
	first = realloc(first, (cnt ? 2 * (size_t)cnt : 16) * size);
	if (!first)
		return -ENOMEM;
	memcpy(array, &first, sizeof(first));
	return 0;
}

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Defines an array that only grows, and whose entries are found by their keys in a hash table. An
 * entry begins with its key, which has whole words of 32 bits and no padding. The hash of each
 * entry is beside its index, so that few entries are read.
 */
#pragma once

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define INDEX_NONE       UINT32_MAX
#define INDEX_FIRST_ROOM 256

struct index_slot {
	uint32_t hash;
	uint32_t entry; /* 1 + index; 0: empty */
};

/* Zero-initialised but for the sizes, which the caller sets, it is empty; index_table_clean(). */
struct index_table {
	size_t entry_size;
	size_t key_size;
	void *entry; /* [cnt], in the order in which they were added */
	uint32_t cnt;
	uint32_t room; /* of slots: 0 or a power of two */
	struct index_slot *slot;
};

static inline void index_table_clean(struct index_table *table)
{
	free(table->entry);
	free(table->slot);
}

/* Mixes a word into a hash (the finalizer of MurmurHash3). */
static inline uint64_t hash_word(uint64_t hash, uint64_t word)
{
	hash = (hash ^ word) * 0xff51afd7ed558ccdULL;
	return hash ^ hash >> 32;
}

static inline uint32_t index_table_hash(const struct index_table *table, const void *key)
{
	uint64_t hash = 0x9e3779b97f4a7c15ULL;
	uint32_t word;

	for (size_t i = 0; i < table->key_size; i += sizeof(word)) {
		memcpy(&word, (const char *)key + i, sizeof(word));
		hash = hash_word(hash, word);
	}
	return hash >> 16;
}

/* The slot of the entry with this key, or the empty one where it belongs. There is room. */
static inline struct index_slot *index_table_slot(const struct index_table *table, uint32_t hash,
						  const void *key)
{
	uint32_t mask = table->room - 1, i = hash & mask;

	for (; table->slot[i].entry; i = (i + 1) & mask) {
		const char *entry = table->entry;

		entry += (table->slot[i].entry - 1) * table->entry_size;
		if (table->slot[i].hash == hash && !memcmp(entry, key, table->key_size))
			break;
	}
	return &table->slot[i];
}

/* Makes room for one more slot; half of them stay empty. 0 or -ENOMEM. */
static inline int index_table_grow(struct index_table *table)
{
	uint32_t room = table->room ? 2 * table->room : INDEX_FIRST_ROOM;
	struct index_slot *slot;

	if (2 * (table->cnt + 1) <= table->room)
		return 0;
	slot = calloc(room, sizeof(*slot));
	if (!slot)
		return -ENOMEM;
	for (uint32_t i = 0; i < table->room; i++) {
		uint32_t to = table->slot[i].hash & (room - 1);

		while (slot[to].entry)
			to = (to + 1) & (room - 1);
		slot[to] = table->slot[i];
	}
	free(table->slot);
	table->slot = slot;
	table->room = room;
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

/*
 * The index of the entry with this key, which is added with zeros behind the key if need be.
 * INDEX_NONE: there are `max` others. -ENOMEM.
 */
static inline int64_t index_table_place(struct index_table *table, const void *key, uint32_t max)
{
	uint32_t hash = index_table_hash(table, key);
	struct index_slot *slot;
	char *entry;

	if (index_table_grow(table))
		return -ENOMEM;
	slot = index_table_slot(table, hash, key);
	if (slot->entry)
		return slot->entry - 1;
	if (table->cnt >= max)
		return INDEX_NONE;
	if (array_make_room(&table->entry, table->cnt, table->entry_size))
		return -ENOMEM;
	entry = (char *)table->entry + table->cnt * table->entry_size;
	memset(entry, 0, table->entry_size);
	memcpy(entry, key, table->key_size);
	*slot = (struct index_slot){hash, ++table->cnt};
	return table->cnt - 1;
}

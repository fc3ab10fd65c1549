/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Defines hash tables (uthash) of limited size. A full table forgets roughly the least recently
 * used entry. LRU_TABLE(struct ENTRY) declares the members of a table inside a struct. An entry
 * has the members `id`, `used` and `hh`.
 */
#pragma once

#include "container/id_cache.h"

#include <stdlib.h>
#include <uthash.h>

#define LRU_TABLE(entry)                                                                           \
	entry *first;                                                                              \
	uint32_t clock;                                                                            \
	ID_CACHE(entry)

/*
 * More than the map `channels` of the BPF programs holds, which therefore forgets a channel first.
 */
#define LRU_CHANNELS_MAX 98304

/* More than are alive at once on all but the largest machines. */
#define LRU_THREADS_MAX 65536

/*
 * Enough for a full table. Each entry that takes the place of another may happen to be one too many
 * for its bucket, at which uthash doubles the buckets, although the table does not grow.
 */
#define LRU_BUCKETS_MAX 65536

/* An entry moves to the end at most once in 2^LRU_SHIFT uses of the table. */
#define LRU_SHIFT 12

#define LRU_HASH_ADD(table, entry)                                                                 \
	do {                                                                                       \
		HASH_ADD(hh, (table)->first, id, sizeof((entry)->id), entry);                      \
		if ((table)->first->hh.tbl->num_buckets >= LRU_BUCKETS_MAX)                        \
			(table)->first->hh.tbl->noexpand = 1;                                      \
	} while (0)

#define LRU_USE(table, entry)                                                                      \
	do {                                                                                       \
		uint32_t now_ = ++(table)->clock >> LRU_SHIFT;                                     \
		ID_NOTE(table, entry);                                                             \
		if ((entry)->used == now_)                                                         \
			break;                                                                     \
		(entry)->used = now_;                                                              \
		HASH_DEL((table)->first, entry);                                                   \
		LRU_HASH_ADD(table, entry);                                                        \
	} while (0)

#define LRU_FIND(table, number, entry) ID_FIND(table, (table)->first, number, entry)

/* The same as an expression. */
#define LRU_GET(table, number)                                                                     \
	({                                                                                         \
		__typeof__(*(table)->first) *found_;                                               \
		LRU_FIND(table, number, found_);                                                   \
		found_;                                                                            \
	})

#define LRU_DELETE(table, entry) ID_DELETE(table, (table)->first, entry)

/* Forgets an entry that owns nothing else. */
#define LRU_DROP(table, entry)                                                                     \
	do {                                                                                       \
		__typeof__((table)->first) dropped_ = (entry);                                     \
		LRU_DELETE(table, dropped_);                                                       \
		free(dropped_);                                                                    \
	} while (0)

/* The entry to forget before a new one is added; NULL: none. A new entry counts as a use. */
#define LRU_OLDEST(table, max)                                                                     \
	(++(table)->clock, HASH_COUNT((table)->first) >= (max) ? (table)->first : NULL)

/* Sets `entry` to a new one with this number, zero otherwise. NULL: out of memory. */
#define LRU_ADD(table, number, entry)                                                              \
	do {                                                                                       \
		(entry) = calloc(1, sizeof(*(entry)));                                             \
		if (!(entry))                                                                      \
			break;                                                                     \
		(entry)->id = (number);                                                            \
		LRU_HASH_ADD(table, entry);                                                        \
	} while (0)

/*
 * Sets `entry` to the one with this number, which counts as used, or else to a new one. The entry
 * that a full table forgets goes to `forget`, a function of table and entry.
 */
#define LRU_FIND_OR_ADD(table, number, entry, max, forget)                                         \
	do {                                                                                       \
		LRU_FIND(table, number, entry);                                                    \
		if (entry) {                                                                       \
			LRU_USE(table, entry);                                                     \
			break;                                                                     \
		}                                                                                  \
		if (LRU_OLDEST(table, max))                                                        \
			forget(table, (table)->first);                                             \
		LRU_ADD(table, number, entry);                                                     \
	} while (0)

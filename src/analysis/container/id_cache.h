/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * In front of a uthash by number: the entries that were used lately, found by index. A table is
 * asked for the same few threads and channels again and again, and a hash takes ten times as long.
 * An entry has its number in `id`; a table declares its cache by ID_CACHE(struct ENTRY).
 */
#ifndef IPCTRACE_ANALYSIS_CONTAINER_ID_CACHE_H
#define IPCTRACE_ANALYSIS_CONTAINER_ID_CACHE_H

#include <uthash.h>

#define ID_CACHE_ENTRIES         256
#define ID_CACHE(entry)          entry *cache[ID_CACHE_ENTRIES]

#define ID_CACHED(table, number) ((table)->cache[(number) % ID_CACHE_ENTRIES])

/* `entry` becomes that with the number, of the hash `head`, or NULL. */
#define ID_FIND(table, head, number, entry)                                                        \
	do {                                                                                       \
		(entry) = ID_CACHED(table, number);                                                \
		if ((entry) && (entry)->id == (number))                                            \
			break;                                                                     \
		HASH_FIND(hh, (head), &(number), sizeof(number), entry);                           \
	} while (0)

/* It will be asked for again. */
#define ID_NOTE(table, entry) (ID_CACHED(table, (entry)->id) = (entry))

/* Out of the hash, and never to be found again. */
#define ID_DELETE(table, head, entry)                                                              \
	do {                                                                                       \
		if (ID_CACHED(table, (entry)->id) == (entry))                                      \
			ID_CACHED(table, (entry)->id) = NULL;                                      \
		HASH_DEL(head, entry);                                                             \
	} while (0)

#endif

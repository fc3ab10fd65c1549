/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Tables of what comes and goes by the thousand, channels and threads: a uthash whose entries stand
 * in the order of their last use, roughly, so that the first one is the one to forget. A table has
 * the members `first`, `clock` and an ID_CACHE, an entry `id`, `used` and `hh`.
 */
#ifndef IPCTRACE_ANALYSIS_CONTAINER_LRU_TABLE_H
#define IPCTRACE_ANALYSIS_CONTAINER_LRU_TABLE_H

#include "analysis/container/id_cache.h"

#include <uthash.h>

/* More than the kernel side keeps apart (channels_map): it has forgotten a channel before we do. */
#define LRU_CHANNELS_MAX 98304

/* More than are alive at once on all but the largest machines. */
#define LRU_THREADS_MAX 65536

/* An entry moves to the end of the order once in so many uses of the table, in powers of two. */
#define LRU_SHIFT 12

#define LRU_USE(table, entry)                                                                      \
	do {                                                                                       \
		uint32_t now_ = ++(table)->clock >> LRU_SHIFT;                                     \
		ID_NOTE(table, entry);                                                             \
		if ((entry)->used == now_)                                                         \
			break;                                                                     \
		(entry)->used = now_;                                                              \
		HASH_DEL((table)->first, entry);                                                   \
		HASH_ADD(hh, (table)->first, id, sizeof((entry)->id), entry);                      \
	} while (0)

#define LRU_FIND(table, number, entry) ID_FIND(table, (table)->first, number, entry)
#define LRU_DELETE(table, entry)       ID_DELETE(table, (table)->first, entry)

/* The entry that has to go before another one comes; NULL: none. Coming is a use, too. */
#define LRU_OLDEST(table, max)                                                                     \
	(++(table)->clock, HASH_COUNT((table)->first) >= (max) ? (table)->first : NULL)

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/* Makes and frees entries of hash tables (uthash) that own their entries. */
#pragma once

#include <stdlib.h>
#include <uthash.h>

/* Sets `entry` to a new one whose `member` is this key, zero otherwise. NULL: out of memory. */
#define HASH_ADD_NEW(head, member, number, entry)                                                  \
	do {                                                                                       \
		(entry) = calloc(1, sizeof(*(entry)));                                             \
		if (!(entry))                                                                      \
			break;                                                                     \
		(entry)->member = (number);                                                        \
		HASH_ADD(hh, head, member, sizeof((entry)->member), entry);                        \
	} while (0)

/* Removes an entry that owns nothing else, and all of them. */
#define HASH_DROP(head, entry)                                                                     \
	do {                                                                                       \
		__typeof__(head) dropped_ = (entry);                                               \
		HASH_DEL(head, dropped_);                                                          \
		free(dropped_);                                                                    \
	} while (0)

#define HASH_DROP_ALL(head)                                                                        \
	while (head)                                                                               \
	HASH_DROP(head, head)

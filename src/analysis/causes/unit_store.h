/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Keeps copies of units with their causes, until the call is complete that they are a part of. When
 * they take too much memory, the oldest one is forgotten.
 */
#pragma once

#include "model/unit.h"

#define UNIT_STORE_BYTES_MAX (24u << 20)

/* What a unit is: a message by its channel and position, or the service of a call by its number. */
struct unit_key {
	uint64_t kind;   /* enum unit_key_kind and, above its bits, the channel */
	uint64_t number; /* position, or the call's number */
};

enum unit_key_kind { UNIT_KEY_MESSAGE, UNIT_KEY_SERVICE, UNIT_KEY_CONNECT };

static inline struct unit_key unit_key(enum unit_key_kind kind, uint32_t channel, uint64_t number)
{
	return (struct unit_key){.kind = kind | (uint64_t)channel << 8, .number = number};
}

struct unit_store;

struct unit_store *unit_store__new(void); /* NULL: out of memory */
void unit_store__free(struct unit_store *store);

/* Replaces one with the same key. 0 or -ENOMEM. */
int unit_store__put(struct unit_store *store, struct unit_key key, const struct unit *unit);

/* Borrowed until the next change. NULL: not known, or forgotten. */
const struct unit *unit_store__find(const struct unit_store *store, struct unit_key key);

/* Forgets a unit that unit_store__find() has found. NULL is ignored. */
void unit_store__drop(struct unit_store *store, const struct unit *unit);

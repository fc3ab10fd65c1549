/* SPDX-License-Identifier: BSD-2-Clause */
/* Keeps copies of units in a hash table, oldest first. */
#include "analysis/causes/unit_store.h"

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

static unsigned int hash_of(const struct unit_key *key)
{
	uint64_t mixed = (key->number * 0x9e3779b97f4a7c15ULL ^ key->kind) * 0xff51afd7ed558ccdULL;

	return (unsigned int)(mixed ^ mixed >> 32);
}

/* The keys are two numbers: mixing these takes less time than a hash of their bytes. */
#define HASH_FUNCTION(key, size, hash) ((hash) = hash_of((const struct unit_key *)(key)))
#include <uthash.h>

struct kept {
	struct unit_key key;
	size_t size;
	struct unit unit; /* its causes are behind this struct */
	UT_hash_handle hh;
	struct kept *next_spare;
};

/* Memory of units without causes is used again: most calls have only these. */
#define SPARE_MAX 1024

struct unit_store {
	struct kept *kept; /* hash by key, oldest first */
	size_t size;       /* bytes of all */
	struct kept *spare;
	uint32_t spare_cnt;
};

struct unit_store *unit_store__new(void)
{
	return calloc(1, sizeof(struct unit_store));
}

static struct kept *unit_store_make(struct unit_store *store, size_t size)
{
	struct kept *kept = store->spare;

	if (!kept || size > sizeof(*kept))
		return malloc(size);
	store->spare = kept->next_spare;
	store->spare_cnt--;
	return kept;
}

static void unit_store_drop(struct unit_store *store, struct kept *kept)
{
	HASH_DEL(store->kept, kept);
	store->size -= kept->size;
	if (kept->size > sizeof(*kept) || store->spare_cnt == SPARE_MAX) {
		free(kept);
		return;
	}
	kept->next_spare = store->spare;
	store->spare = kept;
	store->spare_cnt++;
}

void unit_store__free(struct unit_store *store)
{
	while (store && store->kept)
		unit_store_drop(store, store->kept);
	while (store && store->spare)
		free(unit_store_make(store, sizeof(struct kept)));
	free(store);
}

static struct kept *unit_store_find(const struct unit_store *store, struct unit_key key)
{
	struct kept *kept;

	HASH_FIND(hh, store->kept, &key, sizeof(key), kept);
	return kept;
}

int unit_store__put(struct unit_store *store, struct unit_key key, const struct unit *unit)
{
	size_t causes = unit->cause_cnt * sizeof(*unit->cause);
	struct kept *kept = unit_store_find(store, key);

	if (kept)
		unit_store_drop(store, kept);
	kept = unit_store_make(store, sizeof(*kept) + causes);
	if (!kept)
		return -ENOMEM;
	kept->key = key;
	kept->size = sizeof(*kept) + causes;
	kept->unit = *unit;
	if (causes) {
		memcpy(kept + 1, unit->cause, causes);
		kept->unit.cause = (const void *)(kept + 1);
	}
	HASH_ADD(hh, store->kept, key, sizeof(kept->key), kept);
	store->size += kept->size;
	while (store->size > UNIT_STORE_BYTES_MAX && store->kept != kept)
		unit_store_drop(store, store->kept);
	return 0;
}

const struct unit *unit_store__find(const struct unit_store *store, struct unit_key key)
{
	const struct kept *kept = unit_store_find(store, key);

	return kept ? &kept->unit : NULL;
}

void unit_store__drop(struct unit_store *store, const struct unit *unit)
{
	if (unit)
		unit_store_drop(store, (struct kept *)((char *)unit - offsetof(struct kept, unit)));
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* Keeps copies of units in a hash table, oldest first. */
#include "analysis/causes/unit_store.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <uthash.h>

struct kept {
	struct unit_key key;
	size_t size;
	struct unit unit; /* its causes are behind this struct */
	UT_hash_handle hh;
};

struct unit_store {
	struct kept *kept; /* hash by key, oldest first */
	size_t size;       /* bytes of all */
};

struct unit_store *unit_store__new(void)
{
	return calloc(1, sizeof(struct unit_store));
}

static void drop(struct unit_store *store, struct kept *kept)
{
	HASH_DEL(store->kept, kept);
	store->size -= kept->size;
	free(kept);
}

void unit_store__free(struct unit_store *store)
{
	while (store && store->kept)
		drop(store, store->kept);
	free(store);
}

static struct kept *find(const struct unit_store *store, struct unit_key key)
{
	struct kept *kept;

	HASH_FIND(hh, store->kept, &key, sizeof(key), kept);
	return kept;
}

int unit_store__put(struct unit_store *store, struct unit_key key, const struct unit *unit)
{
	size_t causes = unit->cause_cnt * sizeof(*unit->cause);
	size_t size = sizeof(struct kept) + causes;
	struct kept *kept = malloc(size);

	unit_store__drop(store, key);
	if (!kept)
		return -ENOMEM;
	*kept = (struct kept){.key = key, .size = size, .unit = *unit};
	if (causes) {
		memcpy(kept + 1, unit->cause, causes);
		kept->unit.cause = (const void *)(kept + 1);
	}
	HASH_ADD(hh, store->kept, key, sizeof(kept->key), kept);
	store->size += size;
	while (store->size > UNIT_STORE_BYTES_MAX && store->kept != kept)
		drop(store, store->kept);
	return 0;
}

const struct unit *unit_store__find(const struct unit_store *store, struct unit_key key)
{
	const struct kept *kept = find(store, key);

	return kept ? &kept->unit : NULL;
}

void unit_store__drop(struct unit_store *store, struct unit_key key)
{
	struct kept *kept = find(store, key);

	if (kept)
		drop(store, kept);
}

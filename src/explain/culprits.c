/* SPDX-License-Identifier: BSD-2-Clause */
/* Keeps a table of culprits, and a cache of the threads that were looked up last. */
#include "explain/culprits.h"

#include "explain/index_table.h"

#define CACHE_ROOM 1024

struct cached {
	struct blame by; /* `ns` and `cpu` are of no use */
	uint32_t culprit;
};

struct culprits {
	struct culprit_id *id;
	uint32_t cnt;
	struct index_table table;
	struct cached cache[CACHE_ROOM];
};

struct culprits *culprits__new(void)
{
	struct culprits *culprits = calloc(1, sizeof(*culprits));

	if (!culprits)
		return NULL;
	for (uint32_t i = 0; i < CACHE_ROOM; i++)
		culprits->cache[i].culprit = INDEX_NONE;
	for (; culprits->cnt < CULPRIT_FIRST; culprits->cnt++) {
		if (array_make_room(&culprits->id, culprits->cnt, sizeof(*culprits->id))) {
			culprits__free(culprits);
			return NULL;
		}
		culprits->id[culprits->cnt] = (struct culprit_id){.class = BLAME_UNKNOWN};
	}
	return culprits;
}

void culprits__free(struct culprits *culprits)
{
	if (!culprits)
		return;
	free(culprits->table.slot);
	free(culprits->id);
	free(culprits);
}

static uint64_t hash_comm(uint64_t hash, const char comm[RECORD_COMM_LEN])
{
	uint64_t word[RECORD_COMM_LEN / sizeof(uint64_t)];

	memcpy(word, comm, sizeof(word));
	for (size_t i = 0; i < sizeof(word) / sizeof(word[0]); i++)
		hash = hash_word(hash, word[i]);
	return hash;
}

static struct culprit_id culprits_id_of(const struct blame *by)
{
	struct blame one = culprit_folded(by);
	struct culprit_id id = {
		.class = one.class,
		.kind = one.kind,
		.tid = one.tid,
		.policy = one.policy,
		.priority = one.priority,
		.is_folded = culprit_is_folded(by),
	};

	memcpy(id.comm, one.comm, sizeof(id.comm));
	return id;
}

static bool culprits_has_id(const void *entries, uint32_t index, const void *key)
{
	const struct culprit_id *id = entries;

	return !memcmp(&id[index], key, sizeof(*id));
}

static int64_t find_id(struct culprits *culprits, const struct blame *by)
{
	struct culprit_id id = culprits_id_of(by);
	uint64_t hash = hash_word((uint64_t)id.class << 32 | id.kind, id.tid);
	uint32_t found;

	hash = hash_word(hash, (uint64_t)id.policy << 32 | id.priority);
	hash = hash_comm(hash, id.comm);
	found = index_table_find(&culprits->table, hash_fold(hash), culprits_has_id, culprits->id,
				 &id);
	if (found != INDEX_NONE)
		return found;
	if (culprits->cnt == CULPRITS_MAX)
		return CULPRIT_REST;
	if (array_make_room(&culprits->id, culprits->cnt, sizeof(id)) ||
	    index_table_add(&culprits->table, hash_fold(hash), culprits->cnt))
		return -ENOMEM;
	culprits->id[culprits->cnt] = id;
	return culprits->cnt++;
}

/* An interrupt that ends a sleep may interrupt any thread, whose name says nothing. */
static bool has_no_culprit(const struct cause *cause)
{
	return cause->role == CAUSE_ITSELF || cause->role == CAUSE_UNKNOWN ||
	       (cause->from_interrupt && cause->by.kind == SLICE_TASK);
}

int64_t culprits__find(struct culprits *culprits, const struct cause *cause)
{
	const struct blame *by = &cause->by;
	struct cached *cached;
	int64_t culprit;

	if (has_no_culprit(cause))
		return CULPRIT_NOBODY;
	cached =
		&culprits->cache[(by->tid ^ by->kind << 8 ^ (uint32_t)by->class << 5) % CACHE_ROOM];
	if (cached->culprit != INDEX_NONE && culprit_is_same(&cached->by, by))
		return cached->culprit;
	culprit = find_id(culprits, by);
	if (culprit >= 0)
		*cached = (struct cached){*by, culprit};
	return culprit;
}

const struct culprit_id *culprits__id(const struct culprits *culprits, uint32_t culprit)
{
	return &culprits->id[culprit];
}

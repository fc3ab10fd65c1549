/* SPDX-License-Identifier: BSD-2-Clause */
/* Keeps a table of culprits, and a cache of the threads that were looked up last. */
#include "explain/culprits.h"

#include "explain/index_table.h"

#define CACHE_ROOM 1024

/* The name that all kernel threads called kworker/... have in common. */
#define KWORKER  "kworker"
#define IPCTRACE "ipctrace"

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

static bool is_same_thread(const struct blame *a, const struct blame *b)
{
	return a->tid == b->tid && a->class == b->class && a->kind == b->kind &&
	       a->policy == b->policy && a->priority == b->priority &&
	       !memcmp(a->comm, b->comm, sizeof(a->comm));
}

static struct culprit_id id_of(const struct blame *by)
{
	/* Its threads have several names and priorities, and are called "ipctrace itself". */
	if (by->class == BLAME_IPCTRACE)
		return (struct culprit_id){
			.class = by->class, .kind = by->kind, .is_folded = true, .comm = IPCTRACE};

	struct culprit_id id = {
		.class = by->class,
		.kind = by->kind,
		.tid = by->tid,
		.policy = by->policy,
		.priority = by->priority,
		.is_folded = by->kind == SLICE_TASK && by->comm[0],
	};

	if (id.is_folded)
		id.tid = 0;
	/* What follows the end of the name may be anything, so only the name is copied. */
	if (id.is_folded && by->class == BLAME_KTHREAD &&
	    !strncmp(by->comm, KWORKER "/", sizeof(KWORKER "/") - 1))
		memcpy(id.comm, KWORKER, sizeof(KWORKER));
	else
		memcpy(id.comm, by->comm, strnlen(by->comm, sizeof(id.comm) - 1));
	return id;
}

static bool has_id(const void *entries, uint32_t index, const void *key)
{
	const struct culprit_id *id = entries;

	return !memcmp(&id[index], key, sizeof(*id));
}

static int64_t find_id(struct culprits *culprits, const struct blame *by)
{
	struct culprit_id id = id_of(by);
	uint64_t hash = hash_word((uint64_t)id.class << 32 | id.kind, id.tid);
	uint32_t found;

	hash = hash_word(hash, (uint64_t)id.policy << 32 | id.priority);
	hash = hash_comm(hash, id.comm);
	found = index_table_find(&culprits->table, hash_fold(hash), has_id, culprits->id, &id);
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
	if (cached->culprit != INDEX_NONE && is_same_thread(&cached->by, by))
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

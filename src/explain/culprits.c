/* SPDX-License-Identifier: BSD-2-Clause */
/* Keeps a table of culprits, and a cache of the threads that were looked up last. */
#include "explain/culprits.h"

#include "explain/index_table.h"

#include <string.h>

#define CACHE_ROOM 1024

struct cached {
	struct blame by;  /* `ns` and `cpu` are of no use */
	uint32_t culprit; /* 0: empty */
	bool is_in_vain;
};

struct culprits {
	struct index_table table; /* of struct culprit_id, from CULPRIT_FIRST on */
	struct cached cache[CACHE_ROOM];
};

struct culprits *culprits__new(void)
{
	struct culprits *culprits = calloc(1, sizeof(*culprits));

	if (culprits)
		culprits->table = (struct index_table){.entry_size = sizeof(struct culprit_id),
						       .key_size = sizeof(struct culprit_id)};
	return culprits;
}

void culprits__free(struct culprits *culprits)
{
	if (!culprits)
		return;
	index_table_clean(&culprits->table);
	free(culprits);
}

/* "worker-17" becomes "worker-*": of many threads of one program, each alone has little. */
static void fold_number(char comm[RECORD_COMM_LEN])
{
	size_t length = strnlen(comm, RECORD_COMM_LEN - 1), end = length;

	while (length && comm[length - 1] >= '0' && comm[length - 1] <= '9')
		length--;
	if (!length || length == end)
		return;
	memset(comm + length, 0, RECORD_COMM_LEN - length);
	comm[length] = '*';
}

static struct culprit_id culprits_id_of(const struct blame *by, bool is_in_vain)
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
	if (is_in_vain && id.is_folded)
		fold_number(id.comm);
	return id;
}

int64_t culprits__find(struct culprits *culprits, const struct cause *cause)
{
	const struct blame *by = &cause->by;
	bool is_in_vain = cause->reason == REASON_IN_VAIN;
	struct culprit_id id;
	struct cached *cached;
	int64_t found;

	/* An interrupt that ends a sleep may interrupt any thread, whose name says nothing. */
	if (cause->role == CAUSE_ITSELF || cause->role == CAUSE_UNKNOWN ||
	    (cause->from_interrupt && by->kind == SLICE_TASK))
		return CULPRIT_NOBODY;
	cached =
		&culprits->cache[(by->tid ^ by->kind << 8 ^ (uint32_t)by->class << 5) % CACHE_ROOM];
	if (cached->culprit && cached->is_in_vain == is_in_vain && culprit_is_same(&cached->by, by))
		return cached->culprit;
	id = culprits_id_of(by, is_in_vain);
	found = index_table_place(&culprits->table, &id, CULPRITS_MAX - CULPRIT_FIRST);
	if (found < 0)
		return found;
	*cached = (struct cached){*by, found == INDEX_NONE ? CULPRIT_REST : CULPRIT_FIRST + found,
				  is_in_vain};
	return cached->culprit;
}

const struct culprit_id *culprits__id(const struct culprits *culprits, uint32_t culprit)
{
	static const struct culprit_id unknown = {.class = BLAME_UNKNOWN};
	const struct culprit_id *id = culprits->table.entry;

	return culprit < CULPRIT_FIRST ? &unknown : &id[culprit - CULPRIT_FIRST];
}

struct blame culprits__blame(const struct culprits *culprits, uint32_t culprit)
{
	const struct culprit_id *id = culprits__id(culprits, culprit);
	struct blame blame = {
		.class = id->class,
		.kind = id->kind,
		.tid = id->tid,
		.cpu = BLAME_CPU_SEVERAL,
		.policy = id->policy,
		.priority = id->priority,
	};

	memcpy(blame.comm, id->comm, sizeof(blame.comm));
	return blame;
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* Keeps stamps in a hash table. A stamp has the workload's own clock readings for one message. */
#include "analysis/join/stamps.h"

#include "container/hash_table.h"

#include <errno.h>
#include <stdlib.h>
#include <uthash.h>

struct stamp_id {
	uint64_t direction; /* client and direction of a link */
	uint64_t index;
};

struct waiting_stamp {
	struct stamp_id id;
	struct record_stamp stamp;
	UT_hash_handle hh;
};

struct stamps {
	struct waiting_stamp *waiting; /* hash by id */
	bool is_sorted;                /* by id */
};

struct stamps *stamps__new(void)
{
	return calloc(1, sizeof(struct stamps));
}

static struct stamp_id stamps_id_of(uint32_t client, bool to_server, uint64_t index)
{
	return (struct stamp_id){.direction = (uint64_t)client << 1 | to_server, .index = index};
}

void stamps__free(struct stamps *stamps)
{
	if (stamps)
		HASH_DROP_ALL(stamps->waiting);
	free(stamps);
}

int stamps__add(struct stamps *stamps, const struct record_stamp *stamp)
{
	struct waiting_stamp *waiting;

	if (HASH_COUNT(stamps->waiting) >= STAMPS_MAX)
		return -ENOSPC;
	HASH_ADD_NEW(stamps->waiting, id,
		     stamps_id_of(stamp->client, stamp->to_server, stamp->index), waiting);
	if (!waiting)
		return -ENOMEM;
	waiting->stamp = *stamp;
	stamps->is_sorted = false;
	return 0;
}

bool stamps__take(struct stamps *stamps, uint32_t client, bool to_server, uint64_t index,
		  struct record_stamp *stamp)
{
	struct stamp_id id = stamps_id_of(client, to_server, index);
	struct waiting_stamp *waiting;

	HASH_FIND(hh, stamps->waiting, &id, sizeof(id), waiting);
	if (!waiting)
		return false;
	*stamp = waiting->stamp;
	HASH_DROP(stamps->waiting, waiting);
	return true;
}

static int stamps_compare(const struct waiting_stamp *a, const struct waiting_stamp *b)
{
	if (a->id.direction != b->id.direction)
		return a->id.direction > b->id.direction ? 1 : -1;
	return (a->id.index > b->id.index) - (a->id.index < b->id.index);
}

bool stamps__take_first(struct stamps *stamps, struct record_stamp *stamp)
{
	if (!stamps->is_sorted)
		HASH_SORT(stamps->waiting, stamps_compare);
	stamps->is_sorted = true;
	if (!stamps->waiting)
		return false;
	*stamp = stamps->waiting->stamp;
	HASH_DROP(stamps->waiting, stamps->waiting);
	return true;
}

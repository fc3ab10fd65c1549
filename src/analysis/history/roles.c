/* SPDX-License-Identifier: BSD-2-Clause */
/* Keeps the role of each thread of the workload (server or client) in a hash table. */
#include "analysis/history/roles.h"

#include "container/hash_table.h"

#include <errno.h>
#include <stdlib.h>
#include <uthash.h>

struct entry {
	uint32_t tid;
	struct record_role role;
	UT_hash_handle hh;
};

struct roles {
	struct entry *entry; /* hash by tid */
};

struct roles *roles__new(void)
{
	return calloc(1, sizeof(struct roles));
}

void roles__free(struct roles *roles)
{
	if (!roles)
		return;
	HASH_DROP_ALL(roles->entry);
	free(roles);
}

static struct entry *roles_find(const struct roles *roles, uint32_t tid)
{
	struct entry *entry;

	HASH_FIND(hh, roles->entry, &tid, sizeof(tid), entry);
	return entry;
}

int roles__add(struct roles *roles, const struct record_role *role)
{
	struct entry *entry = roles_find(roles, role->head.tid);

	if (!entry) {
		HASH_ADD_NEW(roles->entry, tid, role->head.tid, entry);
		if (!entry)
			return -ENOMEM;
	}
	entry->role = *role;
	entry->role.comm[RECORD_COMM_LEN - 1] = '\0';
	return 0;
}

uint32_t roles__client(const struct roles *roles, uint32_t tid)
{
	const struct entry *entry = roles_find(roles, tid);

	return entry && entry->role.role == ROLE_CLIENT ? entry->role.client : 0;
}

bool roles__is_server(const struct roles *roles, uint32_t tid)
{
	const struct entry *entry = roles_find(roles, tid);

	return entry && entry->role.role == ROLE_SERVER;
}

const char *roles__comm(const struct roles *roles, uint32_t tid)
{
	const struct entry *entry = roles_find(roles, tid);

	return entry ? entry->role.comm : NULL;
}

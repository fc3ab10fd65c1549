/* SPDX-License-Identifier: BSD-2-Clause */
#include "analysis/history/roles.h"

#include <errno.h>
#include <stdlib.h>
#include <uthash.h>

struct part {
	uint32_t tid;
	struct record_role role;
	UT_hash_handle hh;
};

struct roles {
	struct part *part; /* hash by tid */
};

struct roles *roles__new(void)
{
	return calloc(1, sizeof(struct roles));
}

void roles__free(struct roles *roles)
{
	struct part *part, *next;

	if (!roles)
		return;
	HASH_ITER (hh, roles->part, part, next) {
		HASH_DEL(roles->part, part);
		free(part);
	}
	free(roles);
}

static struct part *part_of(const struct roles *roles, uint32_t tid)
{
	struct part *part;

	HASH_FIND(hh, roles->part, &tid, sizeof(tid), part);
	return part;
}

int roles__add(struct roles *roles, const struct record_role *role)
{
	struct part *part = part_of(roles, role->head.tid);

	if (!part) {
		part = calloc(1, sizeof(*part));
		if (!part)
			return -ENOMEM;
		part->tid = role->head.tid;
		HASH_ADD(hh, roles->part, tid, sizeof(part->tid), part);
	}
	part->role = *role;
	part->role.comm[RECORD_COMM_LEN - 1] = '\0';
	return 0;
}

uint32_t roles__client(const struct roles *roles, uint32_t tid)
{
	const struct part *part = part_of(roles, tid);

	return part && part->role.role == ROLE_CLIENT ? part->role.client : 0;
}

bool roles__is_server(const struct roles *roles, uint32_t tid)
{
	const struct part *part = part_of(roles, tid);

	return part && part->role.role == ROLE_SERVER;
}

const char *roles__comm(const struct roles *roles, uint32_t tid)
{
	const struct part *part = part_of(roles, tid);

	return part ? part->role.comm : NULL;
}

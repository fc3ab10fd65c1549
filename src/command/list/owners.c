/* SPDX-License-Identifier: BSD-2-Clause */
/* A hash table from open objects to the processes that hold them. */
#include "command/list/owners.h"

#include <errno.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>
#include <uthash.h>

struct entry {
	struct owned owned; /* first member, so that owners_next() can convert */
	char *name;
	UT_hash_handle hh;
};

struct owners {
	struct entry *entry; /* hash, by object */
	const struct owner_filter *filter;
	struct owner process; /* the current process */
	bool process_wanted;
	bool met_filter;
	uint64_t refused;
};

struct owners *owners__new(const struct owner_filter *filter)
{
	struct owners *owners = calloc(1, sizeof(*owners));

	if (owners)
		owners->filter = filter;
	return owners;
}

void owners__free(struct owners *owners)
{
	struct entry *entry, *next;

	if (!owners)
		return;
	HASH_ITER (hh, owners->entry, entry, next) {
		HASH_DEL(owners->entry, entry);
		free(entry->name);
		free(entry);
	}
	free(owners);
}

static bool is_wanted(const struct owner_filter *filter, const struct owner *process)
{
	if (!filter || (!filter->pid && !filter->comm))
		return false;
	return (!filter->pid || filter->pid == process->pid) &&
	       (!filter->comm || !fnmatch(filter->comm, process->comm, 0));
}

void owners__begin(struct owners *owners, const struct owner *process)
{
	owners->process = *process;
	owners->process_wanted = is_wanted(owners->filter, process);
	owners->met_filter |= owners->process_wanted;
}

static struct entry *entry_of(const struct owners *owners, const struct object *object)
{
	struct entry *entry;

	HASH_FIND(hh, owners->entry, object, sizeof(*object), entry);
	return entry;
}

static struct entry *new_entry(struct owners *owners, const struct object *object, const char *name)
{
	struct entry *entry = calloc(1, sizeof(*entry));

	if (!entry)
		return NULL;
	entry->owned.object = *object;
	if (name) {
		entry->name = strdup(name);
		entry->owned.name = entry->name;
	}
	if (name && !entry->name) {
		free(entry);
		return NULL;
	}
	HASH_ADD(hh, owners->entry, owned.object, sizeof(entry->owned.object), entry);
	return entry;
}

/* A process can have several descriptors of one side. */
static void hold(struct holding *holding, const struct owner *process, bool wanted)
{
	if (holding->cnt && holding->last_pid == process->pid)
		return;
	if (!holding->cnt || (wanted && !holding->wanted))
		holding->first = *process;
	holding->cnt++;
	holding->last_pid = process->pid;
	holding->wanted |= wanted;
}

int owners__add(struct owners *owners, const struct object *object, unsigned int sides,
		const char *name)
{
	struct entry *entry = entry_of(owners, object);

	if (!entry && HASH_COUNT(owners->entry) >= OWNERS_MAX) {
		owners->refused++;
		return 0;
	}
	if (!entry)
		entry = new_entry(owners, object, name);
	if (!entry)
		return -ENOMEM;
	for (int side = 0; side < NR_SIDES; side++) {
		if (sides & 1u << side)
			hold(&entry->owned.by[side], &owners->process, owners->process_wanted);
	}
	return 0;
}

const struct holding *owners_of(const struct owners *owners, uint64_t inode)
{
	struct object object = {.kind = OBJECT_SOCKET, .inode = inode};
	const struct entry *entry = entry_of(owners, &object);

	return entry ? &entry->owned.by[SIDE_READ] : NULL;
}

const struct owned *owners_next(const struct owners *owners, const struct owned *owned)
{
	const struct entry *next = owned ? ((const struct entry *)owned)->hh.next : owners->entry;

	return next ? &next->owned : NULL;
}

uint64_t owners_refused(const struct owners *owners)
{
	return owners->refused;
}

bool owners_met_filter(const struct owners *owners)
{
	return owners->met_filter;
}

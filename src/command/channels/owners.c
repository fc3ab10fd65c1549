/* SPDX-License-Identifier: BSD-2-Clause */
/* Keeps a hash table of open objects, which counts the processes that hold each. */
#include "command/channels/owners.h"

#include "util/process_name.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

void owners_free(struct owners *owners)
{
	struct owned *owned, *next;

	HASH_ITER (hh, owners->owned, owned, next) {
		HASH_DEL(owners->owned, owned);
		free(owned->name);
		free(owned);
	}
}

static bool owners_is_one_of(const struct owner_filter *filter, uint32_t pid)
{
	bool is_one = false;

	for (size_t i = 0; i < filter->pid_cnt; i++) {
		if ((uint32_t)filter->pids[i] != pid)
			continue;
		is_one = true;
		if (filter->pid_met)
			filter->pid_met[i] = true;
	}
	return is_one;
}

static bool has_one_of(const struct owner_filter *filter, const struct owner *process)
{
	bool has_one = false;

	for (size_t i = 0; i < filter->comm_cnt; i++) {
		if (!process_has_name(process->pid, process->comm, filter->comms[i]))
			continue;
		has_one = true;
		if (filter->comm_met)
			filter->comm_met[i] = true;
	}
	return has_one;
}

static bool is_wanted(const struct owner_filter *filter, const struct owner *process)
{
	bool is_one = owners_is_one_of(filter, process->pid), has_one = has_one_of(filter, process);

	return (filter->pid_cnt || filter->comm_cnt) && (is_one || !filter->pid_cnt) &&
	       (has_one || !filter->comm_cnt);
}

bool owners_ask_for(const struct owners *owners, uint32_t pid)
{
	return owners_is_one_of(&owners->filter, pid);
}

void owners_begin(struct owners *owners, const struct owner *process)
{
	owners->process = *process;
	owners->process_wanted = is_wanted(&owners->filter, process);
	owners->met_filter |= owners->process_wanted;
}

static struct owned *owners_find(const struct owners *owners, const struct object *object)
{
	struct owned *owned;

	HASH_FIND(hh, owners->owned, object, sizeof(*object), owned);
	return owned;
}

static struct owned *new_owned(struct owners *owners, const struct object *object, const char *name)
{
	struct owned *owned = calloc(1, sizeof(*owned));

	if (!owned)
		return NULL;
	owned->object = *object;
	owned->name = name ? strdup(name) : NULL;
	if (name && !owned->name) {
		free(owned);
		return NULL;
	}
	HASH_ADD(hh, owners->owned, object, sizeof(owned->object), owned);
	return owned;
}

/* A process can have several descriptors of one side. */
static void owners_hold(struct holding *holding, const struct owner *process, bool wanted)
{
	if (holding->cnt && holding->last_pid == process->pid)
		return;
	if (!holding->cnt || (wanted && !holding->wanted))
		holding->first = *process;
	holding->cnt++;
	holding->last_pid = process->pid;
	holding->wanted |= wanted;
}

int owners_add(struct owners *owners, const struct object *object, unsigned int sides,
	       const char *name)
{
	struct owned *owned = owners_find(owners, object);

	if (!owned && HASH_COUNT(owners->owned) >= OWNERS_MAX) {
		owners->refused++;
		return 0;
	}
	if (!owned)
		owned = new_owned(owners, object, name);
	if (!owned)
		return -ENOMEM;
	for (int side = 0; side < NR_SIDES; side++) {
		if (sides & 1u << side)
			owners_hold(&owned->by[side], &owners->process, owners->process_wanted);
	}
	return 0;
}

const struct holding *owners_of(const struct owners *owners, uint64_t inode)
{
	struct object object = {.kind = OBJECT_SOCKET, .inode = inode};
	const struct owned *owned = owners_find(owners, &object);

	return owned ? &owned->by[SIDE_READ] : NULL;
}

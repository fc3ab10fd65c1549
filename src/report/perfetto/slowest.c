/* SPDX-License-Identifier: BSD-2-Clause */
/* Keeps copies of the slowest messages with what these borrow. */
#include "report/perfetto/tracks.h"

#include "model/unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NAME_OF_RANK_LEN 32

/* A message in one piece of memory. */
struct copy {
	struct message message; /* the first member */
	struct unit unit;
	char bytes[]; /* segments, waits and causes */
};

void slowest_free(struct slowest *slowest)
{
	for (uint32_t i = 0; i < slowest->cnt; i++)
		free(slowest->message[i]);
	slowest->cnt = 0;
}

static const void *slowest_copy_entries(char **copy, const void *entries, size_t size)
{
	void *copied = *copy;

	if (size)
		memcpy(copied, entries, size);
	*copy += size;
	return copied;
}

/* NULL: out of memory. */
static struct message *copy_message(const struct message *message)
{
	const struct unit none = {0}, *unit = message->unit ?: &none;
	size_t segments = message->segment_cnt * sizeof(*message->segment);
	size_t waits = unit->wait_cnt * sizeof(*unit->wait);
	size_t causes = unit->cause_cnt * sizeof(*unit->cause);
	struct copy *copy = malloc(sizeof(*copy) + segments + waits + causes);
	char *bytes = copy ? copy->bytes : NULL;

	if (!copy)
		return NULL;
	copy->message = *message;
	copy->unit = *unit;
	copy->message.unit = &copy->unit;
	copy->message.blame = NULL;
	copy->message.blame_cnt = 0;
	copy->message.segment = slowest_copy_entries(&bytes, message->segment, segments);
	copy->unit.wait = slowest_copy_entries(&bytes, unit->wait, waits);
	copy->unit.cause = slowest_copy_entries(&bytes, unit->cause, causes);
	return &copy->message;
}

/* One of equal latency comes behind those before it. */
bool slowest_add(struct slowest *slowest, const struct message *message)
{
	uint32_t rank = slowest->cnt;
	struct message *copy;

	while (rank && slowest->message[rank - 1]->latency_ns < message->latency_ns)
		rank--;
	if (rank == SLOWEST_MAX)
		return true;
	copy = copy_message(message);
	if (!copy)
		return false;
	if (slowest->cnt == SLOWEST_MAX)
		free(slowest->message[--slowest->cnt]);
	memmove(slowest->message + rank + 1, slowest->message + rank,
		(slowest->cnt - rank) * sizeof(*slowest->message));
	slowest->message[rank] = copy;
	slowest->cnt++;
	return true;
}

void slowest_put(const struct slowest *slowest, struct scene *scene, uint64_t widest,
		 uint64_t max_bytes)
{
	uint64_t group = 0;

	for (uint32_t i = 0; i < slowest->cnt; i++) {
		const struct message *message = slowest->message[i];
		char name[NAME_OF_RANK_LEN];
		struct track track = {.name = name, .rank = (int32_t)i + 1};

		if (max_bytes && packets__bytes(scene->packets) + widest > max_bytes)
			return;
		group = group ?: scene_group(scene, "slowest", 1);
		track.parent = group;
		track.uuid = packets__uuid(scene->packets);
		snprintf(name, sizeof(name), "rank %u", i + 1);
		packets__track(scene->packets, &track);
		message_put(scene, track.uuid, "message", message);
	}
}

struct span slowest_put_first(const struct slowest *slowest, struct scene *scene)
{
	const struct message *message = slowest->message[0];

	if (!slowest->cnt)
		return (struct span){0};
	message_put(scene, scene->root, "slowest message", message);
	return (struct span){message_begin_ns(message), message_end_ns(message)};
}

const struct message *slowest_find(const struct slowest *slowest, uint64_t from_ns, uint64_t to_ns)
{
	for (uint32_t i = 0; slowest && i < slowest->cnt; i++) {
		const struct message *message = slowest->message[i];

		if (message_begin_ns(message) == from_ns && message_end_ns(message) == to_ns)
			return message;
	}
	return NULL;
}

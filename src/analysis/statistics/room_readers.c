/* SPDX-License-Identifier: BSD-2-Clause */
/* Cuts the waits for room of each message by the states of the message's receiver. */
#include "analysis/statistics/room_readers.h"

#include "analysis/history/stretches.h"
#include "container/hash_table.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <uthash.h>

/* Receivers with sums of their own; further ones are added up in one. */
#define READERS_MAX 256
_Static_assert(READERS_MAX < SUMMARY_ROOMS_MAX, "readers");

struct room_reader {
	uint32_t tid; /* 0: of all further receivers */
	struct room_summary sum;
	UT_hash_handle hh;
};

struct room_readers {
	struct names *names;
	struct room_reader *reader; /* hash by tid */
};

struct room_readers *room_readers__new(struct names *names)
{
	struct room_readers *readers = calloc(1, sizeof(*readers));

	if (readers)
		readers->names = names;
	return readers;
}

void room_readers__free(struct room_readers *readers)
{
	if (!readers)
		return;
	HASH_DROP_ALL(readers->reader);
	free(readers);
}

static struct room_reader *room_readers_find_or_make(struct room_readers *readers, uint32_t tid)
{
	struct room_reader *reader;

	HASH_FIND(hh, readers->reader, &tid, sizeof(tid), reader);
	if (!reader && tid && HASH_COUNT(readers->reader) >= READERS_MAX)
		return room_readers_find_or_make(readers, 0);
	if (reader)
		return reader;
	HASH_ADD_NEW(readers->reader, tid, tid, reader);
	return reader;
}

static void room_readers_add_stretch(struct room_summary *sum, const struct stretch *stretch)
{
	uint64_t ns = stretch->to_ns - stretch->from_ns;

	if (stretch->state == STATE_UNKNOWN) {
		sum->unknown_ns += ns;
	} else if (stretch->state == STATE_RUNNABLE) {
		sum->state_ns[SERVICE_RUNQUEUE] += ns;
	} else if (state_is_asleep(stretch->state)) {
		sum->state_ns[SERVICE_BLOCKED] += ns;
		blocked_calls_add(&sum->blocked, change_syscall(stretch->began), ns, 1);
	} else {
		sum->state_ns[SERVICE_ON_CPU] += ns;
	}
}

static void set_reader(struct room_readers *readers, struct room_reader *reader,
		       const struct party *receiver, uint64_t at_ns)
{
	const struct record_process *process;

	if (!reader->tid)
		return;
	process = names__process(readers->names, receiver->tid, at_ns);
	reader->sum.reader.tid = receiver->tid;
	reader->sum.reader.pid = process ? process->pid : receiver->tid;
	memcpy(reader->sum.reader.comm, receiver->comm, sizeof(receiver->comm));
}

int room_readers__add(struct room_readers *readers, const struct breakdown *breakdown,
		      const struct party *receiver, const struct timeline *line)
{
	struct room_reader *reader;

	if (!breakdown->component_ns[COMPONENT_ROOM])
		return 0;
	reader = room_readers_find_or_make(readers, receiver->tid);
	if (!reader)
		return -ENOMEM;
	reader->sum.messages++;
	for (uint32_t i = 0; i < breakdown->segment_cnt; i++) {
		const struct segment *segment = &breakdown->segment[i];
		struct stretch_walk walk;
		struct stretch stretch;

		if (segment->component != COMPONENT_ROOM)
			continue;
		reader->sum.ns += segment->to_ns - segment->from_ns;
		walk = stretch_walk(line, segment->from_ns, segment->to_ns);
		while (stretch_next(&walk, &stretch))
			room_readers_add_stretch(&reader->sum, &stretch);
		set_reader(readers, reader, receiver, segment->to_ns);
	}
	return 0;
}

static int room_readers_longest_first(const void *a, const void *b)
{
	const struct room_summary *x = a, *y = b;

	if (x->ns != y->ns)
		return x->ns < y->ns ? 1 : -1;
	return (x->reader.tid > y->reader.tid) - (x->reader.tid < y->reader.tid);
}

int room_readers__finish(const struct room_readers *readers, struct summary *summary)
{
	size_t cnt = HASH_COUNT(readers->reader);
	const struct room_reader *reader;

	if (!cnt)
		return 0;
	summary->room = calloc(cnt, sizeof(*summary->room));
	if (!summary->room)
		return -ENOMEM;
	for (reader = readers->reader; reader; reader = reader->hh.next) {
		struct room_summary *sum = &summary->room[summary->room_cnt++];

		*sum = reader->sum;
		blocked_calls_sort(&sum->blocked);
	}
	qsort(summary->room, cnt, sizeof(*summary->room), room_readers_longest_first);
	return 0;
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* Keeps targets and peers in separate tables, so that many peers cannot push out a target. */
#include "analysis/attach/threads.h"

#include "container/id_set.h"
#include "container/lru_table.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct life {
	uint64_t since_ns;
	uint32_t pid;
	bool is_peer;
	bool has_messages; /* with a target */
};

/* The threads that had one id, one after the other. */
struct traced_thread {
	uint32_t id; /* tid */
	uint32_t used;
	struct life life[THREADS_LIVES_MAX]; /* oldest first */
	size_t life_cnt;
	UT_hash_handle hh;
};

/* A process with such threads. Its number may be used again: the last one counts. */
struct traced_process {
	uint32_t id; /* pid */
	uint32_t used;
	bool is_target;
	bool has_messages; /* with a target */
	UT_hash_handle hh;
};

struct group {
	LRU_TABLE(struct traced_thread);
};

/* An id is in one of the groups: in `targets` if one of its threads is a target. */
struct threads {
	struct group targets;
	struct group peers;
	struct {
		LRU_TABLE(struct traced_process);
	} processes;
	struct id_set forgotten; /* targets; without memory for the set: */
	bool forgot_some;        /* any thread may have been one */
};

struct threads *threads__new(void)
{
	return calloc(1, sizeof(struct threads));
}

void threads__free(struct threads *threads)
{
	if (!threads)
		return;
	while (threads->targets.first)
		LRU_DROP(&threads->targets, threads->targets.first);
	while (threads->peers.first)
		LRU_DROP(&threads->peers, threads->peers.first);
	while (threads->processes.first)
		LRU_DROP(&threads->processes, threads->processes.first);
	id_set_clean(&threads->forgotten);
	free(threads);
}

static struct traced_thread *find_in(const struct group *group, uint32_t tid)
{
	return LRU_GET(group, tid);
}

static struct traced_thread *threads_find(const struct threads *threads, uint32_t tid)
{
	struct traced_thread *thread = find_in(&threads->targets, tid);

	return thread ? thread : find_in(&threads->peers, tid);
}

static struct traced_process *find_process(const struct threads *threads, uint32_t pid)
{
	return LRU_GET(&threads->processes, pid);
}

static void threads_put(struct threads *threads, struct group *group, struct traced_thread *thread)
{
	if (LRU_OLDEST(group, LRU_THREADS_MAX)) {
		if (group == &threads->targets)
			threads->forgot_some |= !id_set_add(&threads->forgotten, group->first->id);
		LRU_DROP(group, group->first);
	}
	HASH_ADD(hh, group->first, id, sizeof(thread->id), thread);
}

static struct traced_thread *threads_find_or_make(struct threads *threads, uint32_t tid,
						  bool is_peer)
{
	struct group *group = is_peer ? &threads->peers : &threads->targets;
	struct traced_thread *thread = find_in(&threads->targets, tid);

	if (thread)
		return thread;
	thread = find_in(&threads->peers, tid);
	if (thread && is_peer)
		return thread;
	if (thread) {
		LRU_DELETE(&threads->peers, thread);
	} else {
		thread = calloc(1, sizeof(*thread));
		if (!thread)
			return NULL;
		thread->id = tid;
	}
	threads_put(threads, group, thread);
	return thread;
}

/* Sorted by time. If two records have one instant, the later record counts. */
static void add_life(struct traced_thread *thread, struct life life)
{
	size_t at = thread->life_cnt;

	while (at && thread->life[at - 1].since_ns > life.since_ns)
		at--;
	if (at && thread->life[at - 1].since_ns == life.since_ns) {
		thread->life[at - 1] = life;
		return;
	}
	if (thread->life_cnt == THREADS_LIVES_MAX && !at--)
		return;
	if (thread->life_cnt == THREADS_LIVES_MAX)
		memmove(thread->life, thread->life + 1, at * sizeof(life));
	else
		memmove(thread->life + at + 1, thread->life + at,
			(thread->life_cnt++ - at) * sizeof(life));
	thread->life[at] = life;
}

static int threads_add_process(struct threads *threads, const struct record_thread *record)
{
	struct traced_process *process = LRU_GET(&threads->processes, record->pid);

	if (!process) {
		if (LRU_OLDEST(&threads->processes, LRU_THREADS_MAX))
			LRU_DROP(&threads->processes, threads->processes.first);
		LRU_ADD(&threads->processes, record->pid, process);
	}
	if (!process)
		return -ENOMEM;
	process->is_target = !record->is_peer;
	return 0;
}

int threads__add(struct threads *threads, const struct record_thread *record)
{
	struct traced_thread *thread =
		threads_find_or_make(threads, record->head.tid, record->is_peer);

	if (!thread)
		return -ENOMEM;
	add_life(thread, (struct life){.since_ns = record->since_ns,
				       .pid = record->pid,
				       .is_peer = record->is_peer});
	return threads_add_process(threads, record);
}

/* Whether the group has it. */
static bool use(struct group *group, uint32_t tid)
{
	struct traced_thread *thread = find_in(group, tid);

	if (thread)
		LRU_USE(group, thread);
	return thread;
}

void threads__use(struct threads *threads, uint32_t tid)
{
	if (!use(&threads->targets, tid))
		use(&threads->peers, tid);
}

bool threads__forgot(const struct threads *threads, uint32_t tid)
{
	return (threads->forgot_some || id_set_has(&threads->forgotten, tid)) &&
	       !threads_find(threads, tid);
}

/* The thread with this id at that instant, or the first one that is known. NULL: none. */
static struct life *life_at(const struct threads *threads, uint32_t tid, uint64_t at_ns)
{
	struct traced_thread *thread = threads_find(threads, tid);
	size_t at = thread ? thread->life_cnt : 0;

	while (at > 1 && thread->life[at - 1].since_ns > at_ns)
		at--;
	return at ? &thread->life[at - 1] : NULL;
}

uint32_t threads__pid(const struct threads *threads, uint32_t tid, uint64_t at_ns)
{
	const struct life *life = life_at(threads, tid, at_ns);

	return life ? life->pid : 0;
}

bool threads__is_target(const struct threads *threads, uint32_t tid, uint64_t at_ns)
{
	const struct life *life = life_at(threads, tid, at_ns);

	return life && !life->is_peer;
}

uint32_t threads__target_ends(const struct threads *threads, const struct message *message)
{
	bool sends = threads__is_target(threads, message->sender.tid, message->send_ns);
	bool receives = threads__is_target(threads, message->receiver.tid, message->recv_ns);

	return (sends ? ADDRESS_OF_SENDER : 0) | (receives ? ADDRESS_OF_RECEIVER : 0);
}

void threads__has_message(struct threads *threads, uint32_t tid, uint64_t at_ns)
{
	struct life *life = life_at(threads, tid, at_ns);
	struct traced_process *process;

	if (!life || life->has_messages)
		return;
	life->has_messages = true;
	process = find_process(threads, life->pid);
	if (process)
		process->has_messages = true;
}

/* The tracer may take a process for a peer that is none: an address is used again. */
enum blame_relation threads__relation(const struct threads *threads, uint32_t tid, uint32_t pid,
				      uint64_t at_ns)
{
	const struct life *life = life_at(threads, tid, at_ns) ?: life_at(threads, pid, at_ns);
	struct traced_process *process;

	if (life && !life->is_peer)
		return RELATION_TARGET;
	if (life && life->has_messages)
		return RELATION_PEER;
	process = find_process(threads, life ? life->pid : pid);
	if (process && process->is_target)
		return RELATION_TARGET;
	return process && process->has_messages ? RELATION_PEER : RELATION_OTHER;
}

struct end_summary end_of_thread(const struct naming *naming, const struct party *party,
				 uint64_t at_ns)
{
	struct end_summary end = {.tid = party->tid,
				  .pid = threads__pid(naming->threads, party->tid, at_ns)};

	memcpy(end.comm, party->comm, sizeof(end.comm));
	return end;
}

const char *process_of_thread(const struct naming *naming, uint32_t tid, uint64_t at_ns)
{
	const struct record_process *process =
		naming->names ? names__process(naming->names, tid, at_ns) : NULL;

	return process ? process->comm : NULL;
}

struct end_summary end_of_process(const struct naming *naming, const struct party *party,
				  uint64_t at_ns)
{
	struct end_summary end = end_of_thread(naming, party, at_ns);
	const char *process = process_of_thread(naming, party->tid, at_ns);

	if (process)
		memcpy(end.comm, process, sizeof(end.comm));
	return end;
}

struct end_summary end_of_worker(const struct naming *naming, const struct call *call)
{
	struct party party = {.tid = call->worker};
	const struct record_name *name;

	if (call->worker == call->server.tid)
		return end_of_thread(naming, &call->server, call->received_ns);
	name = naming->names
		       ? names__find(naming->names, SLICE_TASK, call->worker, call->answered_ns)
		       : NULL;
	if (name)
		memcpy(party.comm, name->comm, sizeof(party.comm));
	return end_of_thread(naming, &party, call->answered_ns);
}

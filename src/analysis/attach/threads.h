/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Holds the traced threads, their processes and the names of both. A target is a thread that the
 * user asked to trace, a peer exchanges messages with one. Thread ids are used again, so a search
 * needs an instant, too. When a table is full, the least recently used thread id is forgotten.
 */
#pragma once

#include "analysis/history/names.h"
#include "bpf/record.h"
#include "model/call.h"
#include "model/message.h"
#include "model/summary.h"

#include <stdbool.h>

/*
 * Threads with one id that are remembered, the last ones: an id may be reused several times before
 * the messages of the first are settled.
 */
#define THREADS_LIVES_MAX 4

struct threads;

struct threads *threads__new(void); /* NULL: out of memory */
void threads__free(struct threads *threads);

/* In any order. 0 or -ENOMEM. */
int threads__add(struct threads *threads, const struct record_thread *thread);

/* The thread has sent or received. */
void threads__use(struct threads *threads, uint32_t tid);

/* Whether it is unknown and a thread of this id was a target. The many peers that are forgotten
 * are none. */
bool threads__forgot(const struct threads *threads, uint32_t tid);

/* The process; 0: not known. */
uint32_t threads__pid(const struct threads *threads, uint32_t tid, uint64_t at_ns);

/* It has sent to a target, or received from one. */
void threads__has_message(struct threads *threads, uint32_t tid, uint64_t at_ns);

/*
 * What the thread has to do with the target, or else its process, of which it may be a thread that
 * sends and receives nothing.
 */
enum blame_relation threads__relation(const struct threads *threads, uint32_t tid, uint32_t pid,
				      uint64_t at_ns);

/* Whether it is a target, not only the peer of one. */
bool threads__is_target(const struct threads *threads, uint32_t tid, uint64_t at_ns);

/* The ends of a message that are targets: bits of ADDRESS_OF_. */
uint32_t threads__target_ends(const struct threads *threads, const struct message *message);

/* Borrowed. */
struct naming {
	const struct threads *threads;
	struct names *names; /* NULL: processes have the names of their threads */
};

struct end_summary end_of_thread(const struct naming *naming, const struct party *party,
				 uint64_t at_ns);

/* The same with the name of its process. */
struct end_summary end_of_process(const struct naming *naming, const struct party *party,
				  uint64_t at_ns);

/*
 * The name of the process of a thread that is not its first one, RECORD_COMM_LEN bytes. NULL: it
 * is, or its process is not known. Borrowed until the next record.
 */
const char *process_of_thread(const struct naming *naming, uint32_t tid, uint64_t at_ns);

/* The thread that worked on the call, see call->worker, with its own name. */
struct end_summary end_of_worker(const struct naming *naming, const struct call *call);

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Holds the traced threads and their process ids. A target is a thread that the user asked to
 * trace. A peer is a thread that exchanges messages with a target. The kernel reuses thread ids,
 * so a search needs a thread id and an instant. When a table is full, the least recently used
 * thread id is forgotten.
 */
#pragma once

#include "model/message.h"
#include "bpf/record.h"
#include "model/message.h"

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

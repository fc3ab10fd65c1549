/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Holds the time and the channel (one direction of a socket, pipe or queue) of each receive call.
 * A thread in a receive call waits for every message of the socket, not only for the message that
 * the call returns. Keeps only the LRU_THREADS_MAX most recently used threads.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Kept per thread; older calls are dropped. */
#define RECEIVE_CALLS_MAX (1u << 21)

struct receive_calls;

struct receive_calls *receive_calls__new(void); /* NULL: out of memory */
void receive_calls__free(struct receive_calls *calls);

/* Adds a receive call in which `tid` received from `channel`. In any order. 0 or -ENOMEM. */
int receive_calls__add(struct receive_calls *calls, uint32_t tid, uint32_t channel,
		       uint64_t enter_ns, uint64_t exit_ns);

/*
 * Whether `tid` was in a receive call at that instant; if so, `*channel` is what it received from.
 */
bool receive_calls__at(struct receive_calls *calls, uint32_t tid, uint64_t at_ns,
		       uint32_t *channel);

/* How many calls of all threads are kept. */
size_t receive_calls__cnt(const struct receive_calls *calls);

/* Forgets the calls that returned before `horizon_ns`. */
void receive_calls__trim(struct receive_calls *calls, uint64_t horizon_ns);

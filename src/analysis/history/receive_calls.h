/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The receive calls of each thread: when it was in one, and what it took there. A thread that
 * sleeps in the call that takes one message waits for the next message of that socket as well. Of
 * very many threads, those are forgotten that were quiet longest.
 */
#ifndef IPCTRACE_ANALYSIS_HISTORY_RECEIVE_CALLS_H
#define IPCTRACE_ANALYSIS_HISTORY_RECEIVE_CALLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Kept per thread, more than come at once; older ones are dropped. */
#define RECEIVE_CALLS_MAX (1u << 21)

struct receive_calls;

struct receive_calls *receive_calls__new(void); /* NULL: out of memory */
void receive_calls__free(struct receive_calls *calls);

/* `tid` was in a receive call that took a message of `channel`. In any order. 0 or -ENOMEM. */
int receive_calls__add(struct receive_calls *calls, uint32_t tid, uint32_t channel,
		       uint64_t enter_ns, uint64_t exit_ns);

/* Whether `tid` was in a receive call at that instant, and of which channel. */
bool receive_calls__at(struct receive_calls *calls, uint32_t tid, uint64_t at_ns,
		       uint32_t *channel);

/* Calls that are kept, of all threads. */
size_t receive_calls__cnt(const struct receive_calls *calls);

/* Forgets the calls that returned before `horizon_ns`. */
void receive_calls__trim(struct receive_calls *calls, uint64_t horizon_ns);

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Keeps which threads accept connections of which listening socket, when they did, and what each
 * thread waits for (level deep). So a thread is known that could have taken what another one has.
 */
#pragma once

#include "bpf/deep.h"
#include "container/event_log.h"

#include <stdbool.h>

/* Threads of one listener, and listeners, that are remembered. */
#define ACCEPTORS_MAX   64
#define ACCEPTED_AT_MAX 1024

/* accept() has returned a connection. */
struct acceptance {
	uint64_t exit_ns;
	uint64_t listener;
	bool is_unix;
};

struct accepted_at;

struct acceptors {
	struct event_log accepted; /* struct acceptance, by thread */
	struct event_log watched;  /* by thread */
	struct accepted_at *listener;
};

void acceptors_init(struct acceptors *acceptors);
void acceptors_clean(struct acceptors *acceptors);

/* 0 or -ENOMEM. */
int acceptors_watch(struct acceptors *acceptors, const struct record_watch *record);

/* Thread `tid` has accepted a connection of a listener. 0 or -ENOMEM. */
int acceptors_accept(struct acceptors *acceptors, uint32_t tid, uint64_t exit_ns, uint64_t listener,
		     bool is_unix);

/* The thread's connections up to an instant, that instant included: struct acceptance. */
struct events acceptors_until(struct acceptors *acceptors, uint32_t tid, uint64_t at_ns);

/* The threads that have accepted connections of a listener, up to ACCEPTORS_MAX. Borrowed. */
const uint32_t *acceptors_of(const struct acceptors *acceptors, uint64_t listener, uint32_t *cnt);

/*
 * Whether thread `tid`, which sleeps at `at_ns`, waits for connections of this
 * listener: in accept(), or for the same things as before it accepted one. `polls`: the thread
 * sleeps in a call that polls; else in system call `number`. False: it does not, or that is not
 * known.
 */
bool acceptors_waits(struct acceptors *acceptors, uint32_t tid, uint64_t at_ns, uint64_t listener,
		     bool polls, uint32_t number);

/* How many events are kept. */
static inline size_t acceptors_cnt(const struct acceptors *acceptors)
{
	return acceptors->accepted.cnt + acceptors->watched.cnt;
}

/* Forgets events from before `horizon_ns`, but the last one of each thread. */
void acceptors_trim(struct acceptors *acceptors, uint64_t horizon_ns);

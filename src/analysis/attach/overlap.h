/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Finds messages that are ambiguous because several threads used one end of a channel at the same
 * time. Each send or receive gets its number only after it has accessed the channel. If two calls
 * overlap, their accesses may have happened in the opposite order:
 *
 *	thread 1   |---- send ----| number 0
 *	thread 2         |---- send ----| number 1, but maybe first
 *	thread 1                                |--- send ---| number 2 for certain
 */
#pragma once

#include "analysis/attach/channel_table.h"
#include "analysis/history/timeline.h"
#include "analysis/join/join.h"

/*
 * Ends of channels in use between two watermarks; accesses to further ends are ambiguous. A full
 * ring buffer has records of so many, if each connection carries one call.
 */
#define OVERLAP_MAX 262144

/*
 * One access of a thread to an end of a channel, and the interval in which the kernel may have
 * counted it.
 */
struct end_access {
	uint32_t channel;
	bool receives;
	uint32_t tid;
	uint64_t position; /* POSITION_NONE: it has no message, and only disturbs others */
	bool is_shared;    /* other threads have used this end before */
	bool is_queue;     /* another thread may get a message here while it sleeps */
	uint64_t from_ns;  /* counted at any instant in [from_ns, until_ns] */
	uint64_t until_ns;
};

/* `line`: the sender's. */
struct end_access access_of_send(const struct channel_usage *usage, const struct record_send *send,
				 const struct timeline *line);

/* `awake_ns`: the thread has not slept since, as far as is known, in its call. */
struct end_access access_of_receive(const struct channel_usage *usage,
				    const struct record_receive *receive, uint64_t awake_ns);

struct end_access access_of_beside(const struct channel_usage *usage,
				   const struct record_beside *beside);

struct overlap;

/* `join`, borrowed, gets the marks. NULL: out of memory. */
struct overlap *overlap__new(struct join *join);
void overlap__free(struct overlap *overlap);

int overlap__add(struct overlap *overlap, const struct end_access *access); /* 0 or -ENOMEM */

/*
 * A runnable thread without a CPU cannot report its call yet. Until it does, accesses by other
 * threads are ambiguous: at an end that several threads use, and at a queue, where it may be.
 *
 *	thread 1   |-- receive -- no CPU ------------|---- no CPU ----| numbered
 *	               from_ns                    until_ns
 *	thread 2             |- receive -| numbered too early
 *
 * 0 or -ENOMEM.
 */
int overlap__starve(struct overlap *overlap, const struct record_starving *starving);

/* Whether several threads have used one end, or a queue was used. */
bool overlap__shared(const struct overlap *overlap);

/* Tracing stopped: accesses that end later have no record. */
void overlap__stop(struct overlap *overlap, uint64_t at_ns);

/* All records of accesses that ended before `before_ns` have come; UINT64_MAX: all have. */
void overlap__settle(struct overlap *overlap, uint64_t before_ns);

/*
 * For receives before this instant all overlapping accesses are known. It is earlier than
 * `before_ns`: a thread may be interrupted between its access and the end of its call.
 */
uint64_t overlap__known_ns(const struct overlap *overlap, uint64_t before_ns);

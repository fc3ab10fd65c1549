/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Defines what serving threads did in a time: the sums of their states, the system calls in which
 * they slept, and what had their CPU. The lists have fixed sizes, so that each service can have
 * its own.
 */
#pragma once

#include "model/blocked_calls.h"
#include "model/message.h"

#define BLAME_TOP_MAX 8

/* Zero-initialised is empty. What found no room is missing: the sum of the waits is known apart. */
struct blame_top {
	struct blame entry[BLAME_TOP_MAX]; /* `cpu` is that of the first wait */
	uint32_t cnt;
};

/* Adds blame. When there is no room, an entry with less time makes room. */
void blame_top_add(struct blame_top *top, const struct blame *blame, uint32_t cnt);

/* Largest first. */
void blame_top_sort(struct blame_top *top);

/* Zero-initialised is empty. */
struct server_time {
	uint64_t state_ns[NR_SERVICE_STATES];
	struct blocked_calls blocked; /* the syscalls of SERVICE_BLOCKED */
	struct blame_top blame;       /* of SERVICE_RUNQUEUE */
};

/* Adds what was done in another time. */
void server_time_add(struct server_time *sum, const struct server_time *one);

/* The lists, largest first. */
void server_time_sort(struct server_time *time);

/* The sum of all states. */
uint64_t server_time_ns(const struct server_time *time);

/*
 * Answers of several messages. From the send of the first one to that of the last one, the server
 * is still at work:
 *
 *	answered ............. last_sent ......... back
 *	   first    (did)         last   (the way)
 */
struct answer_parts {
	uint64_t calls;         /* with such an answer */
	uint64_t ns;            /* between first and last send, of all these calls */
	struct server_time did; /* as far as it is known: its states add up to `ns` at most */
};

/* Adds an answer; one of a single message, of which `ns` is 0, adds nothing. */
void answer_parts_add(struct answer_parts *parts, uint64_t ns, const struct server_time *did);

/* Adds those of other calls. */
void answer_parts_merge(struct answer_parts *parts, const struct answer_parts *more);

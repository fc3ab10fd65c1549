/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Computes the statistics of rounds. A round is the messages that a server sends to several
 * clients at one tick of a timer. A round is complete when all of its messages have arrived. In
 * ipctrace's own workload, a complete round has a message for every client.
 */
#pragma once

#include "model/summary.h"

#define ROUNDS_OPEN_ARRIVALS_MAX (1u << 18) /* of rounds that are not complete */

/* The message of one client in a round. */
struct round_arrival {
	uint32_t client; /* 1..N */
	uint64_t stamp_ns;
	uint64_t user_ns;
	const struct segment *segment; /* copied; cover stamp..user; none in an untraced run */
	uint32_t segment_cnt;
	struct peak peak; /* for the case that it is the slowest; at_ns is filled in later */
};

struct rounds;

/*
 * `client` has `client_cnt` entries, which get the positions; it is borrowed. A complete round has
 * at least `full` messages; 0: as many as were sent. NULL: out of memory.
 */
struct rounds *rounds__new(struct client_summary *client, uint32_t client_cnt, uint32_t full);
void rounds__free(struct rounds *rounds);

/* Round numbers do not count the warm-up. In any order. 0 or -ENOMEM. */
int rounds__tick(struct rounds *rounds, uint64_t round, uint32_t sent);
int rounds__arrive(struct rounds *rounds, uint64_t round, const struct round_arrival *arrival);

/*
 * Fills in the rounds and peaks of `summary`, which then owns their memory. `first_ns` is the first
 * stamp after the warm-up, `duration_s` the time from it to the last one.
 */
void rounds__finish(struct rounds *rounds, uint64_t first_ns, double duration_s,
		    struct summary *summary);

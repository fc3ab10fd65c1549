/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Rounds: the messages that one tick of the server sends to all clients, in the order in which they
 * arrive. A round is complete when as many messages have arrived as the server says it sent, and no
 * client has left by then.
 */
#ifndef IPCTRACE_ANALYSIS_STATISTICS_ROUNDS_H
#define IPCTRACE_ANALYSIS_STATISTICS_ROUNDS_H

#include "model/summary.h"

#define ROUNDS_OPEN_ARRIVALS_MAX (1u << 18) /* waiting for their round to become complete */

/* One client's part in a round. */
struct round_arrival {
	uint32_t client; /* 1..N */
	uint64_t stamp_ns;
	uint64_t user_ns;
	const struct segment *segment; /* cover stamp..user; none in an untraced run. Copied */
	uint32_t segment_cnt;
	struct peak peak; /* what to say of it if it is the slowest; at_ns is filled in here */
};

struct rounds;

/*
 * `client` are the `client_cnt` summaries that get the positions, borrowed. A complete round has
 * `full` messages at the least; 0: as many as were sent. NULL: out of memory.
 */
struct rounds *rounds__new(struct client_summary *client, uint32_t client_cnt, uint32_t full);
void rounds__free(struct rounds *rounds);

/* Rounds are numbered without warm-up. In any order. 0 or -ENOMEM. */
int rounds__tick(struct rounds *rounds, uint64_t round, uint32_t sent);
int rounds__arrive(struct rounds *rounds, uint64_t round, const struct round_arrival *arrival);

/*
 * The statistics of the complete rounds; `summary` takes over their memory. `first_ns` is the first
 * kept stamp, `duration_s` the time from it to the last one.
 */
void rounds__finish(struct rounds *rounds, uint64_t first_ns, double duration_s,
		    struct summary *summary);

#endif

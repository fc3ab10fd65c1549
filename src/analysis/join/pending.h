/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Messages that are open, for join.c: found by channel and position, and one after the other in the
 * order in which they came. They lie side by side in memory, and those of one channel that follow
 * one another are found side by side, too: every message goes through here, and what is not in the
 * caches takes longer to be found than all the rest.
 */
#ifndef IPCTRACE_ANALYSIS_JOIN_PENDING_H
#define IPCTRACE_ANALYSIS_JOIN_PENDING_H

#include "bpf/record.h"

#include <stdbool.h>
#include <stddef.h>

/* Of `send` and `receive`, the one that has not come has channel and position only. */
struct pending_message {
	struct record_send send;
	struct record_receive receive;
	uint32_t change_cnt; /* of `receive` */
	uint32_t next;       /* with the same hash: its place + 1; 0: none */
	bool has_send;
	bool has_receive;
	bool is_ambiguous;
	bool is_let_go; /* it keeps no past */
	bool is_closed;
};

/* Zero-initialised is empty. `message` [first, end) may be looked at; all else is pending.c's. */
struct pending {
	struct pending_message *message; /* oldest first, closed ones among them */
	size_t first, end, room;
	size_t cnt;       /* that are open */
	uint32_t *bucket; /* a place + 1; 0: none */
	size_t mask;      /* how many buckets there are, less one */
};

void pending_free(struct pending *opens);

/* NULL: there is none. */
struct pending_message *pending_find(const struct pending *opens, uint32_t channel,
				     uint64_t position);

/* A new one, without ends. Pointers to others are invalid afterwards. NULL: out of memory. */
struct pending_message *pending_add(struct pending *opens, uint32_t channel, uint64_t position);

void pending_close(struct pending *opens, struct pending_message *message);

/*
 * For when many have been closed: who goes through all of them need not pass by these any more.
 * Pointers are invalid afterwards.
 */
void pending_close_ranks(struct pending *opens);

/* The first open one at or behind this place; NULL: there is none. To go through all of them. */
static inline struct pending_message *pending_from(const struct pending *opens, size_t place)
{
	if (place < opens->first)
		place = opens->first;
	while (place < opens->end && opens->message[place].is_closed)
		place++;
	return place < opens->end ? &opens->message[place] : NULL;
}

#endif

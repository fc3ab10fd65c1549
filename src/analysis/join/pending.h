/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Holds the messages that join.c has not handed out yet, in the order of arrival. Cache misses are
 * the main cost: messages lie side by side in memory, and consecutive ones of a channel have
 * neighbouring buckets of the hash table.
 */
#pragma once

#include "bpf/record.h"

#include <stdbool.h>
#include <stddef.h>

/* An end that has not come has channel and position only. */
struct pending_message {
	struct record_send send;
	struct record_receive receive;
	uint32_t change_cnt; /* of `receive` */
	uint32_t next;       /* with the same hash: its place + 1; 0: none */
	bool has_send;
	bool has_receive;
	bool is_ambiguous;
	bool is_let_go; /* no history is kept for it */
	bool is_closed;
};

/* Zero-initialised is empty. Others may read `message` [first, end) and `cnt`. */
struct pending {
	struct pending_message *message; /* oldest first, closed ones among them */
	size_t first, end, room;
	size_t cnt;       /* that are open */
	uint32_t *bucket; /* a place + 1; 0: none */
	size_t mask;      /* how many buckets there are, less one */
};

void pending_free(struct pending *pending);

/* NULL: there is none. */
struct pending_message *pending_find(const struct pending *pending, uint32_t channel,
				     uint64_t position);

/* A new one, without ends. Pointers to others are invalid afterwards. NULL: out of memory. */
struct pending_message *pending_add(struct pending *pending, uint32_t channel, uint64_t position);

void pending_close(struct pending *pending, struct pending_message *message);

/* After many were closed: removes these from the array. Pointers are invalid afterwards. */
void pending_close_ranks(struct pending *pending);

/* The first pending message at or behind this place; NULL: none. To walk over all of them. */
static inline struct pending_message *pending_from(const struct pending *pending, size_t place)
{
	if (place < pending->first)
		place = pending->first;
	while (place < pending->end && pending->message[place].is_closed)
		place++;
	return place < pending->end ? &pending->message[place] : NULL;
}

/* The next one; `message` may be closed by now. */
static inline struct pending_message *pending_after(const struct pending *pending,
						    const struct pending_message *message)
{
	return pending_from(pending, message - pending->message + 1);
}

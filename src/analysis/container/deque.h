/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Entries of one size, in a row, that come behind the last and go before the first. What stays is
 * not moved each time that something goes: only when its room is needed, and then a quarter as much
 * has gone, at least.
 *
 *	|   gone   |     cnt     |  room for more  |
 *	           first
 *
 * The owner keeps the pointer to the first, with its type. Functions get the address of that.
 */
#ifndef IPCTRACE_ANALYSIS_CONTAINER_DEQUE_H
#define IPCTRACE_ANALYSIS_CONTAINER_DEQUE_H

#include <stddef.h>

/* Zero-initialised is empty; the first is NULL then. */
struct deque {
	size_t gone;
	size_t cnt;
	size_t room; /* for all of these, and for more */
};

/* Room for `more` entries behind the last. 0 or -ENOMEM. */
int deque_reserve(struct deque *row, void *first, size_t more, size_t size);

/* The first `cnt` go. */
void deque_drop(struct deque *row, void *first, size_t cnt, size_t size);

/* Gives back the room behind the entries, of which there is one at least. */
void deque_shrink(struct deque *row, void *first, size_t size);

/* The same of most of it, where what came all at once has left far more than is needed. */
void deque_fit(struct deque *row, void *first, size_t size);

void deque_free(struct deque *row, void *first, size_t size);

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Defines a deque, an array that grows at the end and shrinks at the front. Dropping entries is
 * cheap. The other entries move to the front of the memory when no room is left at the end.
 *
 *	|   gone   |     cnt     |  room for more  |
 *	           first
 *
 * The caller keeps a typed pointer to the first entry, and passes the address of this pointer.
 */
#pragma once

#include <stddef.h>

/* Zero-initialised is empty, with NULL as the owner's pointer. */
struct deque {
	size_t gone; /* dropped entries in front of the first */
	size_t cnt;
	size_t room; /* entries that the memory holds */
};

/* Makes room for `more` entries behind the last. 0 or -ENOMEM. */
int deque_reserve(struct deque *deque, void *first, size_t more, size_t size);

/* Drops the first `cnt`. */
void deque_drop(struct deque *deque, void *first, size_t cnt, size_t size);

/* Gives back all room but that of the entries, of which there must be one at least. */
void deque_shrink(struct deque *deque, void *first, size_t size);

/* Gives back most of the room when it is far more than the entries need. */
void deque_fit(struct deque *deque, void *first, size_t size);

void deque_free(struct deque *deque, void *first, size_t size);

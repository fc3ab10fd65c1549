/* SPDX-License-Identifier: BSD-2-Clause */
/* Moves and resizes the memory of a deque. */
#include "container/deque.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define ROOM_LEAST 16

/* Room for so many entries is not worth giving back. */
#define ROOM_KEPT 16384

/* The owner's pointer has any type, so it is copied as bytes. */
static char *deque_load(const void *first)
{
	char *pointer;

	memcpy(&pointer, first, sizeof(pointer));
	return pointer;
}

static void store(void *first, char *pointer)
{
	memcpy(first, &pointer, sizeof(pointer));
}

static void deque_move_to_front(struct deque *deque, void *first, size_t size)
{
	char *memory = deque_load(first) - deque->gone * size;

	if (!deque->gone)
		return;
	memmove(memory, deque_load(first), deque->cnt * size);
	deque->gone = 0;
	store(first, memory);
}

static int deque_resize(struct deque *deque, void *first, size_t room, size_t size)
{
	char *memory = realloc(deque_load(first), room * size);

	if (!memory)
		return -ENOMEM;
	deque->room = room;
	store(first, memory);
	return 0;
}

int deque_reserve(struct deque *deque, void *first, size_t more, size_t size)
{
	size_t need = deque->cnt + more, room = deque->room;

	if (deque->gone + need <= deque->room)
		return 0;
	if (deque->room)
		deque_move_to_front(deque, first, size);
	while (room < need + need / 4)
		room += room / 4 + ROOM_LEAST;
	return room == deque->room ? 0 : deque_resize(deque, first, room, size);
}

void deque_drop(struct deque *deque, void *first, size_t cnt, size_t size)
{
	/* Without entries there may be no memory, and adding 0 to NULL is undefined. */
	if (!cnt)
		return;
	deque->gone += cnt;
	deque->cnt -= cnt;
	store(first, deque_load(first) + cnt * size);
}

void deque_shrink(struct deque *deque, void *first, size_t size)
{
	if (deque->room == deque->cnt)
		return;
	deque_move_to_front(deque, first, size);
	deque_resize(deque, first, deque->cnt, size);
}

void deque_fit(struct deque *deque, void *first, size_t size)
{
	if (deque->room <= ROOM_KEPT || deque->room / 8 <= deque->cnt)
		return;
	deque_move_to_front(deque, first, size);
	deque_resize(deque, first, ROOM_KEPT > 2 * deque->cnt ? ROOM_KEPT : 2 * deque->cnt, size);
}

void deque_free(struct deque *deque, void *first, size_t size)
{
	if (deque->room)
		free(deque_load(first) - deque->gone * size);
	*deque = (struct deque){0};
}

/* SPDX-License-Identifier: BSD-2-Clause */
#include "analysis/container/deque.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define ROOM_LEAST 16

/* Room for so many entries is not worth giving back. */
#define ROOM_KEPT 16384

/* A pointer of whatever type. */
static char *load(const void *first)
{
	char *pointer;

	memcpy(&pointer, first, sizeof(pointer));
	return pointer;
}

static void store(void *first, char *pointer)
{
	memcpy(first, &pointer, sizeof(pointer));
}

static void move_to_front(struct deque *row, void *first, size_t size)
{
	char *memory = load(first) - row->gone * size;

	if (!row->gone)
		return;
	memmove(memory, load(first), row->cnt * size);
	row->gone = 0;
	store(first, memory);
}

static int resize(struct deque *row, void *first, size_t room, size_t size)
{
	char *memory = realloc(load(first), room * size);

	if (!memory)
		return -ENOMEM;
	row->room = room;
	store(first, memory);
	return 0;
}

int deque_reserve(struct deque *row, void *first, size_t more, size_t size)
{
	size_t need = row->cnt + more, room = row->room;

	if (row->gone + need <= row->room)
		return 0;
	if (row->room)
		move_to_front(row, first, size);
	while (room < need + need / 4)
		room += room / 4 + ROOM_LEAST;
	return room == row->room ? 0 : resize(row, first, room, size);
}

void deque_drop(struct deque *row, void *first, size_t cnt, size_t size)
{
	/* Without entries there may be no memory either: not even nothing may be added to NULL. */
	if (!cnt)
		return;
	row->gone += cnt;
	row->cnt -= cnt;
	store(first, load(first) + cnt * size);
}

void deque_shrink(struct deque *row, void *first, size_t size)
{
	if (row->room == row->cnt)
		return;
	move_to_front(row, first, size);
	resize(row, first, row->cnt, size);
}

void deque_fit(struct deque *row, void *first, size_t size)
{
	if (row->room <= ROOM_KEPT || row->room / 8 <= row->cnt)
		return;
	move_to_front(row, first, size);
	resize(row, first, ROOM_KEPT > 2 * row->cnt ? ROOM_KEPT : 2 * row->cnt, size);
}

void deque_free(struct deque *row, void *first, size_t size)
{
	if (row->room)
		free(load(first) - row->gone * size);
	*row = (struct deque){0};
}

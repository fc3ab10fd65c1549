/* SPDX-License-Identifier: BSD-2-Clause */
#include "core/grow.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define ROOM_LEAST 4

int array_grow(void *array, size_t cnt, size_t *room, size_t size)
{
	size_t more = *room ? 2 * *room : ROOM_LEAST;
	void *memory;

	if (cnt < *room)
		return 0;
	memcpy(&memory, array, sizeof(memory));
	memory = reallocarray(memory, more, size);
	if (!memory)
		return -ENOMEM;
	memcpy(array, &memory, sizeof(memory));
	*room = more;
	return 0;
}

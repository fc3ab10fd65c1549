/* SPDX-License-Identifier: BSD-2-Clause */
/* Doubles the memory of an array when the array is full. */
#include "container/array.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

int array_grow(void *array, size_t cnt, size_t *room, size_t size)
{
	/* One at first: with many connections, most arrays stay that small. */
	size_t more = *room ? 2 * *room : 1;
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

/* SPDX-License-Identifier: BSD-2-Clause */
/* Arrays that grow at their end. What also shrinks at its front is a row, see deque.h. */
#ifndef IPCTRACE_ANALYSIS_CONTAINER_ARRAY_H
#define IPCTRACE_ANALYSIS_CONTAINER_ARRAY_H

#include <stddef.h>

/*
 * Room for one more entry of `size` bytes behind the first `cnt`. `array` is the address of the
 * owner's pointer, of whatever type, to memory for `*room` entries: NULL and 0 in the beginning,
 * to be given to free() at the end. 0, or -ENOMEM, and then nothing has changed.
 */
int array_grow(void *array, size_t cnt, size_t *room, size_t size);

#endif

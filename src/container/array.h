/* SPDX-License-Identifier: BSD-2-Clause */
/* Provides arrays that grow at their end. deque.h has arrays that also shrink at the front. */
#pragma once

#include <stddef.h>

/*
 * Makes room for one more entry of `size` bytes behind the first `cnt`. `array` is the address of
 * the owner's pointer, of any type, to `*room` entries: NULL and 0 at first. The owner frees it. 0,
 * or -ENOMEM without any change.
 */
int array_grow(void *array, size_t cnt, size_t *room, size_t size);

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Defines a gauge that shows how full a ring buffer is. The gauge reads memory that the writers and
 * the reader of the ring share, so every process that has mapped it can use it, without a call.
 */
#pragma once

#include <stdint.h>

struct ring_gauge {
	/* Bytes since the beginning that were read, and written. Borrowed; shared memory. */
	const unsigned long *read;
	const unsigned long *written;
	uint64_t size; /* bytes of the ring; 0: there is no ring */
};

/* In this order of loads the difference is never negative. */
static inline void ring_gauge_look(const struct ring_gauge *gauge, uint64_t *read,
				   uint64_t *written)
{
	*read = __atomic_load_n(gauge->read, __ATOMIC_ACQUIRE);
	*written = __atomic_load_n(gauge->written, __ATOMIC_ACQUIRE);
}

/* Bytes that wait to be read. */
static inline uint64_t ring_gauge_used(const struct ring_gauge *gauge)
{
	uint64_t read, written;

	ring_gauge_look(gauge, &read, &written);
	return written - read;
}

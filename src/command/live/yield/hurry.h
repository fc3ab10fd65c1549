/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Decides when the reader of the ring buffer may no longer yield its CPU. Pure: no clock, no I/O.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* What is looked at, at regular instants. All counts of bytes since the beginning. */
struct ring_look {
	uint64_t at_ns;
	uint64_t written;
	uint64_t read;
	uint64_t size; /* of the ring; 0: there is no ring yet */
};

/*
 * Whether the reader needs its CPU at `now`. `before` is the look before it, `hurries` what was
 * decided then. If nothing is read from now on, the ring is full some time after `now`; that time,
 * at the rate of writing since `before`, must be at least `reserve_ns`.
 */
bool ring_needs_reader(const struct ring_look *before, const struct ring_look *now, bool hurries,
		       uint64_t reserve_ns);

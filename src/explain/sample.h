/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A sample of very many units that are not slow says what is usual. It is taken by time:
 * time is cut into equal windows, and of each `every` windows one counts, at a place that does not
 * repeat.
 *
 *	|.#..|...#|#...|..#.|	`every` 4; #: a window that counts
 *
 * A unit belongs to the window in which it begins.
 */
#pragma once

#include "model/spans.h"

/* With more units than twice these, about so many are a sample. */
#define SAMPLE_UNITS 100000

/* Zero-initialised: all units count. */
struct sample {
	uint64_t begin_ns;
	uint64_t window_ns;
	uint32_t every;  /* 0: all count */
	uint32_t groups; /* of `every` windows */
};

/*
 * For this many units, which begin in [first_ns, last_ns]. `longest_ns`: those that are not slow
 * take no longer. Windows that are not much longer than the units would save nothing.
 */
struct sample sample_of(uint64_t units, uint64_t first_ns, uint64_t last_ns, uint64_t longest_ns);

/* Whether a unit counts that begins then. */
bool sample_has(const struct sample *sample, uint64_t from_ns);

/* When units of window number `group` of the sample can be under way. */
struct span sample_span(const struct sample *sample, uint32_t group, uint64_t longest_ns);

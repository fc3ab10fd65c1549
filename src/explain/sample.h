/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Takes a sample of very many units that are not slow. It is taken by time, in stretches with equal
 * numbers of units. One of each `every` stretches counts, at a place that does not repeat:
 *
 *	units        . . .. ........... .. .    .    ... . . .
 *	stretches   |     |    |    |     |           |       |
 *	`every` 3          ####                 ##########
 *
 * A unit belongs to the stretch in which it begins.
 */
#pragma once

#include "model/spans.h"

/* About so many units are a sample. */
#define SAMPLE_UNITS    100000

#define CHECKPOINTS_MAX 8192

/* Pass 1: when every `each`th unit began. Zero-initialised is empty. */
struct checkpoints {
	uint64_t units; /* so far */
	uint64_t each;
	uint64_t last_ns;
	uint64_t at_ns[CHECKPOINTS_MAX]; /* never falls: units may come out of order */
	uint32_t cnt;
};

void checkpoints_add(struct checkpoints *checkpoints, uint64_t from_ns);

/* Zero-initialised: all units count. Owns its spans: free(). */
struct sample {
	uint64_t every; /* 0: all count */
	struct span *span;
	struct spans spans; /* the stretches that count */
	size_t near;        /* see spans_meet() */
};

/*
 * After the last checkpoint. `units`: about so many are wanted, but more if only a few are `slow`:
 * what sets these apart cannot be seen in fewer others. All units count if they are less than twice
 * as many, or if memory is short.
 */
struct sample sample_of(const struct checkpoints *checkpoints, uint64_t units, uint64_t slow);

/* Whether a unit counts that begins then. */
bool sample_has(struct sample *sample, uint64_t from_ns);

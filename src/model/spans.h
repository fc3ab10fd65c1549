/* SPDX-License-Identifier: BSD-2-Clause */
/* Defines a set of stretches of time. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Both ends belong to it. */
struct span {
	uint64_t from_ns;
	uint64_t to_ns;
};

/* In the order of time; they do not overlap. */
struct spans {
	const struct span *span; /* [cnt] */
	size_t cnt;
};

/* The first of the spans from `low` on, and before `high`, that ends at `at_ns` or later. */
static inline size_t spans_find(const struct span *span, size_t low, size_t high, uint64_t at_ns)
{
	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (span[middle].to_ns < at_ns)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/*
 * Whether any of the spans and [from_ns, to_ns] have an instant in common. `*near`: where the last
 * search ended, 0 at first. What is asked for next is mostly there, or little later.
 */
static inline bool spans_meet(const struct spans *spans, uint64_t from_ns, uint64_t to_ns,
			      size_t *near)
{
	size_t low = *near, high = low < spans->cnt ? low + 1 : low;

	if (low && spans->span[low - 1].to_ns >= from_ns)
		low = 0;
	else if (low == high || spans->span[low].to_ns < from_ns)
		high = spans->cnt;
	*near = low = spans_find(spans->span, low, high, from_ns);
	return low < spans->cnt && spans->span[low].from_ns <= to_ns;
}

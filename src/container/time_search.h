/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Searches for an instant or a position in a sorted array. The search starts at an index that the
 * caller guesses. Steps of doubling size follow, and then a binary search (galloping search). With
 * a good guess, the search reads few entries.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* `cnt` entries of `size` bytes in ascending order of the time at `offset`. */
struct time_array {
	const void *entry;
	size_t cnt;
	size_t size;
	size_t offset;
};

#define TIME_SEARCH(entries, entry_cnt, member)                                                    \
	((struct time_array){(entries), (entry_cnt), sizeof(*(entries)),                           \
			     offsetof(__typeof__(*(entries)), member)})

static inline uint64_t time_search_at(struct time_array o, size_t i)
{
	uint64_t at_ns;

	memcpy(&at_ns, (const char *)o.entry + i * o.size + o.offset, sizeof(at_ns));
	return at_ns;
}

/* A guess for times that are evenly spread. */
static inline size_t time_search_guess(struct time_array o, uint64_t at_ns)
{
	uint64_t first_ns = o.cnt ? time_search_at(o, 0) : 0, last_ns;

	if (!o.cnt || at_ns <= first_ns)
		return 0;
	last_ns = time_search_at(o, o.cnt - 1);
	if (at_ns >= last_ns)
		return o.cnt;
	return (double)(at_ns - first_ns) / (double)(last_ns - first_ns) * (double)o.cnt;
}

/* How many entries are not after `at_ns`. `near`: a guess, which may be wrong. */
static inline size_t time_search_count(struct time_array o, uint64_t at_ns, size_t near)
{
	size_t low = 0, high = o.cnt, step = 1; /* the first after it is in [low, high] */

	if (near > o.cnt)
		near = o.cnt;
	if (near && time_search_at(o, near - 1) > at_ns) {
		high = near - 1;
		while (high > step && time_search_at(o, high - step) > at_ns) {
			high -= step;
			step *= 2;
		}
		low = high > step ? high - step : 0;
	} else {
		low = near;
		while (o.cnt - low > step && time_search_at(o, low + step - 1) <= at_ns) {
			low += step;
			step *= 2;
		}
		high = o.cnt - low > step ? low + step : o.cnt;
	}
	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (time_search_at(o, middle) <= at_ns)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* Keeps the last distances between the starts of rounds, and their median. */
#include "analysis/attach/rounds/round_starts.h"

#include <stdlib.h>
#include <string.h>

#define DISTANCES_LEAST 3

/* Somewhat below what counts as late: the period is known at the end only. */
#define MAYBE_LATE 1.25

static int round_starts_compare(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

static uint64_t median_of(const struct round_starts *starts)
{
	uint32_t cnt = starts->cnt < ROUND_STARTS_KEPT ? starts->cnt : ROUND_STARTS_KEPT;
	uint64_t sorted[ROUND_STARTS_KEPT];

	if (cnt < DISTANCES_LEAST)
		return 0;
	memcpy(sorted, starts->distance_ns, cnt * sizeof(sorted[0]));
	qsort(sorted, cnt, sizeof(sorted[0]), round_starts_compare);
	return sorted[cnt / 2];
}

uint64_t round_starts_add(struct round_starts *starts, uint64_t start_ns)
{
	uint64_t distance_ns =
		starts->last_ns && start_ns > starts->last_ns ? start_ns - starts->last_ns : 0;

	starts->last_ns = start_ns;
	if (!distance_ns)
		return 0;
	starts->distance_ns[starts->cnt++ % ROUND_STARTS_KEPT] = distance_ns;
	starts->usual_ns = median_of(starts);
	return distance_ns;
}

void round_starts_forget(struct round_starts *starts)
{
	starts->last_ns = 0;
}

bool round_starts_is_late(const struct round_starts *starts, uint64_t start_ns)
{
	return starts->usual_ns && starts->last_ns &&
	       start_ns > starts->last_ns + MAYBE_LATE * starts->usual_ns;
}

uint64_t round_starts_due(const struct round_starts *starts)
{
	return starts->last_ns + starts->usual_ns;
}

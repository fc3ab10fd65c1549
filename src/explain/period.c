/* SPDX-License-Identifier: BSD-2-Clause */
/* Compares the distances of neighbouring events with each distance that occurs. */
#include "explain/period.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>

#define LEAST_CNT    3
#define LEAST_HITS   4 /* with three, one in thirty random sets of seven events is regular */
#define MULTIPLES    4
#define TOLERANCE_NS 1000000

/* Distances that are tried as a period. */
#define TRIED_MAX 2048

static int ascending(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

static uint64_t tolerance_of(uint64_t period_ns)
{
	uint64_t tolerance = period_ns / 20 < TOLERANCE_NS ? period_ns / 20 : TOLERANCE_NS;

	return tolerance > period_ns / 50 ? tolerance : period_ns / 50;
}

/* How many of the sorted distances are below `ns`. */
static uint32_t count_below(const uint64_t *distance, uint32_t cnt, uint64_t ns)
{
	uint32_t low = 0, high = cnt;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (distance[middle] < ns)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

struct tried {
	uint64_t period_ns; /* mean of the distances that hit */
	uint64_t once;      /* distances that are the period itself */
	uint64_t hits;
};

static struct tried try(const uint64_t *distance, uint32_t cnt, uint64_t period_ns)
{
	uint64_t tolerance = tolerance_of(period_ns), multiples = 0;
	struct tried tried = {0};
	unsigned __int128 sum = 0;

	for (uint64_t multiple = 1; multiple <= MULTIPLES; multiple++) {
		uint64_t about = multiple * period_ns;
		uint32_t from = count_below(distance, cnt, about - tolerance);
		uint32_t to = count_below(distance, cnt, about + tolerance + 1);

		for (uint32_t i = from; i < to; i++)
			sum += distance[i];
		multiples += multiple * (to - from);
		tried.hits += to - from;
		if (multiple == 1)
			tried.once = to - from;
	}
	tried.period_ns = multiples ? sum / multiples : 0;
	return tried;
}

static bool is_period(const struct tried *tried, uint32_t cnt)
{
	return tried->hits >= (cnt < LEAST_HITS ? cnt : LEAST_HITS) && 2 * tried->hits >= cnt &&
	       tried->once >= 2 && 3 * tried->once >= tried->hits;
}

/*
 * Whether `a` is the period that hits more often; of two alike the one that needs fewer multiples.
 */
static bool period_is_better(const struct tried *a, const struct tried *b)
{
	return a->hits != b->hits ? a->hits > b->hits : a->once > b->once;
}

int period_find(uint64_t *begin_ns, uint32_t cnt, uint64_t tick_ns, struct period *period)
{
	uint32_t distances = cnt ? cnt - 1 : 0, step = distances / TRIED_MAX + 1;
	struct tried best = {0};
	uint64_t *distance;

	*period = (struct period){0};
	if (distances < LEAST_CNT)
		return 0;
	distance = malloc(distances * sizeof(*distance));
	if (!distance)
		return -ENOMEM;
	qsort(begin_ns, cnt, sizeof(*begin_ns), ascending);
	for (uint32_t i = 0; i < distances; i++)
		distance[i] = begin_ns[i + 1] - begin_ns[i];
	qsort(distance, distances, sizeof(*distance), ascending);
	for (uint32_t i = 0; i < distances; i += step) {
		struct tried tried = try(distance, distances, distance[i]);

		if (!distance[i] || distance[i] <= tick_ns + tolerance_of(tick_ns))
			continue;
		if (is_period(&tried, distances) && period_is_better(&tried, &best))
			best = tried;
	}
	free(distance);
	if (best.hits)
		*period = (struct period){best.period_ns, best.hits, distances};
	return 0;
}

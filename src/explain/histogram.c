/* SPDX-License-Identifier: BSD-2-Clause */
/* Counts values in log-linear buckets, up and down. */
#include "explain/histogram.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#define SUB_BUCKETS (1u << STAT_SUB_BITS)

/* See histogram_octave_of() in model/stat.c. */
static unsigned int histogram_octave_of(uint64_t value)
{
	return value < SUB_BUCKETS ? 0 : 64 - __builtin_clzll(value) - STAT_SUB_BITS;
}

static unsigned int histogram_shift_of(unsigned int octave)
{
	return octave ? octave - 1 : 0;
}

int histogram_add(struct histogram *histogram, uint64_t value, int64_t cnt)
{
	unsigned int octave = histogram_octave_of(value);

	if (!histogram->octave[octave])
		histogram->octave[octave] = calloc(SUB_BUCKETS, sizeof(int64_t));
	if (!histogram->octave[octave])
		return -ENOMEM;
	histogram->octave[octave][(value >> histogram_shift_of(octave)) & (SUB_BUCKETS - 1)] += cnt;
	return 0;
}

int histogram_merge(struct histogram *histogram, const struct histogram *other, int64_t weight)
{
	for (unsigned int octave = 0; octave < STAT_OCTAVES; octave++) {
		if (!other->octave[octave])
			continue;
		if (!histogram->octave[octave])
			histogram->octave[octave] = calloc(SUB_BUCKETS, sizeof(int64_t));
		if (!histogram->octave[octave])
			return -ENOMEM;
		for (unsigned int i = 0; i < SUB_BUCKETS; i++)
			histogram->octave[octave][i] += other->octave[octave][i] * weight;
	}
	return 0;
}

void histogram_free(struct histogram *histogram)
{
	for (unsigned int i = 0; i < STAT_OCTAVES; i++) {
		free(histogram->octave[i]);
		histogram->octave[i] = NULL;
	}
}

static struct bucket histogram_bucket_of(unsigned int octave, unsigned int i, uint64_t below,
					 uint64_t cnt)
{
	uint64_t first = ((octave ? SUB_BUCKETS : 0) + (uint64_t)i) << histogram_shift_of(octave);

	return (struct bucket){first, first + ((1ULL << histogram_shift_of(octave)) - 1), below,
			       cnt};
}

struct bucket histogram_rank(const struct histogram *histogram, uint64_t rank)
{
	struct bucket found = {0};
	uint64_t below = 0;

	for (unsigned int octave = 0; octave < STAT_OCTAVES; octave++) {
		for (unsigned int i = 0; histogram->octave[octave] && i < SUB_BUCKETS; i++) {
			int64_t cnt = histogram->octave[octave][i];

			if (cnt <= 0)
				continue;
			found = histogram_bucket_of(octave, i, below, cnt);
			below += cnt;
			if (below >= rank)
				return found;
		}
	}
	return found;
}

void histogram_each(const struct histogram *histogram,
		    void (*fn)(void *ctx, const struct bucket *bucket), void *ctx)
{
	uint64_t below = 0;

	for (unsigned int octave = 0; octave < STAT_OCTAVES; octave++) {
		for (unsigned int i = 0; histogram->octave[octave] && i < SUB_BUCKETS; i++) {
			int64_t cnt = histogram->octave[octave][i];
			struct bucket bucket = histogram_bucket_of(octave, i, below, cnt);

			if (cnt > 0)
				fn(ctx, &bucket);
			below += cnt;
		}
	}
}

uint64_t percentile_rank(double percent, uint64_t cnt)
{
	/* 99.9 % of 1000 are 999, not the 999.0000000000001 of binary fractions. */
	uint64_t rank = ceill((long double)percent * cnt / 100 - 1e-6L);

	return rank ?: 1;
}

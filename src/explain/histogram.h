/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Counts values in the buckets of struct stat (model/stat.h), and takes them back. So a histogram
 * can hold what changes in another one, into which it is merged:
 *
 *	all units, and the change without a culprit: -1 at 900 us, +1 at 120 us, ...
 */
#pragma once

#include "model/stat.h"

/* Zero-initialised is empty. Owns its counters: histogram_free(). */
struct histogram {
	int64_t *octave[STAT_OCTAVES]; /* [2^STAT_SUB_BITS], or NULL: all are 0 */
};

/* Adds `cnt` values, or takes them back. 0 or -ENOMEM. */
int histogram_add(struct histogram *histogram, uint64_t value, int64_t cnt);

/* Adds all values of another one, each `weight` times. 0 or -ENOMEM. */
int histogram_merge(struct histogram *histogram, const struct histogram *other, int64_t weight);

void histogram_free(struct histogram *histogram);

/* The values of a bucket: at least `first`, at most `last`. */
struct bucket {
	uint64_t first;
	uint64_t last;
	uint64_t below; /* values in lower buckets */
	uint64_t cnt;   /* values in it */
};

/*
 * The bucket of the value with this rank, from 1. Above the highest rank: the highest bucket that
 * has values, or zeros if there is none.
 */
struct bucket histogram_rank(const struct histogram *histogram, uint64_t rank);

/* Calls `fn` for each bucket that has values, in ascending order. */
void histogram_each(const struct histogram *histogram,
		    void (*fn)(void *ctx, const struct bucket *bucket), void *ctx);

/* The rank of a percentile of `cnt` values (nearest rank), at least 1. */
uint64_t percentile_rank(double percent, uint64_t cnt);

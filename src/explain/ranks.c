/* SPDX-License-Identifier: BSD-2-Clause */
/* Keeps all latencies, or their histogram, and finds those of given ranks. */
#include "explain/ranks.h"

#include <errno.h>
#include <stdlib.h>

#define FIRST_ROOM 4096

void ranks_clean(struct ranks *ranks)
{
	histogram_free(&ranks->histogram);
	free(ranks->latency);
	ranks->latency = NULL;
}

static int change_to_histogram(struct ranks *ranks)
{
	int err = 0;

	for (uint64_t i = 0; !err && i < ranks->cnt; i++)
		err = histogram_add(&ranks->histogram, ranks->latency[i], 1);
	free(ranks->latency);
	ranks->latency = NULL;
	ranks->is_histogram = true;
	return err;
}

static int ranks_make_room(struct ranks *ranks)
{
	uint64_t room = ranks->room ? 2 * ranks->room : FIRST_ROOM, *latency;

	if (ranks->cnt < ranks->room)
		return 0;
	if (ranks->cnt >= ranks->exact_max)
		return change_to_histogram(ranks);
	if (room > ranks->exact_max)
		room = ranks->exact_max;
	latency = realloc(ranks->latency, room * sizeof(*latency));
	if (!latency)
		return -ENOMEM;
	ranks->latency = latency;
	ranks->room = room;
	return 0;
}

int ranks_add(struct ranks *ranks, uint64_t latency_ns)
{
	int err = ranks->is_histogram ? 0 : ranks_make_room(ranks);

	if (!err && ranks->is_histogram)
		err = histogram_add(&ranks->histogram, latency_ns, 1);
	if (err)
		return err;
	if (!ranks->is_histogram)
		ranks->latency[ranks->cnt] = latency_ns;
	if (!ranks->cnt || latency_ns < ranks->min_ns)
		ranks->min_ns = latency_ns;
	if (latency_ns > ranks->max_ns)
		ranks->max_ns = latency_ns;
	ranks->cnt++;
	return 0;
}

/* The latency of this rank, from 1: a digit of 8 bits at a time (radix selection). */
static uint64_t exact_rank(const struct ranks *ranks, uint64_t rank)
{
	uint64_t prefix = 0, mask = 0;

	for (int shift = 56; shift >= 0; shift -= 8) {
		uint64_t cnt[256] = {0}, digit = 0;

		for (uint64_t i = 0; i < ranks->cnt; i++) {
			if ((ranks->latency[i] & mask) == prefix)
				cnt[ranks->latency[i] >> shift & 255]++;
		}
		while (rank > cnt[digit] && digit < 255)
			rank -= cnt[digit++];
		prefix |= digit << shift;
		mask |= 255ULL << shift;
	}
	return prefix;
}

/* All latencies of a bucket count as equal. */
static struct bucket rank_of(const struct ranks *ranks, uint64_t rank)
{
	uint64_t latency_ns;

	if (ranks->is_histogram)
		return histogram_rank(&ranks->histogram, rank);
	latency_ns = exact_rank(ranks, rank);
	return (struct bucket){.first = latency_ns, .last = latency_ns};
}

/* How many latencies are in the highest bucket. */
static uint64_t ties_of_largest(const struct ranks *ranks)
{
	uint64_t cnt = 0;

	if (ranks->is_histogram)
		return histogram_rank(&ranks->histogram, ranks->cnt).cnt;
	for (uint64_t i = 0; i < ranks->cnt; i++)
		cnt += ranks->latency[i] == ranks->max_ns;
	return cnt;
}

/*
 * The lowest latency above which there are at most `max` units.
 *
 *	rank   1 ... cnt-max | cnt-max+1 ... cnt
 *	                     ^ this latency, and above only larger ones
 */
static uint64_t slow_above(const struct ranks *ranks, uint64_t max)
{
	struct bucket limit;

	if (max >= ranks->cnt)
		return 0;
	limit = rank_of(ranks, ranks->cnt - max);
	if (limit.last < ranks->max_ns)
		return limit.last;
	if (ranks->min_ns < limit.first && ties_of_largest(ranks) <= 2 * max)
		return limit.first - 1;
	return ranks->max_ns;
}

struct sampled {
	struct bounds *bounds;
	uint64_t stride;
	uint64_t slow; /* so far */
	long double base_sum;
};

/* Counts `cnt` units that have about this latency. */
static void count_latency(struct sampled *sampled, uint64_t latency_ns, uint64_t cnt)
{
	struct bounds *bounds = sampled->bounds;

	if (bounds_are_slow(bounds, latency_ns)) {
		uint64_t from = sampled->slow / sampled->stride;

		sampled->slow += cnt;
		for (; from < sampled->slow / sampled->stride &&
		       bounds->slow_sample_cnt < SLOW_SAMPLE_MAX;
		     from++)
			bounds->slow_sample_ns[bounds->slow_sample_cnt++] = latency_ns;
	} else if (bounds_are_base(bounds, latency_ns)) {
		bounds->base_cnt += cnt;
		sampled->base_sum += (long double)latency_ns * cnt;
	}
}

/* All values of a bucket count as its highest one. */
static void count_bucket(void *ctx, const struct bucket *bucket)
{
	count_latency(ctx, bucket->last, bucket->cnt);
}

/* They have to be a small part of the slow ones, or these have the same causes. */
static uint64_t outlier_above(const struct ranks *ranks, const struct selection *selection,
			      uint64_t slow_max)
{
	if (!selection_is_default(selection) || slow_max < 2 * OUTLIERS_MAX)
		return UINT64_MAX;
	return slow_above(ranks, OUTLIERS_MAX);
}

void ranks_choose(const struct ranks *ranks, const struct selection *selection,
		  struct bounds *bounds)
{
	uint64_t max = selection_slow_max(selection, ranks->cnt);
	struct sampled sampled = {.bounds = bounds, .stride = 1};

	*bounds = (struct bounds){0};
	if (!ranks->cnt)
		return;
	bounds->slow_above_ns = selection->has_message ? UINT64_MAX : slow_above(ranks, max);
	if (selection->slower_than_ns > bounds->slow_above_ns)
		bounds->slow_above_ns = selection->slower_than_ns;
	bounds->outlier_above_ns = outlier_above(ranks, selection, max);
	bounds->base_to_ns = UINT64_MAX;
	if (selection->against == AGAINST_MIDDLE) {
		bounds->base_from_ns = rank_of(ranks, percentile_rank(25, ranks->cnt)).first;
		bounds->base_to_ns = rank_of(ranks, percentile_rank(75, ranks->cnt)).last;
	}
	if (max < ranks->cnt)
		sampled.stride += max / SLOW_SAMPLE_MAX;
	else
		sampled.stride += ranks->cnt / SLOW_SAMPLE_MAX;
	if (ranks->is_histogram)
		histogram_each(&ranks->histogram, count_bucket, &sampled);
	for (uint64_t i = 0; !ranks->is_histogram && i < ranks->cnt; i++)
		count_latency(&sampled, ranks->latency[i], 1);
	bounds->slow_cnt = sampled.slow;
	bounds->base_mean_ns = bounds->base_cnt ? sampled.base_sum / bounds->base_cnt : 0;
}

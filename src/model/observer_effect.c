/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Computes the observer effect (the slowdown by tracing) and its 95 % confidence interval. The
 * effect is the median of several measured ratios.
 */
#include "model/observer_effect.h"

#include <stdlib.h>

#define MILLION 1e6

static int observer_effect_compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/*
 * The rank of the interval's lower end. The median lies below the k-th smallest of n values if
 * fewer than k values lie below the median. That is as likely as fewer than k heads in n throws of
 * a coin; the upper end is symmetrical. The result is the largest k for which both ends together
 * are less likely than 5 %. This holds for any distribution of the ratios.
 */
static size_t rank_of_low(size_t n)
{
	double chance = 1, below = 0;
	size_t k;

	for (size_t i = 0; i < n; i++)
		chance /= 2;
	for (k = 0; k < n / 2; k++) {
		below += chance;
		if (2 * below > 0.05)
			break;
		chance *= (double)(n - k) / (double)(k + 1);
	}
	return k;
}

struct observer_effect observer_effect_of(double *ratio, size_t cnt)
{
	size_t rank;

	if (cnt < OBSERVER_EFFECT_PAIRS_MIN || cnt > OBSERVER_EFFECT_PAIRS_MAX)
		return (struct observer_effect){0};
	qsort(ratio, cnt, sizeof(*ratio), observer_effect_compare);
	rank = rank_of_low(cnt);
	return (struct observer_effect){
		.pairs = cnt,
		.ratio = (ratio[(cnt - 1) / 2] + ratio[cnt / 2]) / 2,
		.low = ratio[rank - 1],
		.high = ratio[cnt - rank],
	};
}

struct record_observer_effect observer_effect_record(const struct observer_effect *effect)
{
	return (struct record_observer_effect){
		.head = record_head(RECORD_OBSERVER_EFFECT, sizeof(struct record_observer_effect),
				    0, 0),
		.pairs = effect->pairs,
		.ratio = (u64)(effect->ratio * MILLION + 0.5),
		.low = (u64)(effect->low * MILLION + 0.5),
		.high = (u64)(effect->high * MILLION + 0.5),
	};
}

struct observer_effect observer_effect_recorded(const struct record_observer_effect *record)
{
	return (struct observer_effect){
		.pairs = record->pairs,
		.ratio = (double)record->ratio / MILLION,
		.low = (double)record->low / MILLION,
		.high = (double)record->high / MILLION,
	};
}

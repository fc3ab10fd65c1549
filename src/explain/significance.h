/* SPDX-License-Identifier: BSD-2-Clause */
/* Tests whether something is more frequent in one sample than in another one. */
#pragma once

#include <stdint.h>

/* The level of tests and intervals. */
#define SIGNIFICANCE_LEVEL 0.05

/* So many of a sample have a property. */
struct share {
	uint64_t with;
	uint64_t cnt; /* size of the sample; with <= cnt */
};

/*
 * Fisher's exact test that the property is more frequent in `a`. Twice the one-sided p, at most 1,
 * as if both directions were looked at: this is the test that belongs to the interval below (Fay
 * 2010, Confidence intervals that match Fisher's exact or Blaker's exact tests).
 */
double fisher_more(struct share a, struct share b);

/*
 * The least p that fisher_more() can return if `with` of all have the property. Above the level,
 * the test need not be made, and does not count (Tarone 1990, A modified Bonferroni method for
 * discrete data).
 */
double fisher_least(uint64_t with, uint64_t a_cnt, uint64_t b_cnt);

/*
 * The p of a test, corrected for the number of all tests (Holm 1979). `rank`: how many tests have a
 * lower p. The corrected p is the largest one of this and all lower ranks.
 */
double holm_corrected(double p, uint64_t rank, uint64_t tests);

/*
 * The 95 % interval of the ratio of the shares a / b, by scores (Koopman 1984, Confidence intervals
 * for the ratio of two binomial proportions). `high` may be INFINITY.
 */
void ratio_interval(struct share a, struct share b, double *low, double *high);

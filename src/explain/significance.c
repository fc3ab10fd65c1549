/* SPDX-License-Identifier: BSD-2-Clause */
/* Computes exact tests from logarithms of factorials, and intervals by bisection. */
#include "explain/significance.h"

#include <math.h>

/* The 95 % quantile of chi-squared with one degree of freedom. */
#define CHI_SQUARED_95 3.841458820694124

/* Terms below this share of the sum do not matter. */
#define NEGLIGIBLE 1e-17

static double log_factorial(uint64_t n)
{
	int sign;

	return lgamma_r((double)n + 1, &sign);
}

static double log_choose(uint64_t n, uint64_t k)
{
	return log_factorial(n) - log_factorial(k) - log_factorial(n - k);
}

/*
 * The probability that at least `least` of `drawn` have the property, of which there are `with`
 * among `all`. The terms of the hypergeometric distribution follow from one another.
 */
static double upper_tail(uint64_t least, uint64_t drawn, uint64_t with, uint64_t all)
{
	uint64_t most = with < drawn ? with : drawn;
	double term, sum = 0;

	if (least > most)
		return 0;
	if (least + all <= drawn + with)
		return 1; /* there cannot be fewer */
	term = exp(log_choose(with, least) + log_choose(all - with, drawn - least) -
		   log_choose(all, drawn));
	for (uint64_t k = least; k <= most; k++) {
		sum += term;
		if (term < sum * NEGLIGIBLE)
			break;
		term *= (double)(with - k) / (double)(k + 1) * (double)(drawn - k) /
			(double)(all - with + k + 1 - drawn);
	}
	return sum < 1 ? sum : 1;
}

static double twice(double p)
{
	return p < 0.5 ? 2 * p : 1;
}

double fisher_more(struct share a, struct share b)
{
	/* Far from the mean the first term is the largest: only there the sum is needed. */
	if ((long double)a.with * b.cnt <= (long double)b.with * a.cnt)
		return 1;
	return twice(upper_tail(a.with, a.cnt, a.with + b.with, a.cnt + b.cnt));
}

double fisher_least(uint64_t with, uint64_t a_cnt, uint64_t b_cnt)
{
	uint64_t most = with < a_cnt ? with : a_cnt;

	return twice(upper_tail(most, a_cnt, with, a_cnt + b_cnt));
}

double holm_corrected(double p, uint64_t rank, uint64_t tests)
{
	double corrected = p * (double)(tests - rank);

	return corrected < 1 ? corrected : 1;
}

/* The part of chi-squared that one sample contributes if its share is `p`. */
static double chi_squared(struct share sample, double p)
{
	double cnt = (double)sample.cnt, off = (double)sample.with - cnt * p;

	if (p <= 0 || p >= 1)
		return off == 0 ? 0 : INFINITY;
	return off * off / (cnt * p * (1 - p));
}

/* Koopman's score for the ratio `theta`, which the interval holds up to the quantile. */
static double score(struct share a, struct share b, double theta)
{
	double x = (double)a.with, m = (double)a.cnt, y = (double)b.with, n = (double)b.cnt;
	double s = theta * (m + y) + x + n;
	/*
	 * The most likely share of `a` if the ratio is theta: the lesser solution of a quadratic
	 * equation, in the form that loses no digits.
	 */
	double p = 2 * theta * (x + y) / (s + sqrt(s * s - 4 * theta * (m + n) * (x + y)));

	/* Rounding must not make a share of 1 larger than that. */
	p = fmin(p, fmin(theta, 1));
	return chi_squared(a, p) + chi_squared(b, fmin(p / theta, 1));
}

/* Where the score reaches the quantile, between a ratio inside and one outside, as logarithms. */
static double limit(struct share a, struct share b, double inside, double outside)
{
	for (int i = 0; i < 200 && fabs(outside - inside) > 1e-12; i++) {
		double middle = (inside + outside) / 2;

		if (score(a, b, exp(middle)) <= CHI_SQUARED_95)
			inside = middle;
		else
			outside = middle;
	}
	return exp(inside);
}

/* The logarithm of a ratio is less than this, either way. */
#define LOG_RATIO_MAX 60

void ratio_interval(struct share a, struct share b, double *low, double *high)
{
	double estimate;

	*low = 0;
	*high = INFINITY;
	if (!a.cnt || !b.cnt || (!a.with && !b.with))
		return;
	estimate = a.with && b.with ? log((double)a.with / a.cnt / ((double)b.with / b.cnt))
		   : a.with         ? LOG_RATIO_MAX
				    : -LOG_RATIO_MAX;
	if (a.with)
		*low = limit(a, b, estimate, -LOG_RATIO_MAX);
	if (b.with)
		*high = limit(a, b, estimate, LOG_RATIO_MAX);
}

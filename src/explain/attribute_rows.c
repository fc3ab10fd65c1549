/* SPDX-License-Identifier: BSD-2-Clause */
/* Makes one test for each value, corrects them for their number, and puts like lines together. */
#include "explain/attribute_rows.h"

#include "explain/side.h"
#include "explain/significance.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/*
 * Two values are of (nearly) the same units if this share of the units with one of them has both.
 */
#define SAME_SHARE 0.95

struct tested {
	uint32_t number; /* of the value */
	double p;
	double low; /* of the interval of the ratio */
	double high;
	uint64_t key;
	enum attribute attribute;
	uint32_t same_as; /* 1 + index in the sorted list; 0: of none before it */
	uint32_t rank;    /* order of the lines; lines of the same units have one */
};

/* Rounded so that the difference of the two becomes smaller. */
static struct share slow_share(const struct value *value, const struct attribute_counts *counts)
{
	return (struct share){(uint64_t)(value->clusters[SIDE_SLOW] + 1e-6),
			      counts->clusters[SIDE_SLOW]};
}

static struct share base_share(const struct value *value, const struct attribute_counts *counts)
{
	uint64_t with = (uint64_t)(value->clusters[SIDE_BASE] + 1 - 1e-6);
	uint64_t cnt = counts->clusters[SIDE_BASE];

	return (struct share){with < cnt ? with : cnt, cnt};
}

/* A value that all units have, or too few of them, cannot set them apart. */
static bool can_differ(const struct value *value, const struct attribute_counts *counts)
{
	struct share slow = slow_share(value, counts), base = base_share(value, counts);

	if (value->units[SIDE_SLOW] == counts->units[SIDE_SLOW] &&
	    value->units[SIDE_BASE] == counts->units[SIDE_BASE])
		return false;
	return fisher_least(slow.with + base.with, slow.cnt, base.cnt) <= SIGNIFICANCE_LEVEL;
}

static int by_p(const void *a, const void *b)
{
	const struct tested *x = a, *y = b;

	if (x->p != y->p)
		return x->p < y->p ? -1 : 1;
	if (x->low != y->low)
		return x->low > y->low ? -1 : 1;
	if (x->attribute != y->attribute)
		return x->attribute < y->attribute ? -1 : 1;
	return (x->key > y->key) - (x->key < y->key);
}

static uint32_t test_all(struct values *values, const struct attribute_counts *counts,
			 struct tested *tested, uint64_t *looked_at)
{
	uint32_t cnt = 0;

	for (uint32_t i = 0; i < values__count(values); i++) {
		const struct value *value = values__get(values, i);
		struct share slow = slow_share(value, counts), base = base_share(value, counts);
		struct tested *test = &tested[cnt];

		if (!can_differ(value, counts))
			continue;
		++*looked_at;
		*test = (struct tested){.number = i,
					.p = fisher_more(slow, base),
					.key = value->key,
					.attribute = value->attribute};
		if (test->p >= SIGNIFICANCE_LEVEL)
			continue;
		ratio_interval(slow, base, &test->low, &test->high);
		cnt++;
	}
	qsort(tested, cnt, sizeof(*tested), by_p);
	return cnt;
}

/* Leaves those that set the slow units apart. */
static uint32_t correct(struct tested *tested, uint32_t cnt, uint64_t looked_at)
{
	double largest = 0;
	uint32_t left = 0;

	for (uint32_t i = 0; i < cnt; i++) {
		double p = holm_corrected(tested[i].p, i, looked_at);

		largest = p > largest ? p : largest;
		tested[i].p = largest;
		if (largest < SIGNIFICANCE_LEVEL && tested[i].low > 1)
			tested[left++] = tested[i];
	}
	return left;
}

struct together {
	uint64_t both;
	uint64_t either;
};

static struct together count_together(const struct attribute_sample *sample, const struct value *a,
				      uint32_t a_number, const struct value *b, uint32_t b_number)
{
	struct together together = {0};

	for (uint32_t i = 0; i < sample->cnt; i++) {
		bool has_a = sample->number[i][a->attribute] == a_number;
		bool has_b = sample->number[i][b->attribute] == b_number;

		together.both += has_a && has_b;
		together.either += has_a || has_b;
	}
	return together;
}

static bool are_same_units(struct values *values, const struct attribute_counts *counts, uint32_t a,
			   uint32_t b)
{
	const struct value *x = values__get(values, a), *y = values__get(values, b);

	for (unsigned int side = 0; side < NR_EXPLAIN_SIDES; side++) {
		struct together together = count_together(&counts->sample[side], x, a, y, b);

		if ((double)together.both < SAME_SHARE * (double)together.either)
			return false;
	}
	return x->attribute != y->attribute;
}

/* More lines than these are not compared with one another. */
#define COMPARED_MAX 256

static int by_rank(const void *a, const void *b)
{
	const struct tested *x = a, *y = b;

	if (x->rank != y->rank)
		return x->rank < y->rank ? -1 : 1;
	return x->attribute < y->attribute ? -1 : x->attribute > y->attribute ? 1 : by_p(a, b);
}

/* Puts lines of the same units together, with the most telling one first. */
static void put_together(struct values *values, const struct attribute_counts *counts,
			 struct tested *tested, uint32_t cnt)
{
	for (uint32_t i = 0; i < cnt; i++) {
		tested[i].rank = i;
		for (uint32_t j = 0; i < COMPARED_MAX && j < i; j++) {
			if (tested[j].rank == j &&
			    are_same_units(values, counts, tested[j].number, tested[i].number)) {
				tested[i].rank = j;
				break;
			}
		}
	}
	qsort(tested, cnt, sizeof(*tested), by_rank);
	for (uint32_t i = 1, first = 0; i < cnt; i++) {
		if (tested[i].rank == tested[first].rank)
			tested[i].same_as = first + 1;
		else
			first = i;
	}
}

static void fill_in(const struct value *value, const struct tested *tested,
		    const struct attribute_counts *counts, struct explain_attribute *row)
{
	double slow = value->clusters[SIDE_SLOW] / (double)counts->clusters[SIDE_SLOW];
	double base = value->clusters[SIDE_BASE] / (double)counts->clusters[SIDE_BASE];

	*row = (struct explain_attribute){
		.attribute = value->attribute,
		.slow_cnt = value->units[SIDE_SLOW],
		.base_cnt = value->units[SIDE_BASE],
		.episodes = value->episodes,
		.same_as = tested->same_as,
		.slow_share = slow,
		.base_share = base,
		.ratio = slow / base,
		.ratio_low = tested->low,
		.ratio_high = tested->high,
		.p = tested->p,
	};
	value_text(value, row->value);
}

static int list(struct values *values, const struct attribute_counts *counts,
		const struct tested *tested, uint32_t cnt, struct explanation *explanation)
{
	explanation->attribute = calloc(cnt ?: 1, sizeof(*explanation->attribute));
	if (!explanation->attribute)
		return -ENOMEM;
	explanation->attribute_cnt = cnt;
	for (uint32_t i = 0; i < cnt; i++)
		fill_in(values__get(values, tested[i].number), &tested[i], counts,
			&explanation->attribute[i]);
	return 0;
}

int attribute_rows(struct values *values, const struct attribute_counts *counts,
		   struct explanation *explanation)
{
	struct tested *tested = calloc(values__count(values) + 1, sizeof(*tested));
	uint32_t cnt = 0;
	int err;

	if (!tested)
		return -ENOMEM;
	if (counts->clusters[SIDE_SLOW] && counts->clusters[SIDE_BASE])
		cnt = test_all(values, counts, tested, &explanation->attributes_looked_at);
	cnt = correct(tested, cnt, explanation->attributes_looked_at);
	put_together(values, counts, tested, cnt);
	err = list(values, counts, tested, cnt, explanation);
	free(tested);
	return err;
}

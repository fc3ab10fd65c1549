/* SPDX-License-Identifier: BSD-2-Clause */
/* Counts values by cluster in the slow set and in the lanes of the base. */
#include "explain/attributes.h"

#include "explain/index_table.h"
#include "explain/significance.h"
#include "explain/tally.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Makes one test for each value, corrects them for their number, and puts like lines together. */

#define ATTRIBUTE_SAMPLE_MAX 2048

/* Some units of one side, with the number of their value of each attribute. */
struct attribute_sample {
	uint32_t number[ATTRIBUTE_SAMPLE_MAX][NR_ATTRIBUTES];
	uint32_t cnt;
};

/* By enum explain_side. */
struct attribute_counts {
	uint64_t units[2];
	uint64_t clusters[2];
	struct attribute_sample sample[2];
};

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
		/* Rounded so that the difference of the two becomes smaller. */
		uint64_t with = (uint64_t)(value->clusters[SIDE_BASE] + 1 - 1e-6);
		uint64_t base_cnt = counts->clusters[SIDE_BASE];
		struct share slow = {(uint64_t)(value->clusters[SIDE_SLOW] + 1e-6),
				     counts->clusters[SIDE_SLOW]};
		struct share base = {with < base_cnt ? with : base_cnt, base_cnt};
		struct tested *test = &tested[cnt];

		/* A value that all units have, or too few of them, cannot set them apart. */
		if ((value->units[SIDE_SLOW] == counts->units[SIDE_SLOW] &&
		     value->units[SIDE_BASE] == counts->units[SIDE_BASE]) ||
		    fisher_least(slow.with + base.with, slow.cnt, base.cnt) > SIGNIFICANCE_LEVEL)
			continue;
		++*looked_at;
		*test = (struct tested){.number = i,
					.p = fisher_more(slow, base),
					.key = value->key.number,
					.attribute = value->key.attribute};
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

/* Whether two values of different attributes are (nearly) of the same units, on both sides. */
static bool are_same_units(struct values *values, const struct attribute_counts *counts, uint32_t a,
			   uint32_t b)
{
	enum attribute of_a = values__get(values, a)->key.attribute;
	enum attribute of_b = values__get(values, b)->key.attribute;

	for (unsigned int side = 0; side < NR_EXPLAIN_SIDES; side++) {
		const struct attribute_sample *sample = &counts->sample[side];
		uint64_t both = 0, either = 0;

		for (uint32_t i = 0; i < sample->cnt; i++) {
			bool has_a = sample->number[i][of_a] == a,
			     has_b = sample->number[i][of_b] == b;

			both += has_a && has_b;
			either += has_a || has_b;
		}
		if ((double)both < SAME_SHARE * (double)either)
			return false;
	}
	return of_a != of_b;
}

/* More lines than these are not compared with one another. */
#define COMPARED_MAX 256

static int attributes_by_rank(const void *a, const void *b)
{
	const struct tested *x = a, *y = b;

	if (x->rank != y->rank)
		return x->rank < y->rank ? -1 : 1;
	return x->attribute < y->attribute ? -1 : x->attribute > y->attribute ? 1 : by_p(a, b);
}

/* Puts lines of the same units together, with the most telling one first. */
static void attributes_put_together(struct values *values, const struct attribute_counts *counts,
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
	qsort(tested, cnt, sizeof(*tested), attributes_by_rank);
	for (uint32_t i = 1, first = 0; i < cnt; i++) {
		if (tested[i].rank == tested[first].rank)
			tested[i].same_as = first + 1;
		else
			first = i;
	}
}

static void attributes_fill_in(const struct value *value, const struct tested *tested,
			       const struct attribute_counts *counts, struct explain_attribute *row)
{
	double slow = value->clusters[SIDE_SLOW] / (double)counts->clusters[SIDE_SLOW];
	double base = value->clusters[SIDE_BASE] / (double)counts->clusters[SIDE_BASE];

	*row = (struct explain_attribute){
		.attribute = value->key.attribute,
		.slow_cnt = value->units[SIDE_SLOW],
		.base_cnt = value->units[SIDE_BASE],
		.episodes = value->episodes.cnt,
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

/* Fills in the list of attributes, and how many values were looked at. 0 or -ENOMEM. */
static int attribute_rows(struct values *values, const struct attribute_counts *counts,
			  struct explanation *explanation)
{
	struct tested *tested = calloc(values__count(values) + 1, sizeof(*tested));
	uint32_t cnt = 0;

	if (!tested)
		return -ENOMEM;
	if (counts->clusters[SIDE_SLOW] && counts->clusters[SIDE_BASE])
		cnt = test_all(values, counts, tested, &explanation->attributes_looked_at);
	cnt = correct(tested, cnt, explanation->attributes_looked_at);
	attributes_put_together(values, counts, tested, cnt);
	explanation->attribute = calloc(cnt ?: 1, sizeof(*explanation->attribute));
	explanation->attribute_cnt = explanation->attribute ? cnt : 0;
	for (uint32_t i = 0; i < explanation->attribute_cnt; i++)
		attributes_fill_in(values__get(values, tested[i].number), &tested[i], counts,
				   &explanation->attribute[i]);
	free(tested);
	return explanation->attribute ? 0 : -ENOMEM;
}

/* The cluster that is open in a lane. */
struct lane {
	struct tally values;
	uint64_t units;
};

/* One side: the slow set has one lane. */
struct side {
	struct attributes *attributes;
	enum explain_side side;
	struct sweep sweep;
	struct lane lane[ATTRIBUTE_LANES_MAX];
	uint32_t lanes;
	double share;    /* of the units, which is tested */
	uint64_t number; /* of the last unit, from 1 */
};

struct attributes {
	struct bounds bounds;
	struct values *values;
	struct side side[NR_EXPLAIN_SIDES];
	uint32_t number[NR_ATTRIBUTES]; /* of the unit that was added last */
	struct attribute_counts counts;
};

/* Deterministic, so that an explanation is the same each time: below 1. */
static double random_of(uint64_t number, uint64_t salt)
{
	return (hash_word(hash_word(salt, number), salt) >> 11) * 0x1p-53;
}

enum { SALT_KEEP = 1, SALT_LANE, SALT_LENGTH, SALT_SAMPLE };

static int attributes_extend(void *ctx, const struct interval *interval)
{
	struct side *side = ctx;
	struct lane *lane = &side->lane[interval->lane];
	const uint32_t *number = interval->payload;
	int err = 0;

	lane->units++;
	for (unsigned int i = 0; !err && i < NR_ATTRIBUTES; i++) {
		if (number[i] != VALUE_NONE)
			err = tally_add(&lane->values, number[i], 1, 0);
	}
	return err;
}

static int close_cluster(void *ctx, uint32_t index)
{
	struct side *side = ctx;
	struct lane *lane = &side->lane[index];

	if (lane->units > 1)
		tally_settle(&lane->values);
	for (uint32_t i = 0; i < lane->values.cnt; i++) {
		const struct tally_entry *entry = &lane->values.entry[i];
		struct value *value = values__get(side->attributes->values, entry->key);

		value->clusters[side->side] += (double)entry->sum / (double)lane->units;
	}
	side->attributes->counts.clusters[side->side]++;
	lane->values.cnt = 0;
	lane->units = 0;
	return 0;
}

static const struct sweep_ops ops = {attributes_extend, close_cluster};

static void begin_side(struct attributes *attributes, enum explain_side which)
{
	struct side *side = &attributes->side[which];
	double slow = attributes->bounds.slow_cnt ?: 1, base = attributes->bounds.base_cnt ?: 1;

	side->attributes = attributes;
	side->side = which;
	side->lanes = side->share = 1;
	if (which == SIDE_SLOW && slow > base)
		side->share = base / slow;
	if (which == SIDE_BASE && base > slow) {
		side->lanes = base / slow < ATTRIBUTE_LANES_MAX ? base / slow : ATTRIBUTE_LANES_MAX;
		side->share = side->lanes * slow / base;
	}
	side->sweep.ops = &ops;
	side->sweep.ctx = side;
	side->sweep.lanes = side->lanes;
}

struct attributes *attributes__new(enum mode mode, bool by_name, const struct bounds *bounds)
{
	struct attributes *attributes = calloc(1, sizeof(*attributes));

	if (!attributes)
		return NULL;
	attributes->bounds = *bounds;
	attributes->values = values__new(mode, by_name);
	if (!attributes->values) {
		attributes__free(attributes);
		return NULL;
	}
	begin_side(attributes, SIDE_SLOW);
	begin_side(attributes, SIDE_BASE);
	return attributes;
}

void attributes__free(struct attributes *attributes)
{
	if (!attributes)
		return;
	for (unsigned int i = 0; i < NR_EXPLAIN_SIDES; i++) {
		sweep_clean(&attributes->side[i].sweep);
		for (unsigned int j = 0; j < ATTRIBUTE_LANES_MAX; j++)
			tally_free(&attributes->side[i].lane[j].values);
	}
	values__free(attributes->values);
	free(attributes);
}

/* Keeps some units in full, to see which values go together (reservoir sampling). */
static void sample(struct attributes *attributes, const struct side *side)
{
	struct attribute_sample *sample = &attributes->counts.sample[side->side];
	uint64_t at = side->number - 1;

	if (at >= ATTRIBUTE_SAMPLE_MAX)
		at = random_of(side->number, SALT_SAMPLE) * (double)side->number;
	if (at >= ATTRIBUTE_SAMPLE_MAX)
		return;
	memcpy(sample->number[at], attributes->number, sizeof(attributes->number));
	if (sample->cnt < ATTRIBUTE_SAMPLE_MAX)
		sample->cnt++;
}

/* A unit of the base counts as if it had lasted as long as some slow one. */
static uint64_t attributes_end_of(const struct attributes *attributes, const struct side *side,
				  const struct unit *unit)
{
	const struct bounds *bounds = &attributes->bounds;
	uint32_t i;

	if (side->side == SIDE_SLOW || !bounds->slow_sample_cnt)
		return unit->to_ns;
	i = random_of(side->number, SALT_LENGTH) * bounds->slow_sample_cnt;
	return unit->from_ns + bounds->slow_sample_ns[i];
}

int attributes__add(struct attributes *attributes, enum explain_side which, const struct unit *unit)
{
	struct side *side = &attributes->side[which];
	struct interval interval = {.from_ns = unit->from_ns};
	int err = values__of(attributes->values, unit, attributes->number);

	if (err)
		return err;
	for (unsigned int i = 0; i < NR_ATTRIBUTES; i++) {
		if (attributes->number[i] != VALUE_NONE)
			values__get(attributes->values, attributes->number[i])->units[which]++;
	}
	attributes->counts.units[which]++;
	side->number++;
	sample(attributes, side);
	if (random_of(side->number, SALT_KEEP) >= side->share)
		return 0;
	interval.to_ns = attributes_end_of(attributes, side, unit);
	interval.lane = random_of(side->number, SALT_LANE) * side->lanes;
	interval.payload = malloc(sizeof(attributes->number));
	if (!interval.payload)
		return -ENOMEM;
	memcpy(interval.payload, attributes->number, sizeof(attributes->number));
	return sweep_add(&side->sweep, &interval, sizeof(attributes->number));
}

const uint32_t *attributes__values(const struct attributes *attributes)
{
	return attributes->number;
}

void attributes__count_episode(struct attributes *attributes, uint32_t number, uint64_t episode)
{
	episode_count_add(&values__get(attributes->values, number)->episodes, episode);
}

int attributes__finish(struct attributes *attributes, struct explanation *explanation)
{
	int err = sweep_finish(&attributes->side[SIDE_SLOW].sweep);

	err = err ?: sweep_finish(&attributes->side[SIDE_BASE].sweep);
	return err ?: attribute_rows(attributes->values, &attributes->counts, explanation);
}

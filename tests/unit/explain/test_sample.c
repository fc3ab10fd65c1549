/* SPDX-License-Identifier: BSD-2-Clause */
/* Which units that are not slow are a sample. */
#include "support/build.h"

#include "explain/sample.h"

#include <stdlib.h>

#define UNITS 1000000

/* When unit `i` begins. */
typedef uint64_t begin_fn(uint64_t i);

static uint64_t evenly(uint64_t i)
{
	return 5000 + i * 30000;
}

/* Nearly all come within a second of an hour. */
static uint64_t in_a_burst(uint64_t i)
{
	return i < 1000     ? i * 1000000000
	       : i < 999000 ? 1000 * 1000000000ULL + i * 1000
			    : 1001 * 1000000000ULL + (i - 999000) * 2000000000;
}

static uint64_t at_few_instants(uint64_t i)
{
	return i / 1000 * 1000000;
}

/* Calls come when they end. */
static uint64_t out_of_order(uint64_t i)
{
	return 5000 + (i ^ 3) * 30000;
}

static struct sample take(begin_fn *begin, uint64_t cnt, uint64_t slow)
{
	struct checkpoints *checkpoints = calloc(1, sizeof(*checkpoints));
	struct sample sample;

	assert_non_null(checkpoints);
	for (uint64_t i = 0; i < cnt; i++)
		checkpoints_add(checkpoints, begin(i));
	assert_true(checkpoints->cnt <= CHECKPOINTS_MAX);
	sample = sample_of(checkpoints, SAMPLE_UNITS, slow);
	free(checkpoints);
	return sample;
}

static uint64_t count(struct sample *sample, begin_fn *begin, uint64_t cnt)
{
	uint64_t found = 0;

	for (uint64_t i = 0; i < cnt; i++)
		found += sample_has(sample, begin(i));
	return found;
}

TEST(few_units_all_count)
{
	struct sample sample = take(evenly, 2 * SAMPLE_UNITS - 1, UINT64_MAX), none = {0};

	assert_int_equal(sample.every, 0);
	assert_true(sample_has(&sample, 0));
	assert_true(sample_has(&none, UINT64_MAX));
	assert_int_equal(take(evenly, 0, 0).every, 0);
}

/* However the units are spread. */
TEST(a_share_of_the_units_counts)
{
	static begin_fn *const begins[] = {evenly, in_a_burst, at_few_instants, out_of_order};

	for (size_t i = 0; i < ARRAY_SIZE(begins); i++) {
		struct sample sample = take(begins[i], UNITS, UNITS / 100);

		assert_int_equal(sample.every, UNITS / SAMPLE_UNITS);
		assert_in_range(count(&sample, begins[i], UNITS), SAMPLE_UNITS * 9 / 10,
				SAMPLE_UNITS * 11 / 10);
		free(sample.span);
	}
}

TEST(few_slow_ones_need_more_others)
{
	struct sample sample = take(evenly, UNITS, 50);

	assert_int_equal(sample.every, 3);
	free(sample.span);
	assert_int_equal(take(evenly, UNITS, 31).every, 0);
}

/* Not at the same place of each group of stretches: else it may follow a rhythm of the units. */
TEST(stretches_are_at_irregular_distances)
{
	struct sample sample = take(evenly, UNITS, UNITS / 100);
	uint64_t shortest = UINT64_MAX, longest = 0;

	for (size_t i = 1; i < sample.spans.cnt; i++) {
		uint64_t distance = sample.span[i].from_ns - sample.span[i - 1].from_ns;

		assert_true(sample.span[i - 1].to_ns < sample.span[i].from_ns);
		shortest = distance < shortest ? distance : shortest;
		longest = distance > longest ? distance : longest;
	}
	assert_true(longest > 8 * shortest);
	free(sample.span);
}

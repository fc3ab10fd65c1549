/* SPDX-License-Identifier: BSD-2-Clause */
/* The observer effect: the median of pairs, and the interval that it lies in. */
#include "support/build.h"

#include "model/observer_effect.h"

/* Ratios 1 to `cnt`, in no order. */
static struct observer_effect observer_effect_of_first(size_t cnt)
{
	double ratio[OBSERVER_EFFECT_PAIRS_MAX + 1];

	for (size_t i = 0; i < cnt; i++)
		ratio[i] = (double)((i * 7) % cnt) + 1;
	return observer_effect_of(ratio, cnt);
}

/* Ranks of the textbooks' tables for the median. */
TEST(the_interval_is_that_of_the_tables)
{
	static const struct {
		size_t cnt, low, high;
	} known[] = {{6, 1, 6},   {8, 1, 8},   {9, 2, 8},   {10, 2, 9},
		     {15, 4, 12}, {20, 6, 15}, {50, 18, 33}};

	for (size_t i = 0; i < ARRAY_SIZE(known); i++) {
		struct observer_effect effect = observer_effect_of_first(known[i].cnt);

		assert_int_equal(effect.pairs, known[i].cnt);
		assert_true(effect.ratio == (double)(known[i].cnt + 1) / 2);
		assert_true(effect.low == (double)known[i].low);
		assert_true(effect.high == (double)known[i].high);
	}
}

TEST(too_few_or_too_many_pairs_are_no_measure)
{
	assert_int_equal(observer_effect_of_first(0).pairs, 0);
	assert_int_equal(observer_effect_of_first(OBSERVER_EFFECT_PAIRS_MIN - 1).pairs, 0);
	assert_int_equal(observer_effect_of_first(OBSERVER_EFFECT_PAIRS_MIN).pairs,
			 OBSERVER_EFFECT_PAIRS_MIN);
	assert_int_equal(observer_effect_of_first(OBSERVER_EFFECT_PAIRS_MAX).pairs,
			 OBSERVER_EFFECT_PAIRS_MAX);
	assert_int_equal(observer_effect_of_first(OBSERVER_EFFECT_PAIRS_MAX + 1).pairs, 0);
}

TEST(a_recording_keeps_it_in_millionths)
{
	struct observer_effect effect = {
		.pairs = 10, .ratio = 1.0344449, .low = 0.9, .high = 1.2345678};
	struct record_observer_effect record = observer_effect_record(&effect);
	struct observer_effect back = observer_effect_recorded(&record);

	assert_int_equal(record.ratio, 1034445);
	assert_int_equal(back.pairs, 10);
	assert_true(back.ratio == 1.034445);
	assert_true(back.low == 0.9);
	assert_true(back.high == 1.234568);
}

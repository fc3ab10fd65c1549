/* SPDX-License-Identifier: BSD-2-Clause */
/* Which units are among the slowest, and in which order. */
#include "explain/scene.h"

#include "picture/parts.h"

static int compare(const void *left, const void *right)
{
	uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;

	return a > b ? -1 : a < b;
}

/* The slowest of many random units, with copies of their causes. */
TEST(the_slowest_are_kept_in_order)
{
	static uint64_t latency_ns[5000];
	struct slow_units slow = {0};
	struct picture *picture = calloc(1, sizeof(*picture));
	uint64_t seed = 9;

	for (size_t i = 0; i < ARRAY_SIZE(latency_ns); i++) {
		struct cause cause = {.by.ns = latency_ns[i] = 1 + random_below(&seed, 100000)};
		struct unit unit = {
			.from_ns = i, .to_ns = i + latency_ns[i], .cause = &cause, .cause_cnt = 1};

		assert_true(slow_units_add(&slow, &unit) >= 0);
	}
	slow_units_finish(&slow, picture);
	qsort(latency_ns, ARRAY_SIZE(latency_ns), sizeof(latency_ns[0]), compare);
	assert_int_equal(picture->slowest_cnt, PICTURE_SLOWEST_MAX);
	for (uint32_t i = 0; i < picture->slowest_cnt; i++) {
		const struct unit *unit = &picture->slowest[i];

		assert_int_equal(unit_latency_ns(unit), latency_ns[i]);
		assert_int_equal(unit->cause[0].by.ns, latency_ns[i]);
	}
	picture_clean(picture);
	free(picture);
}

/* Equally slow units come in the order of time, whatever order they were added in. */
TEST(equal_units_are_in_the_order_of_time)
{
	struct slow_units slow = {0};
	struct picture *picture = calloc(1, sizeof(*picture));

	for (uint64_t i = 300; i; i--) {
		struct unit unit = {.from_ns = i, .to_ns = i + 50};

		assert_true(slow_units_add(&slow, &unit) >= 0);
	}
	slow_units_finish(&slow, picture);
	for (uint32_t i = 0; i < PICTURE_SLOWEST_MAX; i++)
		assert_int_equal(picture->slowest[i].from_ns, i + 1);
	picture_clean(picture);
	free(picture);
}

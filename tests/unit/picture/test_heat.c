/* SPDX-License-Identifier: BSD-2-Clause */
/* In which column and row of the heat map a unit counts. */
#include "explain/scene.h"

#include "picture/parts.h"

static uint64_t counted(const struct heat_map *heat)
{
	uint64_t sum = 0;

	for (uint32_t i = 0; i < heat->rows * heat->columns; i++)
		sum += heat->cnt[i];
	return sum;
}

static void clean(struct heat_map *heat)
{
	free(heat->bound_ns);
	free(heat->cnt);
	for (int i = 0; i < HEAT_LEVELS; i++)
		free(heat->finer[i]);
}

static void begin(struct heat_map *heat, uint64_t from_ns, uint64_t to_ns, uint64_t least_ns,
		  uint64_t most_ns)
{
	const struct extent extent = {10, from_ns, to_ns, least_ns, most_ns};

	assert_int_equal(heat_begin(heat, &extent, UINT64_MAX), 0);
}

TEST(no_units_have_no_bins)
{
	const struct extent none = {0};
	struct heat_map heat;

	assert_int_equal(heat_begin(&heat, &none, UINT64_MAX), 0);
	assert_int_equal(heat.columns, 0);
	assert_null(heat.cnt);
}

/* The bounds rise, and all latencies from the least to the most have a row. */
TEST(bounds_hold_all_latencies)
{
	static const uint64_t range[][2] = {
		{0, 0},       {0, 1},         {7, 7},        {5, 9},
		{1000, 1003}, {2000, 900000}, {1, 1u << 30}, {0, UINT64_MAX - 1}};

	for (size_t i = 0; i < ARRAY_SIZE(range); i++) {
		struct heat_map heat;

		begin(&heat, 100, 1000000, range[i][0], range[i][1]);
		assert_in_range(heat.rows, 1, 48);
		assert_int_equal(heat.bound_ns[0], range[i][0]);
		assert_true(heat.bound_ns[heat.rows] == range[i][1] + 1);
		for (uint32_t row = 0; row < heat.rows; row++)
			assert_true(heat.bound_ns[row] < heat.bound_ns[row + 1]);
		clean(&heat);
	}
}

/* Every unit counts once: in the column of its start and the row of its latency. */
TEST(every_unit_counts_once)
{
	struct heat_map heat;
	uint64_t seed = 3;

	begin(&heat, 1000, 1000 + 239 * 100, 50, 50000);
	for (int i = 0; i < 5000; i++) {
		struct unit unit = {.from_ns = 1000 + random_below(&seed, 239 * 100 + 1)};
		uint32_t column = heat_column(&heat, unit.from_ns), row = 0;
		uint64_t latency_ns = 50 + random_below(&seed, 50000 - 49), before;

		while (latency_ns >= heat.bound_ns[row + 1])
			row++;
		before = heat.cnt[row * heat.columns + column];
		unit.to_ns = unit.from_ns + latency_ns;
		heat_add(&heat, &unit);
		assert_int_equal(heat.cnt[row * heat.columns + column], before + 1);
	}
	assert_int_equal(counted(&heat), 5000);
	clean(&heat);
}

TEST(the_last_unit_is_in_the_last_column)
{
	struct heat_map heat;

	begin(&heat, 5, 1000000005, 10, 20);
	assert_int_equal(heat.columns, 240);
	assert_int_equal(heat_column(&heat, 5), 0);
	assert_int_equal(heat_column(&heat, 0), 0);
	assert_int_equal(heat_column(&heat, 500000006), 120);
	assert_int_equal(heat_column(&heat, 1000000005), 239);
	assert_int_equal(heat_column(&heat, UINT64_MAX), 239);
	clean(&heat);
}

/* A single unit has a column and a row of its own. */
TEST(one_unit_is_enough)
{
	const struct extent extent = {1, 77, 77, 9, 9};
	struct unit unit = {.from_ns = 77, .to_ns = 86};
	struct heat_map heat;

	assert_int_equal(heat_begin(&heat, &extent, UINT64_MAX), 0);
	assert_int_equal(heat.columns, 1);
	assert_int_equal(heat.rows, 1);
	heat_add(&heat, &unit);
	assert_int_equal(heat.cnt[0], 1);
	clean(&heat);
}

/* Times of forged records may be as far apart as numbers can be. */
TEST(the_largest_numbers_have_bins)
{
	const struct extent far = {2, 0, UINT64_MAX, 5, UINT64_MAX};
	const struct extent alone = {1, 7, 7, UINT64_MAX, UINT64_MAX};
	struct unit first = {.from_ns = 0, .to_ns = UINT64_MAX};
	struct unit last = {.from_ns = UINT64_MAX, .to_ns = UINT64_MAX};
	struct heat_map heat;

	assert_int_equal(heat_begin(&heat, &far, 100), 0);
	heat_add(&heat, &first);
	heat_add(&heat, &last);
	assert_int_equal(counted(&heat), 2);
	clean(&heat);
	assert_int_equal(heat_begin(&heat, &alone, UINT64_MAX), 0);
	heat_add(&heat, &first);
	assert_int_equal(counted(&heat), 1);
	clean(&heat);
}

/* No row has slow units and others, wherever the limit lies. */
TEST(slow_units_have_rows_of_their_own)
{
	const struct extent extent = {10, 0, 1000000, 1000, 90000};
	static const uint64_t limit[] = {999, 1000, 1001, 4711, 50000, 89999, 90000, UINT64_MAX};

	for (size_t i = 0; i < ARRAY_SIZE(limit); i++) {
		struct heat_map heat;
		bool is_bound = false;

		assert_int_equal(heat_begin(&heat, &extent, limit[i]), 0);
		assert_in_range(heat.rows, 48, 49);
		assert_int_equal(heat.bound_ns[0], 1000);
		assert_int_equal(heat.bound_ns[heat.rows], 90001);
		for (uint32_t row = 0; row < heat.rows; row++) {
			assert_true(heat.bound_ns[row] < heat.bound_ns[row + 1]);
			is_bound |= heat.bound_ns[row] == limit[i] + 1;
		}
		assert_int_equal(is_bound, limit[i] >= 999 && limit[i] < 90000);
		clean(&heat);
	}
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* Clusters of intervals against a slow search over all pairs. */
#include "support/build.h"

#include "explain/sweep.h"
#include "explain/tally.h"

#include <stdlib.h>

#define LANES 3

/* The clusters that were closed. */
struct heard {
	uint64_t sizes[LANES][4096];
	uint32_t cnt[LANES];
	uint64_t open[LANES];
};

static int extend(void *ctx, const struct interval *interval)
{
	struct heard *heard = ctx;

	heard->open[interval->lane]++;
	return 0;
}

static int close_one(void *ctx, uint32_t lane)
{
	struct heard *heard = ctx;

	assert_true(heard->open[lane] > 0);
	heard->sizes[lane][heard->cnt[lane]++] = heard->open[lane];
	heard->open[lane] = 0;
	return 0;
}

static const struct sweep_ops ops = {extend, close_one};

static struct heard *hear_intervals(const struct interval *interval, size_t cnt)
{
	struct heard *heard = calloc(1, sizeof(*heard));
	struct sweep sweep = {.ops = &ops, .ctx = heard, .lanes = LANES};

	for (size_t i = 0; i < cnt; i++) {
		struct interval copy = interval[i];

		copy.payload = malloc(8);
		assert_int_equal(sweep_add(&sweep, &copy, 8), 0);
	}
	assert_int_equal(sweep_finish(&sweep), 0);
	sweep_clean(&sweep);
	return heard;
}

TEST(what_touches_is_one)
{
	static const struct interval touching[] = {{.from_ns = 10, .to_ns = 20},
						   {.from_ns = 20, .to_ns = 25},
						   {.from_ns = 26, .to_ns = 30}};
	struct heard *heard = hear_intervals(touching, 3);

	assert_int_equal(heard->cnt[0], 2);
	assert_int_equal(heard->sizes[0][0], 2);
	free(heard);
}

TEST(a_long_one_spans_short_ones)
{
	/* In the order of their ends, as units arrive. */
	static const struct interval nested[] = {{.from_ns = 10, .to_ns = 20},
						 {.from_ns = 30, .to_ns = 40},
						 {.from_ns = 5, .to_ns = 50},
						 {.from_ns = 60, .to_ns = 60}};
	struct heard *heard = hear_intervals(nested, 4);

	assert_int_equal(heard->cnt[0], 2);
	assert_int_equal(heard->sizes[0][0], 3);
	free(heard);
}

TEST(lanes_are_apart)
{
	static const struct interval lanes[] = {{.from_ns = 10, .to_ns = 20},
						{.from_ns = 10, .to_ns = 20, .lane = 1},
						{.from_ns = 15, .to_ns = 20, .lane = 2}};
	struct heard *heard = hear_intervals(lanes, 3);

	for (uint32_t i = 0; i < LANES; i++)
		assert_int_equal(heard->cnt[i], 1);
	free(heard);
}

TEST(what_waits_is_freed)
{
	struct heard *heard = calloc(1, sizeof(*heard));
	struct sweep sweep = {.ops = &ops, .ctx = heard, .lanes = 1};
	struct interval interval = {.to_ns = 1, .payload = malloc(100)};

	assert_int_equal(sweep_add(&sweep, &interval, 100), 0);
	sweep_clean(&sweep);
	free(heard);
}

/* Nearly in the order of time, and more than can wait at once. */
TEST(random_intervals_agree_with_all_pairs)
{
	uint64_t seed = 4, at_ns = 0;
	size_t cnt = 5 * SWEEP_ROOM / 2;
	struct interval *interval = calloc(cnt, sizeof(*interval));
	uint64_t expected[LANES] = {0}, ends[LANES] = {0};
	struct heard *heard;

	for (size_t i = 0; i < cnt; i++) {
		at_ns += random_below(&seed, 100);
		interval[i].from_ns = at_ns;
		interval[i].to_ns = at_ns + random_below(&seed, 300);
		interval[i].lane = random_below(&seed, LANES);
		/* They are in order here: a cluster ends where the next one begins later. */
		if (!ends[interval[i].lane] || interval[i].from_ns > ends[interval[i].lane])
			expected[interval[i].lane]++;
		if (interval[i].to_ns > ends[interval[i].lane])
			ends[interval[i].lane] = interval[i].to_ns;
	}
	for (size_t i = 0; i + 500 < cnt; i += 500) {
		for (size_t j = 0; j < 500; j++) {
			size_t other = i + random_below(&seed, 500);
			struct interval swapped = interval[i + j];

			interval[i + j] = interval[other];
			interval[other] = swapped;
		}
	}
	heard = hear_intervals(interval, cnt);
	for (uint32_t i = 0; i < LANES; i++)
		assert_int_equal(heard->cnt[i], expected[i]);
	free(heard);
	free(interval);
}

TEST(a_tally_adds_up_by_key)
{
	struct tally tally = {0};
	uint64_t sum[100] = {0}, seed = 2;

	for (unsigned int i = 0; i < 100000; i++) {
		uint64_t key = random_below(&seed, 100);

		assert_int_equal(tally_add(&tally, key, i, key == 7 ? i % 2 : 5), 0);
		sum[key] += i;
	}
	assert_true(tally.room <= 512);
	tally_settle(&tally);
	assert_int_equal(tally.cnt, 100);
	for (uint32_t i = 0; i < 100; i++) {
		assert_int_equal(tally.entry[i].key, i);
		assert_int_equal(tally.entry[i].sum, sum[i]);
		assert_int_equal(tally.entry[i].tag, i == 7 ? TAG_SEVERAL : 5);
	}
	tally.cnt = 0;
	tally_settle(&tally);
	assert_int_equal(tally.cnt, 0);
	tally_free(&tally);
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* Regular and irregular distances. */
#include "support/build.h"

#include "explain/episodes.h"

#include <stdlib.h>

#define MS 1000000ULL

static struct period found(const uint64_t *begin_ms, uint32_t cnt)
{
	uint64_t begin_ns[64];
	struct period period;

	for (uint32_t i = 0; i < cnt; i++)
		begin_ns[i] = begin_ms[i] * MS;
	assert_int_equal(period_find(begin_ns, cnt, 0, &period), 0);
	return period;
}

#define FOUND(...)                                                                                 \
	found((const uint64_t[]){__VA_ARGS__}, ARRAY_SIZE(((const uint64_t[]){__VA_ARGS__})))

TEST(few_events_have_no_period)
{
	struct period period;

	assert_int_equal(period_find(NULL, 0, 0, &period), 0);
	assert_int_equal(period.ns, 0);
	assert_int_equal(FOUND(1000).ns, 0);
	assert_int_equal(FOUND(1000, 2000, 3000).ns, 0);
	assert_int_equal(FOUND(1000, 2000, 3000, 4000).ns, 1000 * MS);
}

TEST(half_of_the_distances_suffice)
{
	struct period period = FOUND(0, 1000, 2001, 3000, 3300, 4690, 6013, 7010, 8009, 9009);

	assert_int_equal(period.of, 9);
	assert_int_equal(period.hits, 6);
	assert_in_range(period.ns, 999 * MS, 1002 * MS);
}

TEST(less_than_half_do_not)
{
	struct period period = FOUND(0, 1000, 2000, 3000, 3300, 4690, 6200, 6211, 6888, 9009);

	assert_int_equal(period.ns, 0);
}

TEST(three_of_six_are_chance)
{
	assert_int_equal(FOUND(0, 1000, 2000, 3000, 3350, 4790, 5040).ns, 0);
	assert_int_equal(FOUND(0, 1000, 2000, 3000, 4000, 5440, 5690).ns, 1000 * MS);
}

TEST(an_event_may_fail_to_hit)
{
	struct period period = FOUND(0, 100, 300, 400, 700, 900, 1000, 1400);

	assert_int_equal(period.of, 7);
	assert_int_equal(period.hits, 7);
	assert_int_equal(period.ns, 100 * MS);
}

TEST(multiples_alone_are_no_period)
{
	/* 200 and 300 have a common divisor, which never occurs. */
	assert_int_equal(FOUND(0, 200, 500, 700, 1000).ns, 0);
	/* 100 and 200 occur once, and the others are multiples of them. */
	assert_int_equal(FOUND(0, 100, 300, 600, 1000, 1300, 1700).ns, 0);
}

TEST(begins_in_any_order_will_do)
{
	assert_int_equal(FOUND(4000, 2000, 1000, 3000, 5000).ns, 1000 * MS);
}

TEST(begins_at_one_instant_are_no_period)
{
	assert_int_equal(FOUND(5, 5, 5, 5, 5, 5).ns, 0);
}

TEST(the_tick_of_the_workload_is_no_finding)
{
	uint64_t begin_ns[20];
	struct period period;

	for (uint64_t i = 0; i < 20; i++)
		begin_ns[i] = i * 10 * MS;
	assert_int_equal(period_find(begin_ns, 20, 10 * MS, &period), 0);
	assert_int_equal(period.ns, 0);
	assert_int_equal(period_find(begin_ns, 20, 5 * MS, &period), 0);
	assert_int_equal(period.ns, 10 * MS);
}

/* Events at random: at all instants, or only at ticks. */
TEST(chance_is_no_period)
{
	uint64_t seed = 3;
	unsigned int regular = 0;

	for (unsigned int i = 0; i < 1000; i++) {
		uint64_t begin_ns[200], cnt = 4 + random_below(&seed, 197);
		struct period period;

		for (uint64_t j = 0; j < cnt; j++) {
			begin_ns[j] = random_below(&seed, cnt * 60 * MS);
			if (i % 2)
				begin_ns[j] -= begin_ns[j] % (10 * MS);
		}
		assert_int_equal(period_find(begin_ns, cnt, 10 * MS, &period), 0);
		regular += period.ns > 0;
	}
	assert_in_range(regular, 0, 10);
}

TEST(many_events_take_no_longer_than_they_should)
{
	uint32_t cnt = 65536;
	uint64_t *begin_ns = calloc(cnt, sizeof(*begin_ns)), seed = 5;
	struct period period;

	for (uint64_t i = 0; i < cnt; i++)
		begin_ns[i] = i * 100 * MS + random_below(&seed, MS / 2);
	assert_int_equal(period_find(begin_ns, cnt, 0, &period), 0);
	assert_int_equal(period.hits, cnt - 1);
	assert_in_range(period.ns, 99 * MS, 101 * MS);
	free(begin_ns);
}

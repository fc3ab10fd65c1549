/* SPDX-License-Identifier: BSD-2-Clause */
/* How much of a stretch the host took. */
#include "support/build.h"

#include "analysis/history/deep_events.h"

EACH_TEST_HAS(*state, deep_events__new(), deep_events__free)

static void add(struct deep_events *deep, uint32_t cpu, uint64_t from_ns, uint64_t to_ns,
		uint64_t stolen_ns)
{
	const struct record_stolen record = {
		.head = {.type = RECORD_STOLEN, .words = RECORD_WORDS(record), .cpu = cpu},
		.from_ns = from_ns,
		.to_ns = to_ns,
		.stolen_ns = stolen_ns,
	};

	assert_int_equal(deep_events__add(deep, &record.head), 0);
}

static void assert_steal(struct deep_events *deep, uint64_t from_ns, uint64_t to_ns,
			 uint64_t certain_ns, uint64_t possible_ns)
{
	struct steal steal = deep_events__steal(deep, 1, from_ns, to_ns);

	assert_int_equal(steal.certain_ns, certain_ns);
	assert_int_equal(steal.possible_ns, possible_ns);
}

TEST(whole_records_are_certain)
{
	add(*state, 1, 300, 400, 7);
	add(*state, 1, 100, 200, 5);
	add(*state, 2, 100, 200, 50);
	assert_steal(*state, 100, 400, 12, 0);
	assert_steal(*state, 0, 1000, 12, 0);
	assert_steal(*state, 200, 300, 0, 0);
	assert_steal(*state, 500, 600, 0, 0);
}

/*
 *	100        200
 *	|----------|		5 or 80 of it were taken
 *	      |-------|		150..250
 */
TEST(a_part_of_a_record_has_what_does_not_fit_into_the_rest)
{
	add(*state, 1, 100, 200, 5);
	assert_steal(*state, 150, 250, 0, 5);
	assert_steal(*state, 198, 250, 0, 2);
	assert_steal(*state, 120, 180, 0, 5);
	add(*state, 1, 300, 400, 80);
	assert_steal(*state, 350, 450, 30, 20);
	assert_steal(*state, 310, 390, 60, 20);
	assert_steal(*state, 250, 310, 0, 10);
}

TEST(impossible_records_do_no_harm)
{
	add(*state, 1, 200, 100, 5);
	add(*state, 1, 100, 100, 5);
	add(*state, 1, 300, 400, 1000);
	assert_steal(*state, 0, 1000, 100, 0);
	assert_steal(*state, 300, 350, 50, 0);
}

TEST(old_ones_are_forgotten)
{
	add(*state, 1, 100, 200, 5);
	add(*state, 1, 300, 400, 7);
	deep_events__trim(*state, 300);
	assert_int_equal(deep_events__cnt(*state), 1);
	assert_steal(*state, 0, 1000, 7, 0);
}

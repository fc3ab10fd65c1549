/* SPDX-License-Identifier: BSD-2-Clause */
/* When the reader of the ring buffer may not yield any longer. */
#include "support/build.h"

#include "command/live/yield/hurry.h"

#define MS      1000000ULL
#define SIZE    (64ULL << 20)
#define RESERVE (200 * MS)

/* Two looks, 50 ms apart, at a ring from which nothing is read: `used` bytes, and `grown` more. */
static bool needs(uint64_t used, uint64_t grown, bool hurries)
{
	const struct ring_look before = {.at_ns = 7 * MS, .written = used, .size = SIZE};
	const struct ring_look now = {.at_ns = 57 * MS, .written = used + grown, .size = SIZE};

	return ring_needs_reader(&before, &now, hurries, RESERVE);
}

TEST(a_ring_without_a_size_needs_nobody)
{
	const struct ring_look none = {.at_ns = 1};

	assert_false(ring_needs_reader(&none, &none, false, RESERVE));
	assert_false(ring_needs_reader(&none, &none, true, RESERVE));
}

TEST(a_first_look_knows_no_rate)
{
	const struct ring_look none = {0};
	const struct ring_look first = {.at_ns = MS, .written = SIZE / 4, .size = SIZE};

	assert_false(ring_needs_reader(&none, &first, false, RESERVE));
}

TEST(two_looks_at_one_instant_know_no_rate)
{
	const struct ring_look before = {.at_ns = MS, .size = SIZE};
	const struct ring_look now = {.at_ns = MS, .written = SIZE / 4, .size = SIZE};

	assert_false(ring_needs_reader(&before, &now, false, RESERVE));
}

/* Empty at first, a fifth is written in 50 ms: the rest takes exactly 200 ms more. */
TEST(the_ring_must_last_for_the_reserve)
{
	const uint64_t fifth = SIZE / 5;

	assert_false(needs(0, fifth, false));
	assert_true(needs(0, fifth + 2, false));
	assert_true(needs(fifth, fifth, false));
}

TEST(a_ring_that_is_full_needs_the_reader)
{
	assert_true(needs(SIZE, 0, false));
}

TEST(no_more_than_a_quarter_of_it_may_wait)
{
	assert_false(needs(SIZE / 4, 0, false));
	assert_true(needs(SIZE / 4 + 1, 0, false));
}

TEST(a_reader_that_hurries_goes_on_until_little_is_left)
{
	assert_true(needs(SIZE / 16 + 1, 0, true));
	assert_false(needs(SIZE / 16, 0, true));
}

/* What was read in between makes room. */
TEST(what_is_read_counts_no_more)
{
	const struct ring_look before = {
		.at_ns = MS, .written = 10 * SIZE, .read = 9 * SIZE, .size = SIZE};
	const struct ring_look now = {.at_ns = 51 * MS,
				      .written = 10 * SIZE + SIZE / 16,
				      .read = 10 * SIZE,
				      .size = SIZE};

	assert_false(ring_needs_reader(&before, &now, true, RESERVE));
}

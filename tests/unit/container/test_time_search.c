/* SPDX-License-Identifier: BSD-2-Clause */
/* Wherever the search begins, it ends where one that looks at all entries would. */
#include "support/build.h"

#include "container/time_search.h"

enum { ENTRIES = 40, LAST_NS = 1000 };

struct entry {
	uint32_t other;
	uint64_t at_ns;
};

static size_t count_all(const struct entry *entry, size_t cnt, uint64_t at_ns)
{
	size_t counted = 0;

	while (counted < cnt && entry[counted].at_ns <= at_ns)
		counted++;
	return counted;
}

static void check(const struct entry *entry, size_t cnt)
{
	struct time_array o = TIME_SEARCH(entry, cnt, at_ns);

	for (uint64_t at_ns = 0; at_ns < LAST_NS + 10; at_ns++) {
		size_t want = count_all(entry, cnt, at_ns);

		assert_true(time_search_guess(o, at_ns) <= cnt);
		assert_int_equal(time_search_count(o, at_ns, time_search_guess(o, at_ns)), want);
		for (size_t near = 0; near < cnt + 3; near++)
			assert_int_equal(time_search_count(o, at_ns, near), want);
		assert_int_equal(time_search_count(o, at_ns, SIZE_MAX), want);
	}
}

TEST(of_evenly_spread_times)
{
	struct entry entry[ENTRIES];

	for (size_t i = 0; i < ENTRIES; i++)
		entry[i] = (struct entry){.at_ns = 5 + 20 * i};
	for (size_t cnt = 0; cnt <= ENTRIES; cnt++)
		check(entry, cnt);
}

TEST(of_times_that_are_equal_or_far_apart)
{
	struct entry entry[ENTRIES];

	for (size_t i = 0; i < ENTRIES; i++)
		entry[i] = (struct entry){.at_ns = i < 15 ? 7 : i < 30 ? 8 + i / 3 : LAST_NS};
	check(entry, ENTRIES);
}

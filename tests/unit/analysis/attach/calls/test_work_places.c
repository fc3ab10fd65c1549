/* SPDX-License-Identifier: BSD-2-Clause */
/* Where a thread waits for work, and where it only happened to sleep. */
#include "support/build.h"

#include "analysis/attach/calls/work_log.h"

enum { PARK = 7, LOCK = 8 };

static struct work_places places;

static int setup(void **state)
{
	places = (struct work_places){0};
	return 0;
}

EACH_TEST(setup, NULL)

static void count(uint32_t place, uint32_t times)
{
	while (times--)
		work_places_count(&places, place);
}

TEST(nothing_is_known_at_first)
{
	assert_false(work_places_has(&places, PARK));
	assert_false(work_places_has(&places, 0));
}

TEST(the_first_sleep_shows_a_place)
{
	count(PARK, 1);
	assert_true(work_places_has(&places, PARK));
	assert_false(work_places_has(&places, LOCK));
}

/* A lock that was taken between two requests. */
TEST(a_rare_place_is_none)
{
	count(LOCK, 1);
	count(PARK, 4);
	assert_false(work_places_has(&places, LOCK));
	assert_true(work_places_has(&places, PARK));
}

TEST(a_quarter_of_all_sleeps_is_enough)
{
	count(LOCK, 1);
	count(PARK, 3);
	assert_true(work_places_has(&places, LOCK));
}

TEST(rare_places_do_not_keep_a_frequent_one_out)
{
	for (uint32_t i = 0; i < WORK_PLACES_KEPT; i++)
		count(100 + i, 1);
	count(PARK, 10);
	assert_true(work_places_has(&places, PARK));
	assert_false(work_places_has(&places, 100));
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* Events of owners in the order of time. */
#include "support/build.h"

#include "container/event_log.h"

struct event {
	uint64_t at_ns;
	uint32_t value;
};

static struct event_log log_;

static int setup(void **state)
{
	event_log_init(&log_, sizeof(struct event));
	return 0;
}

static int teardown(void **state)
{
	event_log_clean(&log_);
	return 0;
}

EACH_TEST(setup, teardown)

static void add(uint32_t owner, uint64_t at_ns, uint32_t value)
{
	const struct event event = {.at_ns = at_ns, .value = value};

	assert_int_equal(event_log_add(&log_, owner, &event), 0);
}

/* The values after `from_ns` and up to `until_ns`, as digits. */
static uint64_t digits(uint32_t owner, uint64_t from_ns, uint64_t until_ns)
{
	struct events events = event_log_within(&log_, owner, from_ns, until_ns);
	const struct event *event = events.event;
	uint64_t number = 0;

	for (size_t i = 0; i < events.cnt; i++)
		number = 10 * number + event[i].value;
	return number;
}

TEST(events_are_in_the_order_of_time_however_they_came)
{
	add(1, 300, 3);
	add(1, 100, 1);
	add(1, 400, 4);
	add(1, 200, 2);
	assert_int_equal(digits(1, 0, 1000), 1234);
	assert_int_equal(digits(2, 0, 1000), 0);
}

TEST(both_ends_of_a_time_are_exact)
{
	for (uint32_t i = 1; i <= 9; i++)
		add(1, 100 * i, i);
	assert_int_equal(digits(1, 0, 99), 0);
	assert_int_equal(digits(1, 0, 100), 1);
	assert_int_equal(digits(1, 100, 300), 23);
	assert_int_equal(digits(1, 99, 300), 123);
	assert_int_equal(digits(1, 900, 5000), 0);
	assert_int_equal(digits(1, 899, 5000), 9);
	assert_int_equal(digits(1, 500, 400), 0);
	assert_int_equal(event_log_until(&log_, 1, 500).cnt, 5);
}

TEST(simultaneous_events_are_all_there)
{
	add(1, 100, 1);
	add(1, 100, 2);
	add(1, 100, 3);
	assert_int_equal(digits(1, 0, 100), 123);
	assert_int_equal(digits(1, 100, 200), 0);
}

TEST(trimming_keeps_what_is_at_the_horizon)
{
	add(1, 100, 1);
	add(1, 200, 2);
	add(2, 100, 3);
	event_log_trim(&log_, 0);
	assert_int_equal(log_.cnt, 3);
	event_log_trim(&log_, 200);
	assert_int_equal(log_.cnt, 1);
	assert_int_equal(digits(1, 0, 1000), 2);
	assert_int_equal(digits(2, 0, 1000), 0);
	event_log_trim(&log_, UINT64_MAX);
	assert_int_equal(log_.cnt, 0);
	assert_null(log_.first);
}

TEST(an_owner_has_a_limit)
{
	for (uint64_t at_ns = 1; at_ns <= EVENT_LOG_MAX + 1; at_ns++)
		add(1, at_ns, 7);
	assert_int_equal(log_.cnt, EVENT_LOG_MAX / 2 + 1);
	assert_int_equal(digits(1, 0, EVENT_LOG_MAX / 2), 0);
	assert_int_equal(digits(1, EVENT_LOG_MAX, UINT64_MAX), 7);
}

TEST(the_number_of_owners_has_a_limit)
{
	for (uint32_t owner = 1; owner <= LRU_THREADS_MAX + 100; owner++)
		add(owner, 100, 7);
	assert_int_equal(log_.cnt, LRU_THREADS_MAX);
	assert_int_equal(digits(1, 0, 100), 0);
	assert_int_equal(digits(LRU_THREADS_MAX + 100, 0, 100), 7);
}

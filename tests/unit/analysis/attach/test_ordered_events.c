/* SPDX-License-Identifier: BSD-2-Clause */
/* Events come back in the order of time, and what many of them needed is given back. */
#include "support/build.h"

#include "analysis/attach/rounds/burst.h"

#define MANY 100000
#define FEW  10

static void add(struct ordered_events *events, uint64_t at_ns)
{
	const struct ordered_event event = {.at_ns = at_ns, .end_ns = at_ns + 1};

	assert_int_equal(ordered_events_add(events, &event), 0);
}

TEST(events_come_in_the_order_of_time)
{
	struct ordered_events events = {0};
	const struct ordered_event *event;
	size_t cnt;

	for (uint64_t at_ns = FEW; at_ns; at_ns--)
		add(&events, at_ns);
	event = ordered_events_before(&events, FEW, &cnt);
	assert_int_equal(cnt, FEW - 1);
	for (size_t i = 0; i < cnt; i++)
		assert_int_equal(event[i].at_ns, i + 1);
	ordered_events_clean(&events);
}

TEST(a_burst_leaves_no_memory_behind)
{
	struct ordered_events events = {0};
	const struct ordered_event *event;
	size_t cnt;

	for (uint64_t at_ns = 1; at_ns <= MANY; at_ns++)
		add(&events, at_ns);
	assert_true(events.deque.room >= MANY);
	ordered_events_before(&events, MANY - FEW + 1, &cnt);
	assert_int_equal(cnt, MANY - FEW);
	ordered_events_drop(&events, cnt);
	assert_true(events.deque.room < MANY / 4);
	event = ordered_events_before(&events, MANY + 1, &cnt);
	assert_int_equal(cnt, FEW);
	for (size_t i = 0; i < cnt; i++)
		assert_int_equal(event[i].at_ns, MANY - FEW + 1 + i);
	ordered_events_clean(&events);
}

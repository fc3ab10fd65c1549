/* SPDX-License-Identifier: BSD-2-Clause */
/* Which processes at one address are workers of one program, and the components of a call. */
#include "support/build.h"

#include "model/call.h"

TEST(workers_differ_in_their_last_part)
{
	static const char *const same[][2] = {{"worker-1", "worker-22"}, {"worker-a", "worker-b"},
					      {"web_1", "web_2"},        {"php7", "php8"},
					      {"nginx", "nginx"},        {"a/b:1", "a/b:2"}};
	static const char *const other[][2] = {
		{"nginx", "redis"}, {"worker", "master"}, {"web-x-1", "db-x-1"}, {"7", "8"},
		{"", "x"},          {"-a", "-b"}};

	for (size_t i = 0; i < ARRAY_SIZE(same); i++)
		assert_int_equal(compare_programs(same[i][0], same[i][1]), 0);
	for (size_t i = 0; i < ARRAY_SIZE(other); i++)
		assert_int_not_equal(compare_programs(other[i][0], other[i][1]), 0);
}

TEST(the_order_is_the_same_from_both_sides)
{
	assert_true(compare_programs("a-9", "b-1") < 0);
	assert_true(compare_programs("b-1", "a-9") > 0);
}

static struct call make_call(void)
{
	return (struct call){
		.sent_ns = 1000,
		.received_ns = 1100,
		.answered_ns = 1200,
		.back_ns = 1250,
		.request_part_ns = {[COMPONENT_WAKEUP] = 60, [COMPONENT_RECEIVE] = 10},
		.response_part_ns = {[COMPONENT_RECEIVE] = 50},
	};
}

/* The parts before the last one are sent meanwhile: that is dispatch of the last one. */
TEST(the_components_of_a_call_add_up_to_its_messages)
{
	const struct call call = make_call();
	uint64_t ns[NR_COMPONENTS];

	assert_true(call_components(&call, ns));
	assert_int_equal(ns[COMPONENT_WAKEUP], 60);
	assert_int_equal(ns[COMPONENT_RECEIVE], 60);
	assert_int_equal(ns[COMPONENT_DISPATCH], 30);
}

/* As of a request that was answered before the rest of it came. */
TEST(a_call_of_which_one_way_is_not_known_has_no_components)
{
	struct call call = make_call();
	uint64_t ns[NR_COMPONENTS];

	call.request_part_ns[COMPONENT_WAKEUP] = call.request_part_ns[COMPONENT_RECEIVE] = 0;
	assert_false(call_components(&call, ns));
	call = make_call();
	call.response_part_ns[COMPONENT_RECEIVE] = 51; /* longer than the response */
	assert_false(call_components(&call, ns));
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* Which processes at one address are workers of one program. */
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

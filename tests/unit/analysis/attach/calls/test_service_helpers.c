/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Threads that work on a request, received at 1000 and answered at 2000 by RECEIVER, while that one
 * waits for them.
 */
#include "analysis/attach/calls/service_fixture.h"

#include "analysis/attach/calls/service_helpers.h"

static const struct service_ends ends = {
	.receiver = RECEIVER, .received_ns = 1000, .answerer = RECEIVER, .answered_ns = 2000};

static void find(void)
{
	service_path_find(&path, work_log, lines, &ends);
	service_helpers_find(&path, work_log, &ends);
}

static void a_thread_that_is_given_work_and_wakes_the_giver_is_a_helper(void **state)
{
	request(RECEIVER, 1000, 1);
	wake(RECEIVER, WORKER, 1100);
	wake(WORKER, RECEIVER, 1400);
	wake(RECEIVER, WORKER, 1450);
	wake(WORKER, RECEIVER, 1500);
	wake(OTHER, RECEIVER, 1600); /* it had a lock */
	find();
	assert_int_equal(path.cnt, 1);
	assert_part(0, RECEIVER, 1000, 2000);
	assert_int_equal(path.helper_cnt, 1);
	assert_int_equal(path.helper[0].tid, WORKER);
	assert_int_equal(path.helper[0].from_ns, 1100);
	assert_int_equal(path.helper[0].to_ns, 1500);
}

/* Both took a lock in turn, and woke each other. */
static void a_thread_with_a_request_of_its_own_is_no_helper(void **state)
{
	request(WORKER, 900, 1);
	request(RECEIVER, 1000, 2);
	wake(RECEIVER, WORKER, 1100);
	wake(WORKER, RECEIVER, 1500);
	find();
	assert_int_equal(path.cnt, 1);
	assert_int_equal(path.helper_cnt, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_thread_that_is_given_work_and_wakes_the_giver_is_a_helper),
		TEST(a_thread_with_a_request_of_its_own_is_no_helper),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

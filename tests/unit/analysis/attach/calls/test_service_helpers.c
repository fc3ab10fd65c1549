/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Threads that work on a request, received at 1000 and answered at 2000 by RECEIVER, while that one
 * waits for them.
 */
#include "analysis/attach/calls/service_fixture.h"

#include "analysis/attach/calls/service_path.h"

enum { FUTEX = 202 };

/* Where threads sleep. */
enum { PARK = 1, LOCK = 2 };

static const struct service_ends ends = {
	.receiver = RECEIVER, .received_ns = 1000, .answerer = RECEIVER, .answered_ns = 2000};

static void find(void)
{
	service_path_find(&path, work_log, lines, &ends);
	service_helpers_find(&path, work_log, &ends);
	service_helpers_put(&path, work_log, lines, &ends);
}

/* It is woken at `to_ns`, and runs 10 ns later. */
static void sleep_in_futex(uint32_t tid, uint64_t from_ns, uint64_t to_ns)
{
	change(tid, from_ns, FUTEX, CHANGE_SLEEP_IN);
	change(tid, to_ns, 0, CHANGE_WAKE);
	change(tid, to_ns + 10, 0, CHANGE_SWITCH);
}

/* It waits at PARK while it has no request, from 400 on. */
static void work_before(void)
{
	request(RECEIVER, 300, 1);
	work_log__request(work_log, &(struct request_id){.number = 1, .tid = RECEIVER})
		->answered_ns = 400;
	wake_from(PARK, OTHER, RECEIVER, 450);
}

/* From 1150 to 1500. */
static void sleep_until_woken_by(uint32_t giver, uint32_t place)
{
	wake_from(place, giver, RECEIVER, 1500);
	sleep_in_futex(RECEIVER, 1150, 1501);
}

/* The same, while the worker has work from 1100 on. */
static void wait_for_the_worker(uint32_t place)
{
	request(RECEIVER, 1000, 2);
	wake(RECEIVER, WORKER, 1100);
	sleep_until_woken_by(WORKER, place);
}

TEST(a_thread_that_is_given_work_and_wakes_the_giver_is_a_helper)
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

/* The receiver got an older result of the worker, and waits for the next one. */
TEST(a_result_before_a_wait_for_work_does_not_hide_the_worker)
{
	work_before();
	request(RECEIVER, 1000, 2);
	give(WORK_MESSAGE, WORKER, 1050, RECEIVER, 1060);
	wake(RECEIVER, WORKER, 1100);
	sleep_until_woken_by(WORKER, PARK);
	find();
	assert_int_equal(path.cnt, 3);
	assert_part(0, RECEIVER, 1000, 1150);
	assert_part(1, WORKER, 1150, 1500);
	assert_part(2, RECEIVER, 1500, 2000);
}

/* Both took a lock in turn, and woke each other. */
TEST(a_thread_with_a_request_of_its_own_is_no_helper)
{
	work_before();
	request(WORKER, 900, 1);
	wait_for_the_worker(PARK);
	find();
	assert_int_equal(path.cnt, 1);
	assert_int_equal(path.helper_cnt, 0);
}

TEST(what_a_thread_waits_for_as_if_it_had_no_request_is_its_helper)
{
	work_before();
	sleep_in_futex(WORKER, 500, 1101);
	wait_for_the_worker(PARK);
	find();
	assert_int_equal(path.cnt, 3);
	assert_part(0, RECEIVER, 1000, 1150);
	assert_false(path.part[0].is_handed_over);
	assert_part(1, WORKER, 1150, 1500);
	assert_true(path.part[1].is_handed_over);
	assert_part(2, RECEIVER, 1500, 2000);
	assert_true(path.part[2].is_handed_over);
}

/* The worker gives its result to a third thread, which watches an eventfd. */
TEST(a_result_may_come_by_way_of_another_thread)
{
	work_before();
	request(RECEIVER, 1000, 2);
	wake(RECEIVER, WORKER, 1100);
	give(WORK_MESSAGE, WORKER, 1400, OTHER, 1410);
	sleep_until_woken_by(OTHER, PARK);
	find();
	assert_int_equal(path.cnt, 4);
	assert_part(0, RECEIVER, 1000, 1150);
	assert_part(1, WORKER, 1150, 1400);
	assert_part(2, OTHER, 1400, 1500);
	assert_part(3, RECEIVER, 1500, 2000);
}

TEST(elsewhere_a_thread_waits_for_a_lock)
{
	work_before();
	wait_for_the_worker(LOCK);
	find();
	assert_int_equal(path.cnt, 1);
}

TEST(where_it_is_not_known_what_a_thread_waits_for_it_is_a_lock)
{
	wait_for_the_worker(PARK);
	find();
	assert_int_equal(path.cnt, 1);
}

/* Something else woke it. */
TEST(a_wait_that_no_helper_ended_stays_as_it_is)
{
	work_before();
	request(RECEIVER, 1000, 2);
	sleep_until_woken_by(OTHER, PARK);
	find();
	assert_int_equal(path.cnt, 1);
}

/* The receiver had both requests when it woke the worker, once. */
TEST(a_helper_that_may_have_another_request_is_not_put_into_the_path)
{
	work_before();
	wake(RECEIVER, WORKER, 500);
	request(RECEIVER, 1000, 2);
	request(RECEIVER, 1050, 3);
	wake(RECEIVER, WORKER, 1100);
	sleep_until_woken_by(WORKER, PARK);
	find();
	assert_int_equal(path.helper_cnt, 1);
	assert_int_equal(path.cnt, 1);
}

/* It was awake when the wakeup came, and has not waited. */
TEST(a_thread_that_did_not_sleep_has_not_waited)
{
	work_before();
	request(RECEIVER, 1000, 2);
	wake(RECEIVER, WORKER, 1100);
	wake_from(PARK, WORKER, RECEIVER, 1500);
	sleep_in_futex(RECEIVER, 900, 950);
	find();
	assert_int_equal(path.cnt, 1);
}

/* It was about to sleep when the request came, and found the work. */
TEST(a_helper_that_is_awake_needs_no_wakeup)
{
	work_before();
	change(WORKER, 300, 0, CHANGE_SWITCH);
	wake_from(PARK, WORKER, RECEIVER, 480);
	request(RECEIVER, 1000, 2);
	sleep_until_woken_by(WORKER, PARK);
	find();
	assert_int_equal(path.cnt, 3);
	assert_part(0, RECEIVER, 1000, 1150);
	assert_part(1, WORKER, 1150, 1500);
	assert_true(path.part[1].is_handed_over);
	assert_part(2, RECEIVER, 1500, 2000);
	wake(OTHER, WORKER, 700); /* it may work on that */
	find();
	assert_int_equal(path.cnt, 1);
}

TEST(a_helper_that_slept_was_woken_by_something_else)
{
	work_before();
	wake_from(PARK, WORKER, RECEIVER, 480);
	sleep_in_futex(WORKER, 490, 800);
	request(RECEIVER, 1000, 2);
	sleep_until_woken_by(WORKER, PARK);
	find();
	assert_int_equal(path.cnt, 1);
}

/* It may sleep for something that has nothing to do with the wait. */
TEST(a_helper_that_sleeps_already_is_not_put_into_the_path)
{
	work_before();
	sleep_in_futex(WORKER, 1140, 1300);
	wait_for_the_worker(PARK);
	find();
	assert_int_equal(path.cnt, 1);
}

TEST(a_helper_may_be_given_work_more_than_once)
{
	work_before();
	sleep_in_futex(WORKER, 1510, 1661);
	wait_for_the_worker(PARK);
	wake(RECEIVER, WORKER, 1650);
	sleep_in_futex(RECEIVER, 1655, 1801);
	wake_from(PARK, WORKER, RECEIVER, 1800);
	find();
	assert_int_equal(path.cnt, 5);
	assert_part(2, RECEIVER, 1500, 1655);
	assert_part(3, WORKER, 1655, 1800);
	assert_part(4, RECEIVER, 1800, 2000);
}

TEST(further_waits_of_very_many_stay_as_they_are)
{
	work_before();
	request(RECEIVER, 1000, 2);
	wake(RECEIVER, WORKER, 1000);
	for (uint64_t at_ns = 1020; at_ns < 1980; at_ns += 20) {
		sleep_in_futex(RECEIVER, at_ns, at_ns + 6);
		wake_from(PARK, WORKER, RECEIVER, at_ns + 5);
	}
	find();
	assert_int_equal(path.cnt, SERVICE_PATH_MAX - 1);
	assert_int_equal(path.part[0].from_ns, 1000);
	for (uint32_t i = 1; i < path.cnt; i++)
		assert_int_equal(path.part[i].from_ns, path.part[i - 1].to_ns);
	assert_int_equal(path.part[path.cnt - 1].to_ns, 2000);
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* Which threads worked on a request that was received at 1000 and answered at 2000. */
#include "analysis/attach/calls/service_fixture.h"

static void find(uint32_t answerer)
{
	const struct service_ends ends = {.receiver = RECEIVER,
					  .received_ns = 1000,
					  .answerer = answerer,
					  .answered_ns = 2000};

	service_path_find(&path, work_log, lines, &ends);
}

/* From then on it is asleep, until 10 ns later it runs. */
static void sleep_at(uint32_t tid, uint64_t at_ns)
{
	change(tid, at_ns, 232, CHANGE_POLL_IN);
	change(tid, at_ns + 9, 0, CHANGE_WAKE);
	change(tid, at_ns + 10, 0, CHANGE_SWITCH);
}

TEST(a_thread_that_answers_itself_is_the_only_one)
{
	request(RECEIVER, 500, 1);
	request(RECEIVER, 1000, 2);
	wake(OTHER, RECEIVER, 1500); /* it had a lock */
	find(RECEIVER);
	assert_int_equal(path.cnt, 1);
	assert_part(0, RECEIVER, 1000, 2000);
	assert_false(path.part[0].is_handed_over);
}

/* An event loop works on all that it has received. */
TEST(further_requests_do_not_matter)
{
	request(RECEIVER, 1000, 1);
	request(RECEIVER, 1100, 2);
	request(RECEIVER, 1200, 3);
	find(RECEIVER);
	assert_int_equal(path.cnt, 1);
	assert_part(0, RECEIVER, 1000, 2000);
}

TEST(work_is_followed_to_a_thread_that_is_woken)
{
	request(RECEIVER, 1000, 1);
	wake(RECEIVER, WORKER, 1100);
	find(WORKER);
	assert_int_equal(path.cnt, 2);
	assert_part(0, RECEIVER, 1000, 1100);
	assert_part(1, WORKER, 1100, 2000);
	assert_true(path.part[1].is_handed_over);
}

TEST(work_is_followed_to_another_thread_and_back)
{
	request(RECEIVER, 1000, 1);
	give(WORK_MESSAGE, RECEIVER, 1100, WORKER, 1150);
	give(WORK_MESSAGE, WORKER, 1800, RECEIVER, 1850);
	find(RECEIVER);
	assert_int_equal(path.cnt, 3);
	assert_part(0, RECEIVER, 1000, 1100);
	assert_part(1, WORKER, 1100, 1800);
	assert_part(2, RECEIVER, 1800, 2000);
}

/* The second wakeup is the release of a lock that the worker waits for. */
TEST(a_wait_for_a_lock_does_not_change_the_thread)
{
	request(RECEIVER, 1000, 1);
	wake(RECEIVER, WORKER, 1100);
	request(RECEIVER, 1200, 2);
	wake(RECEIVER, OTHER, 1300); /* with the second request */
	wake(OTHER, WORKER, 1500);
	find(WORKER);
	assert_int_equal(path.cnt, 2);
	assert_part(0, RECEIVER, 1000, 1100);
	assert_part(1, WORKER, 1100, 2000);
}

/* An I/O thread receives several requests before it wakes the other one, once. */
TEST(one_message_may_hand_over_several_requests)
{
	request(RECEIVER, 100, 1);
	give(WORK_MESSAGE, RECEIVER, 200, WORKER, 210);
	request(RECEIVER, 1000, 2);
	request(RECEIVER, 1010, 3);
	give(WORK_MESSAGE, RECEIVER, 1100, WORKER, 1150);
	give(WORK_MESSAGE, WORKER, 1800, RECEIVER, 1850);
	find(RECEIVER);
	assert_int_equal(path.cnt, 3);
	assert_part(1, WORKER, 1100, 1800);
}

/* Which of its requests a thread hands over is not known when it has handed over another one. */
TEST(a_request_that_was_handed_to_another_thread_is_not_taken_for_this_one)
{
	request(RECEIVER, 1000, 1);
	wake(RECEIVER, OTHER, 1100);
	request(RECEIVER, 1200, 2);
	wake(RECEIVER, WORKER, 1300);
	find(WORKER);
	assert_int_equal(path.cnt, 0);
}

TEST(without_a_hand_over_nothing_is_known)
{
	request(RECEIVER, 1000, 1);
	wake(RECEIVER, WORKER, 900); /* before */
	find(WORKER);
	assert_int_equal(path.cnt, 0);
}

/* It was not asleep, so that nothing woke it. What it did then is not known. */
TEST(a_thread_that_is_sent_unknown_work_does_not_serve_alone)
{
	request(RECEIVER, 1000, 1);
	give(WORK_MESSAGE, WORKER, 1800, RECEIVER, 1850);
	find(RECEIVER);
	assert_int_equal(path.cnt, 0);
}

TEST(what_another_thread_sent_before_a_sleep_is_not_why_it_answers)
{
	request(RECEIVER, 1000, 1);
	give(WORK_MESSAGE, WORKER, 1500, RECEIVER, 1550);
	sleep_at(RECEIVER, 1600);
	find(RECEIVER);
	assert_int_equal(path.cnt, 1);
}

/* The worker was done with what it had before, and did not sleep until it gave its result. */
TEST(a_thread_that_is_awake_takes_work_without_a_wakeup)
{
	request(RECEIVER, 700, 1);
	give(WORK_MESSAGE, RECEIVER, 710, WORKER, 720);
	sleep_at(WORKER, 600);
	give(WORK_MESSAGE, WORKER, 900, RECEIVER, 950);
	request(RECEIVER, 1000, 2);
	give(WORK_MESSAGE, WORKER, 1800, RECEIVER, 1850);
	find(RECEIVER);
	assert_int_equal(path.cnt, 0); /* it may still work on the first request */
	work_log__sent(work_log, WORKER, 900);
	work_log__sent(work_log, WORKER, 1800);
	find(RECEIVER);
	assert_int_equal(path.cnt, 2);
	assert_part(0, WORKER, 1000, 1800);
	assert_true(path.part[0].is_handed_over);
	assert_part(1, RECEIVER, 1800, 2000);
	give(WORK_MESSAGE, OTHER, 940, WORKER, 950); /* of which its result may be */
	find(RECEIVER);
	assert_int_equal(path.cnt, 0);
}

/* The worker finds the request while it is awake, and gives its result at 1800. */
static void work_awake(void)
{
	request(RECEIVER, 700, 1);
	give(WORK_MESSAGE, RECEIVER, 710, WORKER, 720);
	sleep_at(WORKER, 600);
	work_log__sent(work_log, WORKER, 900);
	request(RECEIVER, 1000, 2);
	give(WORK_MESSAGE, WORKER, 1800, RECEIVER, 1850);
}

/* The worker has a lock when it gives its result, and frees it afterwards. */
TEST(a_wait_for_a_lock_of_the_worker_hides_no_result)
{
	work_awake();
	sleep_at(RECEIVER, 1860);
	wake(WORKER, RECEIVER, 1865);
	find(RECEIVER);
	assert_int_equal(path.cnt, 2);
	assert_part(0, WORKER, 1000, 1800);
	assert_part(1, RECEIVER, 1800, 2000);
}

/* The wakeup finds the thread on its CPU still. */
TEST(a_wakeup_that_ends_no_sleep_hides_no_result)
{
	work_awake();
	wake(OTHER, RECEIVER, 1900);
	find(RECEIVER);
	assert_int_equal(path.cnt, 2);
	assert_part(0, WORKER, 1000, 1800);
}

/* A message of a third thread in between is not why it waits. */
TEST(a_wait_for_a_lock_leads_to_what_its_owner_sent)
{
	work_awake();
	give(WORK_MESSAGE, OTHER, 1852, RECEIVER, 1855);
	sleep_at(RECEIVER, 1860);
	wake(WORKER, RECEIVER, 1865);
	find(RECEIVER);
	assert_int_equal(path.cnt, 2);
	assert_part(0, WORKER, 1000, 1800);
}

/* Why it slept is not known: it may have waited for another result. */
TEST(a_wait_that_another_thread_ends_hides_the_result)
{
	work_awake();
	sleep_at(RECEIVER, 1860);
	wake(OTHER, RECEIVER, 1865);
	find(RECEIVER);
	assert_int_equal(path.cnt, 1);
}

/* The same for one that answers itself. */
TEST(a_thread_that_answers_may_have_taken_the_work_awake)
{
	request(RECEIVER, 700, 1);
	sleep_at(WORKER, 600);
	wake(RECEIVER, WORKER, 710);
	work_log__sent(work_log, WORKER, 900);
	request(RECEIVER, 1000, 2);
	find(WORKER);
	assert_int_equal(path.cnt, 1);
	assert_part(0, WORKER, 1000, 2000);
	assert_true(path.part[0].is_handed_over);
}

/* Something woke it then, which no event shows. */
TEST(a_thread_that_was_asleep_has_not_taken_the_work_awake)
{
	request(RECEIVER, 700, 1);
	sleep_at(WORKER, 995);
	wake(RECEIVER, WORKER, 710);
	work_log__sent(work_log, WORKER, 900);
	request(RECEIVER, 1000, 2);
	find(WORKER);
	assert_int_equal(path.cnt, 0);
}

TEST(a_path_through_very_many_threads_is_given_up)
{
	request(RECEIVER, 1000, 1);
	wake(RECEIVER, 100, 1001);
	for (uint32_t i = 0; i < 2 * SERVICE_PATH_MAX; i++)
		wake(100 + i, 101 + i, 1002 + i);
	find(100 + 2 * SERVICE_PATH_MAX);
	assert_int_equal(path.cnt, 0);
	find(100);
	assert_int_equal(path.cnt, 2);
}

static void assert_behind(uint32_t tid, uint64_t sent_ns, uint64_t number)
{
	assert_int_equal(request_behind(work_log, lines, tid, sent_ns).number, number);
}

TEST(what_a_thread_sends_is_for_the_request_that_it_got_last)
{
	request(RECEIVER, 1000, 4);
	assert_behind(RECEIVER, 900, 0);
	assert_behind(RECEIVER, 1100, 4);
	assert_behind(WORKER, 1100, 0);
	give(WORK_MESSAGE, RECEIVER, 1200, WORKER, 1250);
	assert_behind(WORKER, 1300, 4);
}

/* A timer may be why it sends now. */
TEST(after_a_sleep_it_is_not_certain_what_it_sends_for)
{
	request(RECEIVER, 1000, 4);
	sleep_at(RECEIVER, 1100);
	assert_behind(RECEIVER, 1050, 4);
	assert_behind(RECEIVER, 1200, 0);
}

TEST(for_an_answered_request_nothing_is_sent)
{
	request(RECEIVER, 1000, 4);
	work_log__request(work_log, &(struct request_id){.number = 4, .tid = RECEIVER})
		->answered_ns = 1050;
	assert_behind(RECEIVER, 1100, 0);
	assert_behind(RECEIVER, 1040, 4);
}

/* The answer to a call that was made for it. */
TEST(an_answer_goes_on_with_the_request_it_was_for)
{
	const struct work answer = {
		.source = WORK_OTHER, .got_ns = 1500, .parent = {.number = 4, .tid = RECEIVER}};

	request(RECEIVER, 1000, 4);
	sleep_at(RECEIVER, 1100);
	assert_int_equal(work_log__add(work_log, RECEIVER, &answer), 0);
	assert_behind(RECEIVER, 1600, 4);
}

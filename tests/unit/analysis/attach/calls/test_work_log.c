/* SPDX-License-Identifier: BSD-2-Clause */
/* What is remembered of the work of threads, and for how long. */
#include "support/build.h"

#include "analysis/attach/calls/work_log.h"

static struct work_log *work_log;

EACH_TEST_HAS(work_log, work_log__new(), work_log__free)

static void got(uint32_t tid, uint64_t at_ns, enum work_source source, uint64_t number)
{
	const struct work work = {.got_ns = at_ns,
				  .source = source,
				  .is_request = source == WORK_REQUEST,
				  .parent = {.number = number, .tid = tid}};

	assert_int_equal(work_log__add(work_log, tid, &work), 0);
}

TEST(a_thread_that_got_nothing_has_no_work)
{
	assert_int_equal(work_log__until(work_log, 7, 1000).cnt, 0);
	assert_null(work_log__request(work_log, &(struct request_id){.number = 1, .tid = 7}));
	assert_null(work_log__request(work_log, &(struct request_id){0}));
	work_log__trim(work_log, 1000);
}

/* Wakeups are known before messages of the same time. */
TEST(work_that_comes_late_is_in_its_place)
{
	struct works works;

	got(7, 300, WORK_WAKEUP, 0);
	got(7, 100, WORK_REQUEST, 1);
	got(8, 150, WORK_REQUEST, 2);
	got(7, 200, WORK_OTHER, 0);
	works = work_log__until(work_log, 7, 299);
	assert_int_equal(works.cnt, 2);
	assert_int_equal(works.work[0].got_ns, 100);
	assert_int_equal(works.work[1].got_ns, 200);
	assert_int_equal(work_log__until(work_log, 7, 300).cnt, 3);
	assert_int_equal(work_log__until(work_log, 7, 99).cnt, 0);
}

TEST(a_request_is_found_by_thread_and_number)
{
	struct work *work;

	got(7, 100, WORK_REQUEST, 1);
	got(7, 200, WORK_OTHER, 2);
	got(8, 300, WORK_REQUEST, 2);
	work = work_log__request(work_log, &(struct request_id){.number = 2, .tid = 8});
	assert_non_null(work);
	assert_int_equal(work->got_ns, 300);
	assert_null(work_log__request(work_log, &(struct request_id){.number = 2, .tid = 7}));
}

TEST(what_is_old_is_forgotten)
{
	struct works works;

	got(7, 100, WORK_REQUEST, 1);
	got(7, 200, WORK_REQUEST, 2);
	got(8, 150, WORK_REQUEST, 3);
	work_log__trim(work_log, 200);
	works = work_log__until(work_log, 7, 1000);
	assert_int_equal(works.cnt, 1);
	assert_int_equal(works.work[0].got_ns, 200);
	assert_int_equal(work_log__until(work_log, 8, 1000).cnt, 0);
}

TEST(a_thread_keeps_its_youngest_work)
{
	struct works works;

	for (uint64_t i = 0; i <= WORKS_MAX; i++)
		got(7, 100 + i, WORK_OTHER, 0);
	works = work_log__until(work_log, 7, UINT64_MAX);
	assert_in_range(works.cnt, WORKS_MAX / 2, WORKS_MAX);
	assert_int_equal(works.work[works.cnt - 1].got_ns, 100 + WORKS_MAX);
}

TEST(the_number_of_a_search_is_never_0)
{
	uint32_t first = work_log__begin_search(work_log);

	assert_int_not_equal(first, 0);
	assert_int_not_equal(work_log__begin_search(work_log), first);
}

static void woken(uint32_t tid, uint64_t at_ns, unsigned int type, uint32_t place)
{
	const struct record_wakeup wakeup = {
		.head = {.type = type, .words = RECORD_WORDS(struct record_wakeup), .tid = 9},
		.woken = tid,
		.place = place,
		.at_ns = at_ns};

	assert_int_equal(work_log__wakeup(work_log, &wakeup), 0);
}

static void answered(uint32_t tid, uint64_t number, uint64_t at_ns)
{
	const struct request_id id = {.number = number, .tid = tid};

	work_log__request(work_log, &id)->answered_ns = at_ns;
}

static void serve(uint32_t tid, uint64_t number, uint64_t from_ns, uint64_t to_ns)
{
	got(tid, from_ns, WORK_REQUEST, number);
	answered(tid, number, to_ns);
}

TEST(a_thread_is_woken_by_another_one)
{
	const struct work *work;

	woken(7, 100, RECORD_FUTEX_WAKEUP, 3);
	woken(7, 200, RECORD_WAKEUP, 3); /* such a record has no place */
	work = work_log__until(work_log, 7, 200).work;
	assert_int_equal(work[0].source, WORK_WAKEUP);
	assert_int_equal(work[0].giver, 9);
	assert_int_equal(work[0].given_ns, 100);
	assert_int_equal(work[0].got_ns, 100);
	assert_int_equal(work[0].place, 3);
	assert_int_equal(work[1].place, 0);
}

TEST(a_thread_without_an_open_request_waits_for_work)
{
	woken(7, 50, RECORD_FUTEX_WAKEUP, 2); /* it may have had a request */
	got(7, 100, WORK_REQUEST, 1);
	woken(7, 150, RECORD_FUTEX_WAKEUP, 3);
	answered(7, 1, 200);
	woken(7, 250, RECORD_FUTEX_WAKEUP, 4);
	assert_false(work_log__waits_for_work(work_log, 7, 4, 249));
	assert_true(work_log__waits_for_work(work_log, 7, 4, 250));
	assert_false(work_log__waits_for_work(work_log, 7, 2, 250));
	assert_false(work_log__waits_for_work(work_log, 7, 3, 250));
	assert_false(work_log__waits_for_work(work_log, 8, 4, 250));
	assert_false(work_log__waits_for_work(work_log, 7, 0, 250));
	work_log__trim(work_log, 251);
	got(7, 300, WORK_REQUEST, 2);
	woken(7, 350, RECORD_FUTEX_WAKEUP, 5);
	assert_false(work_log__waits_for_work(work_log, 7, 5, 400));
}

/* Where calls are far apart, the request before is forgotten when the next one comes. */
TEST(where_a_thread_waits_for_work_is_remembered)
{
	serve(7, 1, 100, 200);
	work_log__trim(work_log, 1000);
	woken(7, 1250, RECORD_FUTEX_WAKEUP, 4);
	work_log__trim(work_log, 2000);
	assert_int_equal(work_log__until(work_log, 7, UINT64_MAX).cnt, 0);
	got(7, 2100, WORK_REQUEST, 2);
	assert_true(work_log__waits_for_work(work_log, 7, 4, 2100));
}

TEST(a_request_that_was_forgotten_without_an_answer_stays_open)
{
	serve(7, 1, 100, 200);
	got(7, 300, WORK_REQUEST, 2);
	work_log__trim(work_log, 1000);
	woken(7, 1250, RECORD_FUTEX_WAKEUP, 4);
	assert_false(work_log__waits_for_work(work_log, 7, 4, 2000));
}

/* The one that was not answered does not stand in the way of what comes later. */
TEST(a_request_without_an_answer_hides_no_later_wakeup)
{
	got(7, 100, WORK_REQUEST, 1);
	woken(7, 150, RECORD_FUTEX_WAKEUP, 3);
	serve(7, 2, 200, 300);
	woken(7, 350, RECORD_FUTEX_WAKEUP, 4);
	assert_true(work_log__waits_for_work(work_log, 7, 4, 400));
	assert_false(work_log__waits_for_work(work_log, 7, 3, 400));
}

TEST(a_request_is_not_looked_for_through_very_much_work)
{
	serve(7, 1, 100, 110);
	for (uint64_t i = 0; i < 100; i++)
		got(7, 120 + i, WORK_OTHER, 0);
	woken(7, 250, RECORD_FUTEX_WAKEUP, 4);
	assert_false(work_log__waits_for_work(work_log, 7, 4, 260));
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* Which calls were made in the service of which call, and for how long they were open. */
#include "support/build.h"

#include "analysis/attach/calls/made_calls.h"

enum { SERVER = 7, WORKER = 8, NUMBER = 3 };

static struct made_calls *made;
static struct work_log *work_log;
static struct timelines *lines;
static struct service_path path;
static struct call call;

static int setup(void **state)
{
	made = made_calls__new();
	work_log = work_log__new();
	lines = timelines__new();
	path = (struct service_path){.cnt = 1,
				     .part = {{.tid = SERVER, .from_ns = 1000, .to_ns = 2000}}};
	call = (struct call){.number = NUMBER, .received_ns = 1000, .answered_ns = 2000};
	return made && work_log && lines ? 0 : -1;
}

static int teardown(void **state)
{
	made_calls__free(made);
	work_log__free(work_log);
	timelines__free(lines);
	return 0;
}

EACH_TEST(setup, teardown)

static void add_as(uint64_t parent, uint32_t tid, uint64_t callee, uint64_t sent_ns,
		   uint64_t back_ns)
{
	const struct made_call one = {.parent = parent,
				      .tid = tid,
				      .callee = callee,
				      .channel = (uint32_t)(callee + 100),
				      .sent_ns = sent_ns,
				      .back_ns = back_ns};

	assert_int_equal(made_calls__add(made, &one, false), 0);
}

static void got_request(uint32_t tid, uint64_t at_ns, uint64_t number)
{
	const struct work work = {.source = WORK_REQUEST,
				  .is_request = true,
				  .got_ns = at_ns,
				  .parent = {.number = number, .tid = tid}};

	assert_int_equal(work_log__add(work_log, tid, &work), 0);
}

static void got_answer(uint32_t tid, uint64_t at_ns)
{
	const struct work work = {.source = WORK_OTHER, .got_ns = at_ns};

	assert_int_equal(work_log__add(work_log, tid, &work), 0);
}

static void take(void)
{
	assert_int_equal(made_calls__take(made, work_log, lines, &path, &call), 0);
}

/* The thread that works on the request waits for it in a futex. */
TEST(calls_of_a_helper_are_made_in_the_service)
{
	path.helper_cnt = 1;
	path.helper[0] = (struct service_part){.tid = WORKER, .from_ns = 1100, .to_ns = 1500};
	add_as(0, WORKER, 5, 1050, 1090);
	add_as(0, WORKER, 5, 1200, 1400);
	add_as(0, WORKER, 5, 1600, 1700);
	take();
	assert_int_equal(call.nested, 1);
	assert_int_equal(call.nested_ns, 200);
}

/*
 *	1200   1250   1300   1350        1500  1700
 *	  |-- first --|                    |-- third, in two parts
 *	         |-- second --|
 */
TEST(time_in_which_several_calls_are_open_counts_once)
{
	struct made_call third = {.parent = NUMBER, .callee = 5, .sent_ns = 1500, .back_ns = 1600};

	add_as(NUMBER, SERVER, 5, 1200, 1300);
	add_as(NUMBER, SERVER, 5, 1250, 1350);
	add_as(NUMBER, SERVER, 5, 1260, 1340);
	assert_int_equal(made_calls__add(made, &third, false), 0);
	third.back_ns = 1700;
	assert_int_equal(made_calls__add(made, &third, true), 0);
	take();
	assert_int_equal(call.nested, 4);
	assert_int_equal(call.nested_ns, 150 + 200);
	assert_int_equal(call.callee_cnt, 1);
	assert_int_equal(call.callee[0].ns, 350);
}

TEST(each_callee_has_its_own_time_the_largest_first)
{
	for (uint64_t i = 0; i < CALL_CALLEES_MAX + 2; i++)
		add_as(NUMBER, SERVER, i, 1100, 1200 + 10 * i);
	add_as(NUMBER, SERVER, 1, 1300, 1400);
	take();
	assert_int_equal(call.nested, CALL_CALLEES_MAX + 3);
	assert_int_equal(call.nested_ns, 100 + 10 * (CALL_CALLEES_MAX + 1) + 100);
	assert_int_equal(call.callee_cnt, CALL_CALLEES_MAX);
	assert_int_equal(call.callee[0].channel, 101);
	assert_int_equal(call.callee[0].calls, 2);
	assert_int_equal(call.callee[0].ns, 210);
	for (uint32_t i = 2; i < CALL_CALLEES_MAX; i++)
		assert_true(call.callee[i].ns < call.callee[i - 1].ns);
}

/* The server did not wait for its answer. */
TEST(a_call_that_ends_after_the_answer_is_not_nested)
{
	add_as(NUMBER, SERVER, 5, 1200, 2001);
	add_as(0, SERVER, 5, 1300, 2001);
	take();
	assert_int_equal(call.nested, 0);
	assert_int_equal(call.callee_cnt, 0);
}

TEST(a_call_of_another_request_is_not_nested)
{
	add_as(NUMBER + 1, SERVER, 5, 1200, 1300);
	take();
	assert_int_equal(call.nested, 0);
}

/* The thread slept before it called, or got the work from a queue. */
TEST(calls_of_a_thread_that_works_on_one_request_are_made_for_it)
{
	path.part[1] = (struct service_part){.tid = WORKER, .from_ns = 1400, .to_ns = 1900};
	path.cnt = 2;
	got_request(SERVER, 1000, NUMBER);
	add_as(0, SERVER, 5, 900, 990); /* before */
	add_as(0, SERVER, 5, 1200, 1300);
	add_as(0, WORKER, 6, 1350, 1380); /* before it had the work */
	add_as(0, WORKER, 6, 1500, 1800);
	add_as(0, WORKER, 6, 1950, 1960); /* after it had given it away */
	take();
	assert_int_equal(call.nested, 2);
	assert_int_equal(call.nested_ns, 100 + 300);
	assert_int_equal(call.callee[0].channel, 106);
}

/* As in a loop that serves many clients at a time. */
TEST(a_thread_that_got_another_request_may_call_for_that_one)
{
	got_request(SERVER, 1000, NUMBER);
	add_as(0, SERVER, 5, 1200, 1300);
	got_request(SERVER, 1400, NUMBER + 1);
	add_as(0, SERVER, 5, 1500, 1600);
	take();
	assert_int_equal(call.nested, 1);
	assert_int_equal(call.nested_ns, 100);
}

/*
 * A pool's queue: the call is made when an earlier one is over, and others have come meanwhile.
 *
 *	1000      1400      1500              1900       2000
 *	request   another   calls for ...     gets back  answers
 */
TEST(a_call_belongs_to_the_request_that_is_answered_because_of_it)
{
	got_request(SERVER, 1000, NUMBER);
	got_request(SERVER, 1400, NUMBER + 1);
	add_as(0, SERVER, 5, 1500, 1900);
	got_answer(SERVER, 1900);
	take();
	assert_int_equal(call.nested, 1);
	assert_int_equal(call.nested_ns, 400);
}

/* The answer may have been made because of what it got last, or of a timer. */
TEST(a_call_that_is_not_why_the_thread_answers_is_not_nested)
{
	const uint64_t change[] = {change_pack(1950, 232, CHANGE_POLL_IN),
				   change_pack(1951, 0, CHANGE_WAKE),
				   change_pack(1952, 0, CHANGE_SWITCH)};

	got_request(SERVER, 1000, NUMBER);
	got_request(SERVER, 1400, NUMBER + 1);
	add_as(0, SERVER, 5, 1500, 1800);
	add_as(0, SERVER, 5, 1510, 1900);
	got_answer(SERVER, 1800);
	got_answer(SERVER, 1900);
	take();
	assert_int_equal(call.nested, 1);
	assert_int_equal(call.nested_ns, 390);
	call.nested = 0;
	assert_int_equal(timelines__add(lines, SERVER, change, ARRAY_SIZE(change), 0, 1952), 0);
	take();
	assert_int_equal(call.nested, 0);
}

/* Another thread answers. */
TEST(a_thread_that_does_not_answer_calls_for_the_request_that_it_got_last)
{
	path.part[0].to_ns = 1950;
	got_request(SERVER, 1000, NUMBER);
	got_request(SERVER, 1400, NUMBER + 1);
	add_as(0, SERVER, 5, 1500, 1900);
	got_answer(SERVER, 1900);
	take();
	assert_int_equal(call.nested, 0);
}

TEST(what_is_old_is_forgotten)
{
	add_as(0, SERVER, 5, 1100, 1200);
	add_as(0, SERVER, 5, 1300, 1400);
	made_calls__trim(made, 1300);
	take();
	assert_int_equal(call.nested, 1);
	made_calls__trim(made, 5000);
	take();
	assert_int_equal(call.nested, 1); /* as before: nothing was found */
}

TEST(a_thread_keeps_its_youngest_calls)
{
	call.answered_ns = path.part[0].to_ns = UINT64_MAX;
	for (uint64_t i = 0; i <= MADE_CALLS_MAX; i++)
		add_as(0, SERVER, 5, 1100 + 2 * i, 1101 + 2 * i);
	take();
	assert_in_range(call.nested, MADE_CALLS_MAX / 2, MADE_CALLS_MAX);
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* Calls that receive several messages: all of these return when the call does. */
#include "support/build.h"

#include "analysis/attach/multi_receive.h"

#include <errno.h>

enum { TID = 5, CHANNEL = 8 };

/* What came out; only the last ones are kept. */
static struct {
	struct record_receive receive[8];
	size_t change_cnt[8];
	size_t cnt;
	int answer;
} out;

static struct multi_receive *calls;

static int put(void *ctx, const struct record_receive *receive, size_t change_cnt)
{
	assert_ptr_equal(ctx, &out);
	out.receive[out.cnt % ARRAY_SIZE(out.receive)] = *receive;
	out.change_cnt[out.cnt++ % ARRAY_SIZE(out.receive)] = change_cnt;
	return out.answer;
}

static int setup(void **state)
{
	out.cnt = out.answer = 0;
	calls = multi_receive__new();
	return calls ? 0 : -1;
}

static int teardown(void **state)
{
	multi_receive__free(calls);
	return 0;
}

EACH_TEST(setup, teardown)

/* `exit_ns` 0: recorded before the return. */
static int take(uint32_t tid, uint64_t position, uint64_t enter_ns, uint64_t exit_ns,
		uint64_t first, size_t change_cnt)
{
	struct record_receive receive = make_receive(tid, CHANNEL, position, enter_ns, exit_ns);

	receive.first = first;
	return multi_receive__take(calls, &receive, change_cnt, put, &out);
}

static void assert_out(size_t i, uint64_t position, uint64_t exit_ns, uint64_t first,
		       size_t change_cnt)
{
	assert_true(i < out.cnt);
	assert_int_equal(out.receive[i].position, position);
	assert_int_equal(out.receive[i].exit_ns, exit_ns);
	assert_int_equal(out.receive[i].first, first);
	assert_int_equal(out.change_cnt[i], change_cnt);
}

TEST(a_receive_of_its_own_passes_at_once)
{
	take(TID, 3, 100, 200, 40, 4);
	assert_int_equal(out.cnt, 1);
	assert_out(0, 3, 200, 40, 4);
}

TEST(all_of_a_call_return_with_its_last)
{
	take(TID, 0, 100, 0, 40, 0);
	take(TID, 1, 100, 0, 40, 0);
	assert_int_equal(out.cnt, 0);
	take(TID, 2, 100, 200, 44, 4);
	assert_int_equal(out.cnt, 3);
	for (size_t i = 0; i < 3; i++)
		assert_out(i, i, 200, 44, 4);
	take(TID, 3, 300, 400, 48, 0); /* they do not come again */
	assert_int_equal(out.cnt, 4);
}

TEST(another_call_or_thread_does_not_bring_them_out)
{
	take(TID, 0, 100, 0, 0, 0);
	take(TID + 1, 1, 100, 200, 0, 0);
	take(TID, 2, 300, 400, 0, 0);
	assert_int_equal(out.cnt, 2);
	assert_int_equal(out.receive[0].position, 1);
	assert_int_equal(out.receive[1].position, 2);
}

TEST(the_last_may_come_first)
{
	take(TID, 2, 100, 200, 44, 4);
	take(TID, 5, 300, 400, 48, 2);
	take(TID, 1, 100, 0, 40, 0);
	take(TID, 4, 300, 0, 40, 0);
	take(TID, 0, 100, 0, 40, 0);
	assert_int_equal(out.cnt, 5);
	assert_out(2, 1, 200, 44, 4);
	assert_out(3, 4, 400, 48, 2);
	assert_out(4, 0, 200, 44, 4);
}

TEST(some_may_come_before_the_last_and_some_after)
{
	take(TID, 0, 100, 0, 40, 0);
	take(TID, 2, 100, 200, 44, 4);
	take(TID, 1, 100, 0, 40, 0);
	assert_int_equal(out.cnt, 3);
	for (size_t i = 0; i < 3; i++)
		assert_int_equal(out.receive[i].exit_ns, 200);
}

TEST(one_that_is_refused_does_not_stop_the_others)
{
	take(TID, 0, 100, 0, 0, 0);
	take(TID, 1, 100, 0, 0, 0);
	out.answer = -ENOSPC;
	assert_int_equal(take(TID, 2, 100, 200, 0, 0), -ENOSPC);
	assert_int_equal(out.cnt, 3);
}

TEST(the_oldest_call_is_forgotten_when_too_many_wait)
{
	take(1, 0, 100, 0, 0, 0);
	for (uint64_t i = 0; i < MULTI_RECEIVE_MAX; i++)
		take(2, i, 1000 + i, 0, 0, 0);
	take(1, 1, 100, 200, 0, 0);
	assert_int_equal(out.cnt, 1);
	take(2, 0, 1000, 5000, 0, 0);
	assert_int_equal(out.cnt, 3);
}

/* Its last record was lost, and the next call seems to be the same one. */
TEST(one_call_does_not_grow_for_ever)
{
	for (uint64_t i = 0; i < 2 * MULTI_RECEIVE_MAX; i++)
		assert_int_equal(take(TID, i, 100, 0, 0, 0), 0);
	take(TID, 0, 100, 200, 0, 0);
	assert_true(out.cnt <= MULTI_RECEIVE_MAX + 1);
}

TEST(a_call_of_long_ago_is_not_remembered)
{
	for (uint64_t i = 0; i <= MULTI_RECEIVE_MAX; i++)
		take(TID, i, 1000 + i, 2000 + i, 0, 0);
	take(TID, 0, 1000, 0, 0, 0);
	assert_int_equal(out.cnt, MULTI_RECEIVE_MAX + 1);
	take(TID, 0, 1001, 0, 0, 0);
	assert_int_equal(out.cnt, MULTI_RECEIVE_MAX + 2);
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* The wakes in vain of a thread, and those that a thread brings about. */
#include "support/build.h"

#include "analysis/history/deep_events.h"

enum { CLIENT = 7, OTHER_CLIENT = 8, WORKER = 20, ACCEPT = 43, EPOLL_WAIT = 232 };

#define CPU_NS 10

EACH_TEST_HAS(*state, deep_events__new(), deep_events__free)

static struct futile_wakes *of(void **state)
{
	return deep_events__futile(*state);
}

static void was_woken(void **state, uint32_t woken, uint32_t waker, uint64_t from_ns,
		      uint64_t to_ns)
{
	const struct record_futile futile = {
		.head = record_head(RECORD_FUTILE, sizeof(futile), 0, woken),
		.from_ns = from_ns,
		.to_ns = to_ns,
		.cpu_ns = CPU_NS,
		.number = ACCEPT,
		.waker = waker,
	};

	assert_int_equal(deep_events__add(*state, &futile.head), 0);
}

static void was_connected(void **state, uint32_t client, uint64_t enter_ns, uint64_t exit_ns)
{
	assert_int_equal(futile_wakes_connect(of(state), client, enter_ns, exit_ns), 0);
}

static uint32_t taken(void **state, uint64_t from_ns, uint64_t to_ns, bool connects)
{
	struct unit_vain vain = futile_wakes_take(of(state), CLIENT, from_ns, to_ns, connects);

	assert_int_equal(vain.cpu_ns, vain.wakes * CPU_NS);
	return vain.wakes;
}

/*
 *	connects                    sends                 received
 *	  1000   wakes   2000        3000     wakes         4000
 */
TEST(a_unit_has_the_wakes_of_its_own_client_only)
{
	was_connected(state, CLIENT, 1000, 2000);
	was_woken(state, WORKER, CLIENT, 1500, 1800);
	was_woken(state, WORKER + 1, CLIENT, 1600, 9000);
	was_woken(state, WORKER + 2, CLIENT, 3500, 3600);
	was_woken(state, WORKER + 3, CLIENT, 2500, 2600); /* by something else that it did */
	was_woken(state, WORKER + 4, OTHER_CLIENT, 1500, 1600);
	was_woken(state, WORKER + 5, 0, 1500, 1600);
	assert_int_equal(taken(state, 3000, 4000, true), 3);
}

TEST(the_connection_counts_for_its_first_message_only)
{
	was_connected(state, CLIENT, 1000, 2000);
	was_woken(state, WORKER, CLIENT, 1500, 1800);
	assert_int_equal(taken(state, 3000, 4000, false), 0);
	assert_int_equal(taken(state, 5000, 6000, true), 1);
}

TEST(no_wake_is_taken_twice)
{
	was_connected(state, CLIENT, 1000, 2000);
	was_woken(state, WORKER, CLIENT, 1500, 1800);
	was_woken(state, WORKER, CLIENT, 3500, 3600);
	assert_int_equal(taken(state, 3000, 4000, true), 2);
	assert_int_equal(taken(state, 3000, 4000, true), 0);
	assert_int_equal(taken(state, 3400, 9000, true), 0);
}

/* The thread has connected to others, too, before and after. */
TEST(only_the_last_connection_before_counts)
{
	was_connected(state, CLIENT, 100, 200);
	was_connected(state, CLIENT, 1000, 2000);
	was_connected(state, CLIENT, 5000, 6000);
	was_woken(state, WORKER, CLIENT, 150, 160);
	was_woken(state, WORKER, CLIENT, 1500, 1800);
	was_woken(state, WORKER, CLIENT, 5500, 5600);
	assert_int_equal(taken(state, 3000, 4000, true), 1);
}

TEST(the_call_that_failed_is_named_before_the_one_that_polls)
{
	struct record_futile futile = {
		.head = record_head(RECORD_FUTILE, sizeof(futile), 0, WORKER + 1),
		.from_ns = 3100,
		.to_ns = 3200,
		.number = EPOLL_WAIT,
		.waker = CLIENT,
	};

	futile.head.flags = FUTILE_IN_POLL;
	assert_int_equal(deep_events__add(*state, &futile.head), 0);
	was_woken(state, WORKER, CLIENT, 3500, 3600);
	futile.from_ns = 3700;
	futile.to_ns = 3800;
	assert_int_equal(deep_events__add(*state, &futile.head), 0);
	assert_int_equal(futile_wakes_take(of(state), CLIENT, 3000, 4000, false).call, ACCEPT);
}

TEST(a_thread_is_in_vain_between_its_wake_and_its_sleep)
{
	assert_false(futile_wakes_at(of(state), WORKER, 1500));
	was_woken(state, WORKER, CLIENT, 1000, 2000);
	assert_false(futile_wakes_at(of(state), WORKER, 999));
	assert_true(futile_wakes_at(of(state), WORKER, 1000));
	assert_true(futile_wakes_at(of(state), WORKER, 1999));
	assert_false(futile_wakes_at(of(state), WORKER, 2000));
	assert_false(futile_wakes_at(of(state), WORKER + 1, 1500));
}

/* Forged recordings. */
TEST(what_cannot_be_is_ignored)
{
	was_woken(state, WORKER, CLIENT, 2000, 1000);
	was_woken(state, WORKER, CLIENT, 2000, 2000 + CPU_NS - 1);
	assert_int_equal(futile_wakes_cnt(of(state)), 0);
}

/* A connection may be long before its first message. */
TEST(wakes_are_kept_for_units_that_come_late)
{
	was_woken(state, WORKER, CLIENT, 1000000000, 1000001000);
	deep_events__trim(*state, 2500000000);
	assert_int_equal(taken(state, 900000000, 1100000000, false), 1);
	deep_events__trim(*state, 3500000000);
	assert_int_equal(deep_events__cnt(*state), 0);
}

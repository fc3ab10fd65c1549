/* SPDX-License-Identifier: BSD-2-Clause */
/* Threads that are frozen or held by a debugger. */
#include "analysis/attach_fixture.h"

#include "bpf/deep.h"
#include "support/heard_units.h"

enum { FROM_OTHER = 30, HOG = 900 };

/* Nanoseconds. The target sleeps from BEGAN to WOKEN; its message is there from QUEUED on. */
enum { BEGAN = 100000, QUEUED = 150000, WOKEN = 1000000, RAN = 1000100, RECEIVED = 1500000 };

static int setup_deep(void **state)
{
	setup(state);
	info.level = LEVEL_DEEP;
	info.shows_switch = false;
	return 0;
}

/*
 *	asleep 100   queued 150               woken 1000   runs   receives 1500 us
 */
static void put_sleep(uint32_t call, uint64_t enter_ns)
{
	put_threads();
	put_channel(FROM_OTHER, TRANSPORT_UDS_SEQPACKET, 0, FROM_OTHER + 100);
	put_baseline(FROM_OTHER, 0, true);
	put_send(&tape, OTHER_PEER, FROM_OTHER, 0, QUEUED - 1000, QUEUED);
	put_receive(
		&tape, TARGET, FROM_OTHER, 0, enter_ns, RECEIVED + 1000, 0,
		CHANGES(change_pack(BEGAN, call, CHANGE_SLEEP_IN), WAKE(WOKEN, 0), SWITCH(RAN, 0)));
}

static void put_waker(uint32_t flags)
{
	struct record_waker waker = {
		.head = record_head(RECORD_WAKER, sizeof(waker), 0, HOG),
		.woken = TARGET,
		.number = WAKER_NUMBER_NONE,
		.at_ns = WOKEN - 10,
		.wake_ns = WOKEN,
	};

	waker.head.flags = flags;
	put(&waker);
}

/* The time with this reason, and its last cause. All causes add up to the latency. */
static uint64_t time_of(enum cause_reason reason, const struct cause **found)
{
	const struct heard_units *units = hear_units(&info, &tape, UNIT_MESSAGE);
	const struct unit *unit = &units->unit[0];
	uint64_t ns = 0, all_ns = 0;

	assert_int_equal(units->cnt, 1);
	for (uint32_t i = 0; i < unit->cause_cnt; i++) {
		const struct cause *cause = &unit->cause[i];

		if (cause->parent)
			continue;
		all_ns += cause->by.ns;
		if (cause->reason != reason)
			continue;
		ns += cause->by.ns;
		*found = cause;
	}
	assert_int_equal(all_ns, RECEIVED + 1000 - (QUEUED - 1000));
	return ns;
}

static void assert_held(uint32_t flags, enum cause_reason reason)
{
	const struct cause *held;

	put_sleep(CALL_STOPPED, BEGAN - 1000);
	put_waker(flags);
	assert_int_equal(time_of(reason, &held), WOKEN - QUEUED);
	assert_int_equal(held->role, CAUSE_WOKE);
	assert_int_equal(held->by.tid, HOG);
}

TEST_WITH(a_thread_is_frozen, setup_deep, teardown)
{
	assert_held(WAKER_OF_FROZEN, REASON_FROZEN);
}

TEST_WITH(a_thread_is_held_by_a_debugger, setup_deep, teardown)
{
	assert_held(WAKER_OF_TRACED, REASON_TRACED);
}

TEST_WITH(a_thread_that_a_signal_stops_has_no_reason, setup_deep, teardown)
{
	const struct cause *held;

	put_sleep(CALL_STOPPED, BEGAN - 1000);
	put_waker(0);
	assert_int_equal(time_of(REASON_FROZEN, &held), 0);
	assert_int_equal(time_of(REASON_TRACED, &held), 0);
}

/* It slept in its receive call, and froze there: its message did not wake it. */
TEST_WITH(a_sleep_may_turn_into_a_frozen_one, setup_deep, teardown)
{
	const struct cause *frozen;

	put_sleep(0, BEGAN - 1000);
	put_waker(WAKER_OF_FROZEN);
	assert_int_equal(time_of(REASON_FROZEN, &frozen), WOKEN - QUEUED);
	assert_int_equal(frozen->cost, COMPONENT_WAKEUP);
	assert_int_equal(frozen->by.tid, HOG);
}

TEST_WITH(a_slow_wakeup_is_not_frozen, setup_deep, teardown)
{
	const struct cause *frozen;

	put_sleep(0, BEGAN - 1000);
	put_waker(0);
	assert_int_equal(time_of(REASON_FROZEN, &frozen), 0);
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* Threads that are frozen, held by a debugger, or wait for locks of the kernel. */
#include "analysis/attach_fixture.h"

#include "bpf/deep.h"
#include "support/heard_units.h"

enum { FROM_OTHER = 30, HOG = 900, WRITE = 1 };

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

static void put_lock(uint32_t kind, uint64_t from_ns, uint64_t to_ns)
{
	const struct record_kernel_lock lock = {
		.head = record_head(RECORD_KERNEL_LOCK, sizeof(lock), 0, TARGET),
		.kind = kind,
		.number = WRITE,
		.from_ns = from_ns,
		.to_ns = to_ns,
	};

	put(&lock);
}

static void put_lock_in(const char *function, uint64_t from_ns, uint64_t to_ns)
{
	struct record_kernel_lock_function lock = {
		.lock = {.head = record_head(RECORD_KERNEL_LOCK, sizeof(lock), 0, TARGET),
			 .kind = KERNEL_LOCK_SPIN,
			 .number = WRITE,
			 .from_ns = from_ns,
			 .to_ns = to_ns},
	};

	memcpy(lock.function, function, strnlen(function, sizeof(lock.function)));
	put(&lock);
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

/* A mutex: the thread spins for a moment, sleeps, waits for the CPU, and gets the lock. */
TEST_WITH(a_sleep_within_a_wait_for_a_lock_has_its_reason, setup_deep, teardown)
{
	const struct cause *locked;

	put_sleep(WRITE, RECEIVED);
	put_waker(0);
	put_lock(KERNEL_LOCK_MUTEX, BEGAN - 500, RAN + 300);
	assert_int_equal(time_of(REASON_KERNEL_MUTEX, &locked), WOKEN - QUEUED + 300);
}

TEST_WITH(a_semaphore_is_a_lock_too, setup_deep, teardown)
{
	const struct cause *locked;

	put_sleep(WRITE, RECEIVED);
	put_waker(0);
	put_lock(KERNEL_LOCK_SEMAPHORE, BEGAN - 500, RAN + 300);
	assert_int_equal(time_of(REASON_KERNEL_SEMAPHORE, &locked), WOKEN - QUEUED + 300);
}

/* What follows in the same call is no wait for the lock. */
TEST_WITH(a_sleep_that_a_wait_for_a_lock_does_not_cover_has_none, setup_deep, teardown)
{
	const struct cause *locked;

	put_sleep(WRITE, RECEIVED);
	put_waker(0);
	put_lock(KERNEL_LOCK_RWSEM, QUEUED + 1000, WOKEN - 1000);
	put_lock(KERNEL_LOCK_MUTEX, BEGAN - 500, QUEUED - 100);
	assert_int_equal(time_of(REASON_KERNEL_RWSEM, &locked), 0);
	assert_int_equal(time_of(REASON_KERNEL_MUTEX, &locked), 0);
}

/*
 *	runs 1000.1    | lock 1100 .. 1150 |    | lock 1200 .. 1210 |     receives 1500 us
 */
TEST_WITH(a_thread_spins_between_its_own_work, setup_deep, teardown)
{
	const struct cause *locked;

	put_sleep(WRITE, RECEIVED);
	put_waker(0);
	put_lock(KERNEL_LOCK_SPIN, 1100000, 1150000);
	put_lock(KERNEL_LOCK_SPIN, 1200000, 1210000);
	assert_int_equal(time_of(REASON_KERNEL_SPIN, &locked), 60000);
	assert_int_equal(locked->role, CAUSE_ITSELF);
	assert_int_equal(locked->cost, COMPONENT_BUSY);
}

/* Forged: kinds, and times that make no sense. */
TEST_WITH(any_locks_add_up, setup_deep, teardown)
{
	const struct cause *locked;

	put_sleep(WRITE, RECEIVED);
	put_waker(UINT8_MAX);
	put_lock(UINT32_MAX, RECEIVED, BEGAN);
	put_lock(NR_KERNEL_LOCKS, 0, UINT64_MAX);
	put_lock(KERNEL_LOCK_MUTEX, UINT64_MAX, UINT64_MAX);
	time_of(REASON_KERNEL_SPIN, &locked);
}

/* Each function is a cause of its own. */
TEST_WITH(a_lock_has_the_function_that_waits, setup_deep, teardown)
{
	const struct cause *locked;

	put_sleep(WRITE, RECEIVED);
	put_waker(0);
	put_lock_in("pipe_write", 1100000, 1150000);
	put_lock_in("pipe_read", 1200000, 1210000);
	put_lock_in("pipe_read", 1300000, 1310000);
	assert_int_equal(time_of(REASON_KERNEL_SPIN, &locked), 70000);
	assert_string_equal(locked->function, "pipe_read");
	assert_int_equal(locked->by.ns, 20000);
}

TEST_WITH(what_runs_behind_a_lock_has_no_function, setup_deep, teardown)
{
	const struct cause *own;

	put_sleep(WRITE, RECEIVED);
	put_waker(0);
	put_lock_in("pipe_write", 1100000, 1150000);
	time_of(REASON_NONE, &own);
	assert_string_equal(own->function, "");
}

/* As the kernel has emitted it, and forged: without an end. */
TEST_WITH(a_function_of_a_lock_may_be_anything, setup_deep, teardown)
{
	struct record_kernel_lock_stack unnamed = {
		.lock = {.head = record_head(RECORD_KERNEL_LOCK, sizeof(unnamed), 0, TARGET),
			 .from_ns = 1100000,
			 .to_ns = 1150000},
		.stack = UINT64_MAX};
	char long_name[LOCK_FUNCTION_LEN + 1] = {0};
	const struct cause *locked;

	put_sleep(WRITE, RECEIVED);
	put_waker(0);
	put(&unnamed);
	memset(long_name, 'x', LOCK_FUNCTION_LEN);
	put_lock_in(long_name, 1200000, 1210000);
	assert_int_equal(time_of(REASON_KERNEL_SPIN, &locked), 60000);
	assert_int_equal(strlen(locked->function), LOCK_FUNCTION_LEN - 1);
}

/*
 * What the waker did between two of its records is not known, before the last one it is:
 *
 *	WAKE 200, runs from 200.1 | recorded at 300               wakes the target at 1000 us
 */
static const struct unit *held_by_waker(uint32_t flags, const struct cause **held)
{
	put_sleep(CALL_STOPPED, BEGAN - 1000);
	put_changes(&tape, HOG, 300000, 0, CHANGES(WAKE(200000, 1), SWITCH(200100, 1)));
	put_waker(flags);
	assert_int_equal(time_of(REASON_NONE, held), RECEIVED + 1000 - (QUEUED - 1000));
	return &hear_units(&info, &tape, UNIT_MESSAGE)->unit[0];
}

static uint64_t time_below(const struct unit *unit, enum component cost)
{
	uint64_t ns = 0;

	for (uint32_t i = 0; i < unit->cause_cnt; i++)
		ns += unit->cause[i].parent && unit->cause[i].cost == cost ? unit->cause[i].by.ns
									   : 0;
	return ns;
}

TEST_WITH(what_a_waker_did_since_its_last_record_is_not_known, setup_deep, teardown)
{
	const struct cause *held;
	const struct unit *unit = held_by_waker(0, &held);

	assert_int_equal(time_below(unit, COST_ON_CPU), 300000 - 200100);
	assert_int_equal(time_below(unit, COST_UNKNOWN), WOKEN - 300000 + 200000 - QUEUED);
}

TEST_WITH(a_waker_shows_what_it_did, setup_deep, teardown)
{
	const struct cause *held;
	const struct unit *unit = held_by_waker(WAKER_IS_SHOWN, &held);

	assert_int_equal(time_below(unit, COST_ON_CPU), WOKEN - 200100);
	assert_int_equal(time_below(unit, COST_UNKNOWN), 200000 - QUEUED);
}

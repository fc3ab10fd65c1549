/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The time of a running thread in long system calls:
 *
 *	request       the service of the call                       answer
 *	received       own      in clone       own    in fsync        sent
 *	  1400               2000      4000        4500               5000
 */
#include "analysis/attach_fixture.h"

#include "bpf/deep.h"
#include "model/blocked_calls.h"
#include "support/heard_units.h"

#include <errno.h>

enum { CLONE = 56, FSYNC = 74 };

static const struct unit *unit;

static void put_call(uint32_t tid, uint32_t number, uint64_t enter_ns, uint64_t exit_ns)
{
	const struct record_call call = {
		.head = record_head(RECORD_CALL, sizeof(call), 0, tid),
		.number = number,
		.enter_ns = enter_ns,
		.exit_ns = exit_ns,
	};

	put(&call);
}

/* Many short ones. */
static void put_calls(uint32_t number, uint64_t from_ns, uint64_t to_ns, uint64_t ns)
{
	const struct record_calls calls = {
		.head = record_head(RECORD_CALLS, sizeof(calls), 0, TARGET),
		.number = number,
		.cnt = 100,
		.from_ns = from_ns,
		.to_ns = to_ns,
		.ns = ns,
	};

	put(&calls);
}

/* The same: `cnt` calls, which failed. */
static void put_failed(uint32_t error, uint32_t cnt, uint64_t from_ns, uint64_t to_ns, uint64_t ns)
{
	struct record_calls calls = {
		.head = record_head(RECORD_CALLS, sizeof(calls), 0, TARGET),
		.number = FSYNC,
		.cnt = cnt,
		.from_ns = from_ns,
		.to_ns = to_ns,
		.ns = ns,
	};

	calls.head.flags = error;
	put(&calls);
}

static void hear_first(enum unit_kind kind)
{
	const struct heard_units *units = hear_units(&info, &tape, kind);

	assert_true(units->cnt >= 1);
	unit = &units->unit[0];
}

/* What the unit has of this cost in the call; and how many causes that are. */
static uint64_t ns_in(enum cause_part part, enum component cost, uint16_t call, uint32_t cnt)
{
	uint64_t ns = 0;
	uint32_t found = 0;

	for (uint32_t i = 0; i < unit->cause_cnt; i++) {
		const struct cause *cause = &unit->cause[i];

		if (cause->part != part || cause->cost != cost || cause->call != call)
			continue;
		ns += cause->by.ns;
		found++;
	}
	assert_int_equal(found, cnt);
	return ns;
}

static void put_served(void)
{
	put_threads();
	put_connection();
	put_request(0, 1000);
	put_answer(0, 5000);
}

TEST(the_time_of_a_service_is_named_by_its_calls)
{
	info.level = LEVEL_DEEP;
	put_served();
	put_call(TARGET, FSYNC, 4500, 5300);
	put_call(TARGET, CLONE, 2000, 4000);
	put_call(PEER, CLONE, 1000, 9000);
	hear_first(UNIT_CALL);
	assert_int_equal(ns_in(PART_SERVICE, COST_ON_CPU, CLONE, 1), 2000);
	assert_int_equal(ns_in(PART_SERVICE, COST_ON_CPU, FSYNC, 1), 500);
	assert_int_equal(ns_in(PART_SERVICE, COST_ON_CPU, CALL_UNKNOWN, 1), 600 + 500);
}

TEST(short_calls_have_their_times_within_their_stretch)
{
	info.level = LEVEL_DEEP;
	put_served();
	put_calls(FSYNC, 2000, 3000, 300);
	put_calls(CLONE, 2000, 3000, 500);
	put_calls(FSYNC, 3500, 4000, 400);
	hear_first(UNIT_CALL);
	assert_int_equal(ns_in(PART_SERVICE, COST_ON_CPU, FSYNC, 1), 300 + 400);
	assert_int_equal(ns_in(PART_SERVICE, COST_ON_CPU, CLONE, 1), 500);
	assert_int_equal(ns_in(PART_SERVICE, COST_ON_CPU, CALL_UNKNOWN, 1), 3600 - 1200);
	for (uint32_t i = 0; i < unit->cause_cnt; i++) {
		const struct cause *cause = &unit->cause[i];

		assert_true((cause->reason == REASON_SHORT_CALLS) ==
			    (cause->call == FSYNC || cause->call == CLONE));
	}
}

/*
 *	received       tries again         own      another error    sent
 *	  1400        2000     3000      3500           4000         5000
 */
TEST(calls_that_fail_take_the_code_between_them_along)
{
	info.level = LEVEL_DEEP;
	put_served();
	put_failed(EAGAIN, 8, 2000, 3000, 300);
	put_failed(EPIPE, 8, 3500, 4000, 400);
	hear_first(UNIT_CALL);
	assert_int_equal(ns_in(PART_SERVICE, COST_ON_CPU, FSYNC, 2), 1000 + 500);
	for (uint32_t i = 0; i < unit->cause_cnt; i++) {
		const struct cause *cause = &unit->cause[i];

		if (cause->call == FSYNC)
			assert_int_equal(cause->reason, cause->by.ns == 1000 ? REASON_CALLS_AGAIN
									     : REASON_CALLS_FAIL);
	}
}

/* It computes, and asks now and then; or makes other calls, too. */
TEST(calls_that_fail_in_between_take_no_other_code)
{
	info.level = LEVEL_DEEP;
	put_threads();
	put_connection();
	put_request(0, 1000);
	put_answer(0, 200000);
	put_failed(EAGAIN, 10, 2000, 72000, 12000);
	put_failed(EAGAIN, 100, 80000, 90000, 1000);
	put_failed(EAGAIN, 100, 100000, 104000, 2000);
	put_calls(CLONE, 100000, 104000, 1000);
	hear_first(UNIT_CALL);
	assert_int_equal(ns_in(PART_SERVICE, COST_ON_CPU, FSYNC, 1), 12000 + 1000 + 2000);
	assert_int_equal(ns_in(PART_SERVICE, COST_ON_CPU, CLONE, 1), 1000);
}

/* Interrupts made these few as long as many. */
TEST(few_calls_that_fail_are_not_again_and_again)
{
	info.level = LEVEL_DEEP;
	put_served();
	put_failed(EAGAIN, 7, 2000, 3000, 900);
	hear_first(UNIT_CALL);
	assert_int_equal(ns_in(PART_SERVICE, COST_ON_CPU, FSYNC, 1), 900);
	assert_int_equal(ns_in(PART_SERVICE, COST_ON_CPU, CALL_UNKNOWN, 1), 3600 - 900);
	for (uint32_t i = 0; i < unit->cause_cnt; i++)
		assert_int_equal(unit->cause[i].reason, REASON_NONE);
}

TEST(of_a_stretch_that_a_service_cuts_short_calls_have_their_part)
{
	info.level = LEVEL_DEEP;
	put_served();
	put_calls(FSYNC, 1200, 1600, 200);
	/* More than the stretch: at most all of it. */
	put_calls(CLONE, 4000, 4100, 250);
	hear_first(UNIT_CALL);
	assert_int_equal(ns_in(PART_SERVICE, COST_ON_CPU, FSYNC, 1), 100);
	assert_int_equal(ns_in(PART_SERVICE, COST_ON_CPU, CLONE, 1), 100);
	assert_int_equal(ns_in(PART_SERVICE, COST_ON_CPU, CALL_UNKNOWN, 1), 3600 - 200);
}

TEST(a_long_call_within_a_stretch_of_short_ones_keeps_its_time)
{
	info.level = LEVEL_DEEP;
	put_served();
	put_calls(FSYNC, 2000, 4000, 1000);
	put_call(TARGET, CLONE, 3000, 3500);
	hear_first(UNIT_CALL);
	assert_int_equal(ns_in(PART_SERVICE, COST_ON_CPU, CLONE, 1), 500);
	assert_int_equal(ns_in(PART_SERVICE, COST_ON_CPU, FSYNC, 1), 500 + 250);
}

/*
 * Everything in one stretch of short calls. What is known with its instants comes first:
 *
 *	own |  short   | reclaim | of the group |  short   | lock |  short   | own
 *	   2000       2500      2800           3000       3500   3600       4000
 */
TEST(what_the_kernel_did_for_a_thread_adds_up)
{
	struct record_reclaim reclaim = {
		.head = record_head(RECORD_RECLAIM, sizeof(reclaim), 0, TARGET),
		.from_ns = 2500,
		.to_ns = 2800,
	};
	const struct record_kernel_lock lock = {
		.head = record_head(RECORD_KERNEL_LOCK, sizeof(lock), 0, TARGET),
		.kind = KERNEL_LOCK_SPIN,
		.number = CLONE,
		.from_ns = 3500,
		.to_ns = 3600,
	};
	const struct record_faults faults = {
		.head = record_head(RECORD_FAULTS, sizeof(faults), 0, TARGET),
		.minor = 30,
		.from_ns = 2100,
		.to_ns = 2200,
	};

	info.level = LEVEL_DEEP;
	put_served();
	put_calls(FSYNC, 2000, 4000, 1000);
	put(&reclaim);
	reclaim.head.flags = RECLAIM_GROUP;
	reclaim.from_ns = 2800;
	reclaim.to_ns = 3000;
	put(&reclaim);
	put(&lock);
	put(&faults);
	hear_first(UNIT_CALL);
	assert_int_equal(ns_in(PART_SERVICE, COST_ON_CPU, FSYNC, 1), 250 + 250 + 200);
	assert_int_equal(ns_in(PART_SERVICE, COST_ON_CPU, CLONE, 1), 100);
	assert_int_equal(ns_in(PART_SERVICE, COST_ON_CPU, CALL_UNKNOWN, 3), 500 + 2300);
	for (uint32_t i = 0; i < unit->cause_cnt; i++) {
		const struct cause *cause = &unit->cause[i];

		if (cause->cost != COST_ON_CPU || cause->part != PART_SERVICE)
			continue;
		assert_int_equal(cause->reason, cause->call == FSYNC   ? REASON_SHORT_CALLS
						: cause->call == CLONE ? REASON_KERNEL_SPIN
						: cause->by.ns == 300  ? REASON_RECLAIM
						: cause->by.ns == 200  ? REASON_RECLAIM_GROUP
								       : REASON_NONE);
		assert_int_equal(cause->minor, cause->reason == REASON_NONE ? 30 : 0);
	}
}

/* Several calls with one number are one cause. */
TEST(calls_of_one_number_are_added_up)
{
	info.level = LEVEL_DEEP;
	put_served();
	put_call(TARGET, CLONE, 2000, 3000);
	put_call(TARGET, CLONE, 3000, 3500);
	hear_first(UNIT_CALL);
	assert_int_equal(ns_in(PART_SERVICE, COST_ON_CPU, CLONE, 1), 1500);
	assert_int_equal(ns_in(PART_SERVICE, COST_ON_CPU, CALL_UNKNOWN, 1), 2100);
}

TEST(a_busy_receiver_is_in_its_call)
{
	info.level = LEVEL_DEEP;
	put_threads();
	put_connection();
	put_request(0, 1000);
	put_call(TARGET, CLONE, 1090, 1130);
	hear_first(UNIT_MESSAGE);
	assert_int_equal(ns_in(PART_WHOLE, COMPONENT_BUSY, CLONE, 1), 30);
	assert_int_equal(ns_in(PART_WHOLE, COMPONENT_BUSY, CALL_UNKNOWN, 1), 20);
}

/* The component says in which call the time of these is. */
TEST(send_path_and_receive_have_no_further_name)
{
	info.level = LEVEL_DEEP;
	put_threads();
	put_connection();
	put_request(0, 1000);
	put_call(PEER, CLONE, 1000, 1100);
	put_call(TARGET, FSYNC, 1150, 1400);
	hear_first(UNIT_MESSAGE);
	assert_int_equal(ns_in(PART_WHOLE, COMPONENT_SEND_PATH, CALL_UNKNOWN, 1), 100);
	assert_int_equal(ns_in(PART_WHOLE, COMPONENT_RECEIVE, CALL_UNKNOWN, 1), 250);
}

/* A forged number is none that a sleep could have. */
TEST(a_number_that_is_no_system_call_is_not_known)
{
	info.level = LEVEL_DEEP;
	put_served();
	put_call(TARGET, CALL_OUTSIDE, 2000, 4000);
	put_call(TARGET, UINT32_MAX, 4100, 4200);
	hear_first(UNIT_CALL);
	assert_int_equal(ns_in(PART_SERVICE, COST_ON_CPU, CALL_UNKNOWN, 1), 3600);
}

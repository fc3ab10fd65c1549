/* SPDX-License-Identifier: BSD-2-Clause */
/* Threads that are woken in vain: how many a unit wakes, and what waits for a CPU behind them. */
#include "analysis/attach_fixture.h"

#include "bpf/deep.h"
#include "bpf/record_connections.h"
#include "support/heard_units.h"

enum { FROM_OTHER = 30, WORKER = 900, OTHER_WORKER = 901, ACCEPT = 43 };

static int setup_deep(void **state)
{
	setup(state);
	info.level = LEVEL_DEEP;
	info.shows_switch = false;
	return 0;
}

static void put_run(uint32_t tid, uint64_t until, uint32_t seq)
{
	struct record_slice slice = make_task(0, seq, tid, until);

	put(&slice);
}

static void put_futile(uint32_t tid, uint32_t waker, uint64_t from_ns, uint64_t to_ns)
{
	const struct record_futile futile = {
		.head = record_head(RECORD_FUTILE, sizeof(futile), 0, tid),
		.from_ns = from_ns,
		.to_ns = to_ns,
		.cpu_ns = 100,
		.number = ACCEPT,
		.waker = waker,
	};

	put(&futile);
}

/*
 *	 sent   queued      preempted                                 gets the CPU   received
 *	 1000    1100        2000   worker .. 3000  other worker .. 4000  4000         5000
 */
static void put_wait_behind(void)
{
	struct record_name worker = make_name(SLICE_TASK, WORKER, 1, "worker");

	put_threads();
	put(&worker);
	put_channel(FROM_OTHER, TRANSPORT_UDS_SEQPACKET, 0, FROM_OTHER + 100);
	put_baseline(FROM_OTHER, 0, true);
	put_send(&tape, OTHER_PEER, FROM_OTHER, 0, 1000, 1100);
	put_receive(&tape, TARGET, FROM_OTHER, 0, 4500, 5000, 0,
		    CHANGES(SWITCH(900, 0), PREEMPT(2000, 0), SWITCH(4000, 0)));
	put_run(WORKER, 3000, 0);
	put_run(OTHER_WORKER, 4000, 1);
}

static const struct unit *hear_one(void)
{
	const struct heard_units *units = hear_units(&info, &tape, UNIT_MESSAGE);

	assert_int_equal(units->cnt, 1);
	return &units->unit[0];
}

static uint64_t waited_ns(const struct unit *unit, uint32_t tid, enum cause_reason reason)
{
	uint64_t ns = 0;

	for (uint32_t i = 0; i < unit->cause_cnt; i++) {
		const struct cause *cause = &unit->cause[i];

		if (cause->cost == COMPONENT_RUNQUEUE && cause->by.tid == tid &&
		    cause->reason == reason)
			ns += cause->by.ns;
	}
	return ns;
}

TEST_WITH(a_wait_behind_a_thread_that_finds_nothing_is_in_vain, setup_deep, teardown)
{
	const struct unit *unit;

	put_wait_behind();
	put_futile(WORKER, 0, 1500, 3000);
	put_futile(OTHER_WORKER, 0, 4000, 4100); /* later than it ran here */
	unit = hear_one();
	assert_int_equal(waited_ns(unit, WORKER, REASON_IN_VAIN), 1000);
	assert_int_equal(waited_ns(unit, WORKER, REASON_NONE), 0);
	assert_int_equal(waited_ns(unit, OTHER_WORKER, REASON_IN_VAIN), 0);
	assert_int_equal(waited_ns(unit, OTHER_WORKER, REASON_NONE), 1000);
	assert_int_equal(unit->vain.wakes, 0);
}

TEST_WITH(a_unit_counts_what_its_sender_wakes, setup_deep, teardown)
{
	put_wait_behind();
	put_futile(WORKER, OTHER_PEER, 1050, 3000);
	put_futile(OTHER_WORKER, OTHER_PEER, 1060, 4000);
	put_futile(OTHER_WORKER + 1, PEER, 1050, 1200);
	assert_int_equal(hear_one()->vain.wakes, 2);
	assert_int_equal(hear_one()->vain.cpu_ns, 200);
	assert_int_equal(hear_one()->vain.call, ACCEPT);
}

/* A server may wake its workers: until the answer is back, these are the call's. */
TEST_WITH(a_call_has_the_wakes_of_its_server, setup_deep, teardown)
{
	const struct heard_units *units;

	put_threads();
	put_connection();
	put_futile(WORKER, TARGET, 2000, 2200);
	put_futile(OTHER_WORKER, TARGET, 2100, 2300);
	put_futile(WORKER, TARGET, 6700, 6800);
	put_futile(OTHER_WORKER, TARGET, 5600, 5700); /* it had answered */
	put_request(0, 1000);
	put_answer(0, 5000);
	put_request(1, 6000);
	put_answer(1, 8000);
	units = hear_units(&info, &tape, UNIT_CALL);
	assert_int_equal(units->cnt, 2);
	assert_int_equal(units->unit[0].vain.wakes, 2);
	assert_int_equal(units->unit[1].vain.wakes, 1);
}

/* A call on a new connection: what connect() has woken counts, too. */
TEST_WITH(a_call_has_the_wakes_of_its_request, setup_deep, teardown)
{
	const struct record_connect connect = {
		.head = record_head(RECORD_CONNECT, sizeof(connect), 0, PEER),
		.enter_ns = 500,
		.exit_ns = 700,
	};
	const struct heard_units *units;

	put_threads();
	put_connection();
	put(&connect);
	put_futile(WORKER, PEER, 600, 900);
	put_request(0, 1000);
	put_answer(0, 5000);
	put_request(1, 6000);
	put_answer(1, 8000);
	units = hear_units(&info, &tape, UNIT_CALL);
	assert_int_equal(units->cnt, 2);
	assert_int_equal(units->unit[0].vain.wakes, 1);
	assert_int_equal(units->unit[1].vain.wakes, 0);
}

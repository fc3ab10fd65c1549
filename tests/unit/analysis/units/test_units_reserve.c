/* SPDX-License-Identifier: BSD-2-Clause */
/* Real-time threads that wait because the kernel reserves time for ordinary threads. */
#include "analysis/attach_fixture.h"

#include "bpf/deep.h"
#include "support/heard_units.h"

enum { FROM_OTHER = 30, HOG = 900, OTHER_HOG = 901, FIFO = 1, OTHER = 0 };

static int setup_without_switch(void **state)
{
	setup(state);
	info.shows_switch = false;
	return 0;
}

static void put_run(uint32_t tid, uint64_t until, uint32_t seq, uint32_t flags)
{
	struct record_slice slice = make_task(0, seq, tid, until);

	slice.head.flags = flags;
	put(&slice);
}

/*
 *	 sent   queued      preempted                              gets the CPU   received
 *	 1000    1100        2000    hog .. 3000  other hog .. 4000    4000         5000
 */
static void put_wait(uint32_t policy)
{
	struct record_name target = make_name(SLICE_TASK, TARGET, 1, "target");
	struct record_name hog = make_name(SLICE_TASK, HOG, 1, "hog");

	put_threads();
	target.policy = policy;
	target.priority = policy == FIFO ? 49 : 120;
	target.since_ns = 2;
	put(&target);
	put(&hog);
	put_channel(FROM_OTHER, TRANSPORT_UDS_SEQPACKET, 0, FROM_OTHER + 100);
	put_baseline(FROM_OTHER, 0, true);
	put_send(&tape, OTHER_PEER, FROM_OTHER, 0, 1000, 1100);
	put_receive(&tape, TARGET, FROM_OTHER, 0, 4500, 5000, 0,
		    CHANGES(SWITCH(900, 0), PREEMPT(2000, 0), SWITCH(4000, 0)));
}

/* How long the message waited for this thread, with and without that reason. */
static void assert_waited(uint32_t tid, uint64_t reserve_ns, uint64_t other_ns)
{
	const struct heard_units *units = hear_units(&info, &tape, UNIT_MESSAGE);
	uint64_t ns[2] = {0};

	assert_int_equal(units->cnt, 1);
	for (uint32_t i = 0; i < units->unit[0].cause_cnt; i++) {
		const struct cause *cause = &units->unit[0].cause[i];

		assert_true(cause->reason == REASON_NONE || cause->reason == REASON_RESERVE);
		if (cause->cost == COMPONENT_RUNQUEUE && cause->by.tid == tid)
			ns[cause->reason == REASON_RESERVE] += cause->by.ns;
	}
	assert_int_equal(ns[true], reserve_ns);
	assert_int_equal(ns[false], other_ns);
}

TEST_WITH(a_realtime_thread_waits_for_the_reserve_of_others, setup_without_switch, teardown)
{
	put_wait(FIFO);
	put_run(HOG, 3000, 0, SLICE_RESERVE);
	put_run(OTHER_HOG, 4000, 1, SLICE_RESERVE);
	assert_waited(HOG, 1000, 0);
	assert_waited(OTHER_HOG, 1000, 0);
}

/* Another real-time thread waited, too: the reserve was at its cost. */
TEST_WITH(an_ordinary_thread_only_waits, setup_without_switch, teardown)
{
	put_wait(OTHER);
	put_run(HOG, 4000, 0, SLICE_RESERVE);
	assert_waited(HOG, 0, 2000);
}

/* The hog had inherited a real-time priority, or could not be preempted. */
TEST_WITH(what_ran_without_the_flag_is_no_reserve, setup_without_switch, teardown)
{
	put_wait(FIFO);
	put_run(HOG, 4000, 0, 0);
	assert_waited(HOG, 0, 2000);
}

TEST_WITH(a_culprit_may_have_run_in_both_ways, setup_without_switch, teardown)
{
	put_wait(FIFO);
	put_run(HOG, 3000, 0, SLICE_RESERVE);
	put_run(HOG, 4000, 1, 0);
	assert_waited(HOG, 1000, 1000);
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* The components and the blame of messages that have all their records. */
#include "analysis/run_fixture.h"

/*
 *	enter  sleep   queued 0   wake  switch run   queued 1          recv of both
 *	-5000  -4000    +200      +250   +400  +450    +600              +1000
 */
TEST(two_messages_of_one_receive_call_have_their_own_breakdown)
{
	uint64_t base = base_of(0, 1);

	put_roles();
	put_tick(&tape, 0, base, 1);
	put_tick(&tape, 1, base + 450, 1);
	put_whole_slice(0, 1);
	put_whole_send(0, 1);
	put_send(&tape, SERVER, 1, 1, base + 500, base + 600);
	put_receive(&tape, tid_of(1), 1, 1, base - 5000, base + 1000, 4, NO_CHANGES);
	put_whole_receive(0, 1);
	put_whole_stamp(0, 1);
	put_stamp(&tape, 1, 1, base + 450, base + 1100);
	play();
	assert_integrity(2, 2);
	assert_components(&heard.message[0], whole);
	assert_int_equal(heard.message[1].path, PATH_RUNNING);
	assert_components(&heard.message[1], (uint64_t[NR_COMPONENTS]){[COMPONENT_DISPATCH] = 50,
								       [COMPONENT_SEND_PATH] = 100,
								       [COMPONENT_RECEIVE] = 400,
								       [COMPONENT_RETURN] = 100});
}

/*
 *	enter 1  sleep   queued 1  queued 2  wake  switch  run     exit 1   enter 2   exit 2
 *	 -5000   -4000     +200      +220    +250   +400   +450     +500     +600     +1000
 * The record of the sleep is a CHANGES record, that of call 1 may be lost: that leaves a gap in the
 * numbering of the changes.
 */
static void play_two_calls(bool lost)
{
	uint64_t base = base_of(0, 1);

	put_roles();
	put_tick(&tape, 0, base, 1);
	put_tick(&tape, 1, base, 1);
	put_whole_slice(0, 1);
	put_whole_send(0, 1);
	put_whole_stamp(0, 1);
	put_send(&tape, SERVER, 1, 1, base + 210, base + 220);
	put_changes(&tape, tid_of(1), base + 450, 0,
		    CHANGES(SLEEP(base - 4000, 0), WAKE(base + 250, 0), SWITCH(base + 400, 0),
			    RUN(base + 450, 0)));
	if (!lost)
		put_receive(&tape, tid_of(1), 1, 0, base - 5000, base + 500, 4, NO_CHANGES);
	put_receive(&tape, tid_of(1), 1, 1, base + 600, base + 1000, lost ? 5 : 4, NO_CHANGES);
	put_stamp(&tape, 1, 1, base, base + 1100);
	play();
}

TEST(a_message_queued_during_the_sleep_for_an_earlier_one_slept_too)
{
	const uint64_t second[NR_COMPONENTS] = {
		[COMPONENT_DISPATCH] = 210, [COMPONENT_SEND_PATH] = 10, [COMPONENT_WAKEUP] = 30,
		[COMPONENT_RUNQUEUE] = 150, [COMPONENT_SWITCH] = 50,    [COMPONENT_BUSY] = 150,
		[COMPONENT_RECEIVE] = 400,  [COMPONENT_RETURN] = 100,
	};

	play_two_calls(false);
	assert_integrity(2, 2);
	assert_int_equal(heard.message[1].path, PATH_SLEPT);
	assert_components(&heard.message[1], second);
}

/* Then it is not known that the client slept in a receive call: no figure is better than a wrong
 * one. */
TEST(without_the_record_of_its_call_a_sleep_is_not_called_blocked)
{
	play_two_calls(true);
	assert_integrity(2, 0);
	assert_int_equal(heard.summary->integrity.incomplete[INCOMPLETE_NOT_RECEIVED], 1);
	assert_int_equal(heard.summary->integrity.incomplete[INCOMPLETE_HISTORY], 1);
}

/* WAKE on CPU 1 at +250, where 600 runs; MIGRATE to 0 at +340, where 500 runs until +400. */
TEST(blame_goes_to_both_cpus_of_a_migration)
{
	uint64_t base = base_of(0, 1);

	put_roles();
	put_tick(&tape, 0, base, 1);
	put_whole_send(0, 1);
	put_whole_stamp(0, 1);
	put_slice(&tape, make_task(1, 0, KTHREAD, base + 340));
	put_slice(&tape, make_task(0, 0, TASK, base + 400));
	put_receive(&tape, tid_of(1), 1, 0, base - 5000, base + 1000, 0,
		    CHANGES(SLEEP(base - 4000, 0), WAKE(base + 250, 1), MIGRATE(base + 340, 0),
			    SWITCH(base + 400, 0), RUN(base + 450, 0)));
	play();
	assert_integrity(1, 1);
	assert_components(&heard.message[0], whole);
	assert_blame(&heard.message[0], BLAME_TASK, KTHREAD, 90);
	assert_blame(&heard.message[0], BLAME_TASK, TASK, 60);
}

/* The server, the other client and a kernel thread, each 50 ns. */
TEST(blame_is_classed_by_role_in_the_run)
{
	struct record_name name = make_name(SLICE_TASK, KTHREAD, 0, "kworker/0:1");
	uint64_t base = base_of(0, 1);

	name.flags = NAME_KTHREAD;
	put_tick(&tape, 0, base, 1);
	put_whole_send(0, 1);
	put_whole_receive(0, 1);
	put_whole_stamp(0, 1);
	put_slice(&tape, make_task(0, 0, SERVER, base + 300));
	put_slice(&tape, make_task(0, 1, tid_of(2), base + 350));
	put_slice(&tape, make_task(0, 2, KTHREAD, base + 400));
	tape_add(&tape, &name);
	put_roles();
	play();
	assert_integrity(1, 1);
	assert_blame(&heard.message[0], BLAME_SERVER, SERVER, 50);
	assert_blame(&heard.message[0], BLAME_CLIENT, tid_of(2), 50);
	assert_blame(&heard.message[0], BLAME_KTHREAD, KTHREAD, 50);
}

/* Slices end at +300, +350 and +400; the middle one is lost: 100 ns are unknown. */
TEST(a_lost_slice_makes_its_time_unknown)
{
	uint64_t base = base_of(0, 1);

	put_roles();
	put_tick(&tape, 0, base, 1);
	put_whole_send(0, 1);
	put_whole_receive(0, 1);
	put_whole_stamp(0, 1);
	put_slice(&tape, make_task(0, 0, TASK, base + 300));
	put_slice(&tape, make_task(0, 2, KTHREAD, base + 400));
	play();
	assert_integrity(1, 1);
	assert_components(&heard.message[0], whole);
	assert_blame(&heard.message[0], BLAME_TASK, TASK, 50);
	assert_blame(&heard.message[0], BLAME_UNKNOWN, 0, 100);
}

TEST(interrupts_are_carved_out_of_the_tasks_blame)
{
	uint64_t base = base_of(0, 1);

	put_roles();
	put_tick(&tape, 0, base, 1);
	put_whole_send(0, 1);
	put_whole_receive(0, 1);
	put_whole_stamp(0, 1);
	put_slice(&tape, make_irq(0, 0, 5, base + 310, base + 320));
	put_slice(&tape, make_softirq(0, 1, 3, base + 300, base + 330));
	put_slice(&tape, make_task(0, 2, TASK, base + 400));
	play();
	assert_integrity(1, 1);
	assert_blame(&heard.message[0], BLAME_IRQ, 5, 10);
	assert_blame(&heard.message[0], BLAME_SOFTIRQ, 3, 20);
	assert_blame(&heard.message[0], BLAME_TASK, TASK, 120);
}

/* The same without the record of the interrupt: its time is blamed on no other thread. */
TEST(a_lost_interrupt_makes_its_tasks_time_unknown)
{
	uint64_t base = base_of(0, 1);

	put_roles();
	put_tick(&tape, 0, base, 1);
	put_whole_send(0, 1);
	put_whole_receive(0, 1);
	put_whole_stamp(0, 1);
	put_slice(&tape, make_task(0, 0, KTHREAD, base + 300));
	put_slice(&tape, make_softirq(0, 1, 3, base + 330, base + 340));
	put_slice(&tape, make_task(0, 3, TASK, base + 400));
	play();
	assert_integrity(1, 1);
	assert_blame(&heard.message[0], BLAME_TASK, KTHREAD, 50);
	assert_blame(&heard.message[0], BLAME_SOFTIRQ, 3, 10);
	assert_blame(&heard.message[0], BLAME_TASK, TASK, 0);
	assert_blame(&heard.message[0], BLAME_UNKNOWN, 0, 90);
}

/*
 * Thread id 500 was "old" long ago and is "new" now, which is announced when its slice ends. An
 * interrupt cuts the slice: what ran before it was "new", too.
 */
TEST(a_slice_has_one_name_also_when_an_interrupt_cuts_it)
{
	struct record_name old = make_name(SLICE_TASK, TASK, 10, "old");
	struct record_name new = make_name(SLICE_TASK, TASK, base_of(0, 1) + 400, "new");
	uint64_t base = base_of(0, 1);

	put_roles();
	tape_add(&tape, &old);
	put_tick(&tape, 0, base, 1);
	put_slice(&tape, make_irq(0, 0, 5, base + 310, base + 320));
	tape_add(&tape, &new);
	put_slice(&tape, make_task(0, 1, TASK, base + 400));
	put_whole_send(0, 1);
	put_whole_receive(0, 1);
	put_whole_stamp(0, 1);
	play();
	assert_blame(&heard.message[0], BLAME_TASK, TASK, 140);
	assert_string_equal(heard.message[0].blame[0].comm, "new");
}

/* 600 slices of 600 threads in each of two segments, on two CPUs. */
TEST(the_blame_of_very_many_threads_adds_up)
{
	uint64_t base = base_of(0, 1);

	put_roles();
	put_tick(&tape, 0, base, 1);
	put_send(&tape, SERVER, 1, 0, base + 100, base + 200);
	for (uint32_t i = 0; i < 1500; i++) {
		put_slice(&tape, make_task(0, i, 1000 + i, base + 1001 + i));
		put_slice(&tape, make_task(1, i, 5000 + i, base + 4001 + i));
	}
	put_receive(&tape, tid_of(1), 1, 0, base - 5000, base + 7000, 0,
		    CHANGES(SLEEP(base - 4000, 0), WAKE(base + 1000, 0), MIGRATE(base + 2500, 1),
			    SWITCH(base + 5500, 1), RUN(base + 5600, 1)));
	put_stamp(&tape, 1, 0, base, base + 8000);
	play();
	assert_integrity(1, 1);
	assert_int_equal(heard.message[0].component_ns[COMPONENT_RUNQUEUE], 4500);
	assert_int_equal(blame_sum(&heard.message[0]), 4500);
}

TEST(a_kernel_that_hides_the_switch_is_reported)
{
	uint64_t base = base_of(0, 1);

	info.shows_switch = false;
	put_roles();
	put_tick(&tape, 0, base, 1);
	put_whole_slice(0, 1);
	put_whole_send(0, 1);
	put_whole_stamp(0, 1);
	put_receive(&tape, tid_of(1), 1, 0, base - 5000, base + 1000, 0,
		    CHANGES(SLEEP(base - 4000, 0), WAKE(base + 250, 0), SWITCH(base + 400, 0)));
	play();
	assert_integrity(1, 1);
	assert_false(heard.message[0].shows_switch);
	assert_int_equal(heard.message[0].component_ns[COMPONENT_SWITCH], 0);
	assert_int_equal(heard.message[0].component_ns[COMPONENT_RECEIVE], 600);
}

/* At level light, the send time of a SEND is only an upper bound. */
TEST(without_calls_a_message_begins_when_it_is_there)
{
	uint64_t base = base_of(0, 1);
	const struct message *message;

	info.level = LEVEL_LIGHT;
	put_roles();
	put_tick(&tape, 0, base, 1);
	put_whole_slice(0, 1);
	put_send(&tape, SERVER, 1, 0, base - 7000, base + 200);
	put_whole_receive(0, 1);
	put_whole_stamp(0, 1);
	play();
	assert_integrity(1, 1);
	message = &heard.message[0];
	assert_true(message->hides_calls);
	assert_int_equal(message->latency_ns, 1100);
	assert_int_equal(message->component_ns[COMPONENT_DISPATCH], 200);
	assert_int_equal(message->component_ns[COMPONENT_SEND_PATH], 0);
	assert_int_equal(message->component_ns[COMPONENT_WAKEUP], 50);
	assert_int_equal(message->component_ns[COMPONENT_RUNQUEUE], 150);
	assert_int_equal(message->component_ns[COMPONENT_SWITCH], 50);
	assert_int_equal(message->component_ns[COMPONENT_RECEIVE], 650);
	assert_int_equal(message->component_ns[COMPONENT_RETURN], 0);
	assert_int_equal(heard.summary->integrity.residual_ns_max, 0);
}

TEST(a_switch_that_went_unseen_is_counted)
{
	uint64_t base = base_of(0, 1);

	put_roles();
	put_tick(&tape, 0, base, 1);
	put_whole_slice(0, 1);
	put_whole_send(0, 1);
	put_whole_stamp(0, 1);
	put_receive(&tape, tid_of(1), 1, 0, base - 5000, base + 1000, 0,
		    CHANGES(SLEEP(base - 4000, 0), WAKE(base + 250, 0), RESUME(base + 450, 0)));
	put_message(0, 2);
	play();
	assert_int_equal(heard.summary->integrity.unseen_switches, 1);
	assert_true(heard.message[0].unseen_switch);
	assert_false(heard.message[1].unseen_switch);
	assert_int_equal(heard.message[0].component_ns[COMPONENT_RUNQUEUE], 200);
}

/* Thread 500 runs while bandwidth control holds the client back, and is not blamed. */
TEST(a_throttled_client_blames_bandwidth_control)
{
	uint64_t base = base_of(0, 1);

	put_roles();
	put_tick(&tape, 0, base, 1);
	put_whole_slice(0, 1);
	put_whole_send(0, 1);
	put_whole_stamp(0, 1);
	put_receive(&tape, tid_of(1), 1, 0, base - 5000, base + 1000, 0,
		    CHANGES(THROTTLE(base + 250, 0), SWITCH(base + 400, 0), RUN(base + 450, 0)));
	play();
	assert_integrity(1, 1);
	assert_blame(&heard.message[0], BLAME_THROTTLED, 0, 150);
	assert_int_equal(heard.message[0].blame_cnt, 1);
}

TEST(a_wakeup_that_went_unseen_is_counted)
{
	uint64_t base = base_of(0, 1);

	put_roles();
	put_tick(&tape, 0, base, 1);
	put_whole_send(0, 1);
	put_whole_stamp(0, 1);
	put_receive(&tape, tid_of(1), 1, 0, base - 5000, base + 1000, 0,
		    CHANGES(SLEEP(base - 4000, 0), SWITCH(base + 400, 0), RUN(base + 450, 0)));
	put_message(0, 2);
	play();
	assert_integrity(2, 2);
	assert_int_equal(heard.summary->integrity.unseen_wakeups, 1);
	assert_true(heard.message[0].unseen_wakeup);
	assert_false(heard.message[1].unseen_wakeup);
	assert_int_equal(heard.message[0].component_ns[COMPONENT_RUNQUEUE], 0);
	assert_int_equal(heard.message[0].blame_cnt, 0);
}

TEST(a_receive_between_two_sleeps_is_no_wakeup)
{
	uint64_t base = base_of(0, 1);

	put_roles();
	put_tick(&tape, 0, base, 1);
	put_whole_send(0, 1);
	put_whole_stamp(0, 1);
	put_receive(&tape, tid_of(1), 1, 0, base - 5000, base + 1000, 0,
		    CHANGES(SLEEP(base - 4000, 0), SLEEP(base + 400, 0), WAKE(base + 450, 0),
			    SWITCH(base + 460, 0), RUN(base + 470, 0)));
	play();
	assert_integrity(1, 0);
	assert_incomplete(INCOMPLETE_NO_WAKEUP, 1);
}

/* Round 1 is received while running; the record of how the client began to run is lost. */
TEST(a_message_after_lost_changes_is_lost_history)
{
	uint64_t base = base_of(1, 1);

	put_roles();
	put_tick(&tape, 0, base_of(0, 1), 1);
	put_whole_send(0, 1);
	put_whole_stamp(0, 1);
	put_tick(&tape, 1, base, 1);
	put_whole_send(1, 1);
	put_receive(&tape, tid_of(1), 1, 1, base - 5000, base + 1000, 5, NO_CHANGES);
	put_whole_stamp(1, 1);
	play();
	assert_integrity(2, 0);
	assert_int_equal(heard.summary->integrity.incomplete[INCOMPLETE_NOT_RECEIVED], 1);
	assert_int_equal(heard.summary->integrity.incomplete[INCOMPLETE_HISTORY], 1);
}

/* A thread that slept and woke very often before its receive: the older part has its own record. */
TEST(changes_of_a_changes_record_are_part_of_the_history)
{
	uint64_t base = base_of(0, 1);

	put_roles();
	put_tick(&tape, 0, base, 1);
	put_whole_slice(0, 1);
	put_whole_send(0, 1);
	put_whole_stamp(0, 1);
	put_receive(&tape, tid_of(1), 1, 0, base - 5000, base + 1000, 2,
		    CHANGES(SWITCH(base + 400, 0), RUN(base + 450, 0)));
	put_changes(&tape, tid_of(1), base + 300, 0,
		    CHANGES(SLEEP(base - 4000, 0), WAKE(base + 250, 0)));
	play();
	assert_integrity(1, 1);
	assert_components(&heard.message[0], whole);
}

/* Changes have 46 bits of time. Here `queued` is before 2^46 ns and recv behind it. */
TEST(time_may_wrap_within_a_message)
{
	uint64_t base = (1ULL << CHANGE_TIME_BITS) * 3 - 300;

	put_roles();
	put_tick(&tape, 0, base, 1);
	put_slice(&tape, make_task(0, 0, TASK, base + 400));
	put_send(&tape, SERVER, 1, 0, base + 100, base + 200);
	put_receive(&tape, tid_of(1), 1, 0, base - 5000, base + 1000, 0,
		    CHANGES(SLEEP(base - 4000, 0), WAKE(base + 250, 0), SWITCH(base + 400, 0),
			    RUN(base + 450, 0)));
	put_stamp(&tape, 1, 0, base, base + 1100);
	play();
	assert_integrity(1, 1);
	assert_components(&heard.message[0], whole);
	assert_blame(&heard.message[0], BLAME_TASK, TASK, 150);
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* The components of a message whose receiver runs, waits for a CPU or is switched to. */
#include "analysis/breakdown/breakdown_fixture.h"

/* SLEEP 600 .. queued .. WAKE 1250 .. SWITCH 1400 .. RUN 1450 .. recv */
TEST(a_sleeping_receiver_is_woken_switched_to_and_receives)
{
	then(CHANGE_SLEEP, 600, 0);
	wakes(1250, 1400, 1450);
	assert_cut(PATH_SLEPT, .wakeup = 50, .runqueue = 150, .switching = 50, .receive = 550);
	assert_int_equal(breakdown.component_ns[COMPONENT_DISPATCH], 100);
	assert_int_equal(breakdown.component_ns[COMPONENT_RETURN], 100);
	assert_int_equal(breakdown.latency_ns, 1100);
}

TEST(without_a_stamp_latency_is_from_send_to_recv)
{
	in.has_stamp = false;
	in.stamp_ns = in.user_ns = 0;
	then(CHANGE_SLEEP, 600, 0);
	wakes(1250, 1400, 1450);
	assert_cut(PATH_SLEPT, .wakeup = 50, .runqueue = 150, .switching = 50, .receive = 550);
	assert_int_equal(breakdown.component_ns[COMPONENT_DISPATCH], 0);
	assert_int_equal(breakdown.component_ns[COMPONENT_RETURN], 0);
	assert_int_equal(breakdown.latency_ns, 900);
}

/* SLEEP 600 .. WAKE 900 .. queued .. SWITCH: the peer's write space had woken it. */
TEST(a_spurious_wake_is_runnable_when_queued)
{
	then(CHANGE_SLEEP, 600, 0);
	wakes(900, 1400, 1450);
	assert_cut(PATH_RUNNABLE, .runqueue = 200, .switching = 50, .receive = 550);
}

/* queued .. (traced) .. SWITCH: when and where it became runnable is not recorded. */
TEST(a_receiver_with_a_switch_as_first_change_was_runnable)
{
	then(CHANGE_SWITCH, 1400, 0);
	then(CHANGE_RUN, 1450, 0);
	assert_cut(PATH_RUNNABLE, .runqueue = 200, .switching = 50, .receive = 550);
	assert_int_equal(breakdown.segment[2].component, COMPONENT_RUNQUEUE);
	assert_int_equal(breakdown.segment[2].cpu, SEGMENT_CPU_UNKNOWN);
	line[0].index++; /* it is not the first */
	line[1].index++;
	assert_incomplete(INCOMPLETE_HISTORY);
}

TEST(a_wake_at_the_very_instant_of_queued_took_no_time)
{
	then(CHANGE_SLEEP, 600, 0);
	wakes(1200, 1400, 1450);
	assert_cut(PATH_RUNNABLE, .runqueue = 200, .switching = 50, .receive = 550);
}

/* It looked, found nothing, and was woken before it slept: no change at all. */
TEST(a_thread_that_never_left_its_cpu_has_no_wakeup_and_no_switch)
{
	assert_cut(PATH_RUNNING, .receive = 800);
	then(CHANGE_SLEEP, 100, 0);
	wakes(200, 300, 400);
	assert_cut(PATH_RUNNING, .receive = 800);
}

/*
 *	asleep | WAKE 700 SWITCH 710 RUN 720 SLEEP 730 | WAKE 800 .. SWITCH | queued
 * Woken for nothing twice, once back asleep. Only what holds from `queued` on counts.
 */
TEST(several_wakings_before_queued_leave_no_trace)
{
	then(CHANGE_SLEEP, 600, 0);
	wakes(700, 710, 720);
	then(CHANGE_SLEEP, 730, 0);
	wakes(1210, 1220, 1230);
	assert_cut(PATH_SLEPT, .wakeup = 10, .runqueue = 10, .switching = 10, .receive = 770);
}

TEST(a_running_receiver_is_busy_until_it_enters_its_call)
{
	in.enter_ns = 1500;
	assert_cut(PATH_RUNNING, .busy = 300, .receive = 500);
	in.enter_ns = 1200;
	assert_cut(PATH_RUNNING, .receive = 800);
	in.enter_ns = 2000;
	assert_cut(PATH_RUNNING, .busy = 800);
}

/* queued .. PREEMPT 1300 .. SWITCH 1400 .. RUN 1410 .. enter 1500: busy on both sides */
TEST(a_busy_receiver_may_be_preempted)
{
	in.enter_ns = 1500;
	then(CHANGE_PREEMPT, 1300, 0);
	then(CHANGE_SWITCH, 1400, 0);
	then(CHANGE_RUN, 1410, 0);
	assert_cut(PATH_RUNNING, .runqueue = 100, .switching = 10, .busy = 190, .receive = 500);
}

TEST(a_receiver_preempted_in_its_call_waits_for_its_cpu)
{
	then(CHANGE_SLEEP, 600, 0);
	wakes(1250, 1400, 1450);
	then(CHANGE_PREEMPT, 1500, 0);
	then(CHANGE_SWITCH, 1800, 0);
	then(CHANGE_RUN, 1820, 0);
	assert_cut(PATH_SLEPT, .wakeup = 50, .runqueue = 450, .switching = 70, .receive = 230);
}

TEST(a_message_queued_during_the_switch_finds_a_running_receiver)
{
	then(CHANGE_SLEEP, 600, 0);
	wakes(700, 1190, 1230);
	assert_cut(PATH_RUNNING, .switching = 30, .receive = 770);
}

/*
 *	WAKE on 1     MIGRATE to 2     MIGRATE to 0   SWITCH on 0
 *	   1250            1350             1380          1500
 *	     |-----100------|-------30-------|-----120------|
 */
TEST(migrations_split_the_wait_by_cpu)
{
	static const uint16_t cpus[] = {1, 2, 0};
	static const uint64_t ns[] = {100, 30, 120};
	size_t found = 0;

	then(CHANGE_SLEEP, 600, 0);
	then(CHANGE_WAKE, 1250, 1);
	then(CHANGE_MIGRATE, 1350, 2);
	then(CHANGE_MIGRATE, 1380, 0);
	then(CHANGE_SWITCH, 1500, 0);
	then(CHANGE_RUN, 1510, 0);
	assert_cut(PATH_SLEPT, .wakeup = 50, .runqueue = 250, .switching = 10, .receive = 490);
	for (uint32_t i = 0; i < breakdown.segment_cnt; i++) {
		const struct segment *segment = &breakdown.segment[i];

		if (segment->component != COMPONENT_RUNQUEUE)
			continue;
		assert_int_equal(segment->cpu, cpus[found]);
		assert_int_equal(segment->to_ns - segment->from_ns, ns[found++]);
	}
	assert_int_equal(found, 3);
}

/* It waited for CPU 1 and began to run on CPU 3: its migration is not recorded. */
TEST(an_unrecorded_migration_leaves_the_cpu_unknown)
{
	then(CHANGE_SLEEP, 600, 0);
	then(CHANGE_WAKE, 1250, 1);
	then(CHANGE_SWITCH, 1500, 3);
	then(CHANGE_RUN, 1510, 3);
	assert_cut(PATH_SLEPT, .wakeup = 50, .runqueue = 250, .switching = 10, .receive = 490);
	for (uint32_t i = 0; i < breakdown.segment_cnt; i++) {
		if (breakdown.segment[i].component == COMPONENT_RUNQUEUE)
			assert_int_equal(breakdown.segment[i].cpu, SEGMENT_CPU_UNKNOWN);
	}
}

TEST(a_kernel_that_hides_the_switch_shows_it_as_receive)
{
	in.shows_switch = false;
	then(CHANGE_SLEEP, 600, 0);
	then(CHANGE_WAKE, 1250, 0);
	then(CHANGE_SWITCH, 1400, 0);
	then(CHANGE_PREEMPT, 1500, 0);
	then(CHANGE_SWITCH, 1600, 0);
	assert_cut(PATH_SLEPT, .wakeup = 50, .runqueue = 250, .receive = 500);
}

TEST(without_calls_all_that_runs_is_receive)
{
	in.hides_calls = true;
	in.send_ns = in.queued_ns;
	in.enter_ns = 1500;
	then(CHANGE_PREEMPT, 1300, 0);
	then(CHANGE_SWITCH, 1340, 0);
	then(CHANGE_RUN, 1350, 0);
	assert_int_equal(breakdown_cut(&in, &breakdown), 0);
	assert_int_equal(breakdown.path, PATH_RUNNING);
	assert_segments_cover_the_latency();
	assert_int_equal(breakdown.component_ns[COMPONENT_DISPATCH], 200);
	assert_int_equal(breakdown.component_ns[COMPONENT_RUNQUEUE], 40);
	assert_int_equal(breakdown.component_ns[COMPONENT_SWITCH], 10);
	assert_int_equal(breakdown.component_ns[COMPONENT_RECEIVE], 850);
	assert_int_equal(breakdown.latency_ns, 1100);
}

/* Every sleep names its syscall, at any level. */
TEST(without_calls_sleeps_are_still_kept_apart)
{
	in.hides_calls = true;
	in.send_ns = in.queued_ns;
	in.enter_ns = 600;
	then(CHANGE_SLEEP, 600, 0);
	wakes(1250, 1400, 1410);
	assert_int_equal(breakdown_cut(&in, &breakdown), 0);
	assert_int_equal(breakdown.path, PATH_SLEPT);
	assert_int_equal(breakdown.component_ns[COMPONENT_WAKEUP], 50);
	in.enter_ns = 601;
	assert_int_equal(breakdown_cut(&in, &breakdown), 0);
	assert_int_equal(breakdown.path, PATH_BLOCKED);
	assert_int_equal(breakdown.component_ns[COMPONENT_BLOCKED], 50);
}

TEST(a_resume_without_a_switch_is_reported)
{
	then(CHANGE_SLEEP, 600, 0);
	then(CHANGE_WAKE, 1250, 0);
	then(CHANGE_RESUME, 1450, 0);
	assert_cut(PATH_SLEPT, .wakeup = 50, .runqueue = 200, .receive = 550);
	assert_true(breakdown.unseen_switch);
}

TEST(a_resume_before_queued_does_not_count)
{
	then(CHANGE_PREEMPT, 600, 0);
	then(CHANGE_RESUME, 700, 0);
	assert_cut(PATH_RUNNING, .receive = 800);
	assert_false(breakdown.unseen_switch);
}

/* Throttled on CPU 1, it runs on CPU 3: it waited for neither. */
TEST(a_throttled_receiver_waits_for_no_cpu)
{
	then(CHANGE_THROTTLE, 1300, 1);
	then(CHANGE_SWITCH, 1700, 3);
	then(CHANGE_RUN, 1710, 3);
	assert_cut(PATH_RUNNING, .runqueue = 400, .switching = 10, .receive = 390);
	for (uint32_t i = 0; i < breakdown.segment_cnt; i++) {
		if (breakdown.segment[i].component == COMPONENT_RUNQUEUE)
			assert_int_equal(breakdown.segment[i].cpu, SEGMENT_CPU_THROTTLED);
	}
}

TEST(a_receiver_throttled_before_queued_is_runnable)
{
	then(CHANGE_THROTTLE, 600, 1);
	then(CHANGE_SWITCH, 1700, 1);
	then(CHANGE_RUN, 1710, 1);
	assert_cut(PATH_RUNNABLE, .runqueue = 500, .switching = 10, .receive = 290);
	assert_int_equal(breakdown.segment[2].component, COMPONENT_RUNQUEUE);
	assert_int_equal(breakdown.segment[2].cpu, SEGMENT_CPU_THROTTLED);
}

/* Its group had used up its time when it was woken. */
TEST(a_receiver_may_be_woken_and_held_back)
{
	then(CHANGE_SLEEP, 600, 0);
	then(CHANGE_THROTTLE, 1250, 1);
	then(CHANGE_SWITCH, 1700, 3);
	then(CHANGE_RUN, 1710, 3);
	assert_cut(PATH_SLEPT, .wakeup = 50, .runqueue = 450, .switching = 10, .receive = 290);
	for (uint32_t i = 0; i < breakdown.segment_cnt; i++) {
		if (breakdown.segment[i].component == COMPONENT_RUNQUEUE)
			assert_int_equal(breakdown.segment[i].cpu, SEGMENT_CPU_THROTTLED);
	}
}

TEST(changes_after_recv_belong_to_the_next_message)
{
	then(CHANGE_SLEEP, 600, 0);
	wakes(1250, 1400, 1450);
	then(CHANGE_SLEEP, 2050, 0);
	then(CHANGE_WAKE, 2500, 0);
	in.change_end = 4;
	assert_cut(PATH_SLEPT, .wakeup = 50, .runqueue = 150, .switching = 50, .receive = 550);
}

/* Received before the sender said `queued`, and off the CPU again within the clock's resolution. */
TEST(a_change_after_the_call_at_the_instant_of_recv_is_the_next_messages)
{
	in.queued_ns = in.recv_ns = 2000;
	then(CHANGE_SLEEP, 600, 0);
	wakes(1250, 1400, 1450);
	then(CHANGE_PREEMPT, 2000, 0);
	in.change_end = 4;
	assert_cut(PATH_RUNNING, 0);
}

TEST(a_receive_at_the_instant_of_queued_took_no_time)
{
	in.queued_ns = in.recv_ns;
	assert_cut(PATH_RUNNING, 0);
	in.stamp_ns = in.send_ns = in.user_ns = in.recv_ns;
	assert_cut(PATH_RUNNING, 0);
	assert_int_equal(breakdown.latency_ns, 0);
	assert_int_equal(breakdown.segment_cnt, 0);
}

/*
 * When it became runnable is not known: all of the time counts as asleep, and the message says so.
 */
TEST(a_switch_without_a_wake_is_an_unseen_wakeup)
{
	then(CHANGE_SLEEP, 600, 0);
	then(CHANGE_SWITCH, 1400, 0);
	then(CHANGE_RUN, 1450, 0);
	assert_cut(PATH_SLEPT, .wakeup = 200, .switching = 50, .receive = 550);
	assert_true(breakdown.unseen_wakeup);
	assert_false(breakdown.unseen_switch);
}

TEST(a_resume_without_a_wake_is_an_unseen_wakeup_and_switch)
{
	then(CHANGE_SLEEP, 600, 0);
	then(CHANGE_RESUME, 1400, 0);
	assert_cut(PATH_SLEPT, .wakeup = 200, .receive = 600);
	assert_true(breakdown.unseen_wakeup);
	assert_true(breakdown.unseen_switch);
}

TEST(an_unseen_wakeup_before_queued_does_not_count)
{
	then(CHANGE_SLEEP, 600, 0);
	then(CHANGE_SWITCH, 700, 0);
	then(CHANGE_RUN, 710, 0);
	assert_cut(PATH_RUNNING, .receive = 800);
	assert_false(breakdown.unseen_wakeup);
}

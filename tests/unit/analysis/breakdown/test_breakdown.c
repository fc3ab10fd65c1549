/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The receiver's time lines, by hand. All tests share these instants unless they say otherwise:
 *
 *	stamp    send   queued                          recv    user
 *	 1000    1100    1200                           2000    2100
 *	   |-------|-------|------------------------------|-------|
 *	                   |          enter at 500: the receiver has been in its call for long
 */
#include "support/build.h"

#include "analysis/breakdown/breakdown.h"

#include <string.h>

#define LINE_MAX (BREAKDOWN_SEGMENTS_MAX + 600)

static struct change line[LINE_MAX];
static struct breakdown_input in;
static struct breakdown anatomy;

static int setup(void **state)
{
	(void)state;
	in = (struct breakdown_input){
		.has_stamp = true,
		.stamp_ns = 1000,
		.send_ns = 1100,
		.queued_ns = 1200,
		.enter_ns = 500,
		.recv_ns = 2000,
		.user_ns = 2100,
		.shows_switch = true,
		.timeline = {.change = line},
	};
	memset(&anatomy, 0xa5, sizeof(anatomy));
	return 0;
}

/* The receiver's next change. */
static void then(enum change_kind kind, uint64_t at_ns, uint16_t cpu)
{
	size_t i = in.timeline.cnt++;

	assert_true(i < LINE_MAX);
	line[i] = (struct change){
		.at_ns = at_ns, .index = i ? line[i - 1].index + 1 : 0, .cpu = cpu, .kind = kind};
	in.change_end = line[i].index + 1;
}

static void assert_segments_cover_the_latency(void)
{
	uint64_t at_ns = in.has_stamp ? in.stamp_ns : in.send_ns;
	uint64_t sum[NR_COMPONENTS] = {0};

	for (uint32_t i = 0; i < anatomy.segment_cnt; i++) {
		const struct segment *segment = &anatomy.segment[i];

		assert_int_equal(segment->from_ns, at_ns);
		assert_true(segment->to_ns > at_ns);
		sum[segment->component] += segment->to_ns - segment->from_ns;
		at_ns = segment->to_ns;
	}
	assert_int_equal(at_ns, in.has_stamp ? in.user_ns : in.recv_ns);
	assert_memory_equal(sum, anatomy.component_ns, sizeof(sum));
	assert_int_equal(anatomy.latency_ns, sum_of(sum, NR_COMPONENTS));
}

/* What lies between `queued` and `recv`. */
struct cut {
	uint64_t wakeup, runqueue, switching, busy, blocked, receive;
};

static void assert_cut(enum path path, struct cut cut)
{
	assert_int_equal(breakdown_cut(&in, &anatomy), 0);
	assert_segments_cover_the_latency();
	assert_int_equal(anatomy.path, path);
	assert_int_equal(anatomy.component_ns[COMPONENT_SEND_PATH], in.queued_ns - in.send_ns);
	assert_int_equal(anatomy.component_ns[COMPONENT_WAKEUP], cut.wakeup);
	assert_int_equal(anatomy.component_ns[COMPONENT_RUNQUEUE], cut.runqueue);
	assert_int_equal(anatomy.component_ns[COMPONENT_SWITCH], cut.switching);
	assert_int_equal(anatomy.component_ns[COMPONENT_BUSY], cut.busy);
	assert_int_equal(anatomy.component_ns[COMPONENT_BLOCKED], cut.blocked);
	assert_int_equal(anatomy.component_ns[COMPONENT_RECEIVE], cut.receive);
}

static void assert_incomplete(enum incomplete reason)
{
	assert_int_equal(breakdown_cut(&in, &anatomy), -(1 + (int)reason));
}

/* SLEEP 600 .. queued .. WAKE 1250 .. SWITCH 1400 .. RUN 1450 .. recv */
static void a_sleeping_receiver_is_woken_switched_to_and_receives(void **state)
{
	(void)state;
	then(CHANGE_SLEEP, 600, 0);
	then(CHANGE_WAKE, 1250, 0);
	then(CHANGE_SWITCH, 1400, 0);
	then(CHANGE_RUN, 1450, 0);
	assert_cut(PATH_SLEPT,
		   (struct cut){.wakeup = 50, .runqueue = 150, .switching = 50, .receive = 550});
	assert_int_equal(anatomy.component_ns[COMPONENT_DISPATCH], 100);
	assert_int_equal(anatomy.component_ns[COMPONENT_RETURN], 100);
	assert_int_equal(anatomy.latency_ns, 1100);
}

static void without_a_stamp_latency_is_from_send_to_recv(void **state)
{
	(void)state;
	in.has_stamp = false;
	in.stamp_ns = in.user_ns = 0;
	then(CHANGE_SLEEP, 600, 0);
	then(CHANGE_WAKE, 1250, 0);
	then(CHANGE_SWITCH, 1400, 0);
	then(CHANGE_RUN, 1450, 0);
	assert_cut(PATH_SLEPT,
		   (struct cut){.wakeup = 50, .runqueue = 150, .switching = 50, .receive = 550});
	assert_int_equal(anatomy.component_ns[COMPONENT_DISPATCH], 0);
	assert_int_equal(anatomy.component_ns[COMPONENT_RETURN], 0);
	assert_int_equal(anatomy.latency_ns, 900);
}

/* SLEEP 600 .. WAKE 900 .. queued .. SWITCH: the peer's write space had woken it. */
static void a_spurious_wake_is_runnable_when_queued(void **state)
{
	(void)state;
	then(CHANGE_SLEEP, 600, 0);
	then(CHANGE_WAKE, 900, 0);
	then(CHANGE_SWITCH, 1400, 0);
	then(CHANGE_RUN, 1450, 0);
	assert_cut(PATH_RUNNABLE, (struct cut){.runqueue = 200, .switching = 50, .receive = 550});
}

/* queued .. (traced) .. SWITCH: nobody told when it had become runnable, or where. */
static void a_receiver_whose_first_change_is_a_switch_was_runnable(void **state)
{
	(void)state;
	then(CHANGE_SWITCH, 1400, 0);
	then(CHANGE_RUN, 1450, 0);
	assert_cut(PATH_RUNNABLE, (struct cut){.runqueue = 200, .switching = 50, .receive = 550});
	assert_int_equal(anatomy.segment[2].component, COMPONENT_RUNQUEUE);
	assert_int_equal(anatomy.segment[2].cpu, SEGMENT_CPU_UNKNOWN);
	line[0].index++; /* it is not the first */
	line[1].index++;
	assert_incomplete(INCOMPLETE_HISTORY);
}

static void a_wake_at_the_very_instant_of_queued_took_no_time(void **state)
{
	(void)state;
	then(CHANGE_SLEEP, 600, 0);
	then(CHANGE_WAKE, 1200, 0);
	then(CHANGE_SWITCH, 1400, 0);
	then(CHANGE_RUN, 1450, 0);
	assert_cut(PATH_RUNNABLE, (struct cut){.runqueue = 200, .switching = 50, .receive = 550});
}

/* It looked, found nothing, was about to sleep and was told before it did: no change at all. */
static void a_thread_that_never_left_its_cpu_has_no_wakeup_and_no_switch(void **state)
{
	(void)state;
	assert_cut(PATH_RUNNING, (struct cut){.receive = 800});
	then(CHANGE_SLEEP, 100, 0);
	then(CHANGE_WAKE, 200, 0);
	then(CHANGE_SWITCH, 300, 0);
	then(CHANGE_RUN, 400, 0);
	assert_cut(PATH_RUNNING, (struct cut){.receive = 800});
}

/*
 *	asleep | WAKE 700 SWITCH 710 RUN 720 SLEEP 730 | WAKE 800 .. SWITCH | queued
 * Woken for nothing twice, once back asleep. Only what holds from `queued` on counts.
 */
static void several_wakings_before_queued_leave_no_trace(void **state)
{
	(void)state;
	then(CHANGE_SLEEP, 600, 0);
	then(CHANGE_WAKE, 700, 0);
	then(CHANGE_SWITCH, 710, 0);
	then(CHANGE_RUN, 720, 0);
	then(CHANGE_SLEEP, 730, 0);
	then(CHANGE_WAKE, 1210, 0);
	then(CHANGE_SWITCH, 1220, 0);
	then(CHANGE_RUN, 1230, 0);
	assert_cut(PATH_SLEPT,
		   (struct cut){.wakeup = 10, .runqueue = 10, .switching = 10, .receive = 770});
}

static void a_running_receiver_is_busy_until_it_enters_its_call(void **state)
{
	(void)state;
	in.enter_ns = 1500;
	assert_cut(PATH_RUNNING, (struct cut){.busy = 300, .receive = 500});
	in.enter_ns = 1200;
	assert_cut(PATH_RUNNING, (struct cut){.receive = 800});
	in.enter_ns = 2000;
	assert_cut(PATH_RUNNING, (struct cut){.busy = 800});
}

/* queued .. PREEMPT 1300 .. SWITCH 1400 .. RUN 1410 .. enter 1500: busy on both sides */
static void a_busy_receiver_may_be_preempted(void **state)
{
	(void)state;
	in.enter_ns = 1500;
	then(CHANGE_PREEMPT, 1300, 0);
	then(CHANGE_SWITCH, 1400, 0);
	then(CHANGE_RUN, 1410, 0);
	assert_cut(PATH_RUNNING,
		   (struct cut){.runqueue = 100, .switching = 10, .busy = 190, .receive = 500});
}

static void a_receiver_preempted_in_its_call_waits_for_its_cpu(void **state)
{
	(void)state;
	then(CHANGE_SLEEP, 600, 0);
	then(CHANGE_WAKE, 1250, 0);
	then(CHANGE_SWITCH, 1400, 0);
	then(CHANGE_RUN, 1450, 0);
	then(CHANGE_PREEMPT, 1500, 0);
	then(CHANGE_SWITCH, 1800, 0);
	then(CHANGE_RUN, 1820, 0);
	assert_cut(PATH_SLEPT,
		   (struct cut){.wakeup = 50, .runqueue = 450, .switching = 70, .receive = 230});
}

static void a_message_queued_during_the_switch_finds_a_running_receiver(void **state)
{
	(void)state;
	then(CHANGE_SLEEP, 600, 0);
	then(CHANGE_WAKE, 700, 0);
	then(CHANGE_SWITCH, 1190, 0);
	then(CHANGE_RUN, 1230, 0);
	assert_cut(PATH_RUNNING, (struct cut){.switching = 30, .receive = 770});
}

/* The receive call waits for a lock after the message was there. */
static void a_sleep_in_the_call_that_began_after_queued_is_blocked(void **state)
{
	(void)state;
	then(CHANGE_SLEEP, 1300, 0);
	then(CHANGE_WAKE, 1600, 0);
	then(CHANGE_SWITCH, 1700, 0);
	then(CHANGE_RUN, 1710, 0);
	assert_cut(PATH_RUNNING,
		   (struct cut){.runqueue = 100, .switching = 10, .blocked = 300, .receive = 390});
}

/* Asleep at `queued`, but not in the call that takes the message: in nanosleep(), say. */
static void a_sleep_outside_of_the_call_is_blocked(void **state)
{
	(void)state;
	in.enter_ns = 1600;
	then(CHANGE_SLEEP, 600, 0);
	then(CHANGE_WAKE, 1400, 0);
	then(CHANGE_SWITCH, 1450, 0);
	then(CHANGE_RUN, 1460, 0);
	assert_cut(PATH_BLOCKED, (struct cut){.runqueue = 50,
					      .switching = 10,
					      .busy = 140,
					      .blocked = 200,
					      .receive = 400});
}

/* It waited in poll() and entered its receive call only when the data was there. */
static void a_sleep_in_a_call_that_watches_channels_waits_for_this_one(void **state)
{
	(void)state;
	in.enter_ns = 1600;
	then(CHANGE_POLL, 600, 0);
	then(CHANGE_WAKE, 1400, 0);
	then(CHANGE_SWITCH, 1450, 0);
	then(CHANGE_RUN, 1460, 0);
	assert_cut(PATH_SLEPT, (struct cut){.wakeup = 200,
					    .runqueue = 50,
					    .switching = 10,
					    .busy = 140,
					    .receive = 400});
}

/* It watched others, and began to watch this one when it was awake. */
static void a_poll_that_does_not_watch_this_channel_is_blocked(void **state)
{
	(void)state;
	in.enter_ns = 1600;
	in.unwatched = true;
	then(CHANGE_POLL, 600, 0);
	then(CHANGE_WAKE, 1400, 0);
	then(CHANGE_SWITCH, 1450, 0);
	then(CHANGE_RUN, 1460, 0);
	assert_cut(PATH_BLOCKED, (struct cut){.blocked = 200,
					      .runqueue = 50,
					      .switching = 10,
					      .busy = 140,
					      .receive = 400});
}

/* It had been woken by another message just before, and would look for this one, too. */
static void a_poll_that_is_being_woken_already_waits_for_nothing_else(void **state)
{
	(void)state;
	in.enter_ns = 1600;
	in.unwatched = true;
	then(CHANGE_POLL, 600, 0);
	then(CHANGE_WOKEN, 1100, 0);
	then(CHANGE_WAKE, 1400, 0);
	then(CHANGE_SWITCH, 1450, 0);
	then(CHANGE_RUN, 1460, 0);
	assert_cut(PATH_SLEPT, (struct cut){.wakeup = 200,
					    .runqueue = 50,
					    .switching = 10,
					    .busy = 140,
					    .receive = 400});
}

/* Until it is on a run queue it sleeps for what it has slept for. */
static void a_wakeup_that_begins_ends_no_sleep(void **state)
{
	(void)state;
	in.enter_ns = 1600;
	in.unwatched = true;
	then(CHANGE_POLL, 600, 0);
	then(CHANGE_WOKEN, 1300, 0);
	then(CHANGE_WAKE, 1400, 0);
	then(CHANGE_SWITCH, 1450, 0);
	then(CHANGE_RUN, 1460, 0);
	assert_cut(PATH_BLOCKED, (struct cut){.blocked = 200,
					      .runqueue = 50,
					      .switching = 10,
					      .busy = 140,
					      .receive = 400});
}

/* The data was there already: it slept for something else. */
static void a_poll_that_began_after_queued_is_blocked(void **state)
{
	(void)state;
	in.enter_ns = 1600;
	then(CHANGE_POLL, 1300, 0);
	then(CHANGE_WAKE, 1400, 0);
	then(CHANGE_SWITCH, 1450, 0);
	then(CHANGE_RUN, 1460, 0);
	assert_cut(PATH_RUNNING, (struct cut){.runqueue = 50,
					      .switching = 10,
					      .busy = 240,
					      .blocked = 100,
					      .receive = 400});
}

/* It had decided to sleep, and the wake-up came when it was on its way. */
static void a_sleep_whose_wakeup_was_under_way_is_wakeup(void **state)
{
	(void)state;
	in.enter_ns = 1600;
	then(CHANGE_WOKEN, 1300, 0);
	then(CHANGE_WAKE, 1400, 0);
	then(CHANGE_SWITCH, 1450, 0);
	then(CHANGE_RUN, 1460, 0);
	assert_cut(PATH_RUNNING, (struct cut){.wakeup = 100,
					      .runqueue = 50,
					      .switching = 10,
					      .busy = 240,
					      .receive = 400});
}

/* It looked before the message was there and fell asleep after; the second sleep is another's. */
static void a_receiver_that_looks_first_may_sleep_late(void **state)
{
	(void)state;
	in.looks_first = true;
	then(CHANGE_SLEEP, 1300, 0);
	then(CHANGE_WAKE, 1400, 0);
	then(CHANGE_SWITCH, 1450, 0);
	then(CHANGE_RUN, 1460, 0);
	then(CHANGE_SLEEP, 1500, 0);
	then(CHANGE_WAKE, 1520, 0);
	then(CHANGE_SWITCH, 1550, 0);
	then(CHANGE_RUN, 1560, 0);
	assert_cut(PATH_RUNNING, (struct cut){.wakeup = 100,
					      .runqueue = 80,
					      .switching = 20,
					      .blocked = 20,
					      .receive = 580});
}

/* What it looks for was there when it began. */
static void a_receiver_that_looks_late_sleeps_for_something_else(void **state)
{
	(void)state;
	in.looks_first = true;
	in.enter_ns = 1250;
	then(CHANGE_SLEEP, 1300, 0);
	then(CHANGE_WAKE, 1400, 0);
	then(CHANGE_SWITCH, 1450, 0);
	then(CHANGE_RUN, 1460, 0);
	assert_cut(PATH_RUNNING, (struct cut){.runqueue = 50,
					      .switching = 10,
					      .busy = 50,
					      .blocked = 100,
					      .receive = 590});
}

static void a_message_whose_arrival_nobody_saw_has_no_anatomy(void **state)
{
	(void)state;
	in.queued_ns = 0;
	assert_incomplete(INCOMPLETE_NO_ARRIVAL);
}

/* The receiver was in an earlier receive call from 500 to 1500. */
static bool in_earlier_call(const void *ctx, uint64_t at_ns)
{
	return ctx == &in && at_ns >= 500 && at_ns < 1500;
}

/* It slept when this message and an earlier one came, and is in its second call since 1600. */
static void a_sleep_in_the_call_of_an_earlier_message_is_for_this_channel_too(void **state)
{
	const struct cut cut = {
		.wakeup = 200, .runqueue = 50, .switching = 10, .busy = 140, .receive = 400};

	(void)state;
	in.enter_ns = 1600;
	in.was_receiving = in_earlier_call;
	in.ctx = &in;
	then(CHANGE_SLEEP, 600, 0);
	then(CHANGE_WAKE, 1400, 0);
	then(CHANGE_SWITCH, 1450, 0);
	then(CHANGE_RUN, 1460, 0);
	assert_cut(PATH_SLEPT, cut);
}

static void a_sleep_before_the_call_of_an_earlier_message_is_blocked(void **state)
{
	const struct cut cut = {
		.blocked = 200, .runqueue = 50, .switching = 10, .busy = 140, .receive = 400};

	(void)state;
	in.enter_ns = 1600;
	in.was_receiving = in_earlier_call;
	in.ctx = &in;
	then(CHANGE_SLEEP, 499, 0);
	then(CHANGE_WAKE, 1400, 0);
	then(CHANGE_SWITCH, 1450, 0);
	then(CHANGE_RUN, 1460, 0);
	assert_cut(PATH_BLOCKED, cut);
}

static void a_sleep_in_an_earlier_call_that_began_after_queued_is_blocked(void **state)
{
	const struct cut cut = {
		.blocked = 100, .runqueue = 50, .switching = 10, .busy = 240, .receive = 400};

	(void)state;
	in.enter_ns = 1600;
	in.was_receiving = in_earlier_call;
	in.ctx = &in;
	then(CHANGE_SLEEP, 1300, 0);
	then(CHANGE_WAKE, 1400, 0);
	then(CHANGE_SWITCH, 1450, 0);
	then(CHANGE_RUN, 1460, 0);
	assert_cut(PATH_RUNNING, cut);
}

/* First asleep for the channel, then, in the same call, for something else. */
static void waiting_and_blocked_are_told_apart_in_one_call(void **state)
{
	(void)state;
	then(CHANGE_SLEEP, 600, 0);
	then(CHANGE_WAKE, 1250, 0);
	then(CHANGE_SWITCH, 1300, 0);
	then(CHANGE_RUN, 1310, 0);
	then(CHANGE_SLEEP, 1400, 0);
	then(CHANGE_WAKE, 1600, 0);
	then(CHANGE_SWITCH, 1620, 0);
	then(CHANGE_RUN, 1630, 0);
	assert_cut(PATH_SLEPT, (struct cut){.wakeup = 50,
					    .runqueue = 70,
					    .switching = 20,
					    .blocked = 200,
					    .receive = 460});
}

/*
 *	WAKE on 1     MIGRATE to 2     MIGRATE to 0   SWITCH on 0
 *	   1250            1350             1380          1500
 *	     |-----100------|-------30-------|-----120------|
 */
static void migrations_split_the_wait_by_cpu(void **state)
{
	static const uint16_t cpus[] = {1, 2, 0};
	static const uint64_t ns[] = {100, 30, 120};
	size_t found = 0;

	(void)state;
	then(CHANGE_SLEEP, 600, 0);
	then(CHANGE_WAKE, 1250, 1);
	then(CHANGE_MIGRATE, 1350, 2);
	then(CHANGE_MIGRATE, 1380, 0);
	then(CHANGE_SWITCH, 1500, 0);
	then(CHANGE_RUN, 1510, 0);
	assert_cut(PATH_SLEPT,
		   (struct cut){.wakeup = 50, .runqueue = 250, .switching = 10, .receive = 490});
	for (uint32_t i = 0; i < anatomy.segment_cnt; i++) {
		const struct segment *segment = &anatomy.segment[i];

		if (segment->component != COMPONENT_RUNQUEUE)
			continue;
		assert_int_equal(segment->cpu, cpus[found]);
		assert_int_equal(segment->to_ns - segment->from_ns, ns[found++]);
	}
	assert_int_equal(found, 3);
}

/* It waited for CPU 1 and began to run on CPU 3: nobody told when it moved. */
static void an_untold_migration_leaves_the_cpu_unknown(void **state)
{
	(void)state;
	then(CHANGE_SLEEP, 600, 0);
	then(CHANGE_WAKE, 1250, 1);
	then(CHANGE_SWITCH, 1500, 3);
	then(CHANGE_RUN, 1510, 3);
	assert_cut(PATH_SLEPT,
		   (struct cut){.wakeup = 50, .runqueue = 250, .switching = 10, .receive = 490});
	for (uint32_t i = 0; i < anatomy.segment_cnt; i++) {
		if (anatomy.segment[i].component == COMPONENT_RUNQUEUE)
			assert_int_equal(anatomy.segment[i].cpu, SEGMENT_CPU_UNKNOWN);
	}
}

static void a_kernel_that_hides_the_switch_shows_it_as_receive(void **state)
{
	(void)state;
	in.shows_switch = false;
	then(CHANGE_SLEEP, 600, 0);
	then(CHANGE_WAKE, 1250, 0);
	then(CHANGE_SWITCH, 1400, 0);
	then(CHANGE_PREEMPT, 1500, 0);
	then(CHANGE_SWITCH, 1600, 0);
	assert_cut(PATH_SLEPT, (struct cut){.wakeup = 50, .runqueue = 250, .receive = 500});
}

static void without_calls_all_that_runs_is_receive(void **state)
{
	(void)state;
	in.hides_calls = true;
	in.send_ns = in.queued_ns;
	in.enter_ns = 1500;
	then(CHANGE_PREEMPT, 1300, 0);
	then(CHANGE_SWITCH, 1340, 0);
	then(CHANGE_RUN, 1350, 0);
	assert_int_equal(breakdown_cut(&in, &anatomy), 0);
	assert_int_equal(anatomy.path, PATH_RUNNING);
	assert_segments_cover_the_latency();
	assert_int_equal(anatomy.component_ns[COMPONENT_DISPATCH], 200);
	assert_int_equal(anatomy.component_ns[COMPONENT_RUNQUEUE], 40);
	assert_int_equal(anatomy.component_ns[COMPONENT_SWITCH], 10);
	assert_int_equal(anatomy.component_ns[COMPONENT_RECEIVE], 850);
	assert_int_equal(anatomy.latency_ns, 1100);
}

/* Where it slept is known of any sleep, at whatever level. */
static void without_calls_a_sleep_is_told_from_another_too(void **state)
{
	(void)state;
	in.hides_calls = true;
	in.send_ns = in.queued_ns;
	in.enter_ns = 600;
	then(CHANGE_SLEEP, 600, 0);
	then(CHANGE_WAKE, 1250, 0);
	then(CHANGE_SWITCH, 1400, 0);
	then(CHANGE_RUN, 1410, 0);
	assert_int_equal(breakdown_cut(&in, &anatomy), 0);
	assert_int_equal(anatomy.path, PATH_SLEPT);
	assert_int_equal(anatomy.component_ns[COMPONENT_WAKEUP], 50);
	in.enter_ns = 601;
	assert_int_equal(breakdown_cut(&in, &anatomy), 0);
	assert_int_equal(anatomy.path, PATH_BLOCKED);
	assert_int_equal(anatomy.component_ns[COMPONENT_BLOCKED], 50);
}

static void a_resume_without_a_switch_is_said(void **state)
{
	(void)state;
	then(CHANGE_SLEEP, 600, 0);
	then(CHANGE_WAKE, 1250, 0);
	then(CHANGE_RESUME, 1450, 0);
	assert_cut(PATH_SLEPT, (struct cut){.wakeup = 50, .runqueue = 200, .receive = 550});
	assert_true(anatomy.unseen_switch);
}

static void a_resume_before_queued_concerns_no_one(void **state)
{
	(void)state;
	then(CHANGE_PREEMPT, 600, 0);
	then(CHANGE_RESUME, 700, 0);
	assert_cut(PATH_RUNNING, (struct cut){.receive = 800});
	assert_false(anatomy.unseen_switch);
}

/* Held back on CPU 1 and let run on CPU 3: it waited for neither. */
static void a_throttled_receiver_waits_for_no_cpu(void **state)
{
	(void)state;
	then(CHANGE_THROTTLE, 1300, 1);
	then(CHANGE_SWITCH, 1700, 3);
	then(CHANGE_RUN, 1710, 3);
	assert_cut(PATH_RUNNING, (struct cut){.runqueue = 400, .switching = 10, .receive = 390});
	for (uint32_t i = 0; i < anatomy.segment_cnt; i++) {
		if (anatomy.segment[i].component == COMPONENT_RUNQUEUE)
			assert_int_equal(anatomy.segment[i].cpu, SEGMENT_CPU_THROTTLED);
	}
}

static void a_receiver_throttled_before_queued_is_runnable(void **state)
{
	(void)state;
	then(CHANGE_THROTTLE, 600, 1);
	then(CHANGE_SWITCH, 1700, 1);
	then(CHANGE_RUN, 1710, 1);
	assert_cut(PATH_RUNNABLE, (struct cut){.runqueue = 500, .switching = 10, .receive = 290});
	assert_int_equal(anatomy.segment[2].component, COMPONENT_RUNQUEUE);
	assert_int_equal(anatomy.segment[2].cpu, SEGMENT_CPU_THROTTLED);
}

/* Its group had used up its time when it was woken. */
static void a_receiver_may_be_woken_and_held_back(void **state)
{
	(void)state;
	then(CHANGE_SLEEP, 600, 0);
	then(CHANGE_THROTTLE, 1250, 1);
	then(CHANGE_SWITCH, 1700, 3);
	then(CHANGE_RUN, 1710, 3);
	assert_cut(PATH_SLEPT,
		   (struct cut){.wakeup = 50, .runqueue = 450, .switching = 10, .receive = 290});
	for (uint32_t i = 0; i < anatomy.segment_cnt; i++) {
		if (anatomy.segment[i].component == COMPONENT_RUNQUEUE)
			assert_int_equal(anatomy.segment[i].cpu, SEGMENT_CPU_THROTTLED);
	}
}

static void changes_after_recv_belong_to_the_next_message(void **state)
{
	(void)state;
	then(CHANGE_SLEEP, 600, 0);
	then(CHANGE_WAKE, 1250, 0);
	then(CHANGE_SWITCH, 1400, 0);
	then(CHANGE_RUN, 1450, 0);
	then(CHANGE_SLEEP, 2050, 0);
	then(CHANGE_WAKE, 2500, 0);
	in.change_end = 4;
	assert_cut(PATH_SLEPT,
		   (struct cut){.wakeup = 50, .runqueue = 150, .switching = 50, .receive = 550});
}

/* Received before the sender said `queued`, and off the CPU again within the clock's resolution. */
static void a_change_after_the_call_at_the_instant_of_recv_is_the_next_messages(void **state)
{
	(void)state;
	in.queued_ns = in.recv_ns = 2000;
	then(CHANGE_SLEEP, 600, 0);
	then(CHANGE_WAKE, 1250, 0);
	then(CHANGE_SWITCH, 1400, 0);
	then(CHANGE_RUN, 1450, 0);
	then(CHANGE_PREEMPT, 2000, 0);
	in.change_end = 4;
	assert_cut(PATH_RUNNING, (struct cut){0});
}

static void a_receive_at_the_instant_of_queued_took_no_time(void **state)
{
	(void)state;
	in.queued_ns = in.recv_ns;
	assert_cut(PATH_RUNNING, (struct cut){0});
	in.stamp_ns = in.send_ns = in.user_ns = in.recv_ns;
	assert_cut(PATH_RUNNING, (struct cut){0});
	assert_int_equal(anatomy.latency_ns, 0);
	assert_int_equal(anatomy.segment_cnt, 0);
}

/* When it became runnable is not known: all of the time counts as asleep, and this is said. */
static void a_switch_without_a_wake_is_an_unseen_wakeup(void **state)
{
	(void)state;
	then(CHANGE_SLEEP, 600, 0);
	then(CHANGE_SWITCH, 1400, 0);
	then(CHANGE_RUN, 1450, 0);
	assert_cut(PATH_SLEPT, (struct cut){.wakeup = 200, .switching = 50, .receive = 550});
	assert_true(anatomy.unseen_wakeup);
	assert_false(anatomy.unseen_switch);
}

static void a_resume_without_a_wake_is_an_unseen_wakeup_and_switch(void **state)
{
	(void)state;
	then(CHANGE_SLEEP, 600, 0);
	then(CHANGE_RESUME, 1400, 0);
	assert_cut(PATH_SLEPT, (struct cut){.wakeup = 200, .receive = 600});
	assert_true(anatomy.unseen_wakeup);
	assert_true(anatomy.unseen_switch);
}

static void an_unseen_wakeup_before_queued_concerns_no_one(void **state)
{
	(void)state;
	then(CHANGE_SLEEP, 600, 0);
	then(CHANGE_SWITCH, 700, 0);
	then(CHANGE_RUN, 710, 0);
	assert_cut(PATH_RUNNING, (struct cut){.receive = 800});
	assert_false(anatomy.unseen_wakeup);
}

/* Two sleeps in a row: that it ran in between is all that can be said. */
static void a_sleep_after_a_sleep_is_no_wakeup(void **state)
{
	(void)state;
	then(CHANGE_SLEEP, 600, 0);
	then(CHANGE_SLEEP, 1400, 0);
	assert_incomplete(INCOMPLETE_NO_WAKEUP);
}

/* The records say that it was asleep when its call returned. */
static void a_receive_while_asleep_has_no_anatomy(void **state)
{
	(void)state;
	then(CHANGE_SLEEP, 600, 0);
	assert_true(breakdown_cut(&in, &anatomy) < 0);
	then(CHANGE_WAKE, 1250, 0);
	assert_true(breakdown_cut(&in, &anatomy) < 0);
	then(CHANGE_SWITCH, 1400, 0);
	assert_true(breakdown_cut(&in, &anatomy) < 0);
	then(CHANGE_RUN, 1450, 0);
	assert_int_equal(breakdown_cut(&in, &anatomy), 0);
}

/* Every hole in SLEEP WAKE SWITCH RUN PREEMPT SWITCH RUN, as a jump of the index. */
static void a_jump_of_the_index_after_queued_is_lost_history(void **state)
{
	static const enum change_kind kinds[] = {CHANGE_SLEEP, CHANGE_WAKE,    CHANGE_SWITCH,
						 CHANGE_RUN,   CHANGE_PREEMPT, CHANGE_SWITCH,
						 CHANGE_RUN};

	for (size_t hole = 1; hole < ARRAY_SIZE(kinds); hole++) {
		setup(state);
		for (size_t i = 0; i < ARRAY_SIZE(kinds); i++)
			then(kinds[i], i ? 1200 + 100 * i : 600, 0);
		memmove(&line[hole], &line[hole + 1],
			(ARRAY_SIZE(kinds) - hole - 1) * sizeof(line[0]));
		in.timeline.cnt--;
		assert_incomplete(INCOMPLETE_HISTORY);
	}
}

static void a_hole_before_the_change_that_holds_at_queued_does_not_matter(void **state)
{
	(void)state;
	then(CHANGE_SLEEP, 100, 0);
	then(CHANGE_SLEEP, 600, 0);
	line[1].index = 9;
	then(CHANGE_WAKE, 1250, 0);
	then(CHANGE_SWITCH, 1400, 0);
	then(CHANGE_RUN, 1450, 0);
	assert_cut(PATH_SLEPT,
		   (struct cut){.wakeup = 50, .runqueue = 150, .switching = 50, .receive = 550});
}

/* Nothing is known from before `queued`, though there was something. */
static void a_line_that_begins_too_late_is_lost_history(void **state)
{
	(void)state;
	then(CHANGE_WAKE, 1250, 0);
	line[0].index = 1;
	then(CHANGE_SWITCH, 1400, 0);
	then(CHANGE_RUN, 1450, 0);
	assert_incomplete(INCOMPLETE_HISTORY);
}

static void an_empty_line_that_should_not_be_is_lost_history(void **state)
{
	(void)state;
	in.change_end = 4;
	assert_incomplete(INCOMPLETE_HISTORY);
	in.timeline.change = NULL;
	assert_incomplete(INCOMPLETE_HISTORY);
}

static void changes_that_cannot_follow_each_other_are_lost_history(void **state)
{
	static const enum change_kind pairs[][2] = {
		{CHANGE_WAKE, CHANGE_WAKE},
		{CHANGE_WAKE, CHANGE_SLEEP},
		{CHANGE_WAKE, CHANGE_RUN},
		{CHANGE_SWITCH, CHANGE_SWITCH},
		{CHANGE_SWITCH, CHANGE_SLEEP},
		{CHANGE_RUN, CHANGE_RUN},
		{CHANGE_RUN, CHANGE_WAKE},
		{CHANGE_RUN, CHANGE_SWITCH},
		{CHANGE_RUN, CHANGE_MIGRATE},
		{CHANGE_RUN, NR_CHANGE_KINDS},
		{CHANGE_RUN, 0},
		{CHANGE_RUN, CHANGE_RESUME},
		{0, CHANGE_RUN},
	};

	for (size_t i = 0; i < ARRAY_SIZE(pairs); i++) {
		setup(state);
		then(pairs[i][0], 600, 0);
		then(pairs[i][1], 1300, 0);
		assert_incomplete(INCOMPLETE_HISTORY);
	}
}

static void instants_out_of_order_are_never_clamped(void **state)
{
	uint64_t *const instants[] = {&in.stamp_ns, &in.send_ns, &in.queued_ns, &in.recv_ns,
				      &in.user_ns};

	for (size_t i = 0; i + 1 < ARRAY_SIZE(instants); i++) {
		setup(state);
		*instants[i] = *instants[i + 1] + 1;
		assert_incomplete(INCOMPLETE_ORDER);
	}
	setup(state);
	in.enter_ns = in.recv_ns + 1;
	assert_incomplete(INCOMPLETE_ORDER);
}

static void a_change_of_this_call_after_its_return_is_out_of_order(void **state)
{
	(void)state;
	then(CHANGE_PREEMPT, 1300, 0);
	then(CHANGE_SWITCH, 1400, 0);
	then(CHANGE_RUN, 2001, 0);
	assert_incomplete(INCOMPLETE_ORDER);
}

static void changes_that_go_back_in_time_are_out_of_order(void **state)
{
	(void)state;
	then(CHANGE_PREEMPT, 1300, 0);
	then(CHANGE_SWITCH, 1400, 0);
	then(CHANGE_RUN, 1399, 0);
	assert_incomplete(INCOMPLETE_ORDER);
}

static void as_many_segments_as_fit_are_cut_and_more_are_said(void **state)
{
	/* dispatch, send_path, then 3 and the first receive; each preemption is 3 more; return */
	const uint32_t fit = (BREAKDOWN_SEGMENTS_MAX - 4) / 3;

	for (uint32_t more = 0; more < 2; more++) {
		setup(state);
		in.recv_ns = 1000000;
		in.user_ns = 1000001;
		for (uint32_t i = 0; i < fit + more; i++) {
			then(CHANGE_PREEMPT, 2000 + 30 * i, 0);
			then(CHANGE_SWITCH, 2010 + 30 * i, 0);
			then(CHANGE_RUN, 2020 + 30 * i, 0);
		}
		if (more)
			assert_incomplete(INCOMPLETE_OVERFLOW);
		else
			assert_cut(PATH_RUNNING, (struct cut){.runqueue = 10 * fit,
							      .switching = 10 * fit,
							      .receive = 998800 - 20 * fit});
	}
}

static void times_near_the_end_of_the_clock_are_cut_too(void **state)
{
	const uint64_t shift = UINT64_MAX - 2100;

	(void)state;
	in.stamp_ns += shift;
	in.send_ns += shift;
	in.queued_ns += shift;
	in.enter_ns += shift;
	in.recv_ns += shift;
	in.user_ns += shift;
	then(CHANGE_SLEEP, shift + 600, 0);
	then(CHANGE_WAKE, shift + 1250, 0);
	then(CHANGE_SWITCH, shift + 1400, 0);
	then(CHANGE_RUN, shift + 1450, 0);
	assert_cut(PATH_SLEPT,
		   (struct cut){.wakeup = 50, .runqueue = 150, .switching = 50, .receive = 550});
}

/* What another thread of the same number did is none of the receiver's. */
static void older_change(enum change_kind kind, uint64_t at_ns, uint64_t index)
{
	line[in.timeline.cnt++] = (struct change){.at_ns = at_ns, .index = index, .kind = kind};
}

/* The thread is born after `queued`; whoever had its number before had slept and ended. */
static void a_receiver_that_was_born_after_its_message(void **state)
{
	(void)state;
	in.enter_ns = 1700;
	older_change(CHANGE_RUN, 300, 56);
	older_change(CHANGE_SLEEP, 400, 57);
	line[in.timeline.cnt++] = (struct change){.at_ns = 1300, .index = 0, .kind = CHANGE_SLEEP};
	then(CHANGE_WAKE, 1400, 0);
	then(CHANGE_SWITCH, 1500, 0);
	then(CHANGE_RUN, 1550, 0);
	assert_cut(PATH_RUNNING, (struct cut){.busy = 250,
					      .blocked = 100,
					      .runqueue = 100,
					      .switching = 50,
					      .receive = 300});
}

/* It ran all the time; what the older thread did says nothing of it. */
static void a_new_receiver_without_changes_runs(void **state)
{
	(void)state;
	older_change(CHANGE_SWITCH, 300, 0);
	older_change(CHANGE_SLEEP, 400, 1);
	in.change_end = 0;
	assert_cut(PATH_RUNNING, (struct cut){.receive = 800});
}

/* The message is of the older thread; the younger one has been told of, too. */
static void the_receiver_before_its_number_is_used_again(void **state)
{
	(void)state;
	then(CHANGE_SLEEP, 600, 0);
	then(CHANGE_WAKE, 1250, 0);
	then(CHANGE_RUN, 1400, 0);
	line[2].kind = CHANGE_RESUME;
	line[in.timeline.cnt++] = (struct change){.at_ns = 2500, .index = 0, .kind = CHANGE_SLEEP};
	assert_cut(PATH_SLEPT, (struct cut){.wakeup = 50, .runqueue = 150, .receive = 600});
}

/* Of the younger thread, what it did first was lost: the older one's state is not taken for its. */
static void a_lost_birth_is_lost_history(void **state)
{
	(void)state;
	older_change(CHANGE_RUN, 300, 57);
	line[in.timeline.cnt++] = (struct change){.at_ns = 1500, .index = 3, .kind = CHANGE_RUN};
	in.change_end = 4;
	assert_incomplete(INCOMPLETE_HISTORY);
}

#define TEST(name) cmocka_unit_test_setup(name, setup)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_sleeping_receiver_is_woken_switched_to_and_receives),
		TEST(without_a_stamp_latency_is_from_send_to_recv),
		TEST(a_spurious_wake_is_runnable_when_queued),
		TEST(a_receiver_whose_first_change_is_a_switch_was_runnable),
		TEST(a_wake_at_the_very_instant_of_queued_took_no_time),
		TEST(a_thread_that_never_left_its_cpu_has_no_wakeup_and_no_switch),
		TEST(several_wakings_before_queued_leave_no_trace),
		TEST(a_running_receiver_is_busy_until_it_enters_its_call),
		TEST(a_busy_receiver_may_be_preempted),
		TEST(a_receiver_preempted_in_its_call_waits_for_its_cpu),
		TEST(a_message_queued_during_the_switch_finds_a_running_receiver),
		TEST(a_sleep_in_the_call_that_began_after_queued_is_blocked),
		TEST(a_sleep_outside_of_the_call_is_blocked),
		TEST(a_sleep_in_a_call_that_watches_channels_waits_for_this_one),
		TEST(a_poll_that_does_not_watch_this_channel_is_blocked),
		TEST(a_poll_that_is_being_woken_already_waits_for_nothing_else),
		TEST(a_wakeup_that_begins_ends_no_sleep),
		TEST(a_poll_that_began_after_queued_is_blocked),
		TEST(a_sleep_whose_wakeup_was_under_way_is_wakeup),
		TEST(a_receiver_that_looks_first_may_sleep_late),
		TEST(a_receiver_that_looks_late_sleeps_for_something_else),
		TEST(a_message_whose_arrival_nobody_saw_has_no_anatomy),
		TEST(a_sleep_in_the_call_of_an_earlier_message_is_for_this_channel_too),
		TEST(a_sleep_before_the_call_of_an_earlier_message_is_blocked),
		TEST(a_sleep_in_an_earlier_call_that_began_after_queued_is_blocked),
		TEST(waiting_and_blocked_are_told_apart_in_one_call),
		TEST(migrations_split_the_wait_by_cpu),
		TEST(an_untold_migration_leaves_the_cpu_unknown),
		TEST(a_kernel_that_hides_the_switch_shows_it_as_receive),
		TEST(without_calls_all_that_runs_is_receive),
		TEST(without_calls_a_sleep_is_told_from_another_too),
		TEST(a_resume_without_a_switch_is_said),
		TEST(a_resume_before_queued_concerns_no_one),
		TEST(a_throttled_receiver_waits_for_no_cpu),
		TEST(a_receiver_throttled_before_queued_is_runnable),
		TEST(a_receiver_may_be_woken_and_held_back),
		TEST(changes_after_recv_belong_to_the_next_message),
		TEST(a_change_after_the_call_at_the_instant_of_recv_is_the_next_messages),
		TEST(a_receive_at_the_instant_of_queued_took_no_time),
		TEST(a_switch_without_a_wake_is_an_unseen_wakeup),
		TEST(a_resume_without_a_wake_is_an_unseen_wakeup_and_switch),
		TEST(an_unseen_wakeup_before_queued_concerns_no_one),
		TEST(a_sleep_after_a_sleep_is_no_wakeup),
		TEST(a_receive_while_asleep_has_no_anatomy),
		TEST(a_jump_of_the_index_after_queued_is_lost_history),
		TEST(a_hole_before_the_change_that_holds_at_queued_does_not_matter),
		TEST(a_line_that_begins_too_late_is_lost_history),
		TEST(an_empty_line_that_should_not_be_is_lost_history),
		TEST(changes_that_cannot_follow_each_other_are_lost_history),
		TEST(instants_out_of_order_are_never_clamped),
		TEST(a_change_of_this_call_after_its_return_is_out_of_order),
		TEST(changes_that_go_back_in_time_are_out_of_order),
		TEST(as_many_segments_as_fit_are_cut_and_more_are_said),
		TEST(times_near_the_end_of_the_clock_are_cut_too),
		TEST(a_receiver_that_was_born_after_its_message),
		TEST(a_new_receiver_without_changes_runs),
		TEST(the_receiver_before_its_number_is_used_again),
		TEST(a_lost_birth_is_lost_history),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

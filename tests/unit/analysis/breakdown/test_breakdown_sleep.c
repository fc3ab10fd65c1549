/* SPDX-License-Identifier: BSD-2-Clause */
/* Which sleeps of a receiver wait for its message, and which are for something else. */
#include "analysis/breakdown/breakdown_fixture.h"

/* The receive call waits for a lock after the message was there. */
TEST(a_sleep_in_the_call_that_began_after_queued_is_blocked)
{
	then(CHANGE_SLEEP, 1300, 0);
	wakes(1600, 1700, 1710);
	assert_cut(PATH_RUNNING, .runqueue = 100, .switching = 10, .blocked = 300, .receive = 390);
}

/* A debugger holds it in its receive call: it would not have taken the message anyway. */
TEST(a_receiver_that_is_stopped_is_blocked)
{
	then(CHANGE_SLEEP_IN, 600, CALL_STOPPED);
	wakes(1400, 1450, 1460);
	assert_cut(PATH_BLOCKED, .runqueue = 50, .switching = 10, .blocked = 200, .receive = 540);
}

/* Asleep at `queued`, but outside of the receive call: in nanosleep(), say. */
TEST(a_sleep_outside_of_the_call_is_blocked)
{
	in.enter_ns = 1600;
	then(CHANGE_SLEEP, 600, 0);
	wakes(1400, 1450, 1460);
	assert_cut(PATH_BLOCKED, .runqueue = 50, .switching = 10, .busy = 140, .blocked = 200,
		   .receive = 400);
}

/* It waited in poll() and entered its receive call only when the data was there. */
TEST(a_sleep_in_a_call_that_watches_channels_waits_for_this_one)
{
	in.enter_ns = 1600;
	then(CHANGE_POLL, 600, 0);
	wakes(1400, 1450, 1460);
	assert_cut(PATH_SLEPT, .wakeup = 200, .runqueue = 50, .switching = 10, .busy = 140,
		   .receive = 400);
}

/* It watched other channels, and this one only after it had woken up. */
TEST(a_poll_that_does_not_watch_this_channel_is_blocked)
{
	in.enter_ns = 1600;
	in.unwatched = true;
	then(CHANGE_POLL, 600, 0);
	wakes(1400, 1450, 1460);
	assert_cut(PATH_BLOCKED, .blocked = 200, .runqueue = 50, .switching = 10, .busy = 140,
		   .receive = 400);
}

/* Another message had woken it just before; it would find this one, too. */
TEST(a_poll_that_is_being_woken_already_waits_for_nothing_else)
{
	in.enter_ns = 1600;
	in.unwatched = true;
	then(CHANGE_POLL, 600, 0);
	then(CHANGE_WOKEN, 1100, 0);
	wakes(1400, 1450, 1460);
	assert_cut(PATH_SLEPT, .wakeup = 200, .runqueue = 50, .switching = 10, .busy = 140,
		   .receive = 400);
}

/* Until it is on a run queue, it sleeps for the same reason. */
TEST(a_wakeup_that_begins_ends_no_sleep)
{
	in.enter_ns = 1600;
	in.unwatched = true;
	then(CHANGE_POLL, 600, 0);
	then(CHANGE_WOKEN, 1300, 0);
	wakes(1400, 1450, 1460);
	assert_cut(PATH_BLOCKED, .blocked = 200, .runqueue = 50, .switching = 10, .busy = 140,
		   .receive = 400);
}

/* The data was there already: the sleep is for something else. */
TEST(a_poll_that_began_after_queued_is_blocked)
{
	in.enter_ns = 1600;
	then(CHANGE_POLL, 1300, 0);
	wakes(1400, 1450, 1460);
	assert_cut(PATH_RUNNING, .runqueue = 50, .switching = 10, .busy = 240, .blocked = 100,
		   .receive = 400);
}

/* It had decided to sleep, and the wake-up came when it was on its way. */
TEST(a_sleep_after_its_wakeup_began_is_wakeup)
{
	in.enter_ns = 1600;
	then(CHANGE_WOKEN, 1300, 0);
	wakes(1400, 1450, 1460);
	assert_cut(PATH_RUNNING, .wakeup = 100, .runqueue = 50, .switching = 10, .busy = 240,
		   .receive = 400);
}

/*
 * It looked before the message was there and slept after; the second sleep is for something else.
 */
TEST(a_receiver_that_looks_first_may_sleep_late)
{
	in.looks_first = true;
	then(CHANGE_SLEEP, 1300, 0);
	wakes(1400, 1450, 1460);
	then(CHANGE_SLEEP, 1500, 0);
	wakes(1520, 1550, 1560);
	assert_cut(PATH_RUNNING, .wakeup = 100, .runqueue = 80, .switching = 20, .blocked = 20,
		   .receive = 580);
}

/* What it looks for was there when it began. */
TEST(a_receiver_that_looks_late_sleeps_for_something_else)
{
	in.looks_first = true;
	in.enter_ns = 1250;
	then(CHANGE_SLEEP, 1300, 0);
	wakes(1400, 1450, 1460);
	assert_cut(PATH_RUNNING, .runqueue = 50, .switching = 10, .busy = 50, .blocked = 100,
		   .receive = 590);
}

/* The receiver was in an earlier receive call from 500 to 1500. */
static bool in_earlier_call(const void *ctx, uint64_t at_ns)
{
	return ctx == &in && at_ns >= 500 && at_ns < 1500;
}

/* It slept when this message and an earlier one arrived; its second call began at 1600. */
TEST(a_sleep_in_the_call_of_an_earlier_message_is_for_this_channel_too)
{
	in.enter_ns = 1600;
	in.was_receiving = in_earlier_call;
	in.ctx = &in;
	then(CHANGE_SLEEP, 600, 0);
	wakes(1400, 1450, 1460);
	assert_cut(PATH_SLEPT, .wakeup = 200, .runqueue = 50, .switching = 10, .busy = 140,
		   .receive = 400);
}

TEST(a_sleep_before_the_call_of_an_earlier_message_is_blocked)
{
	in.enter_ns = 1600;
	in.was_receiving = in_earlier_call;
	in.ctx = &in;
	then(CHANGE_SLEEP, 499, 0);
	wakes(1400, 1450, 1460);
	assert_cut(PATH_BLOCKED, .blocked = 200, .runqueue = 50, .switching = 10, .busy = 140,
		   .receive = 400);
}

TEST(a_sleep_in_an_earlier_call_that_began_after_queued_is_blocked)
{
	in.enter_ns = 1600;
	in.was_receiving = in_earlier_call;
	in.ctx = &in;
	then(CHANGE_SLEEP, 1300, 0);
	wakes(1400, 1450, 1460);
	assert_cut(PATH_RUNNING, .blocked = 100, .runqueue = 50, .switching = 10, .busy = 240,
		   .receive = 400);
}

/* First asleep for the channel, then, in the same call, for something else. */
TEST(waiting_and_blocked_are_kept_apart_in_one_call)
{
	then(CHANGE_SLEEP, 600, 0);
	wakes(1250, 1300, 1310);
	then(CHANGE_SLEEP, 1400, 0);
	wakes(1600, 1620, 1630);
	assert_cut(PATH_SLEPT, .wakeup = 50, .runqueue = 70, .switching = 20, .blocked = 200,
		   .receive = 460);
}

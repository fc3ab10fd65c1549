/* SPDX-License-Identifier: BSD-2-Clause */
/* Messages that cannot be broken down, and the limits of those that can. */
#include "analysis/breakdown/breakdown_fixture.h"

TEST(a_message_without_its_arrival_has_no_breakdown)
{
	in.queued_ns = 0;
	assert_incomplete(INCOMPLETE_NO_ARRIVAL);
}

/* Two sleeps in a row: only that it ran in between is known. */
TEST(a_sleep_after_a_sleep_is_no_wakeup)
{
	then(CHANGE_SLEEP, 600, 0);
	then(CHANGE_SLEEP, 1400, 0);
	assert_incomplete(INCOMPLETE_NO_WAKEUP);
}

/* The records say that it was asleep when its call returned. */
TEST(a_receive_while_asleep_has_no_breakdown)
{
	then(CHANGE_SLEEP, 600, 0);
	assert_true(breakdown_cut(&in, &breakdown) < 0);
	then(CHANGE_WAKE, 1250, 0);
	assert_true(breakdown_cut(&in, &breakdown) < 0);
	then(CHANGE_SWITCH, 1400, 0);
	assert_true(breakdown_cut(&in, &breakdown) < 0);
	then(CHANGE_RUN, 1450, 0);
	assert_int_equal(breakdown_cut(&in, &breakdown), 0);
}

/* Every hole in SLEEP WAKE SWITCH RUN PREEMPT SWITCH RUN, as a jump of the index. */
TEST(a_jump_of_the_index_after_queued_is_lost_history)
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

TEST(a_hole_before_the_change_that_holds_at_queued_does_not_matter)
{
	then(CHANGE_SLEEP, 100, 0);
	then(CHANGE_SLEEP, 600, 0);
	line[1].index = 9;
	wakes(1250, 1400, 1450);
	assert_cut(PATH_SLEPT, .wakeup = 50, .runqueue = 150, .switching = 50, .receive = 550);
}

/* Nothing is known from before `queued`, though there was something. */
TEST(a_line_that_begins_too_late_is_lost_history)
{
	then(CHANGE_WAKE, 1250, 0);
	line[0].index = 1;
	then(CHANGE_SWITCH, 1400, 0);
	then(CHANGE_RUN, 1450, 0);
	assert_incomplete(INCOMPLETE_HISTORY);
}

TEST(an_empty_line_that_should_not_be_is_lost_history)
{
	in.change_end = 4;
	assert_incomplete(INCOMPLETE_HISTORY);
	in.timeline.change = NULL;
	assert_incomplete(INCOMPLETE_HISTORY);
}

TEST(changes_that_cannot_follow_each_other_are_lost_history)
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

TEST(instants_out_of_order_are_never_clamped)
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

TEST(a_change_of_this_call_after_its_return_is_out_of_order)
{
	then(CHANGE_PREEMPT, 1300, 0);
	then(CHANGE_SWITCH, 1400, 0);
	then(CHANGE_RUN, 2001, 0);
	assert_incomplete(INCOMPLETE_ORDER);
}

TEST(changes_that_go_back_in_time_are_out_of_order)
{
	then(CHANGE_PREEMPT, 1300, 0);
	then(CHANGE_SWITCH, 1400, 0);
	then(CHANGE_RUN, 1399, 0);
	assert_incomplete(INCOMPLETE_ORDER);
}

TEST(as_many_segments_as_fit_are_cut_and_more_are_reported)
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
			assert_cut(PATH_RUNNING, .runqueue = 10 * fit, .switching = 10 * fit,
				   .receive = 998800 - 20 * fit);
	}
}

TEST(times_near_the_end_of_the_clock_are_cut_too)
{
	const uint64_t shift = UINT64_MAX - 2100;

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
	assert_cut(PATH_SLEPT, .wakeup = 50, .runqueue = 150, .switching = 50, .receive = 550);
}

/* The changes of another thread with the same id do not count. */
static void older_change(enum change_kind kind, uint64_t at_ns, uint64_t index)
{
	line[in.timeline.cnt++] = (struct change){.at_ns = at_ns, .index = index, .kind = kind};
}

/* The thread is forked after `queued`; the older thread with its id had slept and ended. */
TEST(a_receiver_that_was_born_after_its_message)
{
	in.enter_ns = 1700;
	older_change(CHANGE_RUN, 300, 56);
	older_change(CHANGE_SLEEP, 400, 57);
	line[in.timeline.cnt++] = (struct change){.at_ns = 1300, .index = 0, .kind = CHANGE_SLEEP};
	wakes(1400, 1500, 1550);
	assert_cut(PATH_RUNNING, .busy = 250, .blocked = 100, .runqueue = 100, .switching = 50,
		   .receive = 300);
}

/* It ran all the time; the changes of the older thread do not count. */
TEST(a_new_receiver_without_changes_runs)
{
	older_change(CHANGE_SWITCH, 300, 0);
	older_change(CHANGE_SLEEP, 400, 1);
	in.change_end = 0;
	assert_cut(PATH_RUNNING, .receive = 800);
}

/* The older thread received the message; the changes of the younger one are here, too. */
TEST(the_receiver_before_its_number_is_used_again)
{
	then(CHANGE_SLEEP, 600, 0);
	then(CHANGE_WAKE, 1250, 0);
	then(CHANGE_RUN, 1400, 0);
	line[2].kind = CHANGE_RESUME;
	line[in.timeline.cnt++] = (struct change){.at_ns = 2500, .index = 0, .kind = CHANGE_SLEEP};
	assert_cut(PATH_SLEPT, .wakeup = 50, .runqueue = 150, .receive = 600);
}

/* The first change of the younger thread was lost: the state of the older one does not stand in. */
TEST(a_lost_birth_is_lost_history)
{
	older_change(CHANGE_RUN, 300, 57);
	line[in.timeline.cnt++] = (struct change){.at_ns = 1500, .index = 3, .kind = CHANGE_RUN};
	in.change_end = 4;
	assert_incomplete(INCOMPLETE_HISTORY);
}

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The sender's part of a message, with waits for room:
 *
 *	send                          queued
 *	1100                          1200
 *	  |----- the send call ----------|
 */
#include "analysis/breakdown/breakdown_fixture.h"

static struct change sent[16];

static int setup_room(void **state)
{
	setup(state);
	in.shows_room = true;
	in.sender = (struct timeline){.change = sent};
	return 0;
}

/* The sender's next change. */
static void sender_then(enum change_kind kind, uint64_t at_ns)
{
	size_t i = in.sender.cnt++;

	sent[i] = (struct change){.at_ns = at_ns, .index = i, .kind = kind};
}

static void assert_room(uint64_t send_path_ns, uint64_t room_ns)
{
	assert_int_equal(breakdown_cut(&in, &breakdown), 0);
	assert_segments_cover_the_latency();
	assert_int_equal(breakdown.component_ns[COMPONENT_SEND_PATH], send_path_ns);
	assert_int_equal(breakdown.component_ns[COMPONENT_ROOM], room_ns);
}

TEST_WITH(a_sleep_for_room_ends_at_the_wakeup, setup_room, NULL)
{
	sender_then(CHANGE_ROOM, 1110);
	sender_then(CHANGE_WAKE, 1150);
	sender_then(CHANGE_SWITCH, 1170);
	sender_then(CHANGE_RUN, 1175);
	assert_room(60, 40);
	assert_int_equal(breakdown.segment[2].component, COMPONENT_ROOM);
	assert_int_equal(breakdown.segment[2].from_ns, 1110);
	assert_int_equal(breakdown.segment[2].to_ns, 1150);
}

TEST_WITH(several_sleeps_are_added_up, setup_room, NULL)
{
	sender_then(CHANGE_ROOM, 1110);
	sender_then(CHANGE_WOKEN, 1120);
	sender_then(CHANGE_WAKE, 1130);
	sender_then(CHANGE_SWITCH, 1140);
	sender_then(CHANGE_ROOM, 1150);
	sender_then(CHANGE_WAKE, 1190);
	assert_room(40, 60);
}

TEST_WITH(a_sleep_for_something_else_is_send_path, setup_room, NULL)
{
	sender_then(CHANGE_SLEEP_IN, 1110);
	sender_then(CHANGE_WAKE, 1190);
	assert_room(100, 0);
}

TEST_WITH(sleeps_outside_of_the_call_do_not_count, setup_room, NULL)
{
	sender_then(CHANGE_ROOM, 900);
	sender_then(CHANGE_WAKE, 1050);
	sender_then(CHANGE_SWITCH, 1060);
	sender_then(CHANGE_ROOM, 1250);
	assert_room(100, 0);
}

/* A part woke the receiver before the sender slept, and nothing was queued after that. */
TEST_WITH(a_sleep_beyond_queued_counts_up_to_it, setup_room, NULL)
{
	sender_then(CHANGE_ROOM, 1180);
	sender_then(CHANGE_WAKE, 1900);
	assert_room(80, 20);
}

TEST_WITH(data_in_the_sockets_of_the_sender_wait_for_room, setup_room, NULL)
{
	in.full_ns = 1130;
	assert_room(30, 70);
	sender_then(CHANGE_ROOM, 1105);
	sender_then(CHANGE_WAKE, 1125);
	sender_then(CHANGE_SWITCH, 1126);
	sender_then(CHANGE_SLEEP_IN, 1160);
	assert_room(10, 90);
}

TEST_WITH(a_full_window_that_opened_at_once_is_no_wait, setup_room, NULL)
{
	in.full_ns = 1200;
	assert_room(100, 0);
	in.full_ns = 1500;
	assert_room(100, 0);
}

TEST_WITH(a_missing_change_makes_the_message_incomplete, setup_room, NULL)
{
	sender_then(CHANGE_SLEEP_IN, 1000);
	sender_then(CHANGE_ROOM, 1110);
	sender_then(CHANGE_WAKE, 1150);
	sent[1].index = 2;
	assert_incomplete(INCOMPLETE_HISTORY);
	sent[1].index = 1;
	sent[2].index = 5;
	assert_incomplete(INCOMPLETE_HISTORY);
}

TEST_WITH(changes_that_were_not_needed_are_not_missing, setup_room, NULL)
{
	sender_then(CHANGE_RUN, 1105);
	sender_then(CHANGE_ROOM, 1110);
	sender_then(CHANGE_WAKE, 1150);
	for (int i = 0; i < 3; i++)
		sent[i].index = 7 + i;
	assert_incomplete(INCOMPLETE_HISTORY);
	in.sender.kept_from = 7;
	assert_room(60, 40);
	sent[2].index = 10;
	assert_incomplete(INCOMPLETE_HISTORY);
}

TEST_WITH(older_recordings_do_not_show_room, setup_room, NULL)
{
	in.shows_room = false;
	sender_then(CHANGE_SLEEP_IN, 1110);
	sender_then(CHANGE_WAKE, 1150);
	sent[1].index = 9;
	assert_room(100, 0);
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* What a message waits behind, and which threads are free to take it meanwhile. */
#include "analysis/attach_fixture.h"

#include "bpf/deep.h"
#include "support/connections.h"
#include "support/heard_units.h"

enum { FROM_OTHER = 30, TO_OTHER = 31, WORKER = 900, EPOLL_WAIT = 232, RECV = 45 };

#define BESIDE 0xabbbULL
#define GROUP  0x9999ULL
#define EPOLL  0xeeeeULL

static int setup_deep(void **state)
{
	setup(state);
	info.level = LEVEL_DEEP;
	info.shows_switch = false;
	return 0;
}

static void put_accept(uint32_t tid, uint64_t exit_ns)
{
	const struct record_accept accept =
		make_accept(tid, FAMILY_UNIX, CONNECTING_INODE, exit_ns - 10, exit_ns);

	put(&accept);
}

static void put_watch(uint32_t tid, uint64_t at_ns, uint64_t what)
{
	struct record_watch watch = {
		.head = record_head(RECORD_WATCH, sizeof(watch), 0, tid),
		.at_ns = at_ns,
		.what = what,
		.number = EPOLL_WAIT,
	};

	watch.head.flags = WATCH_EPOLL;
	put(&watch);
}

static void put_other_call(uint64_t position, uint64_t at, uint64_t answered)
{
	put_message(OTHER_PEER, TARGET, FROM_OTHER, position, at);
	put_message(TARGET, OTHER_PEER, TO_OTHER, position, answered);
}

/*
 *	other 0        queued   answer 0   other 1, answer 1   other 2        received   answer 2
 *	  1000   1200   2100      3000       4000    5000       6000    9000    9400       9800
 *
 * The first call of the other client is under way, the second one comes and goes, and the third
 * one is answered later.
 */
static void put_turn(void)
{
	struct record_name worker = make_name(SLICE_TASK, WORKER, 1, "worker");

	put_threads();
	put(&worker);
	put_connection();
	put_channel(FROM_OTHER, TRANSPORT_UDS_SEQPACKET, 40, 41);
	put_channel(TO_OTHER, TRANSPORT_UDS_SEQPACKET, 41, 40);
	put_baseline(FROM_OTHER, 0, true);
	put_baseline(TO_OTHER, 0, true);
	put_other_call(0, 1000, 3000);
	put_other_call(1, 4000, 5000);
	put_other_call(2, 6000, 9800);
	put_send(&tape, PEER, TO_TARGET, 0, 2000, 2100);
	put_receive(&tape, TARGET, TO_TARGET, 0, 9000, 9400, 0, CHANGES(SWITCH(900, 0)));
}

static const struct unit *unit_of(const struct heard_units *units, uint32_t channel_id)
{
	for (size_t i = 0; i < units->cnt; i++) {
		if (units->unit[i].channel == channel_id)
			return &units->unit[i];
	}
	fail_msg("channel %u has no unit", channel_id);
	return NULL;
}

static struct unit_turn turn(void)
{
	return unit_of(hear_units(&info, &tape, UNIT_MESSAGE), TO_TARGET)->turn;
}

TEST_WITH(calls_that_are_answered_meanwhile_come_before, setup_deep, teardown)
{
	struct unit_turn was;

	put_turn();
	was = turn();
	assert_int_equal(was.before, 2);
	assert_int_equal(was.waited_ns, 9000 - 2100);
	assert_int_equal(was.other.tid, 0);
	assert_int_equal(was.accepted, 0);
}

/* A request or an answer in parts is no further call. */
TEST_WITH(parts_are_no_calls, setup_deep, teardown)
{
	put_turn();
	put_message(OTHER_PEER, TARGET, FROM_OTHER, 3, 6500);
	put_message(TARGET, OTHER_PEER, TO_OTHER, 3, 5500);
	put_message(TARGET, OTHER_PEER, TO_OTHER, 4, 5800);
	assert_int_equal(turn().before, 2);
}

/* The worker sleeps from 5000 on, so for 4000 of 6900. */
TEST_WITH(a_thread_that_waits_for_the_same_connections_is_free, setup_deep, teardown)
{
	struct unit_turn was;

	put_turn();
	put_watch(WORKER, 500, EPOLL);
	put_accept(WORKER, 600);
	put_accept(TARGET, 700);
	put_accept(TARGET, 800);
	put_changes(&tape, WORKER, 6000, 0,
		    CHANGES(SWITCH(550, 1), change_pack(5000, EPOLL_WAIT, CHANGE_POLL_IN)));
	was = turn();
	assert_int_equal(was.other.tid, WORKER);
	assert_string_equal(was.other.comm, "worker");
	assert_int_equal(was.other_ns, 4000);
	assert_int_equal(was.others, 1);
	assert_int_equal(was.accepted, 2);
}

/* It polls what it has never accepted from, sleeps in another call, or runs. */
TEST_WITH(other_threads_are_not_free, setup_deep, teardown)
{
	put_turn();
	put_watch(WORKER, 500, EPOLL);
	put_accept(WORKER, 600);
	put_accept(TARGET, 700);
	put_watch(WORKER, 4000, EPOLL + 1);
	put_watch(WORKER, 8000, EPOLL);
	put_changes(&tape, WORKER, 9500, 0,
		    CHANGES(SWITCH(550, 1), change_pack(1000, RECV, CHANGE_SLEEP_IN), WAKE(3000, 1),
			    SWITCH(3000, 1), change_pack(4000, EPOLL_WAIT, CHANGE_POLL_IN),
			    WAKE(7000, 1), SWITCH(7000, 1)));
	assert_int_equal(turn().other.tid, 0);
	assert_int_equal(turn().others, 0);
}

static void put_shared(uint32_t tid, uint32_t flags, uint64_t listener, uint64_t epoll,
		       uint32_t program)
{
	struct record_shared shared = {
		.head = record_head(RECORD_SHARED, sizeof(shared), 0, tid),
		.channel = TO_TARGET,
		.program = program,
		.at_ns = 500,
		.listener = listener,
		.group = GROUP,
		.epoll = epoll,
	};

	shared.head.flags = flags;
	put(&shared);
}

/* A worker sleeps in `epoll` from 2500 on. */
static void put_sleeper(uint64_t epoll, uint32_t program)
{
	struct record_watch watch = {
		.head = record_head(RECORD_WATCH, sizeof(watch), 0, WORKER),
		.at_ns = 500,
		.what = epoll,
		.number = EPOLL_WAIT,
		.program = program,
	};

	watch.head.flags = WATCH_EPOLL;
	put(&watch);
	put_changes(&tape, WORKER, 6000, 0,
		    CHANGES(SWITCH(550, 1), change_pack(2500, EPOLL_WAIT, CHANGE_POLL_IN)));
}

TEST_WITH(a_thread_in_the_epoll_that_watches_the_channel_is_free, setup_deep, teardown)
{
	struct unit_turn was;

	put_turn();
	put_watch(TARGET, 400, EPOLL);
	put_shared(TARGET, SHARED_EPOLL, 0, EPOLL, 0);
	put_sleeper(EPOLL, 0);
	was = turn();
	assert_int_equal(was.share, SHARE_EPOLL);
	assert_int_equal(was.other.tid, WORKER);
	assert_int_equal(was.other_ns, 9000 - 2500);
	assert_int_equal(was.others, 1);
}

/* It may have accepted from the same socket before: all the same, the epoll decides. */
TEST_WITH(a_thread_in_another_epoll_is_not_free, setup_deep, teardown)
{
	put_turn();
	put_watch(TARGET, 400, EPOLL);
	put_watch(WORKER, 410, EPOLL);
	put_shared(TARGET, SHARED_EPOLL, 0, EPOLL, 0);
	put_sleeper(EPOLL + 1, 0);
	put_accept(WORKER, 600);
	put_accept(TARGET, 700);
	assert_int_equal(turn().other.tid, 0);
}

/*
 *	queued   earlier one received            received
 *	 2100          5400                        9000
 *	          handles that one: others get nothing of this channel
 */
TEST_WITH(an_earlier_message_of_the_channel_keeps_it_from_others, setup_deep, teardown)
{
	const struct heard_units *units;
	struct unit_turn was = {0};

	put_threads();
	put_connection();
	put_send(&tape, PEER, TO_TARGET, 0, 2000, 2050);
	put_send(&tape, PEER, TO_TARGET, 1, 2060, 2100);
	put_receive(&tape, TARGET, TO_TARGET, 0, 5300, 5400, 0, CHANGES(SWITCH(900, 0)));
	put_receive(&tape, TARGET, TO_TARGET, 1, 9000, 9400, 1, NULL, 0);
	put_watch(TARGET, 400, EPOLL);
	put_shared(TARGET, SHARED_EPOLL, 0, EPOLL, 0);
	put_sleeper(EPOLL, 0);
	units = hear_units(&info, &tape, UNIT_MESSAGE);
	for (uint32_t i = 0; i < units->cnt; i++) {
		if (units->unit[i].channel == TO_TARGET && units->unit[i].position == 1)
			was = units->unit[i].turn;
	}
	assert_int_equal(was.waited_ns, 9000 - 2100);
	assert_int_equal(was.other_ns, 0);
}

static struct unit_turn turn_beside(uint32_t program, uint64_t listens_in)
{
	put_turn();
	put_accept(TARGET, 700);
	put_shared(TARGET, SHARED_PORT, LISTENER, EPOLL + 1, 3);
	put_shared(TARGET, SHARED_PORT, BESIDE, EPOLL, 3);
	put_sleeper(listens_in, program);
	return turn();
}

/* Though it has accepted nothing so far. */
TEST_WITH(a_thread_with_another_socket_on_the_port_is_known, setup_deep, teardown)
{
	struct unit_turn was = turn_beside(3, EPOLL);

	assert_int_equal(was.share, SHARE_PORT);
	assert_int_equal(was.other.tid, WORKER);
	assert_int_equal(was.other_ns, 9000 - 2500);
	assert_int_equal(was.others, 1);
}

/* Datagrams: the worker sleeps in a receive call of its own socket. */
TEST_WITH(a_thread_with_another_udp_socket_on_the_port_is_known, setup_deep, teardown)
{
	struct record_watch watch = {
		.head = record_head(RECORD_WATCH, sizeof(watch), 0, WORKER),
		.at_ns = 500,
		.what = BESIDE,
		.number = RECV,
		.program = 3,
	};
	struct unit_turn was;

	watch.head.flags = WATCH_ACCEPT;
	put_turn();
	put_shared(TARGET, SHARED_SOCKET, LISTENER, 0, 0);
	put_shared(TARGET, SHARED_PORT, LISTENER, 0, 3);
	put_shared(TARGET, SHARED_PORT, BESIDE, 0, 3);
	put(&watch);
	put_changes(&tape, WORKER, 6000, 0,
		    CHANGES(SWITCH(550, 1), change_pack(2500, RECV, CHANGE_SLEEP_IN)));
	was = turn();
	assert_int_equal(was.share, SHARE_PORT);
	assert_int_equal(was.other.tid, WORKER);
	assert_int_equal(was.other_ns, 9000 - 2500);
}

TEST_WITH(another_program_on_the_port_is_not_named, setup_deep, teardown)
{
	assert_int_equal(turn_beside(4, EPOLL).other.tid, 0);
}

TEST_WITH(a_thread_that_waits_elsewhere_is_not_named, setup_deep, teardown)
{
	assert_int_equal(turn_beside(3, EPOLL + 2).other.tid, 0);
}

TEST_WITH(other_levels_do_not_know_it, setup_deep, teardown)
{
	info.level = LEVEL_FULL;
	put_turn();
	assert_int_equal(turn().waited_ns, 0);
}

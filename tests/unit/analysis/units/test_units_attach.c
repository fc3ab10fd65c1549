/* SPDX-License-Identifier: BSD-2-Clause */
/* The causes of messages and calls of an attach. */
#include "analysis/attach_fixture.h"

#include "bpf/deep.h"
#include "support/heard_units.h"

#include "model/blocked_calls.h"

/* Another client of the target, and a server that it asks. */
enum { FROM_OTHER = 30, ASKS = 40, ASKED = 41, HELPER = 102, HOG = 900 };
enum { FUTEX = 202, NANOSLEEP = 230, RECVMSG = 47, EPOLL_WAIT = 232 };

#define SLEEP_IN(at, call) change_pack(at, call, CHANGE_SLEEP_IN)
#define POLL_IN(at, call)  change_pack(at, call, CHANGE_POLL_IN)
#define ROOM(at, call)     change_pack(at, call, CHANGE_ROOM)
#define CAUSE(...)         cause_of(unit, (struct asked_cause){__VA_ARGS__})->by.ns

static const struct unit *unit;

static int setup_without_switch(void **state)
{
	setup(state);
	info.shows_switch = false;
	return 0;
}

static const struct unit *hear_one(enum unit_kind kind, uint32_t number, uint32_t cnt)
{
	const struct heard_units *units = hear_units(&info, &tape, kind);

	assert_int_equal(units->cnt, cnt);
	return &units->unit[number];
}

static void put_other_channel(uint32_t id)
{
	put_channel(id, TRANSPORT_UDS_SEQPACKET, 0, id + 100);
	put_baseline(id, 0, true);
}

/* A receive in a call from `enter` on; `first`: how many changes the thread had before. */
static void put_whole_receive(uint32_t tid, uint32_t channel, uint64_t enter, uint64_t exit,
			      uint64_t first)
{
	put_receive(&tape, tid, channel, 0, enter, exit, first, NO_CHANGES);
}

/*
 *	peer    sends     target receives                     receives the other's
 *	        1000           1400          (handles it)      5000 ... 5100
 *	other                 queued 2100
 */
static void put_busy_target(void)
{
	put_threads();
	put_connection();
	put_other_channel(FROM_OTHER);
	put_request(0, 1000);
	put_send(&tape, OTHER_PEER, FROM_OTHER, 0, 2000, 2100);
	put_whole_receive(TARGET, FROM_OTHER, 5000, 5100, 0);
}

TEST_WITH(busy_is_kept_by_the_sender_of_the_message_that_is_handled, setup_without_switch, teardown)
{
	put_busy_target();
	unit = hear_one(UNIT_MESSAGE, 1, 2);
	assert_int_equal(unit->channel, FROM_OTHER);
	assert_int_equal(CAUSE(.cost = COMPONENT_BUSY, .role = CAUSE_KEPT, .by = PEER), 2900);
	assert_int_equal(CAUSE(.cost = COMPONENT_RECEIVE), 100);
	assert_int_equal(causes_on_top(unit), 3);
	assert_string_equal(cause_of(unit, (struct asked_cause){.cost = COMPONENT_BUSY,
								.role = CAUSE_KEPT,
								.by = PEER})
				    ->by.comm,
			    "peer");
	assert_string_equal(unit->sender.comm, "other");
	assert_int_equal(unit->receiver_pid, TARGET_PID);
	assert_int_equal(unit->since_ns, 0);
}

/* From 3000 to 4500 it looks at what it polls: that is for no message. */
TEST_WITH(a_call_that_polls_is_no_work_for_another, setup_without_switch, teardown)
{
	struct record_call poll = {
		.head = record_head(RECORD_CALL, sizeof(poll), 0, TARGET),
		.number = EPOLL_WAIT,
		.enter_ns = 3000,
		.exit_ns = 4500,
	};

	info.level = LEVEL_DEEP;
	poll.head.flags = CALL_IN_POLL;
	put(&poll);
	put_busy_target();
	unit = hear_one(UNIT_MESSAGE, 1, 2);
	assert_int_equal(CAUSE(.cost = COMPONENT_BUSY, .role = CAUSE_KEPT, .by = PEER), 1400);
	assert_int_equal(CAUSE(.cost = COMPONENT_BUSY), 1500);
}

/*
 *	from the peer      other      peer
 *	1400  |  1500      1800       3000         5000: receives the one that was queued at 1500
 */
TEST_WITH(busy_is_kept_by_one_sender_after_another, setup_without_switch, teardown)
{
	put_threads();
	put_connection();
	put_other_channel(FROM_OTHER);
	put_other_channel(FROM_OTHER + 1);
	put_request(0, 1000);
	put_send(&tape, OTHER_PEER, FROM_OTHER, 0, 1450, 1500);
	put_send(&tape, OTHER_PEER, FROM_OTHER + 1, 0, 1600, 1650);
	put_whole_receive(TARGET, FROM_OTHER + 1, 1750, 1800, 0);
	put_request(1, 2600);
	put_whole_receive(TARGET, FROM_OTHER, 5000, 5100, 0);
	unit = hear_one(UNIT_MESSAGE, 3, 4);
	assert_int_equal(CAUSE(.cost = COMPONENT_BUSY, .role = CAUSE_KEPT, .by = PEER), 300 + 2000);
	assert_int_equal(CAUSE(.cost = COMPONENT_BUSY, .role = CAUSE_KEPT, .by = OTHER_PEER), 1200);
	assert_int_equal(causes_on_top(unit), 4);
}

/* It sleeps in a call that watches channels, 1500 to 1600: the first message is done with. */
TEST_WITH(a_thread_that_has_waited_for_messages_is_busy_for_itself, setup_without_switch, teardown)
{
	put_threads();
	put_connection();
	put_other_channel(FROM_OTHER);
	put_request(0, 1000);
	put_send(&tape, OTHER_PEER, FROM_OTHER, 0, 2000, 2100);
	put_changes(&tape, TARGET, 1700, 0,
		    CHANGES(POLL_IN(1500, 232), WAKE(1600, 0), SWITCH(1610, 0)));
	put_whole_receive(TARGET, FROM_OTHER, 5000, 5100, 3);
	unit = hear_one(UNIT_MESSAGE, 1, 2);
	assert_int_equal(CAUSE(.cost = COMPONENT_BUSY, .role = CAUSE_ITSELF), 2900);
}

/*
 *	target     asleep (futex) 2000 .. 4000, runs from 4100
 *	helper     runs .. 2500 | waits behind the hog .. 3500 | runs, wakes the target at 3950
 */
static void put_lock(uint32_t kind)
{
	struct record_wakeup wakeup = {
		.head = {.type = RECORD_WAKEUP, .words = sizeof(wakeup) / 8, .tid = HELPER},
		.woken = TARGET,
		.at_ns = 3950};
	struct record_name hog = make_name(SLICE_TASK, HOG, 1, "hog");

	put_busy_target();
	put_thread(HELPER, TARGET_PID, false, "helper");
	put(&hog);
	put_changes(&tape, TARGET, 4100, 0,
		    CHANGES(change_pack(2000, FUTEX, kind), WAKE(4000, 0), SWITCH(4100, 0)));
	put_changes(&tape, HELPER, 3500, 0,
		    CHANGES(SWITCH(1500, 1), PREEMPT(2500, 1), SWITCH(3500, 1)));
	put_slice(&tape, make_task(1, 0, HOG, 3500));
	put_slice(&tape, make_task(0, 0, HOG, 4100));
	put(&wakeup);
	for (size_t i = 0; i < tape.cnt; i++) {
		struct record_receive *receive = (void *)tape.record[i];

		if (receive->head.type == RECORD_RECEIVE && receive->channel == FROM_OTHER)
			receive->first = 3;
	}
}

TEST_WITH(a_lock_is_followed_to_the_thread_that_held_it, setup_without_switch, teardown)
{
	const struct cause *blocked;

	put_lock(CHANGE_SLEEP_IN);
	unit = hear_one(UNIT_MESSAGE, 1, 2);
	blocked = cause_of(
		unit,
		(struct asked_cause){.cost = COMPONENT_BLOCKED, .role = CAUSE_WOKE, .by = HELPER});
	assert_int_equal(blocked->by.ns, 1900);
	assert_int_equal(blocked->call, FUTEX);
	assert_false(blocked->from_interrupt);
	assert_string_equal(blocked->by.comm, "helper");
	assert_int_equal(CAUSE(.cost = COST_ON_CPU, .below = blocked), 400 + 500);
	assert_int_equal(
		CAUSE(.cost = COMPONENT_RUNQUEUE, .role = CAUSE_RAN, .by = HOG, .below = blocked),
		1000);
	assert_int_equal(CAUSE(.cost = COMPONENT_RUNQUEUE, .role = CAUSE_RAN, .by = HOG), 100);
	assert_int_equal(CAUSE(.cost = COMPONENT_BUSY, .role = CAUSE_KEPT, .by = PEER), 900);
	assert_int_equal(unit->cause_cnt, 7);
}

/* The helper sleeps from 1500 to 2300, and the target had woken it before it slept itself. */
TEST_WITH(threads_that_wake_each_other_are_followed_once, setup_without_switch, teardown)
{
	struct record_wakeup wakeup = {
		.head = {.type = RECORD_WAKEUP, .words = sizeof(wakeup) / 8, .tid = TARGET},
		.woken = HELPER,
		.at_ns = 1990};
	const struct cause *blocked, *below;

	put_lock(CHANGE_SLEEP_IN);
	put(&wakeup);
	for (size_t i = 0; i < tape.cnt; i++) {
		uint64_t *change = (uint64_t *)tape.record[i] + 3;

		if (tape.record[i]->type != RECORD_CHANGES || tape.record[i]->tid != HELPER)
			continue;
		change[0] = SLEEP_IN(1500, FUTEX);
		change[1] = WAKE(2300, 1);
	}
	unit = hear_one(UNIT_MESSAGE, 1, 2);
	blocked = cause_of(
		unit,
		(struct asked_cause){.cost = COMPONENT_BLOCKED, .role = CAUSE_WOKE, .by = HELPER});
	below = cause_of(unit, (struct asked_cause){.cost = COMPONENT_BLOCKED,
						    .role = CAUSE_WOKE,
						    .by = TARGET,
						    .below = blocked});
	assert_int_equal(below->by.ns, 200);
	for (uint32_t i = 0; i < unit->cause_cnt; i++)
		assert_true(!unit->cause[i].parent ||
			    &unit->cause[unit->cause[i].parent - 1] == blocked);
}

/* The changes of the helper before 2500 are lost: nothing is guessed. */
TEST_WITH(a_gap_in_what_was_followed_is_not_known, setup_without_switch, teardown)
{
	const struct cause *blocked;

	put_lock(CHANGE_SLEEP_IN);
	for (size_t i = 0; i < tape.cnt; i++) {
		if (tape.record[i]->type == RECORD_CHANGES && tape.record[i]->tid == HELPER)
			((uint64_t *)(tape.record[i]))[3] = SLEEP(1500, 1);
	}
	unit = hear_one(UNIT_MESSAGE, 1, 2);
	blocked = cause_of(
		unit,
		(struct asked_cause){.cost = COMPONENT_BLOCKED, .role = CAUSE_WOKE, .by = HELPER});
	assert_int_equal(CAUSE(.cost = COST_UNKNOWN, .role = CAUSE_UNKNOWN, .below = blocked), 400);
	assert_int_equal(CAUSE(.cost = COST_ON_CPU, .below = blocked), 500);
}

static void put_waker(uint32_t flags, uint32_t number)
{
	struct record_waker waker = {.head = {.type = RECORD_WAKER,
					      .words = sizeof(waker) / 8,
					      .tid = HOG,
					      .flags = flags},
				     .woken = TARGET,
				     .number = number,
				     .at_ns = 3990,
				     .wake_ns = 4000};

	put(&waker);
}

static void put_timed_sleep(void)
{
	struct record_name timer = make_name(SLICE_IRQ, 5, 1, "timer");

	put_busy_target();
	put(&timer);
	put_changes(&tape, TARGET, 4100, 0,
		    CHANGES(SLEEP_IN(2000, NANOSLEEP), WAKE(4000, 0), SWITCH(4100, 0)));
	for (size_t i = 0; i < tape.cnt; i++) {
		struct record_receive *receive = (void *)tape.record[i];

		if (receive->head.type == RECORD_RECEIVE && receive->channel == FROM_OTHER)
			receive->first = 3;
	}
}

TEST_WITH(what_ended_a_sleep_is_unknown_without_a_record, setup_without_switch, teardown)
{
	put_timed_sleep();
	unit = hear_one(UNIT_MESSAGE, 1, 2);
	assert_int_equal(CAUSE(.cost = COMPONENT_BLOCKED, .role = CAUSE_UNKNOWN), 1900);
}

TEST_WITH(an_interrupt_that_ended_a_sleep_is_named, setup_without_switch, teardown)
{
	const struct cause *blocked;

	put_timed_sleep();
	put_waker(WAKER_IRQ, 5);
	unit = hear_one(UNIT_MESSAGE, 1, 2);
	blocked = cause_of(
		unit, (struct asked_cause){.cost = COMPONENT_BLOCKED, .role = CAUSE_WOKE, .by = 5});
	assert_int_equal(blocked->by.class, BLAME_IRQ);
	assert_true(blocked->from_interrupt);
	assert_int_equal(blocked->call, NANOSLEEP);
}

TEST_WITH(a_thread_that_ended_a_sleep_is_named, setup_without_switch, teardown)
{
	const struct cause *blocked;

	put_timed_sleep();
	put_waker(0, WAKER_NUMBER_NONE);
	unit = hear_one(UNIT_MESSAGE, 1, 2);
	blocked = cause_of(unit, (struct asked_cause){
					 .cost = COMPONENT_BLOCKED, .role = CAUSE_WOKE, .by = HOG});
	assert_false(blocked->from_interrupt);
	assert_int_equal(unit->cause_cnt, causes_on_top(unit)); /* nothing is known of the hog */
}

/*
 *	target  received 1400   asks 1500   asleep 1700 .. 2600   runs from 2650   answers 3000
 *	helper              receives 1900   (runs)   answers 2500, queued 2600
 */
static void put_nested_call(void)
{
	put_threads();
	put_connection();
	put_other_channel(ASKS);
	put_other_channel(ASKED);
	put_request(0, 1000);
	put_send(&tape, TARGET, ASKS, 0, 1500, 1600);
	put_changes(&tape, OTHER_PEER, 1000, 0, CHANGES(SWITCH(900, 1)));
	put_receive(&tape, OTHER_PEER, ASKS, 0, 1450, 1900, 1, NO_CHANGES);
	put_send(&tape, OTHER_PEER, ASKED, 0, 2500, 2600);
	put_receive(&tape, TARGET, ASKED, 0, 1650, 2900, 0,
		    CHANGES(SLEEP_IN(1700, RECVMSG), WAKE(2600, 0), SWITCH(2650, 0)));
	put_answer(0, 3000);
}

TEST_WITH(a_call_is_cut_by_what_the_server_waited_for, setup_without_switch, teardown)
{
	const struct cause *blocked;

	put_nested_call();
	unit = hear_one(UNIT_CALL, 0, 1);
	assert_int_equal(unit->from_ns, 1000);
	assert_int_equal(unit->to_ns, 3400);
	assert_int_equal(unit->sender.tid, PEER);
	assert_int_equal(unit->receiver.tid, TARGET);
	assert_int_equal(CAUSE(.part = PART_REQUEST, .cost = COMPONENT_SEND_PATH), 100);
	assert_int_equal(CAUSE(.part = PART_SERVICE, .cost = COST_ON_CPU), 300 + 350);
	assert_int_equal(
		CAUSE(.part = PART_SERVICE, .cost = COMPONENT_RUNQUEUE, .role = CAUSE_UNKNOWN), 50);
	blocked = cause_of(unit, (struct asked_cause){.part = PART_SERVICE,
						      .cost = COMPONENT_BLOCKED,
						      .role = CAUSE_WOKE,
						      .by = OTHER_PEER});
	assert_int_equal(blocked->by.ns, 900);
	assert_int_equal(blocked->call, RECVMSG);
	assert_int_equal(CAUSE(.part = PART_SERVICE, .cost = COST_ON_CPU, .below = blocked), 900);
	assert_int_equal(CAUSE(.part = PART_RESPONSE, .cost = COMPONENT_SEND_PATH), 100);
	assert_int_equal(CAUSE(.part = PART_RESPONSE, .cost = COMPONENT_BUSY), 50);
}

/* The second part of the request is sent at 1700: until then the client dispatches. */
TEST_WITH(the_first_parts_of_a_request_are_dispatch, setup_without_switch, teardown)
{
	put_threads();
	put_connection();
	put_request(0, 1000);
	put_request(1, 1700);
	put_answer(0, 3000);
	unit = hear_one(UNIT_CALL, 0, 1);
	assert_int_equal(unit_latency_ns(unit), 2400);
	assert_int_equal(unit->position, 1);
	assert_int_equal(CAUSE(.part = PART_REQUEST, .cost = COMPONENT_DISPATCH, .role = CAUSE_KEPT,
			       .by = TARGET),
			 700);
	assert_int_equal(CAUSE(.part = PART_REQUEST, .cost = COMPONENT_SEND_PATH), 100);
	assert_int_equal(CAUSE(.part = PART_SERVICE, .cost = COST_ON_CPU), 900);
}

/* Another client has its request open at the same time: it is not known which answer is whose. */
TEST_WITH(one_of_several_calls_is_ambiguous, setup_without_switch, teardown)
{
	put_threads();
	put_connection();
	put_request(0, 1000);
	put_request(1, 1100);
	put_answer(0, 3000);
	put_request(2, 3000);
	put_answer(1, 6000);
	put_answer(2, 6500);
	unit = hear_one(UNIT_CALL, 1, 3);
	assert_true(unit->is_ambiguous);
	assert_int_equal(CAUSE(.part = PART_SERVICE, .cost = COST_UNKNOWN, .role = CAUSE_UNKNOWN),
			 6000 - 1500);
}

/*
 *	target   sends A 1000   sends B 1500
 *	peer           receives 1400
 *	other                         receives 1900: the round is over
 */
TEST_WITH(a_round_begins_with_its_first_send, setup_without_switch, teardown)
{
	put_threads();
	put_other_channel(ASKS);
	put_other_channel(ASKED);
	put_message(TARGET, PEER, ASKS, 0, 1000);
	put_message(TARGET, OTHER_PEER, ASKED, 0, 1500);
	unit = hear_one(UNIT_ROUND, 0, 1);
	assert_int_equal(unit->from_ns, 1000);
	assert_int_equal(unit->to_ns, 1900);
	assert_int_equal(CAUSE(.cost = COMPONENT_DISPATCH, .role = CAUSE_KEPT, .by = PEER), 500);
	assert_int_equal(CAUSE(.cost = COMPONENT_SEND_PATH), 100);
	assert_int_equal(unit->place, 2);
	unit = hear_one(UNIT_MESSAGE, 1, 2);
	assert_int_equal(unit->from_ns, 1500);
	assert_true(unit->has_round);
	assert_int_equal(unit->place, 2);
}

/*
 *	peer    1000 sends   1200 waits for room ... 3000   3010 runs   3200 queued
 *	target            asleep (nanosleep) ... 2900  runs                    receives 3300
 */
TEST_WITH(room_is_blamed_on_the_reader_and_followed, setup_without_switch, teardown)
{
	const struct cause *room;

	info.shows_room = true;
	put_threads();
	put_connection();
	put_changes(&tape, PEER, 3100, 0, CHANGES(ROOM(1200, 44), WAKE(3000, 1), SWITCH(3010, 1)));
	put_send(&tape, PEER, TO_TARGET, 0, 1000, 3200);
	put_receive(&tape, TARGET, TO_TARGET, 0, 3150, 3300, 0,
		    CHANGES(SLEEP_IN(900, NANOSLEEP), WAKE(2890, 0), SWITCH(2900, 0)));
	unit = hear_one(UNIT_MESSAGE, 0, 1);
	room = cause_of(unit, (struct asked_cause){
				      .cost = COMPONENT_ROOM, .role = CAUSE_READER, .by = TARGET});
	assert_int_equal(room->by.ns, 1800);
	assert_int_equal(CAUSE(.cost = COMPONENT_BLOCKED, .role = CAUSE_UNKNOWN, .below = room),
			 1690);
	assert_int_equal(CAUSE(.cost = COST_ON_CPU, .below = room), 100);
	assert_int_equal(CAUSE(.cost = COMPONENT_SEND_PATH), 200 + 190);
	assert_int_equal(CAUSE(.cost = COMPONENT_SEND_PATH, .role = CAUSE_UNKNOWN), 10);
}

/*
 *	peer    1000 sends   1200 waits for room ... 3000  3010 runs    3200 queued
 *	target     1050 sends  1100 waits for room ... 2900 runs           receives 3300
 *
 * `to`: the channel on which the target sends.
 */
static const struct cause *reader_that_sends(uint32_t to)
{
	info.shows_room = true;
	put_threads();
	put_connection();
	put_other_channel(ASKS);
	put_message(TARGET, PEER, FROM_TARGET, 0, 500);
	put_message(TARGET, OTHER_PEER, ASKS, 0, 600);
	put_send(&tape, TARGET, to, 1, 1050, 2950);
	put_changes(&tape, PEER, 3100, 0, CHANGES(ROOM(1200, 44), WAKE(3000, 1), SWITCH(3010, 1)));
	put_send(&tape, PEER, TO_TARGET, 0, 1000, 3200);
	put_receive(&tape, TARGET, TO_TARGET, 0, 3150, 3300, 0,
		    CHANGES(ROOM(1100, 44), WAKE(2890, 0), SWITCH(2900, 0)));
	unit = hear_one(UNIT_MESSAGE, 2, 3);
	return cause_of(unit, (struct asked_cause){
				      .cost = COMPONENT_ROOM, .role = CAUSE_READER, .by = TARGET});
}

TEST_WITH(two_that_wait_for_room_at_each_other_are_a_circle, setup_without_switch, teardown)
{
	const struct cause *room = reader_that_sends(FROM_TARGET), *circle;

	circle = cause_of(unit, (struct asked_cause){.cost = COMPONENT_BLOCKED,
						     .role = CAUSE_READER,
						     .by = PEER,
						     .reason = REASON_CIRCLE,
						     .below = room});
	assert_int_equal(circle->by.ns, 1690);
	assert_int_equal(circle->call, 44);
}

TEST_WITH(a_reader_that_waits_for_room_elsewhere_is_no_circle, setup_without_switch, teardown)
{
	const struct cause *room = reader_that_sends(ASKS);

	assert_int_equal(CAUSE(.cost = COMPONENT_BLOCKED, .role = CAUSE_UNKNOWN, .below = room),
			 1690);
}

/*
 * The peer has not received what the target has sent, which leaves no room for more:
 *
 *	peer    1000 sends   1200 waits for room ... 3000  3010 runs    3200 queued
 *	target  asleep (poll), or not                                      receives 3300
 */
static const struct unit *sender_that_does_not_receive(bool reader_sleeps)
{
	struct record_own_room own = {
		.head = record_head(RECORD_OWN_ROOM, sizeof(own), 0, PEER),
		.at_ns = 1200,
	};

	info.shows_room = true;
	put_threads();
	put_connection();
	own.head.flags = OWN_ROOM_UNREAD;
	put(&own);
	put_changes(&tape, PEER, 3100, 0, CHANGES(ROOM(1200, 44), WAKE(3000, 1), SWITCH(3010, 1)));
	put_send(&tape, PEER, TO_TARGET, 0, 1000, 3200);
	if (reader_sleeps)
		put_changes(&tape, TARGET, 3100, 0,
			    CHANGES(change_pack(900, EPOLL_WAIT, CHANGE_POLL_IN), WAKE(2990, 0),
				    SWITCH(3000, 0)));
	put_receive(&tape, TARGET, TO_TARGET, 0, 3150, 3300, 0, NO_CHANGES);
	return hear_one(UNIT_MESSAGE, 0, 1);
}

TEST_WITH(a_sender_that_does_not_receive_is_in_a_circle, setup_without_switch, teardown)
{
	unit = sender_that_does_not_receive(true);
	assert_int_equal(CAUSE(.cost = COMPONENT_ROOM, .role = CAUSE_READER, .by = TARGET,
			       .reason = REASON_CIRCLE),
			 1800);
}

TEST_WITH(a_reader_that_works_is_in_no_circle, setup_without_switch, teardown)
{
	unit = sender_that_does_not_receive(false);
	assert_int_equal(CAUSE(.cost = COMPONENT_ROOM, .role = CAUSE_READER, .by = TARGET), 1800);
}

/*
 * The target's send began before the trace, so only the survey knows where it goes:
 *
 *	peer    1000 sends   1200 waits for room ... 3000  3010 runs    3200 queued
 *	target  asleep in a send ...          2900 runs                    receives 3300
 */
TEST_WITH(a_send_from_before_the_trace_is_in_a_circle, setup_without_switch, teardown)
{
	struct record_asleep asleep = {
		.head = record_head(RECORD_ASLEEP, sizeof(asleep), 0, TARGET),
		.pid = TARGET_PID,
		.number = 44,
		.at_ns = 950,
		.other = PEER_PID,
	};
	const struct record_name name = make_name(SLICE_TASK, PEER, 1, "peer");
	const struct record_process process = make_process(PEER, 1, PEER_PID, "main");
	const struct cause *room;

	info.shows_room = true;
	put_threads();
	put_connection();
	put(&name);
	put(&process);
	asleep.head.flags = ASLEEP_AT_BEGIN | ASLEEP_FOR_ROOM;
	put(&asleep);
	put_changes(&tape, PEER, 3100, 0, CHANGES(ROOM(1200, 44), WAKE(3000, 1), SWITCH(3010, 1)));
	put_send(&tape, PEER, TO_TARGET, 0, 1000, 3200);
	put_receive(&tape, TARGET, TO_TARGET, 0, 3150, 3300, 0,
		    CHANGES(ROOM(900, 44), WAKE(2890, 0), SWITCH(2900, 0)));
	unit = hear_one(UNIT_MESSAGE, 0, 1);
	room = cause_of(unit, (struct asked_cause){
				      .cost = COMPONENT_ROOM, .role = CAUSE_READER, .by = TARGET});
	assert_int_equal(CAUSE(.cost = COMPONENT_BLOCKED, .role = CAUSE_READER, .by = PEER,
			       .reason = REASON_CIRCLE, .below = room),
			 1690);
}

/* Only its name was recorded, and its process where that is another number. */
TEST_WITH(the_process_of_a_named_thread_is_known, setup_without_switch, teardown)
{
	const struct record_name name = make_name(SLICE_TASK, PEER, 1, "peer");
	const struct record_process process = make_process(PEER, 1, PEER_PID, "main");

	put_thread(TARGET, TARGET_PID, false, "target");
	put_connection();
	put(&name);
	put_request(0, 1000);
	unit = hear_one(UNIT_MESSAGE, 0, 1);
	assert_int_equal(unit->sender_pid, PEER);
	assert_string_equal(unit->sender_process, "peer");
	assert_int_equal(unit->receiver_pid, TARGET_PID);
	put(&process);
	unit = hear_one(UNIT_MESSAGE, 0, 1);
	assert_int_equal(unit->sender_pid, PEER_PID);
	assert_string_equal(unit->sender_process, "main");
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* The causes of connections, by hand. */
#include "analysis/attach_fixture.h"

#include "bpf/deep.h"
#include "support/connections.h"
#include "support/heard_units.h"

/* Nanoseconds: the instants of the connection. */
enum { ENTER = 100000, QUEUED = 200000, ACCEPTING = 40000, ACCEPTED = 900000 };

static int setup_deep(void **state)
{
	setup(state);
	info.level = LEVEL_DEEP;
	info.shows_switch = true;
	put_threads();
	return 0;
}

static struct record_connect connect_of(uint16_t family, uint64_t exit_ns)
{
	struct record_connect connect =
		make_connect(PEER, family, CONNECTING_INODE, ENTER, exit_ns);

	connect.queued_ns = QUEUED;
	return connect;
}

static void put_accept(uint16_t family)
{
	struct record_accept accept =
		make_accept(TARGET, family, CONNECTING_INODE, ACCEPTING, ACCEPTED);

	accept.queued_ns = QUEUED;
	put(&accept);
}

/* All causes of the only connection add up to its latency, and those of each part to that. */
static const struct unit *only_unit(void)
{
	const struct heard_units *units = hear_units(&info, &tape, UNIT_CONNECTION);
	const struct unit *unit = &units->unit[0];
	uint64_t part_ns[NR_CAUSE_PARTS] = {0};

	assert_int_equal(units->cnt, 1);
	assert_int_equal(unit->kind, UNIT_CONNECTION);
	assert_int_equal(unit->number, 1);
	assert_int_equal(unit->from_ns, ENTER);
	assert_int_equal(unit->to_ns, ACCEPTED);
	assert_int_equal(unit->sender.tid, PEER);
	assert_int_equal(unit->receiver.tid, TARGET);
	for (uint32_t i = 0; i < unit->cause_cnt; i++) {
		if (!unit->cause[i].parent)
			part_ns[unit->cause[i].part] += unit->cause[i].by.ns;
	}
	assert_int_equal(part_ns[PART_CONNECT], QUEUED - ENTER);
	assert_int_equal(part_ns[PART_QUEUE], ACCEPTED - QUEUED);
	return unit;
}

/* The target sleeps in its accept call, and is woken by the connection. */
static void put_sleeper(void)
{
	put_changes(&tape, TARGET, ACCEPTED + 1000, 0,
		    CHANGES(SLEEP(50000, 0), WAKE(350000, 0), SWITCH(600000, 0), RUN(640000, 0)));
}

/*
 *	100 connect()   200 queued   350 wakes   600 switch  640 runs   900 us accepted
 *	      | on CPU      |  wakeup   | run queue | switch    |  accept  |
 */
TEST_WITH(a_connection_waits_for_its_thread_to_wake, setup_deep, teardown)
{
	const struct record_connect connect = connect_of(FAMILY_UNIX, QUEUED + 1000);
	const struct unit *unit;

	put_sleeper();
	put(&connect);
	put_accept(FAMILY_UNIX);
	unit = only_unit();
	assert_int_equal(unit->transport, TRANSPORT_UDS_STREAM);
	assert_int_equal(
		cause_of(unit, (struct asked_cause){.part = PART_QUEUE, .cost = COMPONENT_WAKEUP})
			->by.ns,
		150000);
	assert_int_equal(
		cause_of(unit, (struct asked_cause){.part = PART_QUEUE, .cost = COMPONENT_RECEIVE})
			->by.ns,
		260000);
}

TEST_WITH(a_thread_that_does_not_make_room_is_followed, setup_deep, teardown)
{
	struct record_connect connect = connect_of(FAMILY_UNIX, QUEUED + 1000);
	const struct cause *room;
	const struct unit *unit;

	put_sleeper();
	connect.head.flags |= CONNECT_FULL;
	put(&connect);
	put_accept(FAMILY_UNIX);
	unit = only_unit();
	room = cause_of(unit, (struct asked_cause){.part = PART_CONNECT,
						   .cost = COMPONENT_ROOM,
						   .role = CAUSE_READER,
						   .by = TARGET,
						   .reason = REASON_ACCEPT_QUEUE});
	assert_int_equal(room->by.ns, QUEUED - ENTER);
	assert_true(unit->cause_cnt > causes_on_top(unit));
}

/* Nothing says that the queue was full: a filter may have dropped the segments. */
TEST_WITH(a_handshake_without_an_answer_is_no_full_queue, setup_deep, teardown)
{
	struct record_connect connect = connect_of(FAMILY_INET, QUEUED + 1000);
	const struct unit *unit;

	put_sleeper();
	connect.retransmits = 1;
	put(&connect);
	put_accept(FAMILY_INET);
	unit = only_unit();
	assert_int_equal(unit->transport, TRANSPORT_TCP);
	assert_int_equal(cause_of(unit, (struct asked_cause){.part = PART_CONNECT,
							     .cost = COMPONENT_SEND_PATH,
							     .reason = REASON_NO_ANSWER})
				 ->by.ns,
			 QUEUED - ENTER);
}

/* The client does something else: why the connection is not in the queue yet is not known. */
TEST_WITH(what_keeps_a_connection_after_the_call_is_not_known, setup_deep, teardown)
{
	const struct record_connect connect = connect_of(FAMILY_INET, ENTER + 30000);
	const struct unit *unit;

	put_sleeper();
	put(&connect);
	put_accept(FAMILY_INET);
	unit = only_unit();
	assert_int_equal(cause_of(unit, (struct asked_cause){.part = PART_CONNECT,
							     .cost = COST_UNKNOWN,
							     .role = CAUSE_UNKNOWN})
				 ->by.ns,
			 QUEUED - ENTER - 30000);
}

TEST_WITH(units_of_another_kind_are_no_connections, setup_deep, teardown)
{
	const struct record_connect connect = connect_of(FAMILY_UNIX, QUEUED + 1000);

	put_sleeper();
	put(&connect);
	put_accept(FAMILY_UNIX);
	assert_int_equal(hear_units(&info, &tape, UNIT_MESSAGE)->cnt, 0);
	assert_int_equal(hear_units(&info, &tape, UNIT_CALL)->cnt, 0);
}

enum { ACCEPTOR = 150, ACCEPT4 = 288, NO_DESCRIPTOR = 24, SENT = 200500, RECEIVES = 950000 };

/* The accepting thread sleeps for a time, after its call has failed. */
static void put_pause(uint64_t from_ns, uint64_t to_ns)
{
	struct record_timeout_failed timeout = {
		.timeout =
			{
				.head = record_head(RECORD_TIMEOUT, sizeof(timeout), 0, ACCEPTOR),
				.wake_ns = to_ns,
				.started_ns = from_ns,
				.asked_ns = to_ns - from_ns,
			},
		.number = ACCEPT4,
		.error = NO_DESCRIPTOR,
	};

	put(&timeout);
	put_changes(&tape, ACCEPTOR, ACCEPTED + 1000, 0,
		    CHANGES(change_pack(from_ns, 230, CHANGE_SLEEP_IN), WAKE(to_ns, 0),
			    SWITCH(to_ns + 100, 0)));
}

/*
 *	200 sent, queued          600 wakes     900 accepted     950 us receives
 *	       |  accepting thread: pause  |  runs  | new thread: busy |
 *
 * `tid`: the thread that accepts. Returns the only message.
 */
static const struct unit *first_message(uint32_t tid)
{
	struct record_connect connect = connect_of(FAMILY_UNIX, QUEUED + 100);
	struct record_accept accept =
		make_accept(tid, FAMILY_UNIX, CONNECTING_INODE, ACCEPTING, ACCEPTED);
	struct record_address address = make_address(TO_TARGET, "/run/x", ADDRESS_OF_RECEIVER);
	const struct heard_units *units;

	put_thread(ACCEPTOR, TARGET_PID, false, "acceptor");
	address.inode = CONNECTING_INODE;
	accept.queued_ns = QUEUED;
	put(&connect);
	put(&accept);
	put_channel(TO_TARGET, TRANSPORT_UDS_STREAM, PEER_END, TARGET_END);
	put(&address);
	put_baseline(TO_TARGET, 0, true);
	put_pause(SENT - 1000, 600000);
	put_send(&tape, PEER, TO_TARGET, 0, SENT, SENT + 100);
	put_receive(&tape, TARGET, TO_TARGET, 0, RECEIVES, RECEIVES + 100, 0, NO_CHANGES);
	units = hear_units(&info, &tape, UNIT_MESSAGE);
	assert_int_equal(units->cnt, 1);
	return &units->unit[0];
}

static uint64_t busy_ns(const struct unit *unit, enum cause_reason reason)
{
	uint64_t ns = 0;

	for (uint32_t i = 0; i < unit->cause_cnt; i++) {
		const struct cause *cause = &unit->cause[i];

		if (!cause->parent && cause->cost == COMPONENT_BUSY && cause->reason == reason)
			ns += cause->by.ns;
	}
	return ns;
}

TEST_WITH(until_a_connection_is_accepted_the_accepting_thread_counts, setup_deep, teardown)
{
	const struct unit *unit = first_message(ACCEPTOR);
	const struct cause *pause = cause_of(
		unit, (struct asked_cause){.cost = COMPONENT_BUSY, .reason = REASON_TRIED});

	assert_int_equal(pause->by.ns, 600000 - SENT - 100);
	assert_int_equal(pause->tid, ACCEPTOR);
	assert_int_equal(pause->failed.number, ACCEPT4);
	assert_int_equal(pause->failed.error, NO_DESCRIPTOR);
	assert_int_equal(busy_ns(unit, REASON_NONE), RECEIVES - 600000);
}

TEST_WITH(a_thread_that_accepts_for_itself_is_busy_for_itself, setup_deep, teardown)
{
	const struct unit *unit = first_message(TARGET);

	assert_int_equal(busy_ns(unit, REASON_TRIED), 0);
	assert_int_equal(busy_ns(unit, REASON_NONE), RECEIVES - SENT - 100);
}

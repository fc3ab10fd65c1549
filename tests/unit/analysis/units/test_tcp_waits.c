/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What keeps the data of a TCP message from its receiver after the send call has returned:
 *
 *	send        returned                       queued            received
 *	  |  in the call  |  the data wait, or travel  |     receive     |
 */
#include "analysis/attach_fixture.h"

#include "support/heard_units.h"

#define MS      1000000ULL
#define SENT_NS (100 * MS)
#define BYTES   64

enum { IN_CALL_NS = 30, LATER = 500 };

#define CAUSE(...) cause_of(unit, (struct asked_cause){__VA_ARGS__})->by.ns

static const struct unit *unit;

static void put_stream(uint32_t transport)
{
	put_threads();
	put_channel(STREAM, transport, PEER_END, TARGET_END);
	put_baseline(STREAM, 0, true);
}

/* Its call returns IN_CALL_NS after its start; its data are there at `queued_ns`. */
static void put_counted(uint32_t flags, uint64_t queued_ns, bool is_in_record)
{
	struct record_send_counted counted = {
		.send = make_send(PEER, STREAM, 0, SENT_NS, is_in_record ? queued_ns : 0),
		.counted_ns = SENT_NS + IN_CALL_NS,
	};
	struct record_arrival arrival = make_arrival(STREAM, BYTES, queued_ns);
	struct record_receive receive =
		make_receive(TARGET, STREAM, 0, SENT_NS - 10, queued_ns + LATER);

	counted.send.bytes = receive.bytes = BYTES;
	counted.send.head.words = RECORD_WORDS(counted);
	counted.send.head.flags = flags;
	put(&counted);
	if (!is_in_record)
		put(&arrival);
	put(&receive);
}

static void put_again(uint64_t at_ns)
{
	struct record_retransmit again = {
		.head = record_head(RECORD_RETRANSMIT, sizeof(again), 0, 0),
		.channel = STREAM,
		.at_ns = at_ns,
	};

	put(&again);
}

static void hear_message(void)
{
	const struct heard_units *units = hear_units(&info, &tape, UNIT_MESSAGE);

	assert_int_equal(units->cnt, 1);
	unit = &units->unit[0];
}

/* Its data wait for so long after the call, for this reason; and before that it is the sender's. */
static void assert_waits(uint64_t ns, enum cause_reason reason)
{
	hear_message();
	assert_int_equal(CAUSE(.cost = COMPONENT_SEND_PATH, .reason = reason), ns);
	assert_int_equal(CAUSE(.cost = COMPONENT_SEND_PATH), IN_CALL_NS);
	assert_int_equal(unit->to_ns - unit->from_ns, IN_CALL_NS + ns + LATER);
}

static void assert_held(enum send_held held, uint64_t ns, enum cause_reason reason)
{
	setup(NULL);
	put_stream(TRANSPORT_TCP);
	put_counted(SEND_HELD * held, SENT_NS + IN_CALL_NS + ns, false);
	assert_waits(ns, reason);
	teardown(NULL);
}

TEST(each_flag_of_a_send_has_its_reason)
{
	assert_held(HELD_NAGLE, 40 * MS, REASON_NAGLE);
	assert_held(HELD_CORK, 200 * MS, REASON_CORK);
	assert_held(HELD_CONGESTION, MS, REASON_CONGESTION);
	assert_held(HELD_PACING, MS, REASON_PACING);
	assert_held(HELD_DEVICE, MS, REASON_DEVICE);
	assert_held(HELD_NOT, MS, REASON_UNDER_WAY);
}

/* One that came at once is not called delayed, whatever the socket was like. */
TEST(an_acknowledgement_is_delayed_if_it_took_milliseconds)
{
	assert_held(HELD_ACK, 40 * MS, REASON_DELAYED_ACK);
	assert_held(HELD_ACK, 5 * MS, REASON_DELAYED_ACK);
	assert_held(HELD_ACK, 5 * MS - 1, REASON_NAGLE);
	assert_held(HELD_ACK, 1, REASON_NAGLE);
}

TEST(a_reason_of_a_later_version_is_not_known)
{
	assert_held(NR_SEND_HELD, MS, REASON_UNDER_WAY);
}

TEST(what_is_sent_again_did_not_wait_for_an_acknowledgement)
{
	put_stream(TRANSPORT_TCP);
	put_again(SENT_NS + 100 * MS);
	put_counted(SEND_HELD * HELD_ACK, SENT_NS + IN_CALL_NS + 200 * MS, false);
	assert_waits(200 * MS, REASON_RETRANSMIT);
}

TEST(what_was_sent_again_in_vain_is_no_cause)
{
	put_stream(TRANSPORT_TCP);
	put_again(SENT_NS + 201 * MS);
	put_counted(SEND_HELD * HELD_ACK, SENT_NS + IN_CALL_NS + 200 * MS, false);
	assert_waits(200 * MS, REASON_DELAYED_ACK);
}

/* The receiver's window was closed: the time is `room`, as before. */
TEST(a_closed_window_is_room)
{
	info.shows_room = true;
	put_stream(TRANSPORT_TCP6);
	put_counted(SEND_NO_ROOM, SENT_NS + IN_CALL_NS + MS, false);
	hear_message();
	assert_int_equal(CAUSE(.cost = COMPONENT_ROOM, .role = CAUSE_READER, .by = TARGET), MS);
	assert_int_equal(CAUSE(.cost = COMPONENT_SEND_PATH), IN_CALL_NS);
}

/* The data were there before the call returned. */
TEST(data_that_arrived_within_the_call_did_not_wait)
{
	put_stream(TRANSPORT_TCP);
	put_counted(SEND_HELD * HELD_NAGLE, SENT_NS + IN_CALL_NS - 1, true);
	hear_message();
	assert_int_equal(CAUSE(.cost = COMPONENT_SEND_PATH), IN_CALL_NS - 1);
	assert_int_equal(unit->cause[0].reason, REASON_NONE);
}

/* Over other transports the end of the call says nothing of the data. */
TEST(only_tcp_has_data_in_the_socket_of_the_sender)
{
	put_stream(TRANSPORT_UDS_STREAM);
	put_counted(0, SENT_NS + IN_CALL_NS + MS, false);
	hear_message();
	assert_int_equal(CAUSE(.cost = COMPONENT_SEND_PATH), IN_CALL_NS + MS);
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* Which messages of an attach are reported, and why others are not. */
#include "analysis/attach_fixture.h"

#include "bpf/record_drop.h"

static void assert_whole(const struct message *message, uint64_t at)
{
	assert_int_equal(message->send_ns, at);
	assert_int_equal(message->queued_ns, at + 100);
	assert_int_equal(message->recv_ns, at + 400);
	assert_int_equal(message->latency_ns, 400);
	assert_int_equal(message->component_ns[COMPONENT_SEND_PATH], 100);
	assert_int_equal(message->component_ns[COMPONENT_BUSY], 50);
	assert_int_equal(message->component_ns[COMPONENT_RECEIVE], 250);
	assert_int_equal(sum_of(message->component_ns, NR_COMPONENTS), 400);
	assert_int_equal(message->path, PATH_RUNNING);
	assert_false(message->has_round || message->has_stamp || message->client);
}

static void check_one_message(void)
{
	const struct channel_summary *channel = heard.summary->channel;

	assert_counts(1, 0);
	assert_incomplete(INCOMPLETE_NOT_RECEIVED, 0);
	assert_whole(&heard.message[0], 1000);
	assert_int_equal(heard.message[0].transport, TRANSPORT_UDS_SEQPACKET);
	assert_int_equal(heard.message[0].match, MATCH_EXACT);
	assert_string_equal(heard.message[0].sender.comm, "peer");
	assert_string_equal(heard.message[0].receiver.comm, "target");
	assert_int_equal(heard.summary->channel_cnt, 1);
	assert_int_equal(channel->id, TO_TARGET);
	assert_string_equal(channel->name, "/run/x");
	assert_int_equal(channel->sender.pid, PEER_PID);
	assert_int_equal(channel->sender.tid, PEER);
	assert_int_equal(channel->receiver.pid, TARGET_PID);
	assert_string_equal(channel->receiver.comm, "target");
	assert_int_equal(channel->messages, 1);
	assert_int_equal(channel->bytes, 64);
	assert_int_equal(channel->latency.max, 400);
	assert_int_equal(heard.summary->client_cnt, 0);
	assert_int_equal(heard.summary->rounds.count, 0);
	assert_int_equal(heard.summary->calls.count, 0);
}

TEST(a_message_of_a_target_is_whole)
{
	put_threads();
	put_connection();
	put_request(0, 1000);
	put_end(&tape);
	play(check_one_message);
}

static void check_a_call_without_calls(void)
{
	const struct calls_summary *calls = &heard.summary->calls;

	assert_counts(2, 0);
	for (size_t i = 0; i < heard.cnt; i++) {
		assert_true(heard.message[i].hides_calls);
		assert_int_equal(heard.message[i].send_ns, heard.message[i].queued_ns);
		assert_int_equal(heard.message[i].latency_ns, 300);
		assert_int_equal(heard.message[i].component_ns[COMPONENT_SEND_PATH], 0);
		assert_int_equal(heard.message[i].component_ns[COMPONENT_BUSY], 0);
		assert_int_equal(heard.message[i].component_ns[COMPONENT_RECEIVE], 300);
	}
	assert_int_equal(calls->count, 1);
	assert_int_equal(calls->round_trip.max, 1300);
	assert_int_equal(calls->service.max, 700);
}

/* The request is sent at 1100 and received at 1400, the answer at 2100 and 2400. */
TEST(at_level_light_a_message_lasts_from_queued_to_received)
{
	info.level = LEVEL_LIGHT;
	put_threads();
	put_connection();
	put_request(0, 1000);
	put_answer(0, 2000);
	put_end(&tape);
	play(check_a_call_without_calls);
}

TEST(messages_between_peers_are_left_out)
{
	put_threads();
	put_connection();
	put_message(PEER, OTHER_PEER, TO_TARGET, 0, 1000);
	put_message(OTHER_PEER, PEER, FROM_TARGET, 0, 2000);
	put_sent(PEER, TO_TARGET, 1, 64, 3000);
	put_received(PEER, FROM_TARGET, 1, 64, 4000);
	play(check_nothing);
}

static void check_a_lost_end(void)
{
	assert_counts(1, 0);
	assert_incomplete(INCOMPLETE_NOT_RECEIVED, 1);
}

/* The receiver is not known, but a target has received on this channel. */
TEST(half_a_peers_message_counts_where_a_target_was)
{
	put_threads();
	put_connection();
	put_request(0, 1000);
	put_sent(PEER, TO_TARGET, 1, 64, 2000);
	play(check_a_lost_end);
}

static void check_elsewhere(void)
{
	assert_counts(1, 4);
	assert_incomplete(INCOMPLETE_NOT_RECEIVED, 0);
}

TEST(one_end_of_an_internet_channel_is_elsewhere)
{
	struct record_send away = make_send(TARGET, STREAM, 0, 4000, 0);

	put_threads();
	put_connection();
	put_request(0, 1000);
	put_channel(20, TRANSPORT_UDP, 0, 31);
	put_baseline(20, 0, true);
	put_received(TARGET, 20, 0, 64, 2000);
	put_received(TARGET, 20, 1, 64, 3000);
	put_channel(STREAM, TRANSPORT_TCP, 32, 0);
	put_baseline(STREAM, 0, true);
	put(&away);
	away.position = away.bytes;
	put(&away);
	play(check_elsewhere);
}

/* UDP to another machine: no receive on this machine can be pending for so long. */
static void put_away(uint32_t tid, uint32_t channel, uint64_t address)
{
	put_channel(channel, TRANSPORT_UDP, address, address + 1);
	put_baseline(channel, 0, true);
	put_sent(tid, channel, 0, 64, 1000);
	put_sent(tid, channel, 1, 64, 3 * SECOND);
}

/* A receive from another machine: it has no position, or its message was not recorded. */
static void put_foreign(uint32_t tid, uint64_t position, uint64_t at)
{
	struct record_receive receive = make_receive(tid, CHANNEL_UNKNOWN, position, at, at + 400);

	put(&receive);
}

#define UNSEEN_BY(socket) ((socket) << UNSEEN_SHIFT | UNSEEN_CAME_SINCE)

static void put_ends_of(uint32_t tid, uint32_t channel, uint64_t socket)
{
	put_away(tid, channel, 2 * socket);
	put_foreign(tid, POSITION_NONE, 5000);
	put_foreign(tid, UNSEEN_BY(socket), 6000);
}

TEST(messages_of_peers_to_other_machines_are_left_out)
{
	put_threads();
	put_ends_of(PEER, 21, 40);
	put_ends_of(OTHER_PEER, 22, 50);
	put_end(&tape);
	heard = hear(&info, &tape);
	check_nothing();
	hearing_free(&heard);
	put_ends_of(TARGET, 23, 60);
	heard = hear(&info, &tape);
	assert_counts(0, 4);
	assert_incomplete(INCOMPLETE_NOT_RECEIVED, 0);
}

/* The peer of a message that leaves the machine is not known. */
TEST(a_wanted_peer_has_nothing_elsewhere)
{
	strcpy(info.peer, "peer");
	put_threads();
	put_ends_of(TARGET, 23, 60);
	put_end(&tape);
	heard = hear(&info, &tape);
	check_nothing();
}

static void check_resynced(void)
{
	assert_counts(4, 0);
	assert_incomplete(INCOMPLETE_NOT_RECEIVED, 0);
	assert_int_equal(integrity()->match[MATCH_RESYNCED], 2);
	assert_int_equal(integrity()->match[MATCH_EXACT], 2);
	/* The first of each. */
	assert_int_equal(heard.message[0].match, MATCH_RESYNCED);
	assert_int_equal(heard.message[0].position, 0);
	assert_int_equal(heard.message[1].match, MATCH_RESYNCED);
	assert_int_equal(heard.message[2].match, MATCH_EXACT);
	assert_whole(&heard.message[3], 4000);
}

/* When tracing began, two datagrams were in one channel and none in the other. */
TEST(an_old_channel_is_resynced_once)
{
	put_threads();
	put_baseline(TO_TARGET, 2, false);
	put_baseline(FROM_TARGET, 0, false);
	put_received(TARGET, TO_TARGET, 0, 64, 100);
	put_received(TARGET, TO_TARGET, 1, 64, 200);
	put_sent(PEER, TO_TARGET, 0, 64, 1000);
	put_received(TARGET, TO_TARGET, 2, 64, 1000);
	put_answer(0, 2000);
	put_sent(PEER, TO_TARGET, 1, 64, 3000);
	put_received(TARGET, TO_TARGET, 3, 64, 3000);
	put_answer(1, 4000);
	play(check_resynced);
}

static void check_straddled(void)
{
	assert_counts(2, 0);
	assert_incomplete(INCOMPLETE_NOT_RECEIVED, 0);
	assert_whole(&heard.message[0], 1000);
	assert_int_equal(heard.message[0].receives, 1);
	assert_int_equal(heard.message[0].match, MATCH_RESYNCED);
	assert_whole(&heard.message[1], 2000);
	assert_int_equal(heard.message[1].receives, 2);
	assert_int_equal(heard.message[1].bytes, 64);
}

/*
 *	leftover 100 |  send 0: 64  |  send 1: 64  |
 *	0  90|       100           164   200      228
 *	 a   |     b               |  c  |   d    |
 */
TEST(leftover_bytes_may_be_received_with_the_first_message)
{
	put_threads();
	put_baseline(STREAM, 100, false);
	put_received(TARGET, STREAM, 0, 90, 500);
	put_sent(PEER, STREAM, 0, 64, 1000);
	put_received(TARGET, STREAM, 90, 74, 1000);
	put_sent(PEER, STREAM, 64, 64, 2000);
	put_received(TARGET, STREAM, 164, 36, 1500);
	put_received(TARGET, STREAM, 200, 28, 2000);
	play(check_straddled);
}

static void check_unknown_baseline(void)
{
	assert_counts(0, 0);
	assert_incomplete(INCOMPLETE_UNKNOWN_START, 2);
}

TEST(without_a_baseline_nothing_is_guessed)
{
	put_threads();
	put_baseline(TO_TARGET, BASELINE_UNKNOWN, false);
	put_request(0, 1000);
	put_message(TARGET, PEER, STREAM, 0, 2000); /* its BASELINE is missing */
	play(check_unknown_baseline);
}

static void check_not_traced(void)
{
	assert_counts(1, 0);
	assert_incomplete(INCOMPLETE_NOT_TRACED, 2);
	assert_whole(&heard.message[0], 3000);
}

/* Tracing began while the sender, or the receiver, was in its call. */
TEST(an_end_that_was_traced_too_late_is_a_reason)
{
	struct record_send send = make_send(PEER, TO_TARGET, 0, 0, 1100);
	struct record_receive receive = make_receive(TARGET, TO_TARGET, 1, 0, 2400);

	put_threads();
	put_connection();
	put(&send);
	put_received(TARGET, TO_TARGET, 0, 64, 1000);
	put_sent(PEER, TO_TARGET, 1, 64, 2000);
	put(&receive);
	put_request(2, 3000);
	play(check_not_traced);
}

static void check_one_call_for_three(void)
{
	assert_counts(3, 0);
	assert_incomplete(INCOMPLETE_NOT_RECEIVED, 0);
	for (size_t i = 0; i < 3; i++) {
		assert_int_equal(heard.message[i].position, i);
		assert_int_equal(heard.message[i].recv_ns, 5000);
		assert_int_equal(heard.message[i].latency_ns, 5000 - 1000 * (i + 1));
		assert_int_equal(heard.message[i].component_ns[COMPONENT_RECEIVE], 700);
	}
	assert_int_equal(heard.message[0].component_ns[COMPONENT_WAKEUP], 3200 - 1100);
	assert_int_equal(heard.message[1].component_ns[COMPONENT_WAKEUP], 3200 - 2100);
	assert_int_equal(heard.message[2].component_ns[COMPONENT_WAKEUP], 3200 - 3100);
	assert_int_equal(heard.message[0].component_ns[COMPONENT_RUNQUEUE], 1000);
	assert_int_equal(heard.message[0].component_ns[COMPONENT_SWITCH], 100);
}

/*
 * A call that waits for three messages (recvmmsg) sleeps until the last one is there. The record of
 * the last one has the changes of the whole call.
 */
TEST(all_messages_of_a_call_return_with_it)
{
	put_threads();
	put_connection();
	for (uint64_t i = 0; i < 3; i++)
		put_sent(PEER, TO_TARGET, i, 64, 1000 * (i + 1));
	put_receive(&tape, TARGET, TO_TARGET, 0, 500, 0, 0, NO_CHANGES);
	put_receive(&tape, TARGET, TO_TARGET, 1, 500, 0, 0, NO_CHANGES);
	put_receive(&tape, TARGET, TO_TARGET, 2, 500, 5000, 0,
		    CHANGES(SLEEP(600, 0), WAKE(3200, 0), SWITCH(4200, 0), RUN(4300, 0)));
	play(check_one_call_for_three);
}

static void check_arrivals(void)
{
	assert_counts(1, 0);
	assert_incomplete(INCOMPLETE_NO_ARRIVAL, 1);
	assert_int_equal(heard.message[0].queued_ns, 1100);
	assert_int_equal(heard.message[0].component_ns[COMPONENT_SEND_PATH], 100);
}

TEST(an_arrival_says_when_the_data_was_there)
{
	struct record_send send = make_send(PEER, STREAM, 0, 1000, 0);
	struct record_arrival arrival = make_arrival(STREAM, 64, 1100);

	put_threads();
	put_channel(STREAM, TRANSPORT_TCP, PEER_END, TARGET_END);
	put_baseline(STREAM, 0, true);
	put(&send);
	put(&arrival);
	put_received(TARGET, STREAM, 0, 64, 1000);
	send = make_send(PEER, STREAM, 64, 2000, 0);
	put(&send);
	put_received(TARGET, STREAM, 64, 64, 2000);
	play(check_arrivals);
}

TEST(a_datagram_that_was_dropped_was_not_received)
{
	struct record_send send = make_send(TARGET, CHANNEL_UNKNOWN, POSITION_NONE, 1000, 0);
	struct record_send foreign = make_send(PEER, CHANNEL_UNKNOWN, POSITION_NONE, 1000, 0);

	put_threads();
	put(&send);
	put(&foreign);
	put(&send);
	heard = hear(&info, &tape);
	assert_counts(0, 0);
	assert_incomplete(INCOMPLETE_NOT_RECEIVED, 2);
}

static void put_later_drop(uint32_t channel, uint64_t position)
{
	struct record_drop drop = {
		.head = {.type = RECORD_DROP, .words = RECORD_WORDS(drop), .flags = DROP_LATER},
		.channel = channel,
		.reason = DROP_BUFFER_FULL,
		.position = position,
		.buffer_bytes = 2304,
	};

	put(&drop);
}

static void check_dropped_later(void)
{
	assert_counts(2, 0);
	assert_int_equal(integrity()->incomplete[INCOMPLETE_NOT_RECEIVED], 2);
	assert_int_equal(integrity()->dropped, 1);
	assert_int_equal(heard.summary->drops.reason[DROP_BUFFER_FULL], 1);
	assert_int_equal(heard.summary->drops.channel, 20);
	assert_int_equal(heard.summary->drops.buffer_bytes, 2304);
}

/* Number 1 is dropped; 3 is not, and nothing receives it; 4 has no send. */
TEST(a_datagram_may_be_dropped_after_its_send_call)
{
	put_threads();
	put_channel(20, TRANSPORT_UDP, PEER_END, TARGET_END);
	put_baseline(20, 0, true);
	put_message(PEER, TARGET, 20, 0, 1000);
	put_sent(PEER, 20, 1, 64, 2000);
	put_later_drop(20, 1);
	put_message(PEER, TARGET, 20, 2, 3000);
	put_sent(PEER, 20, 3, 64, 4000);
	put_later_drop(20, 4);
	play(check_dropped_later);
}

/* The message shows that positions were counted from a wrong one: its own is not known. */
TEST(a_send_that_has_no_place_in_its_channel_is_counted)
{
	struct record_send send = make_send(PEER, TO_TARGET, POSITION_NONE, 3000, 3100);
	struct record_send foreign = make_send(PEER, TO_TARGET + 4, POSITION_NONE, 3000, 3100);

	put_threads();
	put_connection();
	put_message(PEER, TARGET, TO_TARGET, 0, 1000);
	put(&send);
	put(&foreign);
	heard = hear(&info, &tape);
	assert_counts(1, 0);
	assert_incomplete(INCOMPLETE_UNKNOWN_START, 1);
}

TEST(sends_that_have_no_place_come_before_the_target_uses_the_channel)
{
	struct record_send send = make_send(PEER, TO_TARGET, POSITION_NONE, 1000, 1100);

	put_threads();
	put_connection();
	put(&send);
	put(&send);
	put_message(PEER, TARGET, TO_TARGET, 0, 3000);
	heard = hear(&info, &tape);
	assert_counts(1, 0);
	assert_incomplete(INCOMPLETE_UNKNOWN_START, 2);
}

TEST(an_attach_without_messages_is_empty)
{
	put_threads();
	put_end(&tape);
	play(check_nothing);
}

/* A forgotten sender may have been a target: whether the message concerns one is not known. */
TEST(messages_of_forgotten_threads_are_counted)
{
	put_thread(NOBODY, TARGET_PID, false, "target");
	for (uint32_t tid = 1000; tid < 1000 + LRU_THREADS_MAX; tid++)
		put_thread(tid, TARGET_PID, false, "target");
	put_threads();
	put_connection();
	put_request(0, 1000);
	put_message(NOBODY, OTHER_PEER, TO_TARGET, 1, 2000);
	heard = hear(&info, &tape);
	assert_int_equal(integrity()->matched, 1);
	assert_incomplete(INCOMPLETE_FORGOTTEN, 1);
}

static void check_outside(void)
{
	assert_int_equal(heard.cnt, 5);
	assert_int_equal(integrity()->match[MATCH_APPROXIMATE], 4);
	assert_int_equal(heard.message[0].match, MATCH_EXACT);
	for (size_t i = 1; i < heard.cnt; i++)
		assert_int_equal(heard.message[i].match, MATCH_APPROXIMATE);
	/* The send is seen 40 ns after its message was queued. */
	assert_int_equal(heard.message[1].send_ns, 20060);
	assert_int_equal(heard.message[1].component_ns[COMPONENT_SEND_PATH], 0);
	assert_int_equal(heard.message[2].component_ns[COMPONENT_RECEIVE], 0);
	assert_int_equal(heard.message[2].component_ns[COMPONENT_BUSY], 300);
	/* The send is seen after its receiver has returned. */
	assert_int_equal(heard.message[4].send_ns, 50400);
	assert_int_equal(heard.message[4].latency_ns, 0);
}

static void put_sent_outside(uint64_t position, uint64_t send_ns, uint64_t queued_ns)
{
	struct record_send_outside send = {
		.counted = {.send = make_send(PEER, TO_TARGET, position, send_ns, queued_ns),
			    .counted_ns = send_ns + 10}};

	send.counted.send.head.words = RECORD_WORDS(send);
	put(&send);
}

static void put_received_outside(uint64_t position, uint64_t at)
{
	struct record_receive receive = make_receive(TARGET, TO_TARGET, position, at, at);

	put(&receive);
}

/* io_uring: the send, the receive or both happen outside of a syscall. */
TEST(what_no_call_does_is_approximate)
{
	put_threads();
	put_connection();
	put_message(PEER, TARGET, TO_TARGET, 0, 10000);
	put_sent_outside(1, 20100, 20060);
	put_received(TARGET, TO_TARGET, 1, 64, 20000);
	put_sent(PEER, TO_TARGET, 2, 64, 30000);
	put_received_outside(2, 30400);
	put_sent_outside(3, 40100, 40100);
	put_received_outside(3, 40400);
	put_sent_outside(4, 50500, 50500);
	put_received(TARGET, TO_TARGET, 4, 64, 50000);
	play(check_outside);
}

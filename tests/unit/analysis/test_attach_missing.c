/* SPDX-License-Identifier: BSD-2-Clause */
/* Messages of an attach that lack an end, or both, or wait for one for too long. */
#include "analysis/attach_fixture.h"

static void put_ambiguous(uint32_t tid, uint32_t channel, uint64_t position, uint64_t at)
{
	struct record_send send = make_send(tid, channel, position, at, at + 100);

	send.bytes = 64;
	send.head.flags = SEND_AMBIGUOUS;
	put(&send);
}

static void check_a_lost_send(void)
{
	assert_counts(1, 0);
	assert_incomplete(INCOMPLETE_NO_SEND, 1);
}

/* One was sent before tracing began; the record of another one is missing. */
TEST(a_receive_alone_is_lost_or_from_before)
{
	put_threads();
	put_connection();
	put_received(TARGET, TO_TARGET, 0, 64, 1000);
	put_request(1, 2000);
	put_received(TARGET, TO_TARGET, 2, 64, 3000);
	play(check_a_lost_send);
}

/* A send of a traced thread whose call does not count. */
static void put_beside(uint32_t channel, uint64_t at)
{
	struct record_beside beside = {
		.head = {.type = RECORD_BESIDE, .words = RECORD_WORDS(beside), .tid = PEER},
		.channel = channel,
		.from_ns = at,
		.until_ns = at + 10};

	put(&beside);
}

static void put_end_with_losses(void)
{
	struct record_end end = {.head = {.type = RECORD_END, .words = RECORD_WORDS(end)}};

	end.loss[LOSS_RING_FULL] = 1;
	put(&end);
}

static void check_gaps(void)
{
	assert_counts(4, 0);
	assert_int_equal(integrity()->incomplete[INCOMPLETE_NOT_RECORDED], 2);
	assert_int_equal(integrity()->incomplete[INCOMPLETE_NO_SEND], 1);
	assert_int_equal(integrity()->sent, 7);
}

/* 1 and 2 have no record, 4 has its receive; 6 does not count. */
static void put_gaps(void)
{
	put_threads();
	put_connection();
	put_request(0, 1000);
	put_request(3, 4000);
	put_received(TARGET, TO_TARGET, 4, 64, 5000);
	put_request(5, 6000);
	put_beside(TO_TARGET, 7000);
	put_request(7, 8000);
}

TEST(what_is_lost_with_both_records_is_counted)
{
	put_gaps();
	put_end_with_losses();
	play(check_gaps);
}

static void check_lost_at_the_end(void)
{
	assert_counts(2, 0);
	assert_int_equal(integrity()->incomplete[INCOMPLETE_NOT_RECORDED], 1);
	assert_int_equal(integrity()->incomplete[INCOMPLETE_NO_SEND], 1);
}

/* A thread has received number 3. */
TEST(a_receive_shows_how_much_was_sent)
{
	put_threads();
	put_connection();
	put_request(0, 1000);
	put_request(1, 2000);
	put_received(TARGET, TO_TARGET, 3, 64, 5000);
	put_end_with_losses();
	play(check_lost_at_the_end);
}

static void check_unseen(void)
{
	assert_int_equal(integrity()->incomplete[INCOMPLETE_NOT_RECORDED], 0);
	assert_int_equal(integrity()->sent, 5);
}

TEST(without_a_loss_a_gap_counts_no_missing_message)
{
	put_gaps();
	put_end(&tape);
	play(check_unseen);
}

static void check_one_beside(void)
{
	assert_counts(2, 0);
	assert_incomplete(INCOMPLETE_NOT_RECORDED, 1);
}

TEST(a_send_that_does_not_count_is_not_missing)
{
	put_threads();
	put_connection();
	put_request(0, 1000);
	put_beside(TO_TARGET, 2000);
	put_request(3, 4000);
	put_end_with_losses();
	play(check_one_beside);
}

/* Sends that began after the stop are behind all that count. */
TEST(what_is_sent_after_the_stop_hides_nothing)
{
	struct record_stop stop = {.head = {.type = RECORD_STOP, .words = RECORD_WORDS(stop)},
				   .at_ns = 5000};

	put_threads();
	put_connection();
	put_request(0, 1000);
	put_request(3, 4000);
	put(&stop);
	put_beside(TO_TARGET, 6000);
	put_beside(TO_TARGET, 7000);
	put_sent(PEER, TO_TARGET, 6, 64, 4950);
	put_received(TARGET, TO_TARGET, 6, 64, 7000);
	put_end_with_losses();
	heard = hear(&info, &tape);
	assert_counts(3, 0);
	assert_incomplete(INCOMPLETE_NOT_RECORDED, 2);
}

TEST(messages_between_peers_are_not_missing)
{
	put_threads();
	put_connection();
	put_message(PEER, OTHER_PEER, TO_TARGET, 0, 1000);
	put_message(PEER, OTHER_PEER, TO_TARGET, 9, 2000);
	put_end_with_losses();
	play(check_nothing);
}

static void check_wanted(void)
{
	assert_counts(2, 0);
	assert_incomplete(INCOMPLETE_NOT_RECORDED, 2);
}

static void check_two(void)
{
	assert_counts(2, 0);
	assert_incomplete(INCOMPLETE_NOT_RECORDED, 0);
}

/* Both channels have lost messages; one of them has a peer that is not wanted. */
TEST(only_messages_of_the_wanted_peer_are_missing)
{
	strcpy(info.peer, "peer");
	put_threads();
	put_connection();
	put_request(0, 1000);
	put_request(3, 4000);
	put_message(TARGET, OTHER_PEER, FROM_TARGET, 0, 1000);
	put_message(TARGET, OTHER_PEER, FROM_TARGET, 9, 2000);
	put_end_with_losses();
	play(check_wanted);
}

/* UDP neither: each of several devices can number the same message. */
TEST(udp_messages_are_never_missing)
{
	put_threads();
	put_connection();
	put_channel(20, TRANSPORT_UDP, 0, 31);
	put_baseline(20, 0, true);
	put_message(PEER, TARGET, 20, 0, 1000);
	put_message(PEER, TARGET, 20, 2, 2000);
	put_end_with_losses();
	play(check_two);
}

static void check_gaps_of_a_stream(void)
{
	assert_counts(4, 0);
	assert_incomplete(INCOMPLETE_NOT_RECORDED, 2);
}

/* How many messages the gaps before 200 and 400 had is unknown; around 300, others lie between. */
TEST(a_gap_of_a_stream_counts_once)
{
	put_threads();
	put_channel(STREAM, TRANSPORT_UDS_STREAM, PEER_END, TARGET_END);
	put_baseline(STREAM, 0, true);
	put_message(PEER, TARGET, STREAM, 0, 1000);
	put_message(PEER, TARGET, STREAM, 200, 2000);
	put_ambiguous(PEER, STREAM, 300, 3000);
	put_received(TARGET, STREAM, 300, 64, 3000);
	put_message(PEER, TARGET, STREAM, 400, 4000);
	put_end_with_losses();
	play(check_gaps_of_a_stream);
}

/* It had been given up before it was received. */
TEST(a_message_that_waits_for_too_long_is_counted_once)
{
	put_threads();
	put_connection();
	put_request(0, 1 * SECOND);
	put_sent(PEER, TO_TARGET, 1, 64, 2 * SECOND);
	put_watermark(&tape, 64 * SECOND);
	put_received(TARGET, TO_TARGET, 1, 64, 70 * SECOND);
	put_request(2, 71 * SECOND);
	put_end(&tape);
	heard = hear(&info, &tape);
	assert_counts(2, 0);
	assert_incomplete(INCOMPLETE_NOT_RECEIVED, 1);
}

/* Before it was given up, or after; its send is missing. */
/* Only its receive shows that it concerns a target. */
TEST(a_send_to_no_target_counts_when_it_is_received)
{
	put_threads();
	put_connection();
	put_sent(PEER, TO_TARGET, 0, 64, 2 * SECOND);
	put_watermark(&tape, 64 * SECOND);
	put_received(TARGET, TO_TARGET, 0, 64, 70 * SECOND);
	put_end(&tape);
	heard = hear(&info, &tape);
	assert_counts(0, 0);
	assert_incomplete(INCOMPLETE_NO_SEND, 1);
}

TEST(what_lacks_its_send_is_lost_as_well_when_others_were_given_up)
{
	put_threads();
	put_connection();
	put_request(0, 1 * SECOND);
	put_received(TARGET, TO_TARGET, 1, 64, 2 * SECOND);
	put_sent(PEER, TO_TARGET, 2, 64, 3 * SECOND);
	put_watermark(&tape, 65 * SECOND);
	put_received(TARGET, TO_TARGET, 3, 64, 66 * SECOND);
	put_end(&tape);
	heard = hear(&info, &tape);
	assert_counts(1, 0);
	assert_int_equal(integrity()->incomplete[INCOMPLETE_NOT_RECEIVED], 1);
	assert_int_equal(integrity()->incomplete[INCOMPLETE_NO_SEND], 2);
}

/* A target sleeps twice while a message of a peer waits, and receives it at last. */
static void put_long_wait(bool is_known_to_be_for_it)
{
	struct record_address address =
		make_address(TO_TARGET, "/run/x",
			     ADDRESS_OF_RECEIVER | (is_known_to_be_for_it ? ADDRESS_TO_TARGET : 0));

	put_threads();
	put_connection();
	put(&address);
	put_sent(PEER, TO_TARGET, 0, 64, 1 * SECOND);
	put_changes(&tape, TARGET, 7 * SECOND, 0,
		    CHANGES(SLEEP(1 * SECOND, 0), WAKE(2 * SECOND, 0), SWITCH(2 * SECOND, 0),
			    RUN(2 * SECOND, 0), SLEEP(5 * SECOND, 0), WAKE(6 * SECOND, 0),
			    SWITCH(6 * SECOND, 0), RUN(6 * SECOND, 0)));
	for (uint64_t at = 8; at < 12; at++)
		put_watermark(&tape, at * SECOND);
	put_receive(&tape, TARGET, TO_TARGET, 0, 20 * SECOND, 20 * SECOND + 100, 8, NO_CHANGES);
	put_end(&tape);
	heard = hear(&info, &tape);
}

TEST(a_pending_message_of_a_target_keeps_its_history)
{
	put_long_wait(true);
	assert_counts(1, 0);
	assert_int_equal(heard.message[0].component_ns[COMPONENT_BLOCKED], 2 * SECOND - 100);
	assert_int_equal(heard.message[0].component_ns[COMPONENT_BUSY], 17 * SECOND);
}

/* Nothing is made up in its place. */
TEST(a_message_without_a_target_keeps_no_history)
{
	put_long_wait(false);
	assert_counts(0, 0);
	assert_incomplete(INCOMPLETE_HISTORY, 1);
}

/* It has both ends when its time is over, but is not emitted yet. */
TEST(a_message_that_is_received_at_last_is_not_given_up)
{
	put_threads();
	put_connection();
	put_request(0, 1 * SECOND);
	put_sent(PEER, TO_TARGET, 1, 64, 2 * SECOND);
	put_received(TARGET, TO_TARGET, 1, 64, 63 * SECOND);
	put_watermark(&tape, 63 * SECOND);
	put_end(&tape);
	heard = hear(&info, &tape);
	assert_counts(2, 0);
}

static void check_notifications(void)
{
	assert_counts(2, 0);
	assert_int_equal(heard.summary->integrity.notifications, 2);
	assert_incomplete(INCOMPLETE_NOT_RECEIVED, 1);
}

/* A loop that is edge-triggered need not read what has woken it. */
TEST(a_write_to_an_eventfd_that_nothing_reads_is_a_notification)
{
	enum { READ = 31, UNREAD = 32 };

	put_threads();
	put_connection();
	put_request(0, 1000);
	put_channel(UNREAD, TRANSPORT_EVENTFD, 0, 5);
	put_baseline(UNREAD, 0, true);
	put_sent(TARGET, UNREAD, 0, 1, 2000);
	put_sent(TARGET, UNREAD, 1, 1, 3000);
	put_channel(READ, TRANSPORT_EVENTFD, 0, 6);
	put_baseline(READ, 0, true);
	put_sent(TARGET, READ, 0, 1, 2000);
	put_received(PEER, READ, 0, 1, 2000);
	put_sent(TARGET, READ, 1, 1, 4000);
	play(check_notifications);
}

static void put_found(void)
{
	struct {
		struct record_found found;
		char name[PATH_TEXT_LEN];
	} record = {.found = {.head = {.type = RECORD_FOUND, .words = RECORD_WORDS(record)},
			      .connections = 2,
			      .services = 3,
			      .elsewhere = 4,
			      .transport = TRANSPORT_UDS_STREAM,
			      .pid = 4712}};

	memset(record.found.comm, 'c', sizeof(record.found.comm));
	memset(record.name, 'n', sizeof(record.name));
	put(&record.found);
}

static void check_found(void)
{
	const struct found_summary *found = &heard.summary->found;

	assert_true(found->known);
	assert_int_equal(found->targets, 0);
	assert_int_equal(found->connections, 2);
	assert_int_equal(found->services, 3);
	assert_int_equal(found->elsewhere, 4);
	assert_int_equal(found->transport, TRANSPORT_UDS_STREAM);
	assert_int_equal(found->now.pid, 4712);
	assert_int_equal(strlen(found->now.comm), RECORD_COMM_LEN - 1);
	assert_int_equal(strlen(found->name), PATH_TEXT_LEN - 1);
	assert_int_equal(heard.summary->stopped_ns, 8000);
}

/* Texts that nothing ends are cut. */
TEST(what_was_found_at_the_end_is_kept)
{
	struct record_stop stop = {.head = {.type = RECORD_STOP, .words = RECORD_WORDS(stop)},
				   .at_ns = 8000};

	put_threads();
	put(&stop);
	put_found();
	put_end(&tape);
	play(check_found);
}

/*
 * A message of two strangers in each of more channels than fit into the tables, from `from_ns` on.
 * Records in the order of time need no place among earlier ones.
 */
static void put_many_channels(uint32_t kind, uint64_t from_ns)
{
	enum { FIRST = 1000 };

	for (uint32_t i = 0; i <= LRU_CHANNELS_MAX; i++)
		put_message(PEER, OTHER_PEER, kind | (FIRST + i), 0, from_ns + i);
}

/* Both ends may come later than the channel is forgotten, or never. */
TEST(strangers_count_nothing_among_very_many_channels)
{
	put_threads();
	put_sent(PEER, 50, 0, 64, 1000);
	put_sent(PEER, STREAM, 0, 64, 1100);
	put_received(OTHER_PEER, 51, 0, 64, 1200);
	put_many_channels(0, 10000);
	put_many_channels(CHANNEL_STREAM, 200000);
	put_sent(PEER, 50, 1, 64, 900000);
	heard = hear(&info, &tape);
	check_nothing();
}

TEST(messages_of_targets_count_among_very_many_channels)
{
	put_threads();
	put_connection();
	put_request(0, 1000);
	put_sent(PEER, TO_TARGET, 1, 64, 2000);
	put_sent(TARGET, FROM_TARGET, 0, 64, 3000);
	put_sent(TARGET, STREAM, 0, 64, 4000);
	put_watermark(&tape, 5000);
	put_many_channels(0, 10000);
	put_many_channels(CHANNEL_STREAM, 200000);
	put_sent(PEER, TO_TARGET, 2, 64, 900000);
	heard = hear(&info, &tape);
	assert_int_equal(integrity()->matched, 1);
	assert_int_equal(sum_of(integrity()->incomplete, NR_INCOMPLETES), 4);
	assert_int_equal(integrity()->sent, 5);
}

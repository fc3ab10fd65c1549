/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * An attach by hand, its records in order, backwards and shuffled: what comes out is the same. A
 * message at `at`, whose receiver runs all the time:
 *
 *	 at       +100     +150     +400
 *	send     queued    enter    recv
 *	 | s.path | busy    | receive |
 *	    100       50        250
 */
#include "support/build.h"

#include "analysis/container/lru_table.h"

#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#define SHUFFLES 20
#define SECOND   1000000000ULL

enum { TARGET = 101, TARGET_PID = 100, PEER = 201, PEER_PID = 200, OTHER_PEER = 301, NOBODY = 401 };

/* The ways of one connection, and their ends. */
enum { TO_TARGET = 7, FROM_TARGET = 8, PEER_END = 12, TARGET_END = 11 };

#define STREAM (CHANNEL_STREAM | 9)

static struct tape tape;
static struct run_info info;
static struct hearing heard;

static int setup(void **state)
{
	(void)state;
	memset(&info, 0, sizeof(info));
	info.mode = MODE_ATTACH;
	info.traced = info.shows_switch = true;
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	hearing_free(&heard);
	tape_free(&tape);
	return 0;
}

/* What has to be true in whatever order the records come. */
static void play(void (*check)(void))
{
	uint64_t seed = 1;

	for (int i = 0; i < SHUFFLES + 2; i++) {
		heard = hear(&info, &tape);
		assert_int_equal(accounted(&heard.summary->integrity),
				 heard.summary->integrity.sent);
		assert_int_equal(heard.summary->integrity.residual_ns_max, 0);
		assert_int_equal(heard.summary->integrity.matched, heard.cnt);
		check();
		hearing_free(&heard);
		if (!i)
			tape_reverse(&tape);
		else
			tape_shuffle(&tape, &seed);
	}
}

static void put(const void *record)
{
	tape_add(&tape, record);
}

static void put_thread(uint32_t tid, uint32_t pid, bool is_peer, const char *comm)
{
	struct record_thread thread = make_thread(tid, pid, is_peer, 1);
	struct record_name name = make_name(SLICE_TASK, tid, 1, comm);

	put(&thread);
	put(&name);
}

static void put_threads(void)
{
	put_thread(TARGET, TARGET_PID, false, "target");
	put_thread(PEER, PEER_PID, true, "peer");
	put_thread(OTHER_PEER, 300, true, "other");
}

static void put_start(uint32_t channel, uint64_t leftover, bool is_new)
{
	struct record_baseline start = make_start(channel, leftover, is_new);

	put(&start);
}

static void put_channel(uint32_t id, uint32_t transport, uint64_t sender, uint64_t receiver)
{
	struct record_channel channel = make_channel(id, transport, sender, receiver);

	put(&channel);
}

static void put_connection(void)
{
	struct record_address there = make_address(TO_TARGET, "/run/x", ADDRESS_OF_RECEIVER);
	struct record_address back = make_address(FROM_TARGET, "/run/x", ADDRESS_OF_SENDER);

	put_channel(TO_TARGET, TRANSPORT_UDS_SEQPACKET, PEER_END, TARGET_END);
	put_channel(FROM_TARGET, TRANSPORT_UDS_SEQPACKET, TARGET_END, PEER_END);
	put(&there);
	put(&back);
	put_start(TO_TARGET, 0, true);
	put_start(FROM_TARGET, 0, true);
}

static void put_sent(uint32_t tid, uint32_t channel, uint64_t position, uint32_t bytes, uint64_t at)
{
	struct record_send send = make_send(tid, channel, position, at, at + 100);

	send.bytes = bytes;
	put(&send);
}

static void put_taken(uint32_t tid, uint32_t channel, uint64_t position, uint32_t bytes,
		      uint64_t at)
{
	struct record_receive receive = make_receive(tid, channel, position, at + 150, at + 400);

	receive.bytes = bytes;
	put(&receive);
}

static void put_doubtful(uint32_t tid, uint32_t channel, uint64_t position, uint64_t at)
{
	struct record_send send = make_send(tid, channel, position, at, at + 100);

	send.bytes = 64;
	send.head.flags = SEND_AMBIGUOUS;
	put(&send);
}

static void put_flagged(uint32_t tid, uint32_t channel, uint64_t position, uint8_t flags,
			uint64_t at)
{
	struct record_receive receive = make_receive(tid, channel, position, at + 150, at + 400);

	receive.bytes = 64;
	receive.head.flags = flags;
	put(&receive);
}

static void put_message(uint32_t sender, uint32_t receiver, uint32_t channel, uint64_t position,
			uint64_t at)
{
	put_sent(sender, channel, position, 64, at);
	put_taken(receiver, channel, position, 64, at);
}

static void put_request(uint64_t position, uint64_t at)
{
	put_message(PEER, TARGET, TO_TARGET, position, at);
}

static void put_answer(uint64_t position, uint64_t at)
{
	put_message(TARGET, PEER, FROM_TARGET, position, at);
}

static const struct integrity *integrity(void)
{
	return &heard.summary->integrity;
}

static void assert_counts(uint64_t matched, uint64_t elsewhere)
{
	assert_int_equal(integrity()->matched, matched);
	assert_int_equal(integrity()->elsewhere, elsewhere);
}

/* All incomplete ones have this reason. */
static void assert_incomplete(enum incomplete reason, uint64_t cnt)
{
	assert_int_equal(integrity()->incomplete[reason], cnt);
	assert_int_equal(sum_of(integrity()->incomplete, NR_INCOMPLETES), cnt);
}

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

static void a_message_of_a_target_is_whole(void **state)
{
	(void)state;
	put_threads();
	put_connection();
	put_request(0, 1000);
	put_end(&tape);
	play(check_one_message);
}

static void check_nothing(void)
{
	assert_counts(0, 0);
	assert_int_equal(integrity()->sent, 0);
	assert_int_equal(heard.summary->channel_cnt, 0);
	assert_int_equal(heard.summary->calls.count, 0);
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

/* The request at 1100, taken at 1400; the answer at 2100, taken at 2400. */
static void at_level_light_a_message_lasts_from_queued_to_taken(void **state)
{
	(void)state;
	info.level = LEVEL_LIGHT;
	put_threads();
	put_connection();
	put_request(0, 1000);
	put_answer(0, 2000);
	put_end(&tape);
	play(check_a_call_without_calls);
}

static void what_peers_say_to_one_another_is_left_out(void **state)
{
	(void)state;
	put_threads();
	put_connection();
	put_message(PEER, OTHER_PEER, TO_TARGET, 0, 1000);
	put_message(OTHER_PEER, PEER, FROM_TARGET, 0, 2000);
	put_sent(PEER, TO_TARGET, 1, 64, 3000);
	put_taken(PEER, FROM_TARGET, 1, 64, 4000);
	play(check_nothing);
}

static void check_a_lost_end(void)
{
	assert_counts(1, 0);
	assert_incomplete(INCOMPLETE_NOT_RECEIVED, 1);
}

/* Who would have received it is not known, but a target has on this channel. */
static void half_a_peers_message_counts_where_a_target_was(void **state)
{
	(void)state;
	put_threads();
	put_connection();
	put_request(0, 1000);
	put_sent(PEER, TO_TARGET, 1, 64, 2000);
	play(check_a_lost_end);
}

static void check_a_lost_send(void)
{
	assert_counts(1, 0);
	assert_incomplete(INCOMPLETE_NO_SEND, 1);
}

/* One was sent before we came, of another one the record is missing. */
static void a_receive_alone_is_lost_or_from_before(void **state)
{
	(void)state;
	put_threads();
	put_connection();
	put_taken(TARGET, TO_TARGET, 0, 64, 1000);
	put_request(1, 2000);
	put_taken(TARGET, TO_TARGET, 2, 64, 3000);
	play(check_a_lost_send);
}

/* A send of somebody who is traced, but whose call does not count. */
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

/* Of 1 and 2 there is nothing, of 4 its receive; 6 does not count. */
static void put_gaps(void)
{
	put_threads();
	put_connection();
	put_request(0, 1000);
	put_request(3, 4000);
	put_taken(TARGET, TO_TARGET, 4, 64, 5000);
	put_request(5, 6000);
	put_beside(TO_TARGET, 7000);
	put_request(7, 8000);
}

static void what_is_lost_with_both_records_is_counted(void **state)
{
	(void)state;
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

/* Somebody has taken number 3. */
static void a_receive_tells_how_much_was_sent(void **state)
{
	(void)state;
	put_threads();
	put_connection();
	put_request(0, 1000);
	put_request(1, 2000);
	put_taken(TARGET, TO_TARGET, 3, 64, 5000);
	put_end_with_losses();
	play(check_lost_at_the_end);
}

static void check_unseen(void)
{
	assert_int_equal(integrity()->incomplete[INCOMPLETE_NOT_RECORDED], 0);
	assert_int_equal(integrity()->sent, 5);
}

static void without_a_loss_what_is_missing_was_not_for_us(void **state)
{
	(void)state;
	put_gaps();
	put_end(&tape);
	play(check_unseen);
}

static void check_one_beside(void)
{
	assert_counts(2, 0);
	assert_incomplete(INCOMPLETE_NOT_RECORDED, 1);
}

static void a_send_that_does_not_count_is_not_missing(void **state)
{
	(void)state;
	put_threads();
	put_connection();
	put_request(0, 1000);
	put_beside(TO_TARGET, 2000);
	put_request(3, 4000);
	put_end_with_losses();
	play(check_one_beside);
}

/* Those that began since we stopped are behind all that count. */
static void what_is_sent_after_the_stop_hides_nothing(void **state)
{
	struct record_stop stop = {.head = {.type = RECORD_STOP, .words = RECORD_WORDS(stop)},
				   .at_ns = 5000};

	(void)state;
	put_threads();
	put_connection();
	put_request(0, 1000);
	put_request(3, 4000);
	put(&stop);
	put_beside(TO_TARGET, 6000);
	put_beside(TO_TARGET, 7000);
	put_sent(PEER, TO_TARGET, 6, 64, 4950);
	put_taken(TARGET, TO_TARGET, 6, 64, 7000);
	put_end_with_losses();
	heard = hear(&info, &tape);
	assert_counts(3, 0);
	assert_incomplete(INCOMPLETE_NOT_RECORDED, 2);
}

static void nobody_misses_what_peers_say_to_one_another(void **state)
{
	(void)state;
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

/* Each has lost something; but of one peer nobody wants to know. */
static void only_what_the_wanted_peer_has_said_is_missing(void **state)
{
	(void)state;
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

/* Nor of UDP, where each of several devices may give it a number. */
static void of_udp_nothing_is_missed(void **state)
{
	(void)state;
	put_threads();
	put_connection();
	put_channel(20, TRANSPORT_UDP, 0, 31);
	put_start(20, 0, true);
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

/* Nobody knows how many were in the gaps before 200 and 400; around 300, others were in between. */
static void a_gap_of_a_stream_counts_once(void **state)
{
	(void)state;
	put_threads();
	put_channel(STREAM, TRANSPORT_UDS_STREAM, PEER_END, TARGET_END);
	put_start(STREAM, 0, true);
	put_message(PEER, TARGET, STREAM, 0, 1000);
	put_message(PEER, TARGET, STREAM, 200, 2000);
	put_doubtful(PEER, STREAM, 300, 3000);
	put_taken(TARGET, STREAM, 300, 64, 3000);
	put_message(PEER, TARGET, STREAM, 400, 4000);
	put_end_with_losses();
	play(check_gaps_of_a_stream);
}

static void check_elsewhere(void)
{
	assert_counts(1, 4);
	assert_incomplete(INCOMPLETE_NOT_RECEIVED, 0);
}

static void one_end_of_an_internet_channel_is_elsewhere(void **state)
{
	struct record_send away = make_send(TARGET, STREAM, 0, 4000, 0);

	(void)state;
	put_threads();
	put_connection();
	put_request(0, 1000);
	put_channel(20, TRANSPORT_UDP, 0, 31);
	put_start(20, 0, true);
	put_taken(TARGET, 20, 0, 64, 2000);
	put_taken(TARGET, 20, 1, 64, 3000);
	put_channel(STREAM, TRANSPORT_TCP, 32, 0);
	put_start(STREAM, 0, true);
	put(&away);
	away.position = away.bytes;
	put(&away);
	play(check_elsewhere);
}

/* UDP to another machine, for longer than anybody here would take to receive it. */
static void put_away(uint32_t tid, uint32_t channel, uint64_t address)
{
	put_channel(channel, TRANSPORT_UDP, address, address + 1);
	put_start(channel, 0, true);
	put_sent(tid, channel, 0, 64, 1000);
	put_sent(tid, channel, 1, 64, 3 * SECOND);
}

/* Something that came from another machine: it has no position, or nobody saw what it was. */
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

static void what_peers_say_to_other_machines_is_left_out(void **state)
{
	(void)state;
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

/* Who is at the other end of what leaves the machine is not known. */
static void of_a_wanted_peer_nothing_is_elsewhere(void **state)
{
	(void)state;
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

/* Two datagrams were in the one channel, and nothing in the other. */
static void an_old_channel_is_resynced_once(void **state)
{
	(void)state;
	put_threads();
	put_start(TO_TARGET, 2, false);
	put_start(FROM_TARGET, 0, false);
	put_taken(TARGET, TO_TARGET, 0, 64, 100);
	put_taken(TARGET, TO_TARGET, 1, 64, 200);
	put_sent(PEER, TO_TARGET, 0, 64, 1000);
	put_taken(TARGET, TO_TARGET, 2, 64, 1000);
	put_answer(0, 2000);
	put_sent(PEER, TO_TARGET, 1, 64, 3000);
	put_taken(TARGET, TO_TARGET, 3, 64, 3000);
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
static void leftover_bytes_may_be_taken_with_the_first_message(void **state)
{
	(void)state;
	put_threads();
	put_start(STREAM, 100, false);
	put_taken(TARGET, STREAM, 0, 90, 500);
	put_sent(PEER, STREAM, 0, 64, 1000);
	put_taken(TARGET, STREAM, 90, 74, 1000);
	put_sent(PEER, STREAM, 64, 64, 2000);
	put_taken(TARGET, STREAM, 164, 36, 1500);
	put_taken(TARGET, STREAM, 200, 28, 2000);
	play(check_straddled);
}

static void check_unknown_start(void)
{
	assert_counts(0, 0);
	assert_incomplete(INCOMPLETE_START, 2);
}

static void without_a_start_nothing_is_guessed(void **state)
{
	(void)state;
	put_threads();
	put_start(TO_TARGET, BASELINE_UNKNOWN, false);
	put_request(0, 1000);
	put_message(TARGET, PEER, STREAM, 0, 2000); /* its START never came */
	play(check_unknown_start);
}

static void check_not_traced(void)
{
	assert_counts(1, 0);
	assert_incomplete(INCOMPLETE_NOT_TRACED, 2);
	assert_whole(&heard.message[0], 3000);
}

/* We came while its sender, or its receiver, was in its call. */
static void an_end_that_was_traced_too_late_is_a_reason(void **state)
{
	struct record_send send = make_send(PEER, TO_TARGET, 0, 0, 1100);
	struct record_receive receive = make_receive(TARGET, TO_TARGET, 1, 0, 2400);

	(void)state;
	put_threads();
	put_connection();
	put(&send);
	put_taken(TARGET, TO_TARGET, 0, 64, 1000);
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
 * A call that waits for three messages (recvmmsg), asleep until the last one is there. What it
 * did is told of with that one.
 */
static void all_messages_of_a_call_return_with_it(void **state)
{
	(void)state;
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

static void an_arrival_says_when_the_data_was_there(void **state)
{
	struct record_send send = make_send(PEER, STREAM, 0, 1000, 0);
	struct record_arrival arrival = make_arrival(STREAM, 64, 1100);

	(void)state;
	put_threads();
	put_channel(STREAM, TRANSPORT_TCP, PEER_END, TARGET_END);
	put_start(STREAM, 0, true);
	put(&send);
	put(&arrival);
	put_taken(TARGET, STREAM, 0, 64, 1000);
	send = make_send(PEER, STREAM, 64, 2000, 0);
	put(&send);
	put_taken(TARGET, STREAM, 64, 64, 2000);
	play(check_arrivals);
}

static void assert_calls(uint64_t cnt, uint64_t request_ns, uint64_t service_ns,
			 uint64_t response_ns)
{
	const struct calls_summary *calls = &heard.summary->calls;

	assert_int_equal(calls->count, cnt);
	assert_int_equal(calls->request.sum, request_ns);
	assert_int_equal(calls->service.sum, service_ns);
	assert_int_equal(calls->response.sum, response_ns);
	assert_int_equal(calls->round_trip.sum, request_ns + service_ns + response_ns);
}

static const struct channel_summary *channel(uint32_t id)
{
	for (uint32_t i = 0; i < heard.summary->channel_cnt; i++) {
		if (heard.summary->channel[i].id == id)
			return &heard.summary->channel[i];
	}
	fail_msg("channel %u is not in the summary", id);
	return NULL;
}

static void check_calls(void)
{
	assert_calls(2, 800, 600 + 1600, 800);
	assert_int_equal(channel(TO_TARGET)->calls, 2);
	assert_int_equal(channel(FROM_TARGET)->calls, 0);
	/* Nobody told of any sleep: it ran. */
	assert_int_equal(heard.summary->calls.state_cnt, 2);
	assert_int_equal(heard.summary->calls.state_ns[SERVICE_ON_CPU], 600 + 1600);
}

static void a_request_and_its_answer_are_a_call(void **state)
{
	(void)state;
	put_threads();
	put_connection();
	put_request(0, 1000);
	put_answer(0, 2000);
	put_request(1, 3000);
	put_answer(1, 5000);
	play(check_calls);
}

static void check_pipelined(void)
{
	assert_counts(7, 0);
	/* 0 and 1 by the first answer; 2, received after that was sent, by the third. */
	assert_calls(3, 1200, (3000 - 1400) + (3000 - 1500) + (6000 - 3400), 1200);
}

static void one_answer_for_several_requests_and_several_for_one(void **state)
{
	(void)state;
	put_threads();
	put_connection();
	put_request(0, 1000);
	put_request(1, 1100);
	put_answer(0, 3000);
	put_request(2, 3000); /* its receive comes after the answer's send */
	put_answer(1, 6000);
	put_answer(2, 6500); /* the rest of an answer */
	put_answer(3, 7000);
	play(check_pipelined);
}

static void check_open(void)
{
	assert_counts(2, 0);
	assert_calls(0, 0, 0, 0);
}

static void a_request_that_came_after_the_answer_was_sent_stays_open(void **state)
{
	(void)state;
	put_threads();
	put_connection();
	put_request(0, 1000);
	put_answer(0, 1200);
	play(check_open);
}

static void check_worker(void)
{
	assert_calls(1, 400, 600, 400);
	assert_int_equal(heard.summary->calls.state_cnt, 0);
}

static void another_thread_may_answer(void **state)
{
	(void)state;
	put_threads();
	put_thread(TARGET + 1, TARGET_PID, false, "worker");
	put_connection();
	put_request(0, 1000);
	put_message(TARGET + 1, PEER, FROM_TARGET, 0, 2000);
	play(check_worker);
}

static void check_service_states(void)
{
	const uint64_t *state_ns = heard.summary->calls.state_ns;

	assert_calls(1, 400, 1000000000, 400);
	assert_int_equal(heard.summary->calls.state_cnt, 1);
	assert_int_equal(state_ns[SERVICE_BLOCKED], 500000000);
	assert_int_equal(state_ns[SERVICE_RUNQUEUE], 1000);
	assert_int_equal(sum_of(state_ns, NR_SERVICE_STATES), 1000000000);
}

static void put_long_service(void)
{
	put_threads();
	put_connection();
	put_request(0, 1000);
	put_answer(0, 1000001400);
	put_changes(&tape, TARGET, 600001000, 0,
		    CHANGES(SLEEP(100000000, 0), WAKE(600000000, 0), SWITCH(600001000, 0),
			    RUN(600001000, 0)));
}

static void a_service_is_cut_by_what_its_thread_did(void **state)
{
	(void)state;
	put_long_service();
	play(check_service_states);
}

/* What the thread did meanwhile is kept, although nothing else needs it any more. */
static void an_open_request_keeps_the_time_line(void **state)
{
	(void)state;
	put_threads();
	put_connection();
	put_request(0, 1000);
	put_watermark(&tape, 50000000);
	put_changes(&tape, TARGET, 600001000, 0,
		    CHANGES(SLEEP(100000000, 0), WAKE(600000000, 0), SWITCH(600001000, 0),
			    RUN(600001000, 0)));
	put_watermark(&tape, 700000000);
	put_watermark(&tape, 900000000);
	put_answer(0, 1000001400);
	put_watermark(&tape, 2000000000);
	put_end(&tape);
	heard = hear(&info, &tape);
	assert_counts(2, 0);
	check_service_states();
}

static void check_many(void)
{
	assert_counts(400, 0);
	assert_incomplete(INCOMPLETE_NOT_RECEIVED, 0);
	assert_calls(200, 200 * 400, 200 * 600, 200 * 400);
	assert_int_equal(heard.summary->channel_cnt, 4);
	for (size_t i = 1; i < heard.cnt; i++)
		assert_true(heard.message[i - 1].recv_ns <= heard.message[i].recv_ns);
}

/* Two connections of one peer at the same time; nothing of the one is in the other. */
static void connections_are_told_apart(void **state)
{
	(void)state;
	put_threads();
	put_connection();
	put_channel(21, TRANSPORT_UDS_SEQPACKET, PEER_END + 10, TARGET_END + 10);
	put_channel(22, TRANSPORT_UDS_SEQPACKET, TARGET_END + 10, PEER_END + 10);
	put_start(21, 0, true);
	put_start(22, 0, true);
	for (uint64_t i = 0; i < 100; i++) {
		put_request(i, 1000 + 4000 * i);
		put_message(PEER, TARGET, 21, i, 1200 + 4000 * i);
		put_answer(i, 2000 + 4000 * i);
		put_message(TARGET, PEER, 22, i, 2200 + 4000 * i);
	}
	play(check_many);
}

static void a_datagram_that_was_dropped_was_not_received(void **state)
{
	struct record_send send = make_send(TARGET, CHANNEL_UNKNOWN, POSITION_NONE, 1000, 0);
	struct record_send foreign = make_send(PEER, CHANNEL_UNKNOWN, POSITION_NONE, 1000, 0);

	(void)state;
	put_threads();
	put(&send);
	put(&foreign);
	put(&send);
	heard = hear(&info, &tape);
	assert_counts(0, 0);
	assert_incomplete(INCOMPLETE_NOT_RECEIVED, 2);
}

/* It shows that positions were counted from a wrong one: its own is not known. */
static void a_send_that_has_no_place_in_its_channel_is_counted(void **state)
{
	struct record_send send = make_send(PEER, TO_TARGET, POSITION_NONE, 3000, 3100);
	struct record_send foreign = make_send(PEER, TO_TARGET + 4, POSITION_NONE, 3000, 3100);

	(void)state;
	put_threads();
	put_connection();
	put_message(PEER, TARGET, TO_TARGET, 0, 1000);
	put(&send);
	put(&foreign);
	heard = hear(&info, &tape);
	assert_counts(1, 0);
	assert_incomplete(INCOMPLETE_START, 1);
}

static void check_both_ambiguous(void)
{
	assert_int_equal(heard.cnt, 2);
	for (size_t i = 0; i < heard.cnt; i++) {
		assert_int_equal(heard.message[i].match, MATCH_AMBIGUOUS);
		assert_int_equal(heard.message[i].bytes, 64);
	}
}

/* Their calls overlap, and each got its number when it was over. */
static void who_took_a_message_is_ambiguous_if_it_was_numbered_late(void **state)
{
	(void)state;
	put_threads();
	put_thread(NOBODY, TARGET_PID, false, "target");
	put_connection();
	put_sent(PEER, TO_TARGET, 0, 64, 10000);
	put_sent(PEER, TO_TARGET, 1, 64, 10050);
	put_flagged(TARGET, TO_TARGET, 0, RECEIVE_LATE, 10000);
	put_flagged(NOBODY, TO_TARGET, 1, RECEIVE_LATE, 10050);
	play(check_both_ambiguous);
}

/* Who was at a request at the same time may be told of late, but not at its answer. */
static void an_answer_waits_for_its_request(void **state)
{
	(void)state;
	put_threads();
	put_thread(NOBODY, TARGET_PID, false, "target");
	put_connection();
	for (uint64_t i = 0; i < 3; i++) {
		uint64_t at = 1000 + 10000 * i;

		put_sent(PEER, TO_TARGET, i, 64, at);
		put_flagged(i % 2 ? TARGET : NOBODY, TO_TARGET, i, RECEIVE_LATE, at);
		put_answer(i, at + 1000);
		if (i)
			put_watermark(&tape, at + 9000);
	}
	heard = hear(&info, &tape);
	assert_calls(3, 1200, 3 * 600, 1200);
	for (size_t i = 1; i < heard.cnt; i++)
		assert_true(heard.message[i].recv_ns > heard.message[i - 1].recv_ns);
}

/* Somebody else may have taken a part of the stream while they were taken. */
static void what_was_taken_in_doubt_is_ambiguous(void **state)
{
	(void)state;
	put_threads();
	put_connection();
	put_sent(PEER, TO_TARGET, 0, 64, 10000);
	put_sent(PEER, TO_TARGET, 1, 64, 20000);
	put_flagged(TARGET, TO_TARGET, 0, RECEIVE_AMBIGUOUS, 10000);
	put_flagged(TARGET, TO_TARGET, 1, RECEIVE_AMBIGUOUS, 20000);
	play(check_both_ambiguous);
}

static void put_late_outside(uint32_t tid, uint64_t position, uint64_t at)
{
	struct record_receive receive = make_receive(tid, TO_TARGET, position, at, at);

	receive.bytes = 64;
	receive.head.flags = RECEIVE_LATE;
	put(&receive);
}

/* By two threads that have not slept before. */
static void so_is_who_took_one_outside_of_any_call(void **state)
{
	(void)state;
	put_threads();
	put_thread(NOBODY, TARGET_PID, false, "target");
	put_connection();
	put_sent(PEER, TO_TARGET, 0, 64, 10000);
	put_sent(PEER, TO_TARGET, 1, 64, 10050);
	put_late_outside(TARGET, 0, 10400);
	put_late_outside(NOBODY, 1, 10450);
	play(check_both_ambiguous);
}

static void check_two_of_three_ambiguous(void)
{
	assert_counts(3, 0);
	assert_int_equal(heard.message[0].match, MATCH_AMBIGUOUS);
	assert_int_equal(heard.message[1].match, MATCH_AMBIGUOUS);
	assert_int_equal(heard.message[2].match, MATCH_EXACT);
}

static void put_part(uint32_t sender, uint32_t receiver, uint64_t position, uint64_t at)
{
	put_sent(sender, STREAM, position, 64, at);
	put_taken(receiver, STREAM, position, 64, at);
}

/* Both are marked, and no other, whichever CPU's records come first. */
static void sends_that_overlap_on_one_connection_are_ambiguous(void **state)
{
	(void)state;
	put_threads();
	put_channel(STREAM, TRANSPORT_TCP, PEER_END, TARGET_END);
	put_start(STREAM, 0, true);
	put_part(PEER, TARGET, 0, 1000);
	put_part(OTHER_PEER, TARGET, 64, 1050);
	put_part(PEER, TARGET, 128, 1200);
	play(check_two_of_three_ambiguous);
}

static void so_are_receives(void **state)
{
	(void)state;
	put_threads();
	put_channel(STREAM, TRANSPORT_UDS_STREAM, PEER_END, TARGET_END);
	put_start(STREAM, 0, true);
	put_part(TARGET, PEER, 0, 1000);
	put_part(TARGET, OTHER_PEER, 64, 1200);
	put_part(TARGET, PEER, 128, 1500);
	play(check_two_of_three_ambiguous);
}

/* It was given up when it was taken. */
static void a_message_that_waits_for_too_long_is_counted_once(void **state)
{
	(void)state;
	put_threads();
	put_connection();
	put_request(0, 1 * SECOND);
	put_sent(PEER, TO_TARGET, 1, 64, 2 * SECOND);
	put_watermark(&tape, 64 * SECOND);
	put_taken(TARGET, TO_TARGET, 1, 64, 70 * SECOND);
	put_request(2, 71 * SECOND);
	put_end(&tape);
	heard = hear(&info, &tape);
	assert_counts(2, 0);
	assert_incomplete(INCOMPLETE_NOT_RECEIVED, 1);
}

/* Before it was given up, or since, but nobody has sent it. */
/* That it concerned a target is only known then. */
static void what_nobody_missed_is_counted_when_it_is_taken(void **state)
{
	(void)state;
	put_threads();
	put_connection();
	put_sent(PEER, TO_TARGET, 0, 64, 2 * SECOND);
	put_watermark(&tape, 64 * SECOND);
	put_taken(TARGET, TO_TARGET, 0, 64, 70 * SECOND);
	put_end(&tape);
	heard = hear(&info, &tape);
	assert_counts(0, 0);
	assert_incomplete(INCOMPLETE_NO_SEND, 1);
}

static void what_lacks_its_send_is_lost_as_well_when_others_were_given_up(void **state)
{
	(void)state;
	put_threads();
	put_connection();
	put_request(0, 1 * SECOND);
	put_taken(TARGET, TO_TARGET, 1, 64, 2 * SECOND);
	put_sent(PEER, TO_TARGET, 2, 64, 3 * SECOND);
	put_watermark(&tape, 65 * SECOND);
	put_taken(TARGET, TO_TARGET, 3, 64, 66 * SECOND);
	put_end(&tape);
	heard = hear(&info, &tape);
	assert_counts(1, 0);
	assert_int_equal(integrity()->incomplete[INCOMPLETE_NOT_RECEIVED], 1);
	assert_int_equal(integrity()->incomplete[INCOMPLETE_NO_SEND], 2);
}

/* A target sleeps twice while a peer's message waits for it. It takes it at last. */
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

static void the_past_of_an_open_message_of_a_target_is_kept(void **state)
{
	(void)state;
	put_long_wait(true);
	assert_counts(1, 0);
	assert_int_equal(heard.message[0].component_ns[COMPONENT_BLOCKED], 2 * SECOND - 100);
	assert_int_equal(heard.message[0].component_ns[COMPONENT_BUSY], 17 * SECOND);
}

/* Nor is anything made up in its place. */
static void the_past_of_what_concerns_nobody_is_not_kept(void **state)
{
	(void)state;
	put_long_wait(false);
	assert_counts(0, 0);
	assert_incomplete(INCOMPLETE_HISTORY, 1);
}

/* It has both ends when its time comes, but the last one is not handed out yet. */
static void a_message_that_is_taken_at_last_is_not_given_up(void **state)
{
	(void)state;
	put_threads();
	put_connection();
	put_request(0, 1 * SECOND);
	put_sent(PEER, TO_TARGET, 1, 64, 2 * SECOND);
	put_taken(TARGET, TO_TARGET, 1, 64, 63 * SECOND);
	put_watermark(&tape, 63 * SECOND);
	put_end(&tape);
	heard = hear(&info, &tape);
	assert_counts(2, 0);
}

static void an_attach_without_messages_is_empty(void **state)
{
	(void)state;
	put_threads();
	put_end(&tape);
	play(check_nothing);
}

/* Whether a message concerns a target cannot be said if its sender may have been one. */
static void messages_of_forgotten_threads_are_counted(void **state)
{
	(void)state;
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

#define TEST(function) cmocka_unit_test_setup_teardown(function, setup, teardown)

static void check_outside(void)
{
	assert_int_equal(heard.cnt, 5);
	assert_int_equal(integrity()->match[MATCH_APPROXIMATE], 4);
	assert_int_equal(heard.message[0].match, MATCH_EXACT);
	for (size_t i = 1; i < heard.cnt; i++)
		assert_int_equal(heard.message[i].match, MATCH_APPROXIMATE);
	/* Seen only when it had been there for 40 ns. */
	assert_int_equal(heard.message[1].send_ns, 20060);
	assert_int_equal(heard.message[1].component_ns[COMPONENT_SEND_PATH], 0);
	assert_int_equal(heard.message[2].component_ns[COMPONENT_RECEIVE], 0);
	assert_int_equal(heard.message[2].component_ns[COMPONENT_BUSY], 300);
	/* And when its receiver had returned with it. */
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

static void put_taken_outside(uint64_t position, uint64_t at)
{
	struct record_receive receive = make_receive(TARGET, TO_TARGET, position, at, at);

	put(&receive);
}

/* By io_uring: not sent, or not taken, or neither, by a system call. */
static void what_no_call_does_is_approximate(void **state)
{
	(void)state;
	put_threads();
	put_connection();
	put_message(PEER, TARGET, TO_TARGET, 0, 10000);
	put_sent_outside(1, 20100, 20060);
	put_taken(TARGET, TO_TARGET, 1, 64, 20000);
	put_sent(PEER, TO_TARGET, 2, 64, 30000);
	put_taken_outside(2, 30400);
	put_sent_outside(3, 40100, 40100);
	put_taken_outside(3, 40400);
	put_sent_outside(4, 50500, 50500);
	put_taken(TARGET, TO_TARGET, 4, 64, 50000);
	play(check_outside);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_message_of_a_target_is_whole),
		TEST(at_level_light_a_message_lasts_from_queued_to_taken),
		TEST(what_peers_say_to_one_another_is_left_out),
		TEST(half_a_peers_message_counts_where_a_target_was),
		TEST(a_receive_alone_is_lost_or_from_before),
		TEST(what_is_lost_with_both_records_is_counted),
		TEST(a_receive_tells_how_much_was_sent),
		TEST(without_a_loss_what_is_missing_was_not_for_us),
		TEST(a_send_that_does_not_count_is_not_missing),
		TEST(what_is_sent_after_the_stop_hides_nothing),
		TEST(nobody_misses_what_peers_say_to_one_another),
		TEST(only_what_the_wanted_peer_has_said_is_missing),
		TEST(of_udp_nothing_is_missed),
		TEST(a_gap_of_a_stream_counts_once),
		TEST(one_end_of_an_internet_channel_is_elsewhere),
		TEST(what_peers_say_to_other_machines_is_left_out),
		TEST(of_a_wanted_peer_nothing_is_elsewhere),
		TEST(an_old_channel_is_resynced_once),
		TEST(leftover_bytes_may_be_taken_with_the_first_message),
		TEST(without_a_start_nothing_is_guessed),
		TEST(an_end_that_was_traced_too_late_is_a_reason),
		TEST(all_messages_of_a_call_return_with_it),
		TEST(an_arrival_says_when_the_data_was_there),
		TEST(a_request_and_its_answer_are_a_call),
		TEST(one_answer_for_several_requests_and_several_for_one),
		TEST(a_request_that_came_after_the_answer_was_sent_stays_open),
		TEST(another_thread_may_answer),
		TEST(a_service_is_cut_by_what_its_thread_did),
		TEST(an_open_request_keeps_the_time_line),
		TEST(connections_are_told_apart),
		TEST(a_datagram_that_was_dropped_was_not_received),
		TEST(a_send_that_has_no_place_in_its_channel_is_counted),
		TEST(who_took_a_message_is_ambiguous_if_it_was_numbered_late),
		TEST(what_was_taken_in_doubt_is_ambiguous),
		TEST(so_is_who_took_one_outside_of_any_call),
		TEST(an_answer_waits_for_its_request),
		TEST(sends_that_overlap_on_one_connection_are_ambiguous),
		TEST(so_are_receives),
		TEST(a_message_that_waits_for_too_long_is_counted_once),
		TEST(what_nobody_missed_is_counted_when_it_is_taken),
		TEST(what_lacks_its_send_is_lost_as_well_when_others_were_given_up),
		TEST(the_past_of_an_open_message_of_a_target_is_kept),
		TEST(the_past_of_what_concerns_nobody_is_not_kept),
		TEST(a_message_that_is_taken_at_last_is_not_given_up),
		TEST(an_attach_without_messages_is_empty),
		TEST(messages_of_forgotten_threads_are_counted),
		TEST(what_no_call_does_is_approximate),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

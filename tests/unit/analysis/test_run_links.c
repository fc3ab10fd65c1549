/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Runs of patterns other than push, record by record: both directions of a link, byte streams,
 * messages that only the workload sees, connections and floods, and their summaries. Tests use one
 * client and no warm-up unless they set them. The instants of a message, relative to `base`:
 *
 *	-50     -40  |  base    +10     +20    +25    +40   +45     +100   +110
 *	enter  sleep |  stamp   send   queued  wake  switch  run     recv   user
 */
#include "support/build.h"

#include "analysis/join/join.h"

#include <string.h>

enum { SERVER = 100, CLIENT = 101, UP = 1, DOWN = 2 };

static struct tape tape;
static struct run_info info;
static struct hearing heard;
static const struct summary *summary;

static int setup(void **state)
{
	memset(&info, 0, sizeof(info));
	info.traced = info.shows_switch = true;
	info.workload.clients = 1;
	strcpy(info.workload.pattern, "pingpong");
	put_role(&tape, SERVER, ROLE_SERVER, 0);
	put_role(&tape, CLIENT, ROLE_CLIENT, 1);
	return 0;
}

static int teardown(void **state)
{
	hearing_free(&heard);
	tape_free(&tape);
	return 0;
}

EACH_TEST(setup, teardown)

static void play(void)
{
	put_end(&tape);
	heard = hear(&info, &tape);
	summary = heard.summary;
}

static void assert_integrity(uint64_t sent, uint64_t matched)
{
	assert_int_equal(summary->integrity.sent, sent);
	assert_int_equal(summary->integrity.matched, matched);
}

/* Both ends by the kernel; `index` is also the position unless the channel is a stream. */
static void put_ends(uint32_t channel, bool to_server, uint64_t position, uint32_t bytes,
		     uint64_t index, uint64_t base)
{
	struct record_send send =
		make_send(to_server ? CLIENT : SERVER, channel, position, base + 10, base + 20);
	const uint64_t change[] = {SLEEP(base - 40, 0), WAKE(base + 25, 0), SWITCH(base + 40, 0),
				   RUN(base + 45, 0)};

	send.bytes = bytes;
	tape_add(&tape, &send);
	put_receive(&tape, to_server ? SERVER : CLIENT, channel, position, base - 50, base + 100,
		    4 * index, change, ARRAY_SIZE(change));
	((struct record_receive *)tape.record[tape.cnt - 1])->bytes = bytes;
}

static void put_link_stamp(bool to_server, uint64_t index, uint64_t stamp_ns, uint64_t user_ns,
			   uint64_t due_ns)
{
	struct record_stamp stamp = make_stamp(1, index, stamp_ns, user_ns);

	stamp.head.tid = to_server ? SERVER : CLIENT;
	stamp.to_server = to_server;
	stamp.due_ns = due_ns;
	tape_add(&tape, &stamp);
}

static void put_traffic(bool to_server, uint64_t sent, uint64_t received, uint64_t first_ns,
			uint64_t last_ns)
{
	struct record_traffic traffic = {
		.head = {.type = RECORD_TRAFFIC, .words = RECORD_WORDS(traffic)},
		.client = 1,
		.to_server = to_server,
		.sent = sent,
		.received = received,
		.bytes = 64 * received,
		.first_ns = first_ns,
		.last_ns = last_ns,
	};

	tape_add(&tape, &traffic);
}

/* Request at `base`, response 1000 later. */
static void put_exchange(uint64_t index, uint64_t base)
{
	put_ends(UP, true, index, 64, index, base);
	put_link_stamp(true, index, base, base + 110, 0);
	put_ends(DOWN, false, index, 64, index, base + 1000);
	put_link_stamp(false, index, base + 1000, base + 1110, 0);
}

TEST(both_ways_of_a_link_are_messages_and_together_a_call)
{
	put_exchange(0, 10000);
	put_exchange(1, 20000);
	put_traffic(true, 2, 2, 10110, 20110);
	put_traffic(false, 2, 2, 11110, 21110);
	play();
	assert_integrity(4, 4);
	assert_int_equal(summary->integrity.residual_ns_max, 0);
	assert_int_equal(heard.cnt, 4);
	assert_true(heard.message[0].to_server);
	assert_false(heard.message[1].to_server);
	assert_int_equal(heard.message[0].latency_ns, 110);
	assert_int_equal(summary->calls.count, 2);
	assert_int_equal(stat_mean(&summary->calls.round_trip), 1110);
	assert_int_equal(stat_mean(&summary->calls.service), 890);
	assert_int_equal(summary->calls.state_cnt, 2);
	assert_int_equal(sum_of(summary->calls.state_ns, NR_SERVICE_STATES), 2 * 890);
	assert_int_equal(summary->rounds.count, 0);
	assert_int_equal(summary->flow.messages, 2);
	assert_int_equal(summary->flow.bytes, 128);
	assert_int_equal(summary->client[0].messages, 2);
	assert_int_equal(summary->client[0].time_ns, 21110 - 11000);
	assert_int_equal(summary->client[0].gap_ns, 10000);
}

TEST(warmup_counts_for_each_way)
{
	info.workload.warmup = 1;
	put_exchange(0, 10000);
	put_exchange(1, 20000);
	put_traffic(true, 2, 2, 20110, 20110);
	put_traffic(false, 2, 2, 21110, 21110);
	play();
	assert_integrity(2, 2);
	assert_int_equal(summary->calls.count, 1);
	assert_int_equal(summary->flow.messages, 1);
}

/* Two messages of 64 bytes are sent by two calls and received by one. */
TEST(on_a_stream_messages_are_counted_by_their_bytes)
{
	uint32_t channel = CHANNEL_STREAM | DOWN;

	put_ends(channel, false, 0, 64, 0, 10000);
	put_ends(channel, false, 64, 64, 1, 10200);
	put_link_stamp(false, 0, 10000, 10110, 0);
	put_link_stamp(false, 1, 10200, 10310, 0);
	put_traffic(false, 2, 2, 10110, 10310);
	play();
	assert_int_equal(summary->integrity.matched, 2);
	assert_int_equal(heard.message[1].position, 64);
	assert_int_equal(heard.message[1].round, 1);
	assert_int_equal(heard.message[1].receives, 1);
}

/*
 * The workload's clock readings give the instants. The kernel's switches, in records of their own,
 * show what the receiver did up to `recv`.
 */
TEST(messages_that_only_the_workload_sees_are_cut_by_the_kernels_changes)
{
	uint32_t channel = CHANNEL_OF_LINK(1, 0);
	put_send(&tape, SERVER, channel, 0, 10010, 10020);
	put_changes(&tape, CLIENT, 10045, 0,
		    CHANGES(SLEEP(9960, 0), WAKE(10025, 0), SWITCH(10040, 0), RUN(10045, 0)));
	put_receive(&tape, CLIENT, channel, 0, 9950, 10100, RECEIVE_FROM_WORKLOAD, NO_CHANGES);
	put_link_stamp(false, 0, 10000, 10110, 0);
	put_changes(&tape, CLIENT, 10500, 4,
		    CHANGES(SLEEP(10200, 0), WAKE(10400, 0), SWITCH(10450, 0), RUN(10500, 0)));
	put_traffic(false, 1, 1, 10110, 10110);
	play();
	assert_int_equal(summary->integrity.matched, 1);
	assert_int_equal(summary->path[PATH_SLEPT], 1);
	assert_int_equal(heard.message[0].component_ns[COMPONENT_WAKEUP], 5);
	assert_int_equal(heard.message[0].component_ns[COMPONENT_RUNQUEUE], 15);
	assert_int_equal(heard.message[0].component_ns[COMPONENT_SWITCH], 5);
	assert_int_equal(heard.message[0].component_ns[COMPONENT_RECEIVE], 55);
}

/* A thread without any recorded switch ran all the time. */
TEST(a_receiver_that_never_slept_was_running)
{
	uint32_t channel = CHANNEL_OF_LINK(1, 0);
	put_send(&tape, SERVER, channel, 0, 10010, 10020);
	put_receive(&tape, CLIENT, channel, 0, 9950, 10100, RECEIVE_FROM_WORKLOAD, NO_CHANGES);
	put_link_stamp(false, 0, 10000, 10110, 0);
	put_traffic(false, 1, 1, 10110, 10110);
	play();
	assert_int_equal(summary->path[PATH_RUNNING], 1);
	assert_int_equal(heard.message[0].component_ns[COMPONENT_RECEIVE], 80);
}

TEST(every_connection_is_a_channel_and_carries_the_next_message)
{
	strcpy(info.workload.pattern, "connect");
	put_ends(CHANNEL_STREAM | 7, false, 0, 64, 0, 10000);
	put_ends(CHANNEL_STREAM | 8, false, 0, 64, 1, 20000);
	put_link_stamp(false, 0, 10000, 10110, 0);
	put_link_stamp(false, 1, 20000, 20110, 0);
	put_traffic(false, 2, 2, 10110, 20110);
	play();
	assert_int_equal(summary->integrity.matched, 2);
	assert_int_equal(heard.message[0].round, 0);
	assert_int_equal(heard.message[1].round, 1);
	assert_int_equal(summary->calls.count, 0);
}

TEST(a_connection_without_records_shifts_none_behind_it)
{
	strcpy(info.workload.pattern, "connect");
	put_ends(CHANNEL_STREAM | 8, false, 0, 64, 1, 20000);
	put_ends(CHANNEL_STREAM | 9, false, 0, 64, 2, 30000);
	for (uint64_t i = 0; i < 3; i++)
		put_link_stamp(false, i, 10000 * (i + 1), 10000 * (i + 1) + 110, 0);
	put_traffic(false, 3, 3, 10110, 30110);
	play();
	assert_int_equal(summary->integrity.matched, 2);
	assert_int_equal(heard.message[0].round, 1);
	assert_int_equal(heard.message[1].round, 2);
	assert_int_equal(summary->integrity.incomplete[INCOMPLETE_NOT_RECORDED], 1);
}

/* Both ends are in channels of their own, as of two connections. */
TEST(a_connection_with_unjoined_ends_shifts_none_behind_it)
{
	strcpy(info.workload.pattern, "connect");
	put_ends(CHANNEL_STREAM | 7, false, 0, 64, 0, 10000);
	put_send(&tape, SERVER, CHANNEL_STREAM | 8, 0, 20010, 20020);
	put_receive(&tape, CLIENT, CHANNEL_STREAM | 9, 0, 19950, 20100, 4, NO_CHANGES);
	put_ends(CHANNEL_STREAM | 10, false, 0, 64, 2, 30000);
	for (uint64_t i = 0; i < 3; i++)
		put_link_stamp(false, i, 10000 * (i + 1), 10000 * (i + 1) + 110, 0);
	put_traffic(false, 3, 3, 10110, 30110);
	play();
	assert_int_equal(summary->integrity.matched, 2);
	assert_int_equal(heard.message[1].round, 2);
}

TEST(a_flood_has_no_stamps_its_latency_is_from_send_to_recv)
{
	strcpy(info.workload.pattern, "flood");
	info.workload.warmup = 1;
	for (uint64_t i = 0; i < 3; i++)
		put_ends(UP, true, i, 64, i, 10000 + 1000 * i);
	put_traffic(true, 3, 3, 11100, 12100);
	play();
	assert_integrity(2, 2);
	assert_int_equal(heard.message[0].latency_ns, 90);
	assert_false(heard.message[0].has_stamp);
	assert_int_equal(summary->flow.messages, 2);
	assert_true(summary->flow.seconds > 0.9e-6 && summary->flow.seconds < 1.1e-6);
	assert_int_equal(summary->client[0].time_ns, 1000);
}

TEST(a_dropped_datagram_is_not_received_and_shifts_nothing)
{
	put_ends(DOWN, false, 0, 64, 0, 10000);
	put_send(&tape, SERVER, CHANNEL_UNKNOWN, POSITION_NONE, 11000, 0);
	put_ends(DOWN, false, 1, 64, 1, 12000);
	put_link_stamp(false, 0, 10000, 10110, 0);
	put_link_stamp(false, 1, 12000, 12110, 0);
	put_traffic(false, 3, 2, 10110, 12110);
	play();
	assert_integrity(3, 2);
	assert_int_equal(summary->integrity.incomplete[INCOMPLETE_NOT_RECEIVED], 1);
}

/* A message between a client and a foreign thread belongs to no link. */
TEST(a_strangers_message_is_none_of_the_runs)
{
	put_send(&tape, 999, DOWN, 0, 10010, 10020);
	put_receive(&tape, CLIENT, DOWN, 0, 9950, 10100, 0, NO_CHANGES);
	play();
	assert_integrity(0, 0);
}

TEST(a_fixed_rate_counts_from_when_it_was_due)
{
	put_ends(UP, true, 0, 64, 0, 10000);
	put_link_stamp(true, 0, 10000, 10110, 9000);
	put_ends(DOWN, false, 0, 64, 0, 11000);
	put_link_stamp(false, 0, 11000, 11110, 9000);
	play();
	assert_int_equal(stat_mean(&summary->calls.round_trip), 1110);
	assert_int_equal(stat_mean(&summary->calls.from_due), 2110);
	assert_int_equal(summary->from_due.count, 1);
}

TEST(without_tracing_stamps_alone_make_calls)
{
	info.traced = false;
	put_link_stamp(true, 0, 10000, 10110, 0);
	put_link_stamp(false, 0, 11000, 11110, 0);
	put_traffic(true, 1, 1, 10110, 10110);
	put_traffic(false, 1, 1, 11110, 11110);
	play();
	assert_integrity(2, 2);
	assert_int_equal(summary->calls.count, 1);
	assert_int_equal(summary->calls.state_cnt, 0);
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* Whose messages count, how they were joined, and why one may have a single end. */
#include "support/build.h"
#include "support/serving.h"

#include "analysis/attach/attach_state.h"
#include "container/lru_table.h"

#include <string.h>

enum { TARGET = 101, PEER = 201, OTHER_PEER = 301, NOBODY = 401 };
enum { CHANNEL = 7, STREAM = CHANNEL_STREAM | 8 };

static struct attach_state *attach;
static struct join *join;
static size_t put_cnt;
static struct record_receive last_put;
static struct timelines *lines;
static struct serving serving;
static struct calls_summary calls;

static int put(void *ctx, const struct record_receive *receive, size_t change_cnt)
{
	assert_ptr_equal(ctx, &put_cnt);
	assert_int_equal(change_cnt, 5);
	last_put = *receive;
	put_cnt++;
	return 0;
}

static void no_unknown(void *ctx, const struct record_receive *receive)
{
	fail();
}

static int ignore_call(void *ctx, const struct call *call)
{
	return 0;
}

static int setup(void **state)
{
	struct call_output output;

	put_cnt = 0;
	calls = (struct calls_summary){0};
	join = join__new();
	lines = timelines__new();
	if (!join || !lines || serving_setup(&serving))
		return -1;
	output = (struct call_output){
		.lines = lines, .blame = serving.blame, .calls = &calls, .on_call = ignore_call};
	attach = attach_state__new(join, put, no_unknown, &put_cnt, &output);
	return attach ? 0 : -1;
}

static int teardown(void **state)
{
	attach_state__free(attach);
	join__free(join);
	timelines__free(lines);
	serving_teardown(&serving);
	return 0;
}

EACH_TEST(setup, teardown)

static void record(const void *record)
{
	assert_int_equal(attach_state__record(attach, record), 0);
}

static void add_threads(void)
{
	struct record_thread target = make_thread(TARGET, 100, false, 1);
	struct record_thread peer = make_thread(PEER, 200, true, 1);
	struct record_thread other = make_thread(OTHER_PEER, 300, true, 1);

	record(&target);
	record(&peer);
	record(&other);
}

static void add_channel(uint32_t id, uint32_t transport)
{
	struct record_channel channel = make_channel(id, transport, 11, 12);

	record(&channel);
}

static void add_baseline(uint32_t id, uint64_t leftover, bool is_new)
{
	struct record_baseline baseline = make_baseline(id, leftover, is_new);

	record(&baseline);
}

static struct joined send(uint32_t tid, uint32_t channel, uint64_t position)
{
	struct joined joined = {.has_send = true,
				.send = make_send(tid, channel, position, 100, 150)};

	assert_int_equal(attach_state__send(attach, &joined.send), 0);
	return joined;
}

/* Over TCP: no arrival at the receiver has been recorded yet. */
static struct joined send_away(uint32_t tid, uint32_t channel, uint64_t position)
{
	struct joined joined = {.has_send = true,
				.send = make_send(tid, channel, position, 100, 0)};

	assert_int_equal(attach_state__send(attach, &joined.send), 0);
	return joined;
}

static struct joined receive(uint32_t tid, uint32_t channel, uint64_t position)
{
	struct joined joined = {.has_receive = true,
				.receive = make_receive(tid, channel, position, 100, 200)};

	assert_int_equal(attach_state__receive(attach, &joined.receive, 5), 0);
	return joined;
}

static struct joined both(uint32_t sender, uint32_t receiver)
{
	struct joined joined = receive(receiver, CHANNEL, 0);

	joined.has_send = true;
	joined.send = send(sender, CHANNEL, 0).send;
	return joined;
}

static bool concerns(struct joined joined)
{
	return attach_state__concerns(attach, &joined);
}

static void assert_reason(struct joined joined, enum incomplete reason)
{
	bool elsewhere = true;

	assert_int_equal(attach_state__reason(attach, &joined, &elsewhere), reason);
	assert_false(elsewhere);
}

static void assert_elsewhere(struct joined joined)
{
	bool elsewhere = false;

	attach_state__reason(attach, &joined, &elsewhere);
	assert_true(elsewhere);
}

TEST(a_message_from_or_to_a_target_counts)
{
	add_threads();
	assert_true(concerns(both(TARGET, PEER)));
	assert_true(concerns(both(PEER, TARGET)));
	assert_true(concerns(both(TARGET, TARGET)));
	assert_true(concerns(both(NOBODY, TARGET)));
}

TEST(what_peers_say_to_one_another_does_not)
{
	add_threads();
	assert_false(concerns(both(PEER, OTHER_PEER)));
	assert_false(concerns(both(PEER, NOBODY)));
	both(TARGET, PEER); /* even on a channel that a target uses as well */
	assert_false(concerns(both(PEER, OTHER_PEER)));
}

/* Its other end, which has not come, may be the target's. */
TEST(half_a_message_counts_where_a_target_has_been)
{
	add_threads();
	assert_false(concerns(send(PEER, CHANNEL, 0)));
	receive(TARGET, CHANNEL, 0);
	assert_true(concerns(send(PEER, CHANNEL, 1)));
	receive(OTHER_PEER, CHANNEL, 1); /* a target that was there before others */
	assert_true(concerns(send(PEER, CHANNEL, 2)));
	assert_false(concerns(send(PEER, STREAM, 0)));
}

TEST(the_record_of_a_target_may_come_last)
{
	struct joined half;

	receive(TARGET, CHANNEL, 0);
	half = send(PEER, CHANNEL, 1);
	assert_false(concerns(half));
	add_threads();
	assert_true(concerns(half));
}

TEST(a_message_that_was_dropped_is_nobodys_but_its_senders)
{
	add_threads();
	assert_true(concerns(send(TARGET, CHANNEL_UNKNOWN, POSITION_NONE)));
	assert_false(concerns(send(PEER, CHANNEL_UNKNOWN, POSITION_NONE)));
	assert_reason(send(TARGET, CHANNEL_UNKNOWN, POSITION_NONE), INCOMPLETE_NOT_RECEIVED);
}

TEST(only_the_first_message_of_an_old_channel_is_resynced)
{
	struct joined joined;

	add_baseline(CHANNEL, 0, false);
	joined = both(TARGET, PEER);
	assert_int_equal(attach_state__match(attach, &joined), MATCH_RESYNCED);
	assert_int_equal(attach_state__match(attach, &joined), MATCH_EXACT);
}

TEST(a_new_channel_is_exact)
{
	struct joined joined;

	add_baseline(CHANNEL, 0, true);
	joined = both(TARGET, PEER);
	assert_int_equal(attach_state__match(attach, &joined), MATCH_EXACT);
}

TEST(an_ambiguous_message_does_not_use_up_the_resync)
{
	struct joined joined, ambiguous;

	add_baseline(CHANNEL, 0, false);
	joined = ambiguous = both(TARGET, PEER);
	ambiguous.is_ambiguous = true;
	assert_int_equal(attach_state__match(attach, &ambiguous), MATCH_AMBIGUOUS);
	assert_int_equal(attach_state__match(attach, &joined), MATCH_RESYNCED);
}

TEST(positions_of_receives_become_those_of_their_sends)
{
	receive(PEER, CHANNEL, 4);
	assert_int_equal(put_cnt, 0);
	add_baseline(CHANNEL, 3, false);
	assert_int_equal(put_cnt, 1);
	assert_int_equal(last_put.position, 1);
}

TEST(a_send_after_the_last_receive_was_not_received)
{
	add_baseline(CHANNEL, 0, true);
	receive(PEER, CHANNEL, 0);
	assert_reason(send(TARGET, CHANNEL, 1), INCOMPLETE_NOT_RECEIVED);
}

TEST(without_a_baseline_a_missing_receive_proves_nothing)
{
	receive(PEER, CHANNEL, 7);
	assert_reason(send(TARGET, CHANNEL, 0), INCOMPLETE_UNKNOWN_START);
	add_baseline(CHANNEL, BASELINE_UNKNOWN, false);
	assert_reason(send(TARGET, CHANNEL, 1), INCOMPLETE_UNKNOWN_START);
}

TEST(a_channel_without_receives_needs_no_baseline)
{
	assert_reason(send(TARGET, CHANNEL, 0), INCOMPLETE_NOT_RECEIVED);
}

TEST(an_unreceived_message_to_a_target_concerns_it)
{
	struct record_address address = {
		.head = {.type = RECORD_ADDRESS, .words = RECORD_WORDS(struct record_address)},
		.channel = CHANNEL,
		.named = ADDRESS_OF_RECEIVER};

	add_threads();
	record(&address);
	assert_false(concerns(send(PEER, CHANNEL, 0)));
	address.named |= ADDRESS_TO_TARGET;
	record(&address);
	assert_true(concerns(send(PEER, CHANNEL, 1)));
}

TEST(a_send_that_is_missing_among_others_is_lost)
{
	add_baseline(CHANNEL, 0, true);
	send(PEER, CHANNEL, 2);
	send(PEER, CHANNEL, 1);
	assert_reason(receive(TARGET, CHANNEL, 5), INCOMPLETE_NO_SEND);
	assert_reason(receive(TARGET, CHANNEL, 1), INCOMPLETE_NO_SEND);
}

TEST(a_send_before_the_trace_is_no_message)
{
	add_baseline(CHANNEL, 0, true);
	assert_reason(receive(TARGET, CHANNEL, 0),
		      NR_INCOMPLETES); /* by a thread that is not known */
	send(PEER, CHANNEL, 3);
	assert_reason(receive(TARGET, CHANNEL, 2), NR_INCOMPLETES);
	assert_reason(receive(TARGET, CHANNEL, 3), INCOMPLETE_NO_SEND);
}

TEST(the_beginning_of_what_was_still_being_sent_is_no_message)
{
	add_baseline(STREAM, 0, true);
	send(PEER, STREAM, 0);
	assert_reason(receive(TARGET, STREAM, 0), INCOMPLETE_NO_SEND);
	assert_reason(receive(TARGET, STREAM, 64), NR_INCOMPLETES);
}

static void assert_group(const uint8_t receiver[4], bool to_group)
{
	struct record_channel channel = make_channel(CHANNEL, TRANSPORT_UDP, 1, 2);
	struct record_address address = make_port_address(CHANNEL, 5000, 6000);
	struct joined joined;
	bool elsewhere;

	memcpy(address.text + ADDRESS_RECEIVER_AT, receiver, 4);
	record(&channel);
	record(&address);
	receive(TARGET, CHANNEL, 0);
	joined = send(PEER, CHANNEL, 1);
	attach_state__reason(attach, &joined, &elsewhere);
	assert_int_equal(elsewhere, to_group);
}

TEST(the_receiver_of_a_group_message_is_unknown)
{
	static const uint8_t groups[][4] = {
		{224, 0, 0, 1}, {239, 255, 1, 2}, {255, 255, 255, 255}, {127, 255, 255, 255}};
	static const uint8_t one[] = {223, 255, 255, 255};

	for (size_t i = 0; i < ARRAY_SIZE(groups); i++) {
		assert_group(groups[i], true);
		teardown(state);
		setup(state);
	}
	assert_group(one, false);
}

TEST(one_end_of_an_internet_channel_is_elsewhere)
{
	static const uint32_t inet[] = {TRANSPORT_TCP, TRANSPORT_TCP6, TRANSPORT_UDP,
					TRANSPORT_UDP6};

	for (uint32_t i = 0; i < ARRAY_SIZE(inet); i++) {
		add_channel(20 + i, inet[i]);
		add_baseline(20 + i, 0, true);
		assert_elsewhere(send_away(TARGET, 20 + i, 0));
		add_channel(30 + i, inet[i]);
		assert_elsewhere(send_away(TARGET, 30 + i, 0)); /* whatever was in it */
		add_channel(40 + i, inet[i]);
		assert_elsewhere(receive(TARGET, 40 + i, 0));
	}
	add_channel(50, TRANSPORT_UDS);
	add_baseline(50, 0, true);
	assert_reason(send(TARGET, 50, 0), INCOMPLETE_NOT_RECEIVED);
}

static bool is_needless(struct joined joined)
{
	return attach_state__is_needless(attach, &joined);
}

TEST(what_no_target_is_at_is_needless)
{
	add_threads();
	assert_true(is_needless(receive(PEER, CHANNEL, 0)));
	assert_true(is_needless(send(OTHER_PEER, CHANNEL, 1)));
	assert_false(is_needless(send(TARGET, CHANNEL, 2)));
	assert_false(is_needless(receive(PEER, CHANNEL, 0)));
	assert_false(is_needless(receive(TARGET, CHANNEL + 1, 0)));
	assert_false(is_needless(send(PEER, CHANNEL + 1, 1)));
}

TEST(what_comes_from_another_machine_is_needless)
{
	struct joined received;

	add_threads();
	add_channel(STREAM, TRANSPORT_TCP);
	received = receive(TARGET, STREAM, 0);
	assert_true(is_needless(received));
	send_away(PEER, STREAM, 64);
	assert_false(is_needless(received));
	add_channel(STREAM + 1, TRANSPORT_TCP);
	assert_true(is_needless(send_away(TARGET, STREAM + 1, 64)));
}

TEST(an_internet_channel_with_both_ends_is_here)
{
	struct joined open;

	add_channel(STREAM, TRANSPORT_TCP);
	add_baseline(STREAM, 0, true);
	open = send_away(TARGET, STREAM, 64);
	assert_elsewhere(open);
	receive(PEER, STREAM, 0);
	assert_reason(open, INCOMPLETE_NOT_RECEIVED);
}

TEST(a_connection_with_arrivals_is_on_this_machine)
{
	struct record_arrival arrival = {
		.head = {.type = RECORD_ARRIVAL, .words = RECORD_WORDS(struct record_arrival)},
		.channel = STREAM};
	struct joined open;

	add_channel(STREAM, TRANSPORT_TCP);
	open = send_away(TARGET, STREAM, 64);
	assert_elsewhere(open);
	record(&arrival);
	assert_reason(open, INCOMPLETE_NOT_RECEIVED);
	add_channel(STREAM + 1, TRANSPORT_TCP);
	assert_reason(send(TARGET, STREAM + 1, 0), INCOMPLETE_NOT_RECEIVED);
}

/* Its place in the order is only looked after once in so many uses. */
TEST(of_too_many_channels_the_quietest_is_forgotten)
{
	struct joined quiet, dropped = {.has_send = true, .send.channel = CHANNEL_UNKNOWN};

	add_threads();
	receive(TARGET, 1, 0);
	receive(TARGET, 2, 0);
	quiet = send(PEER, 2, 0);
	assert_false(attach_state__forgot(attach, &quiet));
	for (uint32_t id = 3; id <= LRU_CHANNELS_MAX; id++)
		send(PEER, id, 0);
	send(PEER, 1, 0);
	for (uint32_t id = LRU_CHANNELS_MAX + 1; id < LRU_CHANNELS_MAX + 10; id++)
		send(PEER, id, 0);
	assert_true(attach_state__forgot(attach, &quiet));
	assert_false(attach_state__forgot(attach, &dropped));
	assert_true(concerns(send(PEER, 1, 1)));
	assert_true(concerns(send(PEER, 2, 1))); /* a target had used it */
	assert_false(concerns(send(PEER, 3, 1)));
}

/* Very many threads come and go; those that send or receive stay. */
TEST(of_too_many_threads_the_quietest_is_forgotten)
{
	struct joined quiet, busy;

	add_threads();
	quiet = both(TARGET, PEER);
	assert_true(concerns(quiet));
	assert_false(attach_state__forgot(attach, &quiet));
	for (uint32_t tid = 1000; tid < 1000 + LRU_THREADS_MAX; tid++) {
		struct record_thread passing = make_thread(tid, tid, false, 2);

		record(&passing);
		send(OTHER_PEER, CHANNEL, tid);
	}
	assert_true(attach_state__forgot(attach, &quiet));
	busy = send(OTHER_PEER, CHANNEL, 0);
	assert_false(attach_state__forgot(attach, &busy));
}

/* A call: its channels with their names, processes and threads. */
TEST(messages_go_to_their_channels_and_calls)
{
	struct record_channel there = make_channel(1, TRANSPORT_UDS_STREAM, 11, 12);
	struct record_channel back = make_channel(2, TRANSPORT_UDS_STREAM, 12, 11);
	struct record_address name = make_address(1, "/run/x", ADDRESS_OF_RECEIVER);
	struct message request = {.channel = 1,
				  .sender = {.tid = PEER, .comm = "peer"},
				  .receiver = {.tid = TARGET, .comm = "target"},
				  .send_ns = 100,
				  .recv_ns = 200,
				  .latency_ns = 100};
	struct message answer = {.channel = 2,
				 .sender = {.tid = TARGET, .comm = "target"},
				 .receiver = {.tid = PEER, .comm = "peer"},
				 .send_ns = 500,
				 .recv_ns = 600,
				 .latency_ns = 100};
	struct summary summary = {0};

	add_threads();
	record(&there);
	record(&back);
	record(&name);
	assert_true(call_matcher__horizon(attach->matcher, 0) == UINT64_MAX);
	assert_int_equal(attach_state__message(attach, &request), 0);
	assert_int_equal(call_matcher__horizon(attach->matcher, 0), 100);
	assert_int_equal(attach_state__message(attach, &answer), 0);
	assert_true(call_matcher__horizon(attach->matcher, 0) == UINT64_MAX);
	assert_int_equal(attach_state__finish(attach, &summary), 0);
	assert_int_equal(calls.count, 1);
	assert_int_equal(summary.calls.service_cnt, 1);
	assert_string_equal(summary.calls.service_of[0].name, "/run/x");
	assert_int_equal(summary.calls.service_of[0].server.pid, 100);
	assert_int_equal(summary.calls.service_of[0].client.pid, 200);
	assert_int_equal(summary.calls.service_of[0].count, 1);
	assert_int_equal(summary.channel_cnt, 2);
	assert_int_equal(summary.channel[0].id, 1);
	assert_int_equal(summary.channel[0].calls, 1);
	assert_int_equal(summary.channel[1].calls, 0);
	assert_string_equal(summary.channel[0].name, "/run/x");
	assert_int_equal(summary.channel[0].sender.pid, 200);
	assert_int_equal(summary.channel[0].sender.tid, PEER);
	assert_int_equal(summary.channel[0].receiver.pid, 100);
	assert_string_equal(summary.channel[0].receiver.comm, "target");
	summary_clean(&summary);
	stat_free(&calls.round_trip);
	stat_free(&calls.request);
	stat_free(&calls.service);
	stat_free(&calls.response);
	stat_free(&calls.response_first);
}

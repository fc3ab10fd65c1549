/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Positions of receives on channels that existed before the trace, by hand:
 *
 *	in the channel   | leftover 100 |  send 0..64  | send 64..128 |
 *	receives         0             100            164            228
 */
#include "support/build.h"

#include "analysis/attach/baseline.h"
#include "analysis/attach/channel_table.h"
#include "container/lru_table.h"

#include <errno.h>

/* The most that one call takes: every bit that a length may have is set in it or in another. */
#define HUGE_BYTES 0x7ffff000u

enum { STREAM = CHANNEL_STREAM | 7, DATAGRAMS = 8, TID = 5 };

/* What came out; only the last ones are kept. */
static struct {
	struct record_receive receive[8];
	size_t change_cnt[8];
	size_t cnt;
	int answer;
} out;

static struct baselines baselines;
static struct channel_table *channels;
static struct threads *threads;

static int put(void *ctx, const struct record_receive *receive, size_t change_cnt)
{
	assert_ptr_equal(ctx, &out);
	out.receive[out.cnt % ARRAY_SIZE(out.receive)] = *receive;
	out.change_cnt[out.cnt++ % ARRAY_SIZE(out.receive)] = change_cnt;
	return out.answer;
}

static int setup(void **state)
{
	out.cnt = out.answer = 0;
	baselines = (struct baselines){.put = put, .ctx = &out};
	threads = threads__new();
	channels = channel_table__new(threads, NULL, &baselines);
	return channels ? 0 : -1;
}

static int teardown(void **state)
{
	channel_table__free(channels);
	threads__free(threads);
	return 0;
}

EACH_TEST(setup, teardown)

static struct baseline *baseline_of(uint32_t channel)
{
	return &channel_table__make(channels, channel)->baseline;
}

static bool is_known(uint32_t channel)
{
	const struct channel *known = channel_table__find(channels, channel);

	return known && known->baseline.is_known;
}

static int add(uint32_t channel, uint64_t leftover, bool is_new)
{
	struct record_baseline baseline = make_baseline(channel, leftover, is_new);

	return baselines_add(&baselines, baseline_of(channel), &baseline);
}

static int receive(uint32_t channel, uint64_t position, uint32_t bytes)
{
	struct record_receive receive = make_receive(TID, channel, position, 100, 200);

	receive.bytes = bytes;
	return baselines_receive(&baselines, baseline_of(channel), &receive, position + 3);
}

static void assert_out(size_t i, uint64_t position, uint32_t bytes)
{
	assert_true(i < out.cnt);
	assert_int_equal(out.receive[i].position, position);
	assert_int_equal(out.receive[i].bytes, bytes);
}

TEST(a_new_channel_keeps_its_positions)
{
	add(STREAM, 0, true);
	add(DATAGRAMS, 0, true);
	receive(STREAM, 0, 64);
	receive(DATAGRAMS, 2, 64);
	assert_int_equal(out.cnt, 2);
	assert_out(0, 0, 64);
	assert_out(1, 2, 64);
	assert_int_equal(out.change_cnt[1], 5);
	assert_int_equal(out.receive[1].head.tid, TID);
}

TEST(what_was_in_the_channel_moves_positions)
{
	add(STREAM, 100, false);
	receive(STREAM, 100, 64);
	receive(STREAM, 164, 64);
	assert_int_equal(out.cnt, 2);
	assert_out(0, 0, 64);
	assert_out(1, 64, 64);
}

/* With what is said of it. */
TEST(a_receive_of_the_end_of_the_leftover_moves_to_the_begin)
{
	struct record_receive receive = make_receive(TID, STREAM, 90, 100, 200);

	receive.head.flags = RECEIVE_AMBIGUOUS;
	receive.bytes = HUGE_BYTES;
	add(STREAM, 100, false);
	assert_int_equal(baselines_receive(&baselines, baseline_of(STREAM), &receive, 3), 0);
	assert_int_equal(out.cnt, 1);
	assert_out(0, 0, HUGE_BYTES - 10);
	assert_int_equal(out.receive[0].head.flags, RECEIVE_AMBIGUOUS);
}

TEST(a_receive_of_leftover_only_is_left_out)
{
	add(STREAM, 100, false);
	add(DATAGRAMS, 2, false);
	receive(STREAM, 0, 40);
	receive(STREAM, 40, 60); /* to its last byte */
	receive(DATAGRAMS, 0, 64);
	receive(DATAGRAMS, 1, 64);
	assert_int_equal(out.cnt, 0);
	receive(DATAGRAMS, 2, 64);
	assert_int_equal(out.cnt, 1);
	assert_out(0, 0, 64);
}

TEST(a_straddling_receive_counts_only_its_new_part)
{
	add(STREAM, 100, false);
	receive(STREAM, 90, 74);
	receive(STREAM, 164, 64);
	assert_int_equal(out.cnt, 2);
	assert_out(0, 0, 64);
	assert_out(1, 64, 64);
}

/* A datagram's bytes have nothing to do with its position. */
TEST(datagrams_never_straddle)
{
	add(DATAGRAMS, 3, false);
	receive(DATAGRAMS, 2, 64);
	assert_int_equal(out.cnt, 0);
}

TEST(receives_wait_until_the_baseline_is_known)
{
	receive(STREAM, 90, 74);
	receive(STREAM, 164, 64);
	for (uint64_t i = 0; i < 5; i++)
		receive(DATAGRAMS, i, 10);
	assert_int_equal(out.cnt, 0);
	assert_false(is_known(STREAM));
	add(STREAM, 100, false);
	assert_true(is_known(STREAM));
	assert_false(is_known(DATAGRAMS));
	assert_int_equal(out.cnt, 2);
	assert_out(0, 0, 64);
	assert_out(1, 64, 64);
	assert_int_equal(out.change_cnt[1], 167);
	add(DATAGRAMS, 4, false);
	assert_int_equal(out.cnt, 3);
	assert_out(2, 0, 10);
}

TEST(the_first_baseline_of_a_channel_holds)
{
	add(STREAM, 100, false);
	add(STREAM, 50, false);
	receive(STREAM, 100, 64);
	assert_out(0, 0, 64);
	assert_int_equal(out.cnt, 1);
}

TEST(a_second_baseline_does_not_bring_back_the_resync)
{
	add(STREAM, 100, false);
	assert_true(baseline_resyncs(baseline_of(STREAM)));
	add(STREAM, 100, false);
	assert_false(baseline_resyncs(baseline_of(STREAM)));
}

TEST(only_the_first_message_of_an_old_channel_resyncs)
{
	assert_false(baseline_resyncs(baseline_of(STREAM)));
	add(STREAM, 0, false);
	add(DATAGRAMS, 0, true);
	assert_true(baseline_resyncs(baseline_of(STREAM)));
	assert_false(baseline_resyncs(baseline_of(STREAM)));
	assert_false(baseline_resyncs(baseline_of(DATAGRAMS)));
}

/* 100 of its first 300 bytes were received before positions were counted. */
TEST(a_send_may_be_partly_received_before_the_trace)
{
	receive(STREAM, 0, 150);
	add(STREAM, (uint64_t)-100, false);
	receive(STREAM, 150, 50);
	assert_int_equal(out.cnt, 2);
	assert_out(0, 100, 150);
	assert_out(1, 250, 50);
}

TEST(without_a_known_baseline_no_receive_comes_out)
{
	receive(STREAM, 0, 64);
	add(STREAM, BASELINE_UNKNOWN, false);
	receive(STREAM, 64, 64);
	assert_int_equal(out.cnt, 0);
	assert_false(is_known(STREAM));
	assert_false(baseline_resyncs(baseline_of(STREAM)));
}

/* Or a busy one would soon leave no room for channels whose baseline is yet to come. */
TEST(a_channel_with_an_unknown_baseline_holds_no_receives)
{
	add(STREAM, BASELINE_UNKNOWN, false);
	for (uint64_t i = 0; i < BASELINES_HELD_MAX; i++)
		receive(STREAM, 64 * i, 64);
	receive(DATAGRAMS, 0, 64);
	add(DATAGRAMS, 0, false);
	assert_int_equal(out.cnt, 1);
}

TEST(no_more_than_so_many_wait)
{
	for (uint64_t i = 0; i < BASELINES_HELD_MAX; i++)
		assert_int_equal(receive(1000 + i / 64, i % 64, 64), 0);
	assert_int_equal(receive(DATAGRAMS, 0, 64), 0);
	add(DATAGRAMS, 0, false);
	assert_int_equal(out.cnt, 0); /* it found no room */
	add(1000, 0, false);
	assert_int_equal(out.cnt, 64);
	receive(9, 0, 64); /* there is room again */
	add(9, 0, false);
	assert_int_equal(out.cnt, 65);
}

/* Leftover 100: the receive at 100 received send 0. */
TEST(what_found_no_room_is_known_to_be_lost)
{
	const uint64_t held = BASELINES_HELD_OF_ONE_MAX;

	for (uint64_t i = 0; i < held + 10; i++)
		receive(DATAGRAMS, i, 64);
	assert_false(baseline_dropped(baseline_of(DATAGRAMS + 1), held));
	add(DATAGRAMS, 100, false);
	receive(DATAGRAMS, held + 10, 64);
	assert_false(baseline_dropped(baseline_of(DATAGRAMS), held - 101));
	assert_true(baseline_dropped(baseline_of(DATAGRAMS), held - 100));
	assert_true(baseline_dropped(baseline_of(DATAGRAMS), held - 91));
	assert_false(baseline_dropped(baseline_of(DATAGRAMS), held - 90));
	assert_int_equal(out.cnt, held - 100 + 1);
}

/* The sender is on another machine: the baseline will never be known. */
TEST(a_busy_channel_leaves_room_for_others)
{
	for (uint64_t i = 0; i < BASELINES_HELD_MAX; i++)
		assert_int_equal(receive(STREAM, 64 * i, 64), 0);
	receive(DATAGRAMS, 0, 64);
	add(DATAGRAMS, 0, false);
	assert_int_equal(out.cnt, 1);
	add(STREAM, 0, false);
	assert_int_equal(out.cnt, 1 + BASELINES_HELD_OF_ONE_MAX);
}

TEST(what_a_forgotten_channel_held_makes_room)
{
	const uint32_t of_one = BASELINES_HELD_MAX / LRU_CHANNELS_MAX + 1;

	for (uint32_t id = 1; id <= LRU_CHANNELS_MAX; id++) {
		for (uint32_t i = 0; i < of_one; i++)
			receive(id, i, 64);
	}
	for (uint32_t id = 1; id <= 10; id++)
		receive(LRU_CHANNELS_MAX + id, 0, 64);
	add(LRU_CHANNELS_MAX + 1, 0, false);
	assert_int_equal(out.cnt, 1);
}

/* Those behind it may complete messages that are open already. */
TEST(a_receive_that_is_refused_does_not_stop_the_others)
{
	receive(DATAGRAMS, 0, 64);
	receive(DATAGRAMS, 1, 64);
	out.answer = -ENOSPC;
	assert_int_equal(add(DATAGRAMS, 0, false), -ENOSPC);
	assert_int_equal(out.cnt, 2);
	assert_int_equal(receive(DATAGRAMS, 2, 64), -ENOSPC);
}

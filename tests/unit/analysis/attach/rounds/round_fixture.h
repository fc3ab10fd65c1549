/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Rounds among the sends of one thread. A burst at `at`, whose messages arrive a while later:
 *
 *	 at      +10     +20             +100    +110     +120
 *	send A  send B  send C | ...     recv A  recv B   recv C
 */
#pragma once

#include "support/build.h"

#include "analysis/attach/rounds/round_clients.h"
#include "analysis/attach/rounds/round_detector.h"

#include <stdlib.h>
#include <string.h>

enum { SENDER = 7, A = 1, B = 2, C = 3 };

static struct round_detector *detector;
static struct threads *threads;
static struct timelines *lines;
static uint64_t change_cnt; /* in these */
static struct summary summary;
static struct round_fate *fate; /* of the last message, if one was asked for */
static bool asks;

static inline int setup(void **state)
{
	summary = (struct summary){0};
	fate = NULL;
	asks = false;
	change_cnt = 0;
	threads = threads__new();
	lines = timelines__new();
	detector = round_detector__new(threads, NULL);
	return detector && threads && lines ? 0 : -1;
}

static inline int teardown(void **state)
{
	round_detector__free(detector);
	round_fate_put(fate);
	threads__free(threads);
	timelines__free(lines);
	stat_free(&summary.rounds.first);
	stat_free(&summary.rounds.next);
	stat_free(&summary.rounds.last);
	stat_free(&summary.rounds.distance);
	for (uint32_t i = 0; i < summary.client_cnt; i++)
		stat_free(&summary.client[i].latency);
	free(summary.client);
	return 0;
}

/* A target, if it is no peer. */
static inline void add_thread(uint32_t tid, bool is_peer)
{
	const struct record_thread thread = make_thread(tid, tid, is_peer, 0);

	assert_int_equal(threads__add(threads, &thread), 0);
}

static inline void sends_in(uint32_t tid, uint32_t channel, uint64_t position, uint64_t at_ns,
			    uint64_t queued_ns)
{
	const struct ordered_event event = {
		.at_ns = at_ns,
		.end_ns = queued_ns,
		.tid = tid,
		.channel = channel,
		.position = position,
		.start_ns = at_ns,
		.queued_ns = queued_ns,
	};

	assert_int_equal(round_detector__add(detector, &event), 0);
}

static inline void sends(uint32_t tid, uint32_t channel, uint64_t position, uint64_t at_ns)
{
	if (!threads__is_target(threads, tid, at_ns))
		add_thread(tid, false);
	sends_in(tid, channel, position, at_ns, at_ns + 5);
}

static inline void receives(uint32_t tid, uint64_t at_ns)
{
	const struct ordered_event event = {
		.at_ns = at_ns, .end_ns = at_ns, .tid = tid, .receives = true};

	assert_int_equal(round_detector__add(detector, &event), 0);
}

static inline void sleeps(uint32_t tid, uint64_t at_ns)
{
	const uint64_t changes[] = {change_pack(at_ns, 0, CHANGE_SLEEP),
				    change_pack(at_ns + 1, 0, CHANGE_WAKE),
				    change_pack(at_ns + 2, 0, CHANGE_RESUME)};

	assert_int_equal(timelines__add(lines, tid, changes, 3, change_cnt, at_ns + 2), 0);
	change_cnt += 3;
}

static inline void settle(uint64_t before_ns)
{
	assert_int_equal(round_detector__settle(detector, before_ns, lines), 0);
}

/* Messages are handed out when all earlier events have been recorded. */
static inline void arrives_at(uint32_t receiver, uint32_t channel, uint64_t position,
			      uint64_t send_ns, uint64_t recv_ns, bool is_answer)
{
	const struct segment segment = {
		.from_ns = send_ns, .to_ns = recv_ns, .component = COMPONENT_SEND_PATH};
	struct message message = {
		.channel = channel,
		.position = position,
		.send_ns = send_ns,
		.recv_ns = recv_ns,
		.latency_ns = recv_ns - send_ns,
		.receiver = {.tid = receiver, .comm = "listener"},
		.segment = &segment,
		.segment_cnt = 1,
	};

	message.component_ns[COMPONENT_SEND_PATH] = recv_ns - send_ns;
	settle(recv_ns);
	assert_int_equal(
		round_detector__message(detector, &message, is_answer, asks ? &fate : NULL), 0);
}

static inline void arrives(uint32_t channel, uint64_t position, uint64_t send_ns, uint64_t recv_ns,
			   bool is_answer)
{
	arrives_at(100 + channel, channel, position, send_ns, recv_ns, is_answer);
}

static inline void finish(void)
{
	settle(UINT64_MAX);
	assert_int_equal(round_detector__finish(detector, &summary), 0);
}

static inline void assert_rounds(uint64_t cnt)
{
	assert_int_equal(summary.rounds.count, cnt);
	assert_int_equal(summary.rounds.complete, cnt);
}

static inline void burst_of_three(uint64_t position, uint64_t at_ns)
{
	sleeps(SENDER, at_ns - 10);
	for (uint32_t i = 0; i < 3; i++)
		sends(SENDER, A + i, position, at_ns + 10 * i);
	for (uint32_t i = 0; i < 3; i++)
		arrives(A + i, position, at_ns + 10 * i, at_ns + 100 + 10 * i, false);
}

EACH_TEST(setup, teardown)

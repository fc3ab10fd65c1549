/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * An attach by hand. Each test plays its records in order, backwards and shuffled: the result is
 * the same. The receiver of a message at `at` runs all the time:
 *
 *	 at       +100     +150     +400
 *	send     queued    enter    recv
 *	 | s.path | busy    | receive |
 *	    100       50        250
 */
#pragma once

#include "support/build.h"

#include "container/lru_table.h"

#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#define SHUFFLES 20
#define SECOND   1000000000ULL

enum { TARGET = 101, TARGET_PID = 100, PEER = 201, PEER_PID = 200, OTHER_PEER = 301, NOBODY = 401 };

/* The directions of one connection, and their ends. */
enum { TO_TARGET = 7, FROM_TARGET = 8, PEER_END = 12, TARGET_END = 11 };

#define STREAM (CHANNEL_STREAM | 9)

static struct tape tape;
static struct run_info info;
static struct hearing heard;

static inline int setup(void **state)
{
	memset(&info, 0, sizeof(info));
	info.mode = MODE_ATTACH;
	info.traced = info.shows_switch = true;
	return 0;
}

static inline int teardown(void **state)
{
	hearing_free(&heard);
	tape_free(&tape);
	return 0;
}

/* `check` has to hold in whatever order the records arrive. */
static inline void play(void (*check)(void))
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

static inline void put(const void *record)
{
	tape_add(&tape, record);
}

static inline void put_thread(uint32_t tid, uint32_t pid, bool is_peer, const char *comm)
{
	struct record_thread thread = make_thread(tid, pid, is_peer, 1);
	struct record_name name = make_name(SLICE_TASK, tid, 1, comm);

	put(&thread);
	put(&name);
}

static inline void put_threads(void)
{
	put_thread(TARGET, TARGET_PID, false, "target");
	put_thread(PEER, PEER_PID, true, "peer");
	put_thread(OTHER_PEER, 300, true, "other");
}

static inline void put_baseline(uint32_t channel, uint64_t leftover, bool is_new)
{
	struct record_baseline baseline = make_baseline(channel, leftover, is_new);

	put(&baseline);
}

static inline void put_channel(uint32_t id, uint32_t transport, uint64_t sender, uint64_t receiver)
{
	struct record_channel channel = make_channel(id, transport, sender, receiver);

	put(&channel);
}

static inline void put_connection(void)
{
	struct record_address there = make_address(TO_TARGET, "/run/x", ADDRESS_OF_RECEIVER);
	struct record_address back = make_address(FROM_TARGET, "/run/x", ADDRESS_OF_SENDER);

	put_channel(TO_TARGET, TRANSPORT_UDS_SEQPACKET, PEER_END, TARGET_END);
	put_channel(FROM_TARGET, TRANSPORT_UDS_SEQPACKET, TARGET_END, PEER_END);
	put(&there);
	put(&back);
	put_baseline(TO_TARGET, 0, true);
	put_baseline(FROM_TARGET, 0, true);
}

static inline void put_sent(uint32_t tid, uint32_t channel, uint64_t position, uint32_t bytes,
			    uint64_t at)
{
	struct record_send send = make_send(tid, channel, position, at, at + 100);

	send.bytes = bytes;
	put(&send);
}

static inline void put_received(uint32_t tid, uint32_t channel, uint64_t position, uint32_t bytes,
				uint64_t at)
{
	struct record_receive receive = make_receive(tid, channel, position, at + 150, at + 400);

	receive.bytes = bytes;
	put(&receive);
}

static inline void put_message(uint32_t sender, uint32_t receiver, uint32_t channel,
			       uint64_t position, uint64_t at)
{
	put_sent(sender, channel, position, 64, at);
	put_received(receiver, channel, position, 64, at);
}

static inline void put_request(uint64_t position, uint64_t at)
{
	put_message(PEER, TARGET, TO_TARGET, position, at);
}

static inline void put_answer(uint64_t position, uint64_t at)
{
	put_message(TARGET, PEER, FROM_TARGET, position, at);
}

static inline const struct integrity *integrity(void)
{
	return &heard.summary->integrity;
}

static inline void assert_counts(uint64_t matched, uint64_t elsewhere)
{
	assert_int_equal(integrity()->matched, matched);
	assert_int_equal(integrity()->elsewhere, elsewhere);
}

/* All incomplete ones have this reason. */
static inline void assert_incomplete(enum incomplete reason, uint64_t cnt)
{
	assert_int_equal(integrity()->incomplete[reason], cnt);
	assert_int_equal(sum_of(integrity()->incomplete, NR_INCOMPLETES), cnt);
}

static inline void check_nothing(void)
{
	assert_counts(0, 0);
	assert_int_equal(integrity()->sent, 0);
	assert_int_equal(heard.summary->channel_cnt, 0);
	assert_int_equal(heard.summary->calls.count, 0);
}

static inline void assert_calls(uint64_t cnt, uint64_t request_ns, uint64_t service_ns,
				uint64_t response_ns)
{
	const struct calls_summary *calls = &heard.summary->calls;

	assert_int_equal(calls->count, cnt);
	assert_int_equal(calls->request.sum, request_ns);
	assert_int_equal(calls->service.sum, service_ns);
	assert_int_equal(calls->response.sum, response_ns);
	assert_int_equal(calls->round_trip.sum, request_ns + service_ns + response_ns);
}

static inline const struct channel_summary *channel(uint32_t id)
{
	for (uint32_t i = 0; i < heard.summary->channel_cnt; i++) {
		if (heard.summary->channel[i].id == id)
			return &heard.summary->channel[i];
	}
	fail_msg("channel %u is not in the summary", id);
	return NULL;
}

EACH_TEST(setup, teardown)

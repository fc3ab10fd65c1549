/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Chains of messages among processes, each with one thread. The thread of process P is P + 1000. A
 * message takes 100, and its receiver sends the next one after 50.
 */
#include "support/build.h"

#include "analysis/attach/chains/chains.h"

#include <stdlib.h>
#include <string.h>

enum { A = 1, B, C, D };

#define CHANGES_MAX_OF_TEST 64

/* The receivers slept long ago, and have been awake since then unless a test says otherwise. */
static struct change change[CHANGES_MAX_OF_TEST];
static struct timeline line;
static struct chains *chains;
static struct summary summary;
static uint32_t target; /* process; 0: all are */

static struct end_summary end_of(void *ctx, uint32_t tid, uint64_t at_ns)
{
	struct end_summary end = {.tid = tid, .pid = tid - 1000, .comm = "?"};

	end.comm[0] = 'A' + end.pid - A;
	return end;
}

static void add_change(uint64_t at_ns, uint64_t kind)
{
	change[line.cnt] = (struct change){.at_ns = at_ns, .index = line.cnt, .kind = kind};
	line.cnt++;
}

static int setup(void **state)
{
	memset(&summary, 0, sizeof(summary));
	line = (struct timeline){.change = change};
	target = 0;
	add_change(1, CHANGE_WAKE);
	add_change(2, CHANGE_SWITCH);
	chains = chains__new(end_of, NULL);
	return chains ? 0 : -1;
}

static int teardown(void **state)
{
	chains__free(chains);
	for (uint32_t i = 0; i < summary.chain_cnt; i++)
		stat_free(&summary.chain[i].cycle);
	free(summary.chain);
	return 0;
}

EACH_TEST(setup, teardown)

static void goes_for(uint32_t from, uint32_t to, uint64_t send_ns, uint64_t recv_ns)
{
	const struct chain_message message = {
		.channel = 100 * from + to,
		.transport = TRANSPORT_FUTEX,
		.sender_tid = from + 1000,
		.receiver_tid = to + 1000,
		.sender_pid = from,
		.receiver_pid = to,
		.send_ns = send_ns,
		.recv_ns = recv_ns,
		.has_target = !target || from == target || to == target,
	};

	assert_int_equal(chains__message(chains, &message, &line), 0);
}

static void goes(uint32_t from, uint32_t to, uint64_t send_ns)
{
	goes_for(from, to, send_ns, send_ns + 100);
}

static void finish(uint32_t chain_cnt)
{
	assert_int_equal(chains__finish(chains, &summary), 0);
	assert_int_equal(summary.chain_cnt, chain_cnt);
}

/* "ABC": from A to B to C. */
static void assert_chain(uint32_t i, const char *way, uint64_t count)
{
	const struct chain_summary *chain = &summary.chain[i];

	assert_int_equal(chain->hop_cnt, strlen(way) - 1);
	assert_int_equal(chain->count, count);
	assert_int_equal(chain->cycle.count, count);
	for (uint32_t k = 0; k < chain->hop_cnt; k++) {
		assert_int_equal(chain->hop[k].from.comm[0], way[k]);
		assert_int_equal(chain->hop[k].to.comm[0], way[k + 1]);
	}
}

TEST(messages_that_follow_each_other_are_a_chain)
{
	const struct chain_summary *chain;

	for (uint64_t at_ns = 1000; at_ns <= 3000; at_ns += 1000) {
		goes(A, B, at_ns);
		goes(B, C, at_ns + 150);
		goes(C, D, at_ns + 300);
	}
	finish(1);
	assert_chain(0, "ABCD", 3);
	chain = &summary.chain[0];
	assert_int_equal(stat_mean(&chain->cycle), 400);
	assert_int_equal(chain->hop[0].latency.ns, 300);
	assert_int_equal(chain->hop[0].latency.max_ns, 100);
	assert_int_equal(chain->hop[0].handled.ns, 150);
	assert_int_equal(chain->hop[2].handled.ns, 0);
	assert_int_equal(chain->hop[1].channel, 203);
	assert_int_equal(chain->hop[1].transport, TRANSPORT_FUTEX);
	assert_int_equal(chain->hop[1].to.pid, C);
}

/* To the nanosecond. */
TEST(the_hops_add_up_to_the_cycle)
{
	uint64_t sum = 0;

	for (uint64_t i = 0; i < 50; i++) {
		uint64_t at_ns = 10000 * (i + 1);

		goes_for(A, B, at_ns, at_ns + 100 + i);
		goes_for(B, C, at_ns + 200 + 3 * i, at_ns + 500 + 7 * i);
		goes_for(C, A, at_ns + 900 + 9 * i, at_ns + 1000 + 11 * i);
	}
	finish(1);
	assert_chain(0, "ABCA", 50);
	for (uint32_t k = 0; k < 3; k++)
		sum += summary.chain[0].hop[k].latency.ns + summary.chain[0].hop[k].handled.ns;
	assert_true(summary.chain[0].cycle.sum == sum);
}

/* The next message of A begins the next cycle. */
TEST(a_cycle_ends_where_it_began)
{
	uint64_t at_ns = 1000;

	for (int i = 0; i < 4; i++) {
		goes(A, B, at_ns);
		goes(B, C, at_ns + 150);
		goes(C, A, at_ns + 300);
		at_ns += 450;
	}
	finish(1);
	assert_chain(0, "ABCA", 4);
	assert_int_equal(summary.chain[0].cycle.max, 400);
}

TEST(a_receiver_that_sleeps_first_ends_the_chain)
{
	goes(A, B, 1000);
	add_change(1110, CHANGE_SLEEP);
	add_change(1120, CHANGE_WAKE);
	add_change(1130, CHANGE_SWITCH);
	goes(B, C, 1150);
	finish(0);
}

/* As the first change that is kept shows, or a jump in their numbers. */
TEST(what_is_not_known_is_no_chain)
{
	change[0].at_ns = 1105;
	change[1].at_ns = 1106;
	goes(A, B, 1000);
	goes(B, C, 1150);
	change[0].at_ns = 1;
	change[1].at_ns = 2;
	add_change(2120, CHANGE_WAKE);
	change[2].index += 3;
	goes(A, B, 2000);
	goes(B, C, 2150);
	finish(0);
}

/* A backend behind a proxy. */
TEST(a_call_and_the_calls_for_it_are_no_chain)
{
	goes(A, B, 1000);
	goes(B, C, 1150);
	goes(C, B, 1300);
	goes(B, A, 1450);
	finish(0);
}

/* A publisher and its subscribers. */
TEST(a_receiver_may_send_to_several)
{
	goes(A, B, 1000);
	goes(B, C, 1150);
	goes(B, D, 1160);
	finish(2);
	assert_chain(0, "ABC", 1);
	assert_chain(1, "ABD", 1);
}

TEST(the_last_receive_before_the_send_counts)
{
	goes(A, B, 1000);
	goes_for(D, B, 1010, 1120);
	goes(B, C, 1150);
	finish(1);
	assert_chain(0, "DBC", 1);
}

/* B's next receive is handed out before its send of this cycle. */
TEST(receives_after_the_send_do_not_matter)
{
	goes(A, B, 1000);
	goes_for(A, B, 1100, 1200);
	goes_for(B, C, 1150, 1500);
	finish(1);
	assert_chain(0, "ABC", 1);
}

/* It has received too many since: which one was the last is not known. */
TEST(many_receives_after_the_send_hide_it)
{
	goes(A, B, 1000);
	for (uint64_t i = 0; i < 10; i++)
		goes_for(A, B, 1200 + i, 1300 + i);
	goes_for(B, C, 1150, 1500);
	finish(0);
}

TEST(messages_within_a_process_are_no_hops)
{
	goes(A, A, 1000);
	goes(A, B, 1150);
	goes(0, B, 2000);
	goes(B, C, 2150);
	goes(B, B, 3000);
	goes(B, C, 3150);
	finish(0);
}

TEST(one_message_alone_is_no_chain)
{
	goes(A, B, 1000);
	finish(0);
}

/* Wherever the target is in it. */
TEST(a_chain_needs_a_target)
{
	const uint32_t first[] = {10, 10, 20};

	target = D;
	for (uint32_t i = 0; i < 3; i++) {
		goes(first[i] + A, first[i] + B, 1000 + 1000 * i);
		goes(first[i] + B, first[i] + C, 1150 + 1000 * i);
	}
	goes(A, B, 5000);
	goes(B, C, 5150);
	goes(C, D, 5300);
	goes(D + 1, D, 6000);
	goes(D, D + 2, 6150);
	finish(2);
	assert_chain(0, "ABCD", 1);
	assert_chain(1, "EDF", 1);
}

/* The last receiver was slow; by then, the chain had been counted without it. */
TEST(a_chain_is_counted_once)
{
	goes(A, B, 1000);
	goes(B, C, 1150);
	assert_int_equal(chains__settle(chains, 1250 + CHAINS_WAIT_NS), 0);
	assert_int_equal(chains__settle(chains, 1251 + CHAINS_WAIT_NS), 0);
	goes_for(C, D, 1300, 5 * CHAINS_WAIT_NS);
	finish(1);
	assert_chain(0, "ABC", 1);
}

TEST(a_way_without_an_end_is_cut)
{
	for (uint64_t i = 0; i < 40; i++)
		goes(i + 1, i + 2, 1000 + 150 * i);
	finish(3);
	assert_int_equal(summary.chain[0].hop_cnt, CHAIN_HOPS_MAX);
	assert_int_equal(summary.chain[1].hop_cnt, CHAIN_HOPS_MAX);
	assert_int_equal(summary.chain[2].hop_cnt, 40 - 2 * CHAIN_HOPS_MAX);
}

/* Of processes without end. */
TEST(memory_is_bounded)
{
	const uint32_t cnt = 2 * CHAINS_MESSAGES_MAX;

	for (uint32_t i = 0; i < cnt; i++) {
		goes(3 * i + 1, 3 * i + 2, 1000 + 300 * (uint64_t)i);
		goes(3 * i + 2, 3 * i + 3, 1150 + 300 * (uint64_t)i);
	}
	assert_int_equal(chains__finish(chains, &summary), 0);
	assert_in_range(summary.chain_cnt, 2, 64);
	assert_int_equal(summary.chains_other, cnt - summary.chain_cnt);
}

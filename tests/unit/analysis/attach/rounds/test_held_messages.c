/* SPDX-License-Identifier: BSD-2-Clause */
/* Messages that wait until it is known whether they belong to a round. */
#include "support/build.h"

#include "analysis/attach/rounds/held_messages.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define HANDED_MAX 4096

static struct held_messages *held;
static struct message handed[HANDED_MAX];
static uint64_t blamed_ns[HANDED_MAX];
static uint32_t handed_cnt;
static int result; /* of the caller's function */

static int on_message(void *ctx, const struct message *message)
{
	assert_ptr_equal(ctx, &handed_cnt);
	blamed_ns[handed_cnt] = message->blame_cnt ? message->blame[0].ns : 0;
	for (uint32_t i = 1; i < message->segment_cnt; i++)
		assert_int_equal(message->segment[i - 1].to_ns, message->segment[i].from_ns);
	handed[handed_cnt++] = *message;
	return result;
}

static uint32_t client_of(const void *ctx, uint32_t channel)
{
	assert_ptr_equal(ctx, &held);
	return 10 + channel;
}

static int setup(void **state)
{
	handed_cnt = 0;
	result = 0;
	held = held_messages__new(on_message, &handed_cnt, client_of, &held);
	return held ? 0 : -1;
}

static int teardown(void **state)
{
	held_messages__free(held);
	return 0;
}

EACH_TEST(setup, teardown)

/* Its segments and its blame are gone when the function returns. */
static void add_blamed(uint32_t channel, uint64_t recv_ns, struct round_fate *fate,
		       uint32_t blame_cnt)
{
	struct segment *segment = calloc(2, sizeof(*segment));
	struct blame *blame = calloc(blame_cnt + 1, sizeof(*blame));
	struct message message = {
		.channel = channel,
		.send_ns = recv_ns - 100,
		.recv_ns = recv_ns,
		.latency_ns = 100,
		.segment = segment,
		.segment_cnt = 2,
		.blame = blame,
		.blame_cnt = blame_cnt,
	};

	segment[0] = (struct segment){recv_ns - 100, recv_ns - 40, COMPONENT_WAKEUP, 0};
	segment[1] = (struct segment){recv_ns - 40, recv_ns, COMPONENT_RUNQUEUE, 0};
	blame[0].ns = recv_ns;
	message.component_ns[COMPONENT_WAKEUP] = 60;
	message.component_ns[COMPONENT_RUNQUEUE] = 40;
	assert_int_equal(held_messages__add(held, &message, fate), result);
	memset(segment, 0xff, 2 * sizeof(*segment));
	memset(blame, 0xff, (blame_cnt + 1) * sizeof(*blame));
	free(segment);
	free(blame);
}

static void add(uint32_t channel, uint64_t recv_ns, struct round_fate *fate)
{
	add_blamed(channel, recv_ns, fate ? round_fate_get(fate) : NULL, 1);
}

static void decide(struct round_fate *fate, bool is_round)
{
	fate->is_decided = true;
	fate->is_round = is_round;
	fate->round = 7;
	fate->start_ns = 800;
}

TEST(a_message_of_no_burst_does_not_wait)
{
	add(1, 1000, NULL);
	assert_int_equal(handed_cnt, 1);
	assert_false(handed[0].has_round);
	assert_int_equal(handed[0].component_ns[COMPONENT_DISPATCH], 0);
	assert_int_equal(blamed_ns[0], 1000);
}

/* The time before its send is not part of its latency. */
TEST(a_message_of_a_round_gets_its_number_and_dispatch)
{
	struct round_fate *fate = round_fate_new();

	add(1, 1000, fate);
	assert_int_equal(handed_cnt, 0);
	decide(fate, true);
	add(2, 1100, fate);
	round_fate_put(fate);
	assert_int_equal(handed_cnt, 2);
	for (uint32_t i = 0; i < 2; i++) {
		assert_true(handed[i].has_round);
		assert_int_equal(handed[i].round, 7);
		assert_int_equal(handed[i].client, 11 + i);
		assert_int_equal(handed[i].latency_ns, 100);
		assert_int_equal(handed[i].component_ns[COMPONENT_DISPATCH], 100 + 100 * i);
		assert_int_equal(blamed_ns[i], handed[i].recv_ns);
	}
}

TEST(a_burst_that_is_no_round_leaves_its_messages_as_they_are)
{
	struct round_fate *fate = round_fate_new();

	add(1, 1000, fate);
	decide(fate, false);
	round_fate_put(fate);
	assert_int_equal(held_messages__release(held, 0), 0);
	assert_int_equal(handed_cnt, 1);
	assert_false(handed[0].has_round);
	assert_int_equal(handed[0].client, 0);
	assert_int_equal(handed[0].component_ns[COMPONENT_DISPATCH], 0);
}

/* The order of receives is that of the output. */
TEST(later_messages_wait_for_earlier_ones)
{
	struct round_fate *fate = round_fate_new();

	add(1, 1000, fate);
	add(2, 1010, NULL);
	add(3, 1020, NULL);
	assert_int_equal(handed_cnt, 0);
	decide(fate, true);
	assert_int_equal(held_messages__release(held, 0), 0);
	round_fate_put(fate);
	assert_int_equal(handed_cnt, 3);
	for (uint32_t i = 0; i < 3; i++)
		assert_int_equal(handed[i].channel, 1 + i);
	assert_false(handed[1].has_round);
}

/* It is not known then. */
TEST(a_message_does_not_wait_for_ever)
{
	struct round_fate *fate = round_fate_new();

	add(1, 1000, fate);
	add(2, 2000, fate);
	assert_int_equal(held_messages__release(held, 1000), 0);
	assert_int_equal(handed_cnt, 0);
	assert_int_equal(held_messages__release(held, 1001), 0);
	assert_int_equal(handed_cnt, 1);
	assert_false(handed[0].has_round);
	decide(fate, true);
	assert_int_equal(held_messages__release(held, 1001), 0);
	assert_int_equal(handed_cnt, 2);
	assert_true(handed[1].has_round);
	round_fate_put(fate);
}

TEST(memory_is_bounded)
{
	const uint32_t blame_cnt = 1024;
	uint32_t cnt = 2 * (HELD_MESSAGES_BYTES_MAX / (blame_cnt * sizeof(struct blame)));
	struct round_fate *fate = round_fate_new();

	assert_true(cnt < HANDED_MAX);
	for (uint32_t i = 0; i < cnt; i++)
		add_blamed(i, 1000 + i, round_fate_get(fate), blame_cnt);
	assert_in_range(handed_cnt, cnt / 2, cnt - 1);
	for (uint32_t i = 0; i < handed_cnt; i++)
		assert_int_equal(handed[i].channel, i);
	round_fate_put(fate);
}

/* With messages that still wait, which are freed. */
TEST(an_error_of_the_caller_is_passed_on)
{
	struct round_fate *fate = round_fate_new();

	add(1, 1000, fate);
	add(2, 1010, fate);
	decide(fate, true);
	result = -EPIPE;
	assert_int_equal(held_messages__release(held, 0), -EPIPE);
	assert_int_equal(handed_cnt, 1);
	round_fate_put(fate);
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* Senders and receivers of a channel in random order: a baseline that is emitted is correct. */
#include "support/bpf_baseline.h"

/* Each actor does its next step when it is its turn. */
struct actor {
	int step;
	bool was_held;
	uint64_t held_until_ns; /* by an interrupt */
	uint64_t began_ns;
	s64 sent, received, waits;
};

static struct actor sender[SENDERS_MAX], receiver[READERS_MAX];
static s64 leftover; /* the true value */
static bool has_begun_anew;

/* An actor is delayed for a while, but less than a thread that starves. */
static bool is_held(struct actor *actor, uint64_t *seed)
{
	if (!actor->step)
		actor->was_held = false;
	else if (!actor->was_held && !random_below(seed, 100)) {
		actor->was_held = true;
		actor->held_until_ns = now_ns + random_below(seed, 90000000);
	}
	return now_ns < actor->held_until_ns;
}

/*
 * The true value after a restart: what is there, or was received and will be counted, without what
 * was queued and will be counted. An actor that has begun to count does so in the old channel.
 */
static void begin_anew(void)
{
	leftover = waiting;
	for (int i = 0; i < SENDERS_MAX; i++) {
		leftover -= sender[i].step == 3;
		if (sender[i].step > 3)
			sender[i].step = 0;
	}
	for (int i = 0; i < READERS_MAX; i++) {
		leftover += receiver[i].step == 2;
		if (receiver[i].step > 2)
			receiver[i].step = 0;
	}
	channel =
		(struct channel_state){.id = 7, .baseline.most = S64_MAX, .baseline.hint = NO_HINT};
	emitted_cnt = 0;
	has_begun_anew = true;
}

static void send_on(struct actor *actor, u32 tid, s64 room, uint64_t *seed)
{
	switch (actor->step) {
	case 0: /* pauses */
		actor->step += !random_below(seed, 3);
		break;
	case 1:
		actor->began_ns = now_ns;
		actor->step++;
		break;
	case 2: /* waits, and has resumed if there is room */
		if (waiting >= room) {
			actor->began_ns = now_ns;
			break;
		}
		waiting++;
		actor->step++;
		break;
	case 3:
		if (baseline_was_too_high(&channel, tid, actor->began_ns)) {
			begin_anew();
			channel.baseline.has_senders = 1;
			baseline_lower(&channel, 1);
		}
		actor->received = channel.received;
		channel.sent++;
		actor->step++;
		break;
	case 4:
		if (!channel.baseline.is_known)
			baseline_from_sender(&channel, tid, actor->began_ns, actor->received,
					     waiting);
		actor->step = 0;
		break;
	}
}

static void receive_on(struct actor *actor, u32 tid)
{
	switch (actor->step) {
	case 0:
		actor->began_ns = now_ns;
		actor->step++;
		break;
	case 1: /* waits, and has resumed if there is a message */
		if (!waiting) {
			actor->began_ns = now_ns;
			break;
		}
		waiting--;
		actor->step++;
		break;
	case 2:
		if (baseline_was_too_low(&channel, tid, actor->began_ns)) {
			actor->step = 0;
			begin_anew();
			channel.baseline.has_readers = 1;
			break;
		}
		actor->sent = channel.sent;
		actor->step++;
		break;
	case 3:
		channel.received++;
		actor->received = channel.received;
		actor->step++;
		break;
	case 4:
		actor->waits = waiting;
		actor->step++;
		break;
	case 5:
		if (!channel.baseline.is_known)
			baseline_from_receiver(&channel, tid, actor->began_ns, actor->sent,
					       actor->received, actor->waits);
		actor->step = 0;
		break;
	}
}

static void step(u32 receivers, u32 senders, s64 room, uint64_t *seed)
{
	u32 turn = random_below(seed, receivers + senders);
	struct actor *actor = turn < receivers ? &receiver[turn] : &sender[turn - receivers];

	pass(random_below(seed, 100000));
	if (is_held(actor, seed))
		return;
	if (turn < receivers)
		receive_on(actor, READER + turn);
	else
		send_on(actor, 1 + turn - receivers, room, seed);
}

/* Another receiver may be in a call for this long after the baseline was emitted. */
#define LATER_STEPS 10000

/* Returns whether a baseline was emitted. */
static bool run(u32 receivers, uint64_t *seed)
{
	u32 senders = 1 + random_below(seed, SENDERS_MAX);
	s64 room;

	memset(sender, 0, sizeof(sender));
	memset(receiver, 0, sizeof(receiver));
	leftover = random_below(seed, 20);
	room = leftover + 1 + random_below(seed, 20);
	begin(leftover);
	has_begun_anew = false;
	for (int i = 0; i < 60000 && !emitted_cnt; i++)
		step(receivers, senders, room, seed);
	for (int i = 0; i < LATER_STEPS; i++)
		step(receivers, senders, room, seed);
	/* Calls under way at a restart may leave less than nothing. */
	if (emitted_cnt && emitted.leftover == BASELINE_UNKNOWN)
		assert_true(has_begun_anew);
	else if (emitted_cnt)
		assert_emitted(leftover);
	return emitted_cnt;
}

TEST(one_receiver_is_right_in_any_order)
{
	uint64_t seed = 1;
	int known_runs = 0;

	for (int i = 0; i < 1000; i++)
		known_runs += run(1, &seed);
	assert_in_range(known_runs, 950, 1000);
}

TEST(several_receivers_are_right_in_any_order)
{
	uint64_t seed = 2;
	int known_runs = 0;

	for (int i = 0; i < 600; i++)
		known_runs += run(2 + i % (READERS_MAX - 1), &seed);
	assert_in_range(known_runs, 300, 600);
}

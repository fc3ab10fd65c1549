/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * How the kernel side finds out what was in a channel before it counted
 *(bpf/attach/baseline.bpf.h), with senders and receivers whose steps come in any order:
 *
 *	sender      begins ... [waits for room ... goes on ...] puts ... counts
 *	receiver    begins ... takes ... reads the counter, counts ... looks what waits, reckons
 */
#include "support/build.h"

#include <string.h>

/* What bpf/base/channel.bpf.h and those below it have for that, of one channel. */
#define IPCTRACE_BPF_BASE_CHANNEL_H
#undef __always_inline
#define VERIFIED_ONCE         static
#define OUT_OF_LINE           static
#define __always_inline       inline __attribute__((unused))
#define S64_MAX               ((s64)(~0ULL >> 1))
#define NO_HINT               (-S64_MAX)
#define FETCH_ADD(pointer, n) __sync_fetch_and_add(pointer, n)
#define READ_LATER(pointer)   FETCH_ADD(pointer, 0)
#define barrier_var(name)     __asm__ volatile("" : "+r"(name))

typedef int64_t s64;

#include "bpf/base/state.bpf.h"

static const bool by_syscalls;
static uint64_t now_ns;
static struct record_baseline told; /* the last one */
static size_t told_cnt;

static u64 bpf_ktime_get_ns(void)
{
	return now_ns;
}

static u32 bpf_get_smp_processor_id(void)
{
	return 0;
}

static u32 first_user_tid(void)
{
	return 0;
}

static struct record record_head(u32 type, u64 size, u32 cpu, u32 tid)
{
	return (struct record){.type = type, .words = size / 8, .cpu = cpu, .tid = tid};
}

static void emit(const struct record_baseline *start, u64 size)
{
	assert_int_equal(size, sizeof(*start));
	told = *start;
	told_cnt++;
}

#include "bpf/attach/baseline.bpf.h"

enum { A = 1, B, C, SENDERS_MAX = 4 };
enum { READER = 11, READERS_MAX = 3 };

static struct channel_state channel;
static s64 waiting; /* messages, what was there before among them */

static void begin(s64 leftover)
{
	channel = (struct channel_state){.id = 7, .baseline.most = S64_MAX, .baseline.hint = NO_HINT};
	waiting = leftover;
	now_ns = 1000000;
	told_cnt = 0;
}

static int setup(void **state)
{
	(void)state;
	begin(0);
	return 0;
}

static uint64_t pass(uint64_t ns)
{
	return now_ns += ns;
}

/* A message that this one has put there since `began_ns`. */
static void counts(u32 tid, uint64_t began_ns)
{
	u64 received = channel.received;

	channel.sent++;
	pass(100);
	if (!channel.baseline.is_known)
		baseline_from_sender(&channel, tid, began_ns, received, waiting);
}

static void sends(u32 tid)
{
	uint64_t began_ns = pass(100);

	waiting++;
	pass(100);
	counts(tid, began_ns);
}

static void reckons(uint64_t began_ns, s64 sent)
{
	if (!channel.baseline.is_known)
		baseline_from_receiver(&channel, READER, began_ns, sent, channel.received, waiting);
}

static void receives(void)
{
	uint64_t began_ns = pass(100);
	s64 sent;

	waiting--;
	pass(100);
	sent = channel.sent;
	channel.received++;
	pass(100);
	reckons(began_ns, sent);
}

static void assert_told(uint64_t leftover)
{
	assert_int_equal(told_cnt, 1);
	assert_int_equal(told.channel, 7);
	assert_int_equal(told.leftover, leftover);
	assert_int_equal(channel.baseline.is_known, 1);
}

static void of_an_empty_one_the_first_receive_tells(void **state)
{
	(void)state;
	sends(A);
	sends(B);
	receives();
	assert_told(0);
}

/* One that has put something there, and not counted it yet, may be there as well. */
static void one_sender_is_believed_after_a_while(void **state)
{
	(void)state;
	begin(20);
	sends(A);
	for (int i = 0; i < 1 + HINT_RECEIVES; i++) {
		assert_int_equal(told_cnt, 0);
		receives();
	}
	assert_told(20);
}

/* Also if nothing more is sent, and few receives come. */
static void what_stands_for_long_enough_is_believed(void **state)
{
	(void)state;
	begin(20);
	receives();
	pass(QUIET_NS / 2);
	receives();
	assert_int_equal(told_cnt, 0);
	pass(QUIET_NS / 2);
	receives();
	assert_told(20);
}

/* What B has put there both A and the receiver see, and take for what was there before. */
static void what_is_not_counted_yet_is_no_leftover(void **state)
{
	uint64_t began_ns;

	(void)state;
	begin(3);
	sends(A);
	began_ns = pass(100);
	waiting++;
	sends(A);
	receives();
	assert_int_equal(channel.baseline.hint, 4);
	assert_int_equal(channel.baseline.most, 4);
	counts(B, began_ns);
	pass(QUIET_NS);
	receives();
	receives();
	assert_int_equal(told_cnt, 0);
	pass(QUIET_NS);
	receives();
	assert_told(3);
}

/* As it is always when A and the receiver look: never quiet, and never wrong. */
static void it_is_not_told_while_somebody_always_sends(void **state)
{
	(void)state;
	begin(3);
	sends(A);
	sends(B);
	for (int i = 0; i < 1000; i++) {
		uint64_t began_ns = pass(QUIET_NS / 50);

		waiting++;
		sends(A);
		receives();
		counts(B, began_ns);
	}
	assert_int_equal(told_cnt, 0);
	receives();
	pass(2 * QUIET_NS);
	receives();
	assert_told(3);
}

/* It had not put anything there yet when the receiver looked, though its call had begun. */
static void who_waits_for_room_does_not_disturb(void **state)
{
	uint64_t resumed_ns;

	(void)state;
	begin(3);
	sends(A);
	sends(B);
	receives();
	for (int i = 0; i < 10; i++) {
		resumed_ns = pass(QUIET_NS / 8);
		waiting++;
		counts(A, resumed_ns);
	}
	receives();
	assert_told(3);
}

/* Half of B's message is there; it is counted when all of it is. */
static void who_waits_with_a_part_does(void **state)
{
	(void)state;
	begin(300);
	channel.partial_senders++;
	waiting += 50;
	for (int i = 0; i < 20; i++) {
		receives();
		pass(QUIET_NS);
	}
	assert_int_equal(told_cnt, 0);
	waiting += 50;
	channel.sent += 100;
	channel.partial_senders--;
	receives();
	pass(2 * QUIET_NS);
	receives();
	assert_told(300);
}

/* Whoever has counted just before the look is noted finds none to disturb. */
static void who_counts_in_the_middle_of_a_look_is_seen(void **state)
{
	uint64_t began_ns = pass(100);
	s64 sent;

	(void)state;
	begin(3);
	sends(A);
	sends(B);
	waiting--;
	sent = channel.sent;
	channel.received++;
	sends(A);
	reckons(began_ns, sent);
	began_ns = pass(2 * QUIET_NS);
	waiting++;
	receives();
	assert_int_equal(told_cnt, 0);
	counts(B, began_ns);
	receives();
	pass(2 * QUIET_NS);
	receives();
	assert_told(3);
}

/* A sender of a new socket has sent two before anybody looked at it. */
static void a_new_one_has_what_its_sender_sent_before(void **state)
{
	(void)state;
	begin(2);
	channel.baseline.is_new = 1;
	for (int i = 0; i < 2; i++)
		receives();
	sends(A);
	baseline_of_new_socket(&channel);
	assert_int_equal(channel.baseline.is_new, 0);
	receives();
	assert_int_equal(told_cnt, 0);
	pass(2 * QUIET_NS);
	sends(A);
	receives();
	assert_told(2);
}

/* Its second sender's first message has been taken, and is not counted yet. */
static void a_new_one_of_several_is_empty(void **state)
{
	uint64_t began_ns;

	(void)state;
	channel.baseline.is_new = 1;
	channel.baseline.has_senders = 1;
	channel.sender_thread = A;
	began_ns = pass(100);
	waiting++;
	receives();
	waiting++;
	receives();
	channel.sent++;
	baseline_of_new_socket(&channel);
	counts(B, began_ns);
	sends(A);
	receives();
	assert_told(0);
}

/* Any order of steps: each actor does its next one when it is its turn. */
struct actor {
	int step;
	bool was_held;
	uint64_t held_until_ns; /* an interrupt */
	uint64_t began_ns;
	s64 sent, received, waits;
};

static struct actor sender[SENDERS_MAX], receiver[READERS_MAX];
static s64 leftover; /* the truth */
static bool has_begun_anew;

/* It can't go on for a while, as long as one may take that is not said to starve. */
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
 * What is there, or was taken and will be counted, but not what has been put there and will be. Who
 * has begun to count does so where nobody looks any more.
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
	channel = (struct channel_state){.id = 7, .baseline.most = S64_MAX, .baseline.hint = NO_HINT};
	told_cnt = 0;
	has_begun_anew = true;
}

static void send_on(struct actor *actor, u32 tid, s64 room, uint64_t *seed)
{
	switch (actor->step) {
	case 0: /* it pauses */
		actor->step += !random_below(seed, 3);
		break;
	case 1:
		actor->began_ns = now_ns;
		actor->step++;
		break;
	case 2: /* it waits, and has gone on if there is room */
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
			baseline_from_sender(&channel, tid, actor->began_ns, actor->received, waiting);
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
	case 1: /* it waits, and has gone on if there is something */
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

/* So long another receiver may be at what he took before the start was told. */
#define LATER_STEPS 10000

/* Whether it was told. */
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
	for (int i = 0; i < 60000 && !told_cnt; i++)
		step(receivers, senders, room, seed);
	for (int i = 0; i < LATER_STEPS; i++)
		step(receivers, senders, room, seed);
	/* What was under way when it began anew may leave fewer than none. */
	if (told_cnt && told.leftover == BASELINE_UNKNOWN)
		assert_true(has_begun_anew);
	else if (told_cnt)
		assert_told(leftover);
	return told_cnt;
}

static void in_whatever_order_it_is_right(void **state)
{
	uint64_t seed = 1;
	int told_runs = 0;

	(void)state;
	for (int i = 0; i < 1000; i++)
		told_runs += run(1, &seed);
	assert_in_range(told_runs, 950, 1000);
}

static void of_several_receivers_it_is_right_if_it_is_told(void **state)
{
	uint64_t seed = 2;
	int told_runs = 0;

	(void)state;
	for (int i = 0; i < 600; i++)
		told_runs += run(2 + i % (READERS_MAX - 1), &seed);
	assert_in_range(told_runs, 300, 600);
}

/*
 *	READER      | takes ... counts ... looks |          finds one less than there was
 *	another |- takes -------------------------- counts -|
 */
static void what_another_has_taken_and_not_counted_is_no_start(void **state)
{
	uint64_t began_ns = pass(100);

	(void)state;
	begin(1);
	waiting--; /* another one */
	sends(A);
	receives();
	assert_told(0);
	assert_true(baseline_was_too_low(&channel, READER + 1, began_ns));
}

/* A sender that has put something there before, and is held up, shows only later. */
static void what_another_has_put_there_and_not_counted_is_no_start(void **state)
{
	uint64_t began_ns = pass(100);

	(void)state;
	waiting++; /* another one */
	for (int i = 0; i < 30; i++) {
		sends(A);
		receives();
	}
	receives();
	assert_told(1);
	assert_true(baseline_was_too_high(&channel, B, began_ns));
}

/* Less than nothing was there: somebody who is not traced has taken something. */
static void of_several_receivers_one_that_nobody_sees_is_noticed(void **state)
{
	(void)state;
	baseline_one_reader(&channel, READER);
	baseline_one_reader(&channel, READER + 1);
	sends(A);
	sends(A);
	sends(A);
	waiting--; /* that one */
	receives();
	pass(QUIET_NS);
	receives();
	assert_told(BASELINE_UNKNOWN);
}

/* The same once both are known: the look is taken back, and the next one that stands is right. */
static void a_look_beside_another_receiver_is_taken_back(void **state)
{
	uint64_t began_ns;

	(void)state;
	begin(4);
	baseline_one_reader(&channel, READER);
	baseline_one_reader(&channel, READER + 1);
	began_ns = pass(100);
	waiting--; /* another one */
	receives();
	assert_int_equal(told_cnt, 0);
	channel.received++;
	baseline_from_receiver(&channel, READER + 1, began_ns, 0, channel.received, WAITING_UNKNOWN);
	receives();
	pass(QUIET_NS);
	receives();
	assert_told(4);
}

#define TEST(function) cmocka_unit_test_setup(function, setup)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(of_an_empty_one_the_first_receive_tells),
		TEST(one_sender_is_believed_after_a_while),
		TEST(what_stands_for_long_enough_is_believed),
		TEST(what_is_not_counted_yet_is_no_leftover),
		TEST(it_is_not_told_while_somebody_always_sends),
		TEST(who_waits_for_room_does_not_disturb),
		TEST(who_waits_with_a_part_does),
		TEST(who_counts_in_the_middle_of_a_look_is_seen),
		TEST(a_new_one_has_what_its_sender_sent_before),
		TEST(a_new_one_of_several_is_empty),
		TEST(what_another_has_taken_and_not_counted_is_no_start),
		TEST(what_another_has_put_there_and_not_counted_is_no_start),
		TEST(of_several_receivers_one_that_nobody_sees_is_noticed),
		TEST(a_look_beside_another_receiver_is_taken_back),
		TEST(in_whatever_order_it_is_right),
		TEST(of_several_receivers_it_is_right_if_it_is_told),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

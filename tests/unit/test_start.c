/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * How the kernel side finds out what was in a channel before it counted (bpf/start.bpf.h), with
 * senders and a receiver whose steps come in any order:
 *
 *	sender      begins ... [waits for room ... goes on ...] puts ... counts
 *	receiver    begins ... takes ... reads the counter, counts ... looks what waits, reckons
 */
#include "build.h"

#include <string.h>

/* What bpf/channel.bpf.h and those below it have for that, of one channel. */
#define IPCTRACE_CHANNEL_BPF_H
#undef __always_inline
#define VERIFIED_ONCE         static
#define OUT_OF_LINE           static
#define __always_inline       inline __attribute__((unused))
#define S64_MAX               ((s64)(~0ULL >> 1))
#define NO_HINT               (-S64_MAX)
#define FETCH_ADD(pointer, n) __sync_fetch_and_add(pointer, n)
#define barrier_var(name)     __asm__ volatile("" : "+r"(name))

typedef int64_t s64;

struct channel_state {
	u64 sent, received;
	u32 id, sender_tid, reader_tid;
	s64 start_least, start_most, start_hint;
	u64 quiet_ns;
	u32 hint_receives, in_parts;
	u8 is_started, is_new, is_shared, has_readers;
};

static uint64_t now_ns;
static struct record_start told; /* the last one */
static size_t told_cnt;

static u64 bpf_ktime_get_ns(void)
{
	return now_ns;
}

static u32 bpf_get_smp_processor_id(void)
{
	return 0;
}

static u64 bpf_get_current_pid_tgid(void)
{
	return 0;
}

static struct record record_head(u32 type, u64 size, u32 cpu, u32 tid)
{
	return (struct record){.type = type, .words = size / 8, .cpu = cpu, .tid = tid};
}

static void emit(const struct record_start *start, u64 size)
{
	assert_int_equal(size, sizeof(*start));
	told = *start;
	told_cnt++;
}

#include "bpf/start.bpf.h"

enum { A = 1, B, C, SENDERS_MAX = 4 };

static struct channel_state channel;
static s64 waiting; /* messages, what was there before among them */

static void begin(s64 leftover)
{
	channel = (struct channel_state){.id = 7, .start_most = S64_MAX, .start_hint = NO_HINT};
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
	if (!channel.is_started)
		start_from_sender(&channel, tid, began_ns, received, waiting);
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
	if (!channel.is_started)
		start_from_receiver(&channel, began_ns, sent, channel.received, waiting);
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
	assert_int_equal(channel.is_started, 1);
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
	assert_int_equal(channel.start_hint, 4);
	assert_int_equal(channel.start_most, 4);
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
	channel.in_parts++;
	waiting += 50;
	for (int i = 0; i < 20; i++) {
		receives();
		pass(QUIET_NS);
	}
	assert_int_equal(told_cnt, 0);
	waiting += 50;
	channel.sent += 100;
	channel.in_parts--;
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
	channel.is_new = 1;
	for (int i = 0; i < 2; i++)
		receives();
	sends(A);
	start_empty(&channel);
	assert_int_equal(channel.is_new, 0);
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
	channel.is_new = 1;
	channel.is_shared = 1;
	channel.sender_tid = A;
	began_ns = pass(100);
	waiting++;
	receives();
	waiting++;
	receives();
	channel.sent++;
	start_empty(&channel);
	counts(B, began_ns);
	sends(A);
	receives();
	assert_told(0);
}

/* Any order of steps: each actor does its next one when it is its turn. */
struct actor {
	int step;
	uint64_t began_ns;
	s64 sent, received, waits;
};

static void send_on(struct actor *sender, u32 tid, s64 room, uint64_t *seed)
{
	switch (sender->step) {
	case 0: /* it pauses */
		sender->step += !random_below(seed, 3);
		break;
	case 1:
		sender->began_ns = now_ns;
		sender->step++;
		break;
	case 2: /* it waits, and has gone on if there is room */
		if (waiting >= room) {
			sender->began_ns = now_ns;
			break;
		}
		waiting++;
		sender->step++;
		break;
	case 3:
		sender->received = channel.received;
		channel.sent++;
		sender->step++;
		break;
	case 4:
		if (!channel.is_started)
			start_from_sender(&channel, tid, sender->began_ns, sender->received,
					  waiting);
		sender->step = 0;
		break;
	}
}

static void receive_on(struct actor *receiver)
{
	switch (receiver->step) {
	case 0:
		receiver->began_ns = now_ns;
		receiver->step++;
		break;
	case 1:
		if (!waiting)
			break;
		waiting--;
		receiver->step++;
		break;
	case 2:
		receiver->sent = channel.sent;
		receiver->step++;
		break;
	case 3:
		channel.received++;
		receiver->received = channel.received;
		receiver->step++;
		break;
	case 4:
		receiver->waits = waiting;
		receiver->step++;
		break;
	case 5:
		if (!channel.is_started)
			start_from_receiver(&channel, receiver->began_ns, receiver->sent,
					    receiver->received, receiver->waits);
		receiver->step = 0;
		break;
	}
}

static void run(uint64_t *seed)
{
	struct actor actor[1 + SENDERS_MAX] = {0};
	s64 leftover = random_below(seed, 20), room = leftover + 1 + random_below(seed, 20);
	u32 senders = 1 + random_below(seed, SENDERS_MAX);

	begin(leftover);
	for (int i = 0; i < 30000 && !told_cnt; i++) {
		u32 turn = random_below(seed, 1 + senders);

		pass(random_below(seed, 100000));
		if (turn)
			send_on(&actor[turn], turn, room, seed);
		else
			receive_on(&actor[0]);
	}
	assert_told(leftover);
}

static void in_whatever_order_it_is_right(void **state)
{
	uint64_t seed = 1;

	(void)state;
	for (int i = 0; i < 1000; i++)
		run(&seed);
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
		TEST(in_whatever_order_it_is_right),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

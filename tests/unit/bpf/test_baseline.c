/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * How the programs find the baseline of a channel (bpf/attach/baseline.bpf.h). The steps of senders
 * and receivers:
 *
 *	sender      begins ... [waits for room ... goes on ...] queues ... counts
 *	receiver    begins ... receives ... reads the counter, counts ... reads what waits
 */
#include "support/bpf_baseline.h"

static int setup(void **state)
{
	begin(0);
	return 0;
}

EACH_TEST(setup, NULL)

/* Counts a message that this thread has queued at some instant since `began_ns`. */
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

static void reads(uint64_t began_ns, s64 sent)
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
	reads(began_ns, sent);
}

/* The receive after so long finds the baseline, and emits it. */
static void assert_found_after(uint64_t ns, uint64_t leftover)
{
	pass(ns);
	receives();
	assert_emitted(leftover);
}

TEST(an_empty_channel_is_known_at_the_first_receive)
{
	sends(A);
	sends(B);
	receives();
	assert_emitted(0);
}

/* Until then, an uncounted message of another sender may be in the channel. */
TEST(a_single_sender_is_believed_after_a_while)
{
	begin(20);
	sends(A);
	for (int i = 0; i < 1 + HINT_RECEIVES; i++) {
		assert_int_equal(emitted_cnt, 0);
		receives();
	}
	assert_emitted(20);
}

/* Also if nothing more is sent, and few receives come. */
TEST(a_value_that_stands_long_enough_is_believed)
{
	begin(20);
	receives();
	pass(QUIET_NS / 2);
	receives();
	assert_int_equal(emitted_cnt, 0);
	assert_found_after(QUIET_NS / 2, 20);
}

/* A and the receiver both see B's uncounted message, and count it as leftover. */
TEST(an_uncounted_message_is_no_leftover)
{
	uint64_t began_ns;

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
	assert_int_equal(emitted_cnt, 0);
	assert_found_after(QUIET_NS, 3);
}

/* The same whenever A and the receiver read: never quiet, and never wrong. */
TEST(no_baseline_while_a_sender_is_always_active)
{
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
	assert_int_equal(emitted_cnt, 0);
	receives();
	assert_found_after(2 * QUIET_NS, 3);
}

/* Nothing of it was queued when the receiver read, though its call had begun. */
TEST(a_sender_that_waits_for_room_does_not_disturb)
{
	uint64_t resumed_ns;

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
	assert_emitted(3);
}

/* Half of B's message is queued; it is counted when all of it is. */
TEST(a_sender_that_waits_with_a_part_queued_does)
{
	begin(300);
	channel.partial_senders++;
	waiting += 50;
	for (int i = 0; i < 20; i++) {
		receives();
		pass(QUIET_NS);
	}
	assert_int_equal(emitted_cnt, 0);
	waiting += 50;
	channel.sent += 100;
	channel.partial_senders--;
	receives();
	assert_found_after(2 * QUIET_NS, 300);
}

/* A sender that counts just before a value is noted finds none to contradict. */
TEST(a_sender_that_counts_amid_a_reading_is_seen)
{
	uint64_t began_ns = pass(100);
	s64 sent;

	begin(3);
	sends(A);
	sends(B);
	waiting--;
	sent = channel.sent;
	channel.received++;
	sends(A);
	reads(began_ns, sent);
	began_ns = pass(2 * QUIET_NS);
	waiting++;
	receives();
	assert_int_equal(emitted_cnt, 0);
	counts(B, began_ns);
	receives();
	assert_found_after(2 * QUIET_NS, 3);
}

/* A sender of a new socket has sent two messages before the channel was traced. */
TEST(a_new_channel_has_what_its_sender_sent_before)
{
	begin(2);
	channel.baseline.is_new = 1;
	for (int i = 0; i < 2; i++)
		receives();
	sends(A);
	baseline_of_new_socket(&channel);
	assert_int_equal(channel.baseline.is_new, 0);
	receives();
	assert_int_equal(emitted_cnt, 0);
	pass(2 * QUIET_NS);
	sends(A);
	receives();
	assert_emitted(2);
}

/* The second sender's first message has been received, and is not counted yet. */
TEST(a_new_channel_of_several_senders_is_empty)
{
	uint64_t began_ns;

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
	assert_emitted(0);
}

/*
 *	READER      | receives ... counts ... reads |          finds one less than there was
 *	another |- receives -------------------------- counts -|
 */
TEST(an_uncounted_receive_makes_the_baseline_too_low)
{
	uint64_t began_ns = pass(100);

	begin(1);
	waiting--; /* another receiver */
	sends(A);
	receives();
	assert_emitted(0);
	assert_true(baseline_was_too_low(&channel, READER + 1, began_ns));
}

/* The send of a delayed sender shows only later. */
TEST(an_uncounted_send_makes_the_baseline_too_high)
{
	uint64_t began_ns = pass(100);

	waiting++; /* another sender */
	for (int i = 0; i < 30; i++) {
		sends(A);
		receives();
	}
	receives();
	assert_emitted(1);
	assert_true(baseline_was_too_high(&channel, B, began_ns));
}

/* Less than nothing was there: an untraced thread has received something. */
TEST(an_untraced_receiver_among_several_is_noticed)
{
	baseline_one_reader(&channel, READER);
	baseline_one_reader(&channel, READER + 1);
	sends(A);
	sends(A);
	sends(A);
	waiting--; /* the untraced thread */
	receives();
	assert_found_after(QUIET_NS, BASELINE_UNKNOWN);
}

/* With both receivers known, the value is dropped, and the next one that stands is right. */
TEST(a_value_found_amid_another_receive_is_dropped)
{
	uint64_t began_ns;

	begin(4);
	baseline_one_reader(&channel, READER);
	baseline_one_reader(&channel, READER + 1);
	began_ns = pass(100);
	waiting--; /* another receiver */
	receives();
	assert_int_equal(emitted_cnt, 0);
	channel.received++;
	baseline_from_receiver(&channel, READER + 1, began_ns, 0, channel.received,
			       WAITING_UNKNOWN);
	receives();
	assert_found_after(QUIET_NS, 4);
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* Datagrams that the kernel dropped: by channel and reason, and what their senders waited for. */
#include "support/build.h"

#include "analysis/attach/drops.h"

enum { ONE = 7, OTHER = 8, SENDER = 100, OTHER_SENDER = 101 };

static struct drops *drops;
static struct join *join;
static struct drops_summary sum;

static int setup(void **state)
{
	drops = drops__new();
	join = join__new();
	return drops && join ? 0 : -1;
}

static int teardown(void **state)
{
	drops__free(drops);
	join__free(join);
	return 0;
}

EACH_TEST(setup, teardown)

static void put_drop(uint32_t channel, uint32_t reason, uint64_t at_ns, uint64_t buffer_bytes)
{
	const struct record_drop record = {
		.head = record_head(RECORD_DROP, sizeof(record), 0, SENDER),
		.channel = channel,
		.reason = reason,
		.at_ns = at_ns,
		.buffer_bytes = buffer_bytes,
	};

	assert_int_equal(drops__record(drops, join, &record), 0);
}

static void put_timeout(uint32_t tid, uint32_t flags, uint64_t started_ns, uint64_t asked_ns)
{
	struct record_timeout record = {
		.head = record_head(RECORD_TIMEOUT, sizeof(record), 0, tid),
		.started_ns = started_ns,
		.asked_ns = asked_ns,
		.wake_ns = started_ns + asked_ns,
	};

	record.head.flags = flags;
	drops__timeout(drops, &record);
}

static void put_received(uint32_t tid, uint64_t exit_ns)
{
	const struct record_receive record = {
		.head = record_head(RECORD_RECEIVE, sizeof(record), 0, tid), .exit_ns = exit_ns};

	drops__received(drops, &record);
}

static uint64_t timeouts(void)
{
	drops__finish(drops, &sum);
	return sum.timeouts;
}

TEST(without_records_nothing_is_known)
{
	put_timeout(SENDER, TIMEOUT_FOR_DATA, 1000, 500);
	put_received(SENDER, 1100);
	assert_int_equal(timeouts(), 0);
	assert_int_equal(sum.channel_cnt, 0);
}

TEST(the_most_frequent_reason_of_a_channel_is_found)
{
	put_drop(ONE, DROP_FILTER, 1000, 0);
	put_drop(ONE, DROP_FILTER, 1001, 0);
	put_drop(OTHER, DROP_BUFFER_FULL, 1002, 2304);
	put_drop(OTHER, DROP_BUFFER_FULL, 1003, 2304);
	put_drop(OTHER, DROP_BUFFER_FULL, 1004, 0);
	put_drop(OTHER, DROP_CHECKSUM, 1005, 0);
	drops__finish(drops, &sum);
	assert_int_equal(sum.channel, OTHER);
	assert_int_equal(sum.channel_reason, DROP_BUFFER_FULL);
	assert_int_equal(sum.channel_cnt, 3);
	assert_int_equal(sum.buffer_bytes, 2304);
	assert_int_equal(sum.reason[DROP_FILTER], 2);
	assert_int_equal(sum.reason[DROP_CHECKSUM], 1);
}

/* A newer kernel may have others. */
TEST(an_unknown_number_is_another_reason)
{
	put_drop(ONE, NR_DROP_REASONS, 1000, 0);
	put_drop(ONE, UINT32_MAX, 1000, 0);
	drops__finish(drops, &sum);
	assert_int_equal(sum.reason[DROP_OTHER], 2);
}

/*
 *	dropped 1000    waits 1100 ..... timeout 1600
 */
TEST(a_sender_that_waits_after_a_loss_is_counted)
{
	put_drop(ONE, DROP_BUFFER_FULL, 1000, 0);
	put_timeout(SENDER, TIMEOUT_FOR_DATA, 1100, 500);
	assert_int_equal(timeouts(), 1);
	assert_int_equal(sum.timeout_least_ns, 500);
	assert_int_equal(sum.timeout_tid, SENDER);
}

TEST(timeouts_have_a_range)
{
	put_drop(ONE, DROP_BUFFER_FULL, 1000, 0);
	put_timeout(SENDER, TIMEOUT_FOR_DATA, 1100, 500);
	put_drop(ONE, DROP_BUFFER_FULL, 2000, 0);
	put_timeout(SENDER, TIMEOUT_FOR_DATA | TIMEOUT_IN_TICKS, 2100, 900);
	assert_int_equal(timeouts(), 2);
	assert_int_equal(sum.timeout_least_ns, 500);
	assert_int_equal(sum.timeout_most_ns, 900);
}

/* It sleeps, or is another thread, or began to wait before. */
TEST(other_sleeps_are_not)
{
	put_drop(ONE, DROP_BUFFER_FULL, 1000, 0);
	put_timeout(SENDER, 0, 1100, 500);
	put_timeout(OTHER_SENDER, TIMEOUT_FOR_DATA, 1100, 500);
	put_timeout(SENDER, TIMEOUT_FOR_DATA, 900, 500);
	put_timeout(SENDER, TIMEOUT_FOR_DATA, 1100, 0);
	assert_int_equal(timeouts(), 0);
}

/* One loss has one wait, though the sender then polls again and again. */
TEST(a_loss_counts_once)
{
	put_drop(ONE, DROP_BUFFER_FULL, 1000, 0);
	for (uint64_t at_ns = 1100; at_ns < 9000; at_ns += 600)
		put_timeout(SENDER, TIMEOUT_FOR_DATA, at_ns, 500);
	assert_int_equal(timeouts(), 1);
}

/* An answer came between the loss and the end of the sleep; its record comes before or after. */
TEST(a_sender_with_an_answer_has_not_waited_for_it)
{
	put_drop(ONE, DROP_BUFFER_FULL, 1000, 0);
	put_received(SENDER, 1050);
	put_timeout(SENDER, TIMEOUT_FOR_DATA, 1100, 500);
	assert_int_equal(timeouts(), 0);
	put_drop(ONE, DROP_BUFFER_FULL, 2000, 0);
	put_timeout(SENDER, TIMEOUT_FOR_DATA, 2100, 500);
	put_received(SENDER, 2050);
	assert_int_equal(timeouts(), 0);
}

TEST(what_is_received_before_or_behind_is_no_answer)
{
	put_received(SENDER, 900);
	put_drop(ONE, DROP_BUFFER_FULL, 1000, 0);
	put_received(SENDER, 950);
	put_timeout(SENDER, TIMEOUT_FOR_DATA, 1100, 500);
	put_received(SENDER, 1700);
	put_received(OTHER_SENDER, 1200);
	assert_int_equal(timeouts(), 1);
}

/* The last records of the sleep come with a watermark. */
TEST(a_wait_is_settled_when_its_records_have_come)
{
	put_drop(ONE, DROP_BUFFER_FULL, 1000, 0);
	put_timeout(SENDER, TIMEOUT_FOR_DATA, 1100, 500);
	drops__settle(drops, 1600);
	put_received(SENDER, 1550);
	drops__settle(drops, 1601);
	assert_int_equal(timeouts(), 0);
}

TEST(there_may_be_many_channels_and_senders)
{
	for (uint32_t i = 0; i < 2 * DROPS_CHANNELS_MAX; i++)
		put_drop(i, DROP_BUFFER_FULL, 1000 + i, 1);
	drops__finish(drops, &sum);
	assert_int_equal(sum.reason[DROP_BUFFER_FULL], 2 * DROPS_CHANNELS_MAX);
	assert_int_equal(sum.channel_cnt, 1);
}

static void put_later(uint64_t position)
{
	struct record_drop later = {.head = record_head(RECORD_DROP, sizeof(later), 0, 0),
				    .channel = ONE,
				    .reason = DROP_BUFFER_FULL,
				    .position = position,
				    .at_ns = 1000};

	later.head.flags = DROP_LATER;
	assert_int_equal(drops__record(drops, join, &later), 0);
}

static void put_sent_datagram(uint32_t channel, uint64_t position)
{
	struct record_send send = make_send(SENDER, channel, position, 900, 950);

	assert_int_equal(join__send(join, &send), 0);
	assert_int_equal(drops__sent(drops, join, &send), 0);
}

static uint64_t full(void)
{
	drops__finish(drops, &sum);
	return sum.reason[DROP_BUFFER_FULL];
}

TEST(a_later_drop_and_its_send_come_in_any_order)
{
	put_sent_datagram(ONE, 3);
	put_later(3);
	assert_int_equal(full(), 1);
	put_later(4);
	put_sent_datagram(OTHER, 4);
	put_sent_datagram(ONE, 5);
	assert_int_equal(full(), 1);
	put_sent_datagram(ONE, 4);
	assert_int_equal(full(), 2);
	put_sent_datagram(ONE, 4);
	assert_int_equal(full(), 2);
}

TEST(the_sender_of_a_later_drop_waits_for_it)
{
	put_later(3);
	put_sent_datagram(ONE, 3);
	put_timeout(SENDER, TIMEOUT_FOR_DATA, 1100, 500);
	assert_int_equal(timeouts(), 1);
	assert_int_equal(sum.timeout_tid, SENDER);
}

/* Their sends may never come. */
TEST(the_oldest_later_drop_is_forgotten)
{
	for (uint64_t i = 0; i <= DROPS_KEPT_MAX; i++)
		put_later(i);
	put_sent_datagram(ONE, 0);
	assert_int_equal(full(), 0);
	put_sent_datagram(ONE, 1);
	put_sent_datagram(ONE, DROPS_KEPT_MAX);
	assert_int_equal(full(), 2);
}

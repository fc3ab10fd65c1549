/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Datagrams whose receives were not seen, by hand. A datagram is queued 50 ns after its send
 * begins.
 */
#include "support/build.h"

#include "analysis/attach/datagram_inbox.h"
#include "analysis/attach/datagrams.h"

enum { SOCKET = 77, TO = 12, CHANNEL = 3, OTHER = 4, UNMAPPED = 5 };
enum { SENDER = 201, READER = 101, READER_2 = 102, READER_3 = 103 };

#define NOW        10000ULL
#define LATE       100001000ULL
#define MUCH_LATER 500000000ULL
#define FOR_EVER   5000000000ULL

static struct datagrams *datagrams;
static struct join *join;
static struct baselines baselines;
static struct channel_table *channels;
static size_t unknown;

/* What has both ends. */
static struct {
	struct joined joined[8];
	size_t cnt;
} out;

static int put(void *ctx, const struct record_receive *receive, size_t change_cnt)
{
	assert_int_equal(change_cnt, 5);
	return join__receive(ctx, receive, change_cnt);
}

static void count_unknown(void *ctx, const struct record_receive *receive)
{
	assert_int_equal(receive->channel, CHANNEL_UNKNOWN);
	unknown++;
}

static struct channel *channel_of(uint32_t id)
{
	return channel_table__make(channels, id);
}

static int setup(void **state)
{
	struct record_channel sends = make_channel(CHANNEL, TRANSPORT_UDP, 11, TO);
	struct record_channel arrives = make_channel(CHANNEL, TRANSPORT_UDP, 0, SOCKET);
	struct record_channel other = make_channel(OTHER, TRANSPORT_UDP, 13, TO);

	out.cnt = unknown = 0;
	join = join__new();
	baselines = (struct baselines){0};
	channels = channel_table__new(NULL, join, &baselines);
	datagrams = datagrams__new(channels, join, put, join, count_unknown, join);
	if (!join || !channels || !datagrams)
		return -1;
	datagrams__channel(datagrams, channel_of(CHANNEL), &sends);
	datagrams__channel(datagrams, channel_of(CHANNEL), &arrives);
	datagrams__channel(datagrams, channel_of(OTHER), &other); /* to the same address */
	return 0;
}

static int teardown(void **state)
{
	datagrams__free(datagrams);
	channel_table__free(channels);
	join__free(join);
	return 0;
}

EACH_TEST(setup, teardown)

static void send(uint32_t channel, uint64_t position, uint64_t send_ns)
{
	struct record_send send = make_send(SENDER, channel, position, send_ns, send_ns + 50);

	assert_int_equal(join__send(join, &send), 0);
}

/* Adds a receive that has seen its datagram. */
static void receive_by(uint32_t tid, uint64_t position, uint64_t enter_ns, uint64_t exit_ns)
{
	struct record_receive receive = make_receive(tid, CHANNEL, position, enter_ns, exit_ns);

	assert_int_equal(join__receive(join, &receive, 5), 0);
	assert_int_equal(
		datagrams__received(datagrams, channel_of(receive.channel), &receive, enter_ns), 0);
}

/* Adds a receive that has not seen it; it was over `taken_ns` after it began. */
static void miss_by(uint32_t tid, uint64_t flags, uint64_t enter_ns, uint32_t taken_ns,
		    uint64_t exit_ns)
{
	struct record_receive receive = make_receive(
		tid, CHANNEL_UNKNOWN, (uint64_t)SOCKET << UNSEEN_SHIFT | flags, enter_ns, exit_ns);

	receive.bytes = taken_ns;
	assert_int_equal(datagrams__unseen(datagrams, &receive, 5, enter_ns), 0);
}

static bool note(void *ctx, const struct joined *joined)
{
	assert_true(out.cnt < ARRAY_SIZE(out.joined));
	out.joined[out.cnt++] = *joined;
	return true;
}

static void settle_at(uint64_t before_ns, bool is_last)
{
	assert_int_equal(datagrams__settle(datagrams, before_ns, is_last), 0);
	before_ns = datagrams__known_ns(datagrams, before_ns);
	assert_int_equal(join__settle(join, before_ns, note, NULL), 0);
}

static void settle(uint64_t before_ns)
{
	settle_at(before_ns, before_ns == UINT64_MAX);
}

static void assert_out(size_t i, uint64_t position, uint64_t enter_ns, bool is_ambiguous)
{
	assert_true(i < out.cnt);
	assert_int_equal(out.joined[i].send.position, position);
	assert_int_equal(out.joined[i].receive.position, position);
	assert_int_equal(out.joined[i].receive.enter_ns, enter_ns);
	assert_int_equal(out.joined[i].is_ambiguous, is_ambiguous);
}

/* Empty before and after, and this one came in between. */
TEST(the_only_datagram_that_came_was_received)
{
	send(CHANNEL, 0, 100);
	miss_by(READER, UNSEEN_CAME_SINCE | UNSEEN_LEFT_NOTHING, 120, 60, 200);
	settle(NOW);
	assert_int_equal(out.cnt, 1);
	assert_out(0, 0, 120, false);
}

TEST(what_may_be_in_the_queue_still_waits)
{
	send(CHANNEL, 0, 100); /* queued at 150, and it was over at 140 */
	miss_by(READER, UNSEEN_CAME_SINCE | UNSEEN_LEFT_NOTHING, 120, 20, 200);
	settle(NOW);
	assert_int_equal(out.cnt, 0);
	/* What was sent after it was queued has been received. */
	datagrams__joined(datagrams, channel_of(OTHER), 149);
	settle(NOW);
	assert_int_equal(out.cnt, 0);
	datagrams__joined(datagrams, channel_of(OTHER), 150);
	settle(NOW);
	assert_out(0, 0, 120, false);
}

TEST(datagrams_of_other_reads_are_left_out)
{
	send(CHANNEL, 0, 100);
	send(OTHER, 0, 110);
	miss_by(READER, UNSEEN_CAME_SINCE | UNSEEN_LEFT_NOTHING, 120, 60, 200);
	settle(NOW);
	assert_int_equal(out.cnt, 0);
	receive_by(READER, 0, 300, 400);
	settle(NOW);
	assert_int_equal(out.cnt, 2);
	assert_int_equal(out.joined[0].send.channel, OTHER);
	assert_out(0, 0, 120, false);
}

TEST(datagrams_queued_before_or_sent_after_were_not_received)
{
	send(CHANNEL, 0, 60);
	send(CHANNEL, 1, 201);
	miss_by(READER, UNSEEN_CAME_SINCE | UNSEEN_LEFT_NOTHING, 120, 60, 200);
	settle(FOR_EVER);
	assert_int_equal(out.cnt, 0);
	assert_int_equal(unknown, 1);
}

/* It may have been received elsewhere. */
TEST(what_went_to_a_group_is_not_found_out)
{
	channel_of(CHANNEL)->usage.to_group = true;
	send(CHANNEL, 0, 100);
	miss_by(READER, UNSEEN_CAME_SINCE | UNSEEN_LEFT_NOTHING, 120, 60, 200);
	settle(UINT64_MAX);
	assert_int_equal(out.cnt, 0);
	assert_int_equal(unknown, 1);
}

TEST(a_dropped_datagram_was_not_received)
{
	struct record_send dropped = make_send(SENDER, CHANNEL, 0, 130, 0);

	join__send(join, &dropped);
	miss_by(READER, UNSEEN_CAME_SINCE, 120, 60, 200);
	settle(FOR_EVER);
	assert_int_equal(out.cnt, 0);
	assert_int_equal(unknown, 1);
}

TEST(a_read_without_a_known_send_is_given_up)
{
	send(UNMAPPED, 0, 100); /* to an unknown socket */
	miss_by(READER, UNSEEN_CAME_SINCE, 120, 60, 200);
	settle(NOW);
	assert_int_equal(unknown, 0);
	settle(MUCH_LATER);
	assert_int_equal(unknown, 1);
	settle(FOR_EVER);
	assert_int_equal(unknown, 1);
}

/* The record of the earlier one comes later, from another CPU. */
TEST(the_earlier_receive_chooses_first)
{
	send(CHANNEL, 0, 100);
	send(CHANNEL, 1, 300);
	miss_by(READER, 0, 320, 60, 400);
	miss_by(READER_2, 0, 120, 60, 200);
	settle(FOR_EVER);
	assert_int_equal(unknown, 0);
	assert_int_equal(out.cnt, 2);
	assert_out(0, 0, 120, true);
	assert_out(1, 1, 320, true);
}

TEST(in_the_end_the_likely_one_is_ambiguous)
{
	send(OTHER, 0, 110);
	send(CHANNEL, 0, 100);
	miss_by(READER, UNSEEN_CAME_SINCE, 120, 60, 200);
	settle(MUCH_LATER);
	assert_int_equal(out.cnt, 0);
	settle(FOR_EVER);
	assert_int_equal(out.cnt, 1);
	assert_int_equal(out.joined[0].send.channel, CHANNEL);
	assert_out(0, 0, 120, true);
}

TEST(at_the_end_nothing_waits)
{
	send(CHANNEL, 0, 100);
	miss_by(READER, UNSEEN_CAME_SINCE, 120, 60, 200);
	miss_by(READER, UNSEEN_CAME_SINCE, 220, 60, 300);
	settle(UINT64_MAX);
	assert_int_equal(out.cnt, 1);
	assert_out(0, 0, 120, true);
	assert_int_equal(unknown, 1);
}

TEST(readers_that_all_saw_are_certain)
{
	send(CHANNEL, 0, 100);
	send(CHANNEL, 1, 110);
	receive_by(READER, 0, 200, 300);
	receive_by(READER_2, 1, 250, 350);
	settle(MUCH_LATER);
	assert_int_equal(out.cnt, 2);
	assert_out(0, 0, 200, false);
	assert_out(1, 1, 250, false);
}

/* READER_2 may have received 0, and READER 1. */
TEST(with_one_that_did_not_see_none_is_certain)
{
	send(CHANNEL, 0, 100);
	send(CHANNEL, 1, 110);
	send(CHANNEL, 2, 410);
	receive_by(READER, 0, 120, 300);
	miss_by(READER_2, UNSEEN_CAME_SINCE | UNSEEN_LEFT_NOTHING, 130, 120, 350);
	receive_by(READER, 2, 500, 600);
	settle(MUCH_LATER);
	assert_int_equal(out.cnt, 3);
	assert_out(0, 0, 120, true);
	assert_out(1, 1, 130, true);
	assert_out(2, 2, 500, false);
}

/* READER_2 saw 0 before READER received it, and received 1, sent after READER's end. */
TEST(a_datagram_seen_by_another_may_have_been_received)
{
	send(CHANNEL, 0, 100);
	send(CHANNEL, 1, 400);
	receive_by(READER_2, 0, 160, 600);
	miss_by(READER, UNSEEN_CAME_SINCE, 120, 60, 200);
	settle(NOW);
	assert_int_equal(out.cnt, 0);
	settle(MUCH_LATER);
	assert_int_equal(unknown, 0);
	assert_int_equal(out.cnt, 2);
	assert_out(0, 0, 120, true);
	assert_out(1, 1, 160, true);
}

/* As above, and READER_3 saw 1 before READER_2 received it. */
TEST(several_reads_may_have_received_the_next_datagram)
{
	send(CHANNEL, 0, 100);
	send(CHANNEL, 1, 400);
	send(CHANNEL, 2, 700);
	receive_by(READER_2, 0, 160, 600);
	receive_by(READER_3, 1, 500, 900);
	miss_by(READER, UNSEEN_CAME_SINCE, 120, 60, 200);
	settle(MUCH_LATER);
	assert_int_equal(unknown, 0);
	assert_int_equal(out.cnt, 3);
	assert_out(0, 0, 120, true);
	assert_out(1, 1, 160, true);
	assert_out(2, 2, 500, true);
}

/* 1 seemed to be READER's until the record of READER_3, which can have received nothing else. */
TEST(what_has_been_found_may_move_on)
{
	send(CHANNEL, 0, 100);
	send(CHANNEL, 1, 180);
	send(CHANNEL, 2, 400);
	receive_by(READER_2, 0, 160, 600);
	miss_by(READER, 0, 120, 60, 250);
	settle(LATE);
	miss_by(READER_3, UNSEEN_CAME_SINCE, 200, 60, 300);
	settle(LATE + 100);
	assert_int_equal(out.cnt, 0);
	settle(MUCH_LATER);
	assert_int_equal(unknown, 0);
	assert_int_equal(out.cnt, 3);
	assert_out(0, 0, 120, true);
	assert_out(1, 1, 200, true);
	assert_out(2, 2, 160, true);
}

/* READER has received something else: when it was over, READER_2 had not begun. */
TEST(a_later_read_keeps_the_datagram_it_saw)
{
	send(CHANNEL, 0, 100);
	send(CHANNEL, 1, 400);
	miss_by(READER, UNSEEN_CAME_SINCE, 120, 60, 200);
	receive_by(READER_2, 0, 201, 600);
	settle(MUCH_LATER);
	assert_int_equal(unknown, 1);
	assert_int_equal(out.cnt, 1);
	assert_out(0, 0, 201, false);
}

/* 1 is before 0: a thread that saw 0 first cannot have received it. */
TEST(no_read_goes_back_in_the_queue)
{
	send(CHANNEL, 1, 20);
	send(CHANNEL, 0, 100);
	receive_by(READER_2, 0, 160, 600);
	miss_by(READER, UNSEEN_CAME_SINCE, 120, 60, 200);
	settle(MUCH_LATER);
	assert_int_equal(unknown, 0);
	assert_int_equal(out.cnt, 2);
	assert_out(0, 1, 120, true);
	assert_out(1, 0, 160, true);
}

/* Another was at the queue, too, when READER_2 found nothing there. */
TEST(of_a_shared_queue_nothing_may_be_overlooked)
{
	send(CHANNEL, 0, 10);
	send(CHANNEL, 1, 20); /* queued at 70 */
	receive_by(READER, 0, 80, 150);
	miss_by(READER_2, UNSEEN_CAME_SINCE, 120, 60, 200);
	settle(MUCH_LATER);
	assert_int_equal(unknown, 0);
	assert_int_equal(out.cnt, 2);
	assert_out(0, 0, 80, true);
	assert_out(1, 1, 120, true);
}

/* When it is handed out nothing can be moved. */
TEST(at_the_end_a_datagram_seen_by_another_may_have_been_received)
{
	send(CHANNEL, 0, 100);
	send(CHANNEL, 1, 400);
	receive_by(READER_2, 0, 160, 600);
	miss_by(READER, UNSEEN_CAME_SINCE, 120, 60, 200);
	settle_at(UINT64_MAX, false);
	assert_int_equal(out.cnt, 2);
	assert_out(0, 0, 120, true);
	assert_out(1, 1, 160, true);
}

/* The record of a thread that was interrupted in its call comes late. */
TEST(of_a_shared_socket_messages_are_held)
{
	receive_by(READER, 0, 120, 300);
	assert_int_equal(datagrams__known_ns(datagrams, NOW), NOW);
	receive_by(READER_2, 1, 400, 500);
	assert_int_equal(datagrams__known_ns(datagrams, NOW), 0);
	assert_int_equal(datagrams__known_ns(datagrams, MUCH_LATER), MUCH_LATER - 200000000);
	assert_int_equal(datagrams__known_ns(datagrams, UINT64_MAX), UINT64_MAX);
}

TEST(no_more_than_so_many_are_remembered)
{
	for (uint64_t i = 0; i < 2 * DATAGRAM_INBOX_UNSEEN_MAX; i++)
		miss_by(READER, UNSEEN_CAME_SINCE, 1000 + 10 * i, 5, 1005 + 10 * i);
	settle(2000);
	assert_int_equal(unknown, DATAGRAM_INBOX_UNSEEN_MAX);
	settle(MUCH_LATER);
	assert_int_equal(unknown, 2 * DATAGRAM_INBOX_UNSEEN_MAX);
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* Which of several threads' sends and receives are certain to be at their position, by hand. */
#include "support/build.h"

#include "analysis/attach/overlap.h"

#include <string.h>

enum { CHANNEL = 7, ONE = 101, TWO = 102, READER = 201 };

static struct overlap *overlap;
static struct join *join;
static bool is_ambiguous[8];
static bool is_queue;
static unsigned settled_cnt, ambiguous_cnt;

static int setup(void **state)
{
	memset(is_ambiguous, 0, sizeof(is_ambiguous));
	is_queue = false;
	settled_cnt = ambiguous_cnt = 0;
	join = join__new();
	overlap = join ? overlap__new(join) : NULL;
	return overlap ? 0 : -1;
}

static int teardown(void **state)
{
	overlap__free(overlap);
	join__free(join);
	return 0;
}

EACH_TEST(setup, teardown)

static void access(bool receives, uint32_t tid, uint64_t position, uint64_t from_ns,
		   uint64_t until_ns)
{
	const struct end_access access = {.channel = CHANNEL,
					  .receives = receives,
					  .tid = tid,
					  .position = position,
					  .is_queue = is_queue,
					  .from_ns = from_ns,
					  .until_ns = until_ns};

	assert_int_equal(overlap__add(overlap, &access), 0);
}

/* Both ends of a message, each of which may have been at any instant from .. until. */
static void sent(uint32_t tid, uint64_t position, uint64_t from_ns, uint64_t until_ns)
{
	struct record_send send = make_send(tid, CHANNEL, position, from_ns, until_ns);

	assert_int_equal(join__send(join, &send), 0);
	access(false, tid, position, from_ns, until_ns);
}

static void received(uint32_t tid, uint64_t position, uint64_t from_ns, uint64_t until_ns)
{
	struct record_receive receive = make_receive(tid, CHANNEL, position, from_ns, until_ns);

	assert_int_equal(join__receive(join, &receive, 0), 0);
	access(true, tid, position, from_ns, until_ns);
}

static bool note(void *ctx, const struct joined *joined)
{
	is_ambiguous[joined->seq] = joined->is_ambiguous;
	settled_cnt++;
	ambiguous_cnt += joined->is_ambiguous;
	return true;
}

static void settle(uint64_t before_ns)
{
	overlap__settle(overlap, before_ns);
	assert_int_equal(join__settle(join, before_ns, note, NULL), 0);
}

TEST(threads_that_take_turns_are_certain)
{
	sent(ONE, 0, 100, 200);
	sent(TWO, 1, 210, 300);
	sent(ONE, 2, 310, 400);
	for (uint64_t i = 0; i < 3; i++)
		received(READER, i, 500 + 100 * i, 550 + 100 * i);
	settle(1000);
	assert_false(is_ambiguous[0] || is_ambiguous[1] || is_ambiguous[2]);
}

/* As many as a full ring may hold, after ipctrace was held up. */
TEST(so_are_the_ends_of_a_hundred_thousand_channels)
{
	for (uint32_t channel = 1; channel <= 100000; channel++) {
		const struct record_send send = make_send(ONE, channel, 0, 10, 20);
		const struct record_receive receive = make_receive(READER, channel, 0, 30, 40);
		const struct end_access given = {
			.channel = channel, .tid = ONE, .from_ns = 10, .until_ns = 20};
		const struct end_access received = {.channel = channel,
						    .receives = true,
						    .tid = READER,
						    .from_ns = 30,
						    .until_ns = 40};

		assert_int_equal(join__send(join, &send), 0);
		assert_int_equal(overlap__add(overlap, &given), 0);
		assert_int_equal(join__receive(join, &receive, 0), 0);
		assert_int_equal(overlap__add(overlap, &received), 0);
	}
	settle(1000);
	assert_int_equal(settled_cnt, 100000);
	assert_int_equal(ambiguous_cnt, 0);
}

/* Records come in any order: those of one CPU together. */
TEST(sends_at_the_same_time_are_not)
{
	sent(ONE, 0, 100, 200);
	sent(ONE, 2, 310, 400);
	sent(TWO, 1, 150, 300);
	for (uint64_t i = 0; i < 3; i++)
		received(READER, i, 500 + 100 * i, 550 + 100 * i);
	settle(1000);
	assert_true(is_ambiguous[0] && is_ambiguous[1]);
	assert_false(is_ambiguous[2]);
}

TEST(nor_are_receives)
{
	for (uint64_t i = 0; i < 3; i++)
		sent(READER, i, 10 * i, 10 * i + 5);
	received(ONE, 0, 100, 200);
	received(TWO, 1, 200, 300);
	received(ONE, 2, 310, 400);
	settle(1000);
	assert_true(is_ambiguous[0] && is_ambiguous[1]);
	assert_false(is_ambiguous[2]);
}

TEST(a_message_waits_for_late_records)
{
	sent(ONE, 0, 100, 200);
	assert_int_equal(overlap__known_ns(overlap, 1000), 1000);
	sent(TWO, 1, 210, 300);
	assert_int_equal(overlap__known_ns(overlap, 1000), 0);
	assert_int_equal(overlap__known_ns(overlap, 200000000), 100000000);
	assert_int_equal(overlap__known_ns(overlap, UINT64_MAX), UINT64_MAX);
}

/* It was interrupted on its way out, when all others had long been settled. */
TEST(a_late_access_is_still_compared)
{
	sent(ONE, 0, 100, 200);
	sent(TWO, 1, 210, 300);
	overlap__settle(overlap, 1000);
	sent(ONE, 2, 250, 5000);
	received(READER, 1, 500, 550);
	settle(6000);
	assert_true(is_ambiguous[1]);
}

/* A send that was not counted is recorded without a position. */
TEST(a_send_may_have_another_one_beside_it)
{
	sent(ONE, 0, 100, 200);
	access(false, TWO, POSITION_NONE, 150, 300);
	sent(ONE, 1, 310, 400);
	for (uint64_t i = 0; i < 2; i++)
		received(READER, i, 500 + 100 * i, 550 + 100 * i);
	settle(1000);
	assert_true(is_ambiguous[0]);
	assert_false(is_ambiguous[1]);
}

static void receives_two_of_four_after_the_stop(void)
{
	for (uint64_t i = 0; i < 4; i++)
		received(READER, i, 500 + 100 * i, 550 + 100 * i);
	overlap__stop(overlap, 700);
	settle(600);
	settle(UINT64_MAX);
}

/* Another reader may have received something before it, and not be done. */
TEST(several_readers_make_receives_after_the_stop_ambiguous)
{
	for (uint64_t i = 0; i < 4; i++)
		sent(ONE, i, 10 * i, 10 * i + 5);
	access(true, TWO, POSITION_NONE, 400, 410);
	receives_two_of_four_after_the_stop();
	assert_false(is_ambiguous[0] || is_ambiguous[1]);
	assert_true(is_ambiguous[2] && is_ambiguous[3]);
}

TEST(one_reader_does_not)
{
	for (uint64_t i = 0; i < 4; i++)
		sent(ONE, i, 10 * i, 10 * i + 5);
	receives_two_of_four_after_the_stop();
	assert_false(is_ambiguous[2] || is_ambiguous[3]);
}

/* It has something of the channel, perhaps, and comes with it when all is settled. */
static void starves(uint32_t tid, uint64_t from_ns, uint64_t until_ns)
{
	const struct record_starving starving = {.head = {.tid = tid},
						 .at_queue = is_queue,
						 .from_ns = from_ns,
						 .until_ns = until_ns};

	assert_int_equal(overlap__starve(overlap, &starving), 0);
}

/* Both have been at it before, in turns; then one gets no CPU. */
static void receive_four_beside_a_starving_reader(void)
{
	for (uint64_t i = 0; i < 6; i++)
		sent(READER, i, 10 * i, 10 * i + 5);
	received(TWO, 0, 100, 200);
	received(ONE, 1, 300, 400);
	starves(TWO, 500, 600);
	received(ONE, 2, 450, 480);
	received(ONE, 3, 510, 520);
	starves(TWO, 500, 700);
	received(ONE, 4, 650, 690);
	received(ONE, 5, 700000000, 700000100);
}

TEST(a_receive_beside_a_starving_reader_is_ambiguous)
{
	receive_four_beside_a_starving_reader();
	settle(1000000000);
	assert_false(is_ambiguous[0] || is_ambiguous[1] || is_ambiguous[2]);
	assert_true(is_ambiguous[3] && is_ambiguous[4]);
	assert_false(is_ambiguous[5]);
}

/* Its record came in time, and is forgotten when nothing depends on it any more. */
TEST(an_old_starvation_is_forgotten)
{
	starves(TWO, 500, 600);
	overlap__settle(overlap, 200000600);
	sent(ONE, 0, 510, 520);
	sent(TWO, 1, 530, 540);
	overlap__settle(overlap, 200000601);
	received(READER, 0, 700, 710);
	received(READER, 1, 720, 730);
	settle(200000700);
	assert_true(is_ambiguous[0] && is_ambiguous[1]);
	sent(ONE, 2, 510, 520);
	sent(TWO, 3, 530, 540);
	received(READER, 2, 740, 750);
	received(READER, 3, 760, 770);
	settle(200000800);
	assert_false(is_ambiguous[2] || is_ambiguous[3]);
}

TEST(a_single_reader_of_a_stream_is_certain_beside_a_starving_thread)
{
	sent(READER, 0, 10, 15);
	starves(TWO, 100, 200);
	received(ONE, 0, 150, 160);
	assert_false(overlap__shared(overlap));
	settle(1000);
	assert_false(is_ambiguous[0]);
}

/* It may have been handed its first message there. */
TEST(of_a_queue_the_other_one_may_not_be_known_yet)
{
	is_queue = true;
	sent(READER, 0, 10, 15);
	starves(TWO, 100, 200);
	received(ONE, 0, 150, 160);
	assert_true(overlap__shared(overlap));
	settle(1000);
	assert_true(is_ambiguous[0]);
}

TEST(a_single_reader_of_a_queue_is_certain_though_it_starves)
{
	is_queue = true;
	sent(READER, 0, 10, 15);
	starves(ONE, 100, 200);
	received(ONE, 0, 50, 250);
	settle(1000);
	assert_false(is_ambiguous[0]);
}

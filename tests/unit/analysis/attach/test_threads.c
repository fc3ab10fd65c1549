/* SPDX-License-Identifier: BSD-2-Clause */
/* The process of a thread, and whether it is a target. */
#include "support/build.h"

#include "analysis/attach/threads.h"
#include "container/lru_table.h"

static struct threads *threads;

EACH_TEST_HAS(threads, threads__new(), threads__free)

static void add(uint32_t tid, uint32_t pid, bool is_peer, uint64_t since_ns)
{
	struct record_thread thread = make_thread(tid, pid, is_peer, since_ns);

	assert_int_equal(threads__add(threads, &thread), 0);
}

TEST(no_thread_is_known_at_first)
{
	assert_int_equal(threads__pid(threads, 1, 50), 0);
	assert_false(threads__is_target(threads, 1, 50));
	assert_false(threads__is_target(threads, 0, 50));
}

TEST(a_peer_is_no_target)
{
	add(101, 100, false, 10);
	add(201, 200, true, 10);
	assert_int_equal(threads__pid(threads, 101, 50), 100);
	assert_int_equal(threads__pid(threads, 201, 50), 200);
	assert_true(threads__is_target(threads, 101, 50));
	assert_false(threads__is_target(threads, 201, 50));
	assert_int_equal(threads__pid(threads, 100, 50), 0); /* another thread of it */
}

TEST(the_youngest_of_a_number_holds)
{
	add(101, 100, true, 10);
	add(101, 300, false, 20);
	assert_int_equal(threads__pid(threads, 101, 50), 300);
	assert_true(threads__is_target(threads, 101, 50));
	add(101, 400, true, 20); /* at the same instant: the later record */
	assert_int_equal(threads__pid(threads, 101, 50), 400);
}

/* Records of two CPUs overtake one another. */
TEST(the_youngest_may_be_recorded_first)
{
	add(101, 300, false, 20);
	add(101, 100, true, 10);
	assert_int_equal(threads__pid(threads, 101, 50), 300);
	assert_true(threads__is_target(threads, 101, 50));
}

TEST(a_number_belongs_to_its_thread_at_that_time)
{
	add(101, 300, false, 30);
	add(101, 100, true, 10);
	add(101, 200, false, 20);
	assert_int_equal(threads__pid(threads, 101, 5), 100); /* the first that is known */
	assert_int_equal(threads__pid(threads, 101, 10), 100);
	assert_int_equal(threads__pid(threads, 101, 19), 100);
	assert_false(threads__is_target(threads, 101, 19));
	assert_int_equal(threads__pid(threads, 101, 20), 200);
	assert_true(threads__is_target(threads, 101, 20));
	assert_int_equal(threads__pid(threads, 101, 1000), 300);
}

TEST(the_last_ones_of_a_number_are_remembered)
{
	uint32_t last = 3 * THREADS_LIVES_MAX;

	for (uint32_t i = 1; i <= last; i++)
		add(101, i, false, 10 * i);
	for (uint32_t i = last - THREADS_LIVES_MAX + 1; i <= last; i++)
		assert_int_equal(threads__pid(threads, 101, 10 * i + 5), i);
	assert_int_equal(threads__pid(threads, 101, 15), last - THREADS_LIVES_MAX + 1);
	add(101, 1, false, 10); /* too old to be remembered */
	assert_int_equal(threads__pid(threads, 101, 15), last - THREADS_LIVES_MAX + 1);
}

/* Very many threads: the quietest make room, and one in use stays. */
static void check_very_many(bool is_peer)
{
	enum { BUSY = 1, QUIET = 2, FIRST = 10, END = FIRST + 3 * LRU_THREADS_MAX };
	size_t known = 0;

	add(BUSY, 100, is_peer, 10);
	add(QUIET, 200, is_peer, 10);
	for (uint32_t tid = FIRST; tid < END; tid++) {
		add(tid, 300, is_peer, 20);
		threads__use(threads, BUSY);
	}
	for (uint32_t tid = BUSY; tid < END; tid++)
		known += threads__pid(threads, tid, 50) != 0;
	assert_int_equal(known, LRU_THREADS_MAX);
	assert_int_equal(threads__is_target(threads, BUSY, 50), !is_peer);
	assert_int_equal(threads__pid(threads, QUIET, 50), 0);
	assert_int_equal(threads__pid(threads, FIRST, 50), 0);
	assert_int_equal(threads__pid(threads, END - 1, 50), 300);
	threads__use(threads, QUIET); /* it may have been a target */
	assert_false(threads__is_target(threads, QUIET, 50));
}

TEST(very_many_targets_are_forgotten_again)
{
	add(0x400000, 400, true, 10);
	check_very_many(false);
	assert_true(threads__forgot(threads, 2));
	assert_false(threads__forgot(threads, 1));
	assert_int_equal(threads__pid(threads, 0x400000, 50), 400); /* the only peer */
}

/* As long as no target was forgotten, an unknown thread is none. */
TEST(very_many_peers_do_not_drive_out_targets)
{
	add(0x400000, 400, false, 10);
	check_very_many(true);
	assert_true(threads__is_target(threads, 0x400000, 50));
	assert_false(threads__forgot(threads, 2));
}

/* Its number is in one table only, whatever it was first. */
TEST(a_peers_number_may_become_a_targets)
{
	add(101, 100, true, 10);
	add(101, 200, false, 20);
	add(101, 300, true, 30);
	assert_false(threads__is_target(threads, 101, 15));
	assert_true(threads__is_target(threads, 101, 25));
	assert_false(threads__is_target(threads, 101, 35));
	assert_int_equal(threads__pid(threads, 101, 35), 300);
}

static enum blame_relation relation(uint32_t tid, uint32_t pid, uint64_t at_ns)
{
	return threads__relation(threads, tid, pid, at_ns);
}

TEST(a_thread_has_the_relation_of_its_life)
{
	add(101, 100, false, 10);
	add(101, 300, true, 90);
	threads__has_message(threads, 101, 95);
	assert_int_equal(relation(101, 100, 50), RELATION_TARGET);
	assert_int_equal(relation(101, 300, 95), RELATION_PEER);
}

/* It sends and receives nothing, so there is no THREAD record. */
TEST(a_silent_thread_has_the_relation_of_its_process)
{
	add(101, 100, false, 10);
	add(201, 200, true, 10);
	threads__has_message(threads, 201, 50);
	assert_int_equal(relation(102, 100, 50), RELATION_TARGET);
	assert_int_equal(relation(202, 200, 50), RELATION_PEER);
	assert_int_equal(relation(302, 300, 50), RELATION_OTHER);
}

TEST(a_process_has_the_relation_of_its_first_thread_then)
{
	add(100, 100, false, 10);
	add(100, 100, true, 90);
	threads__has_message(threads, 100, 95);
	assert_int_equal(relation(102, 100, 50), RELATION_TARGET);
	assert_int_equal(relation(102, 100, 95), RELATION_PEER);
}

/* It was taken for a peer, but has no messages with a target. */
TEST(a_peer_without_messages_is_a_stranger)
{
	add(200, 200, true, 10);
	add(201, 200, true, 10);
	assert_int_equal(relation(200, 200, 50), RELATION_OTHER);
	assert_int_equal(relation(202, 200, 50), RELATION_OTHER);
	threads__has_message(threads, 201, 50);
	assert_int_equal(relation(200, 200, 50), RELATION_PEER);
	assert_int_equal(relation(202, 200, 50), RELATION_PEER);
	threads__has_message(threads, 900, 50);
}

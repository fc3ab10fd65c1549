/* SPDX-License-Identifier: BSD-2-Clause */
/* Which process a thread is of, and whether anybody asked for it. */
#include "build.h"

#include "core/recent.h"
#include "core/threads.h"

static struct threads *threads;

static int setup(void **state)
{
	(void)state;
	threads = threads__new();
	return threads ? 0 : -1;
}

static int teardown(void **state)
{
	(void)state;
	threads__free(threads);
	return 0;
}

static void add(uint32_t tid, uint32_t pid, bool is_peer, uint64_t since_ns)
{
	struct record_thread thread = make_thread(tid, pid, is_peer, since_ns);

	assert_int_equal(threads__add(threads, &thread), 0);
}

static void nobody_is_known_at_first(void **state)
{
	(void)state;
	assert_int_equal(threads__pid(threads, 1), 0);
	assert_false(threads__is_target(threads, 1));
	assert_false(threads__is_target(threads, 0));
}

static void a_peer_is_no_target(void **state)
{
	(void)state;
	add(101, 100, false, 10);
	add(201, 200, true, 10);
	assert_int_equal(threads__pid(threads, 101), 100);
	assert_int_equal(threads__pid(threads, 201), 200);
	assert_true(threads__is_target(threads, 101));
	assert_false(threads__is_target(threads, 201));
	assert_int_equal(threads__pid(threads, 100), 0); /* another thread of it */
}

static void the_youngest_of_a_number_holds(void **state)
{
	(void)state;
	add(101, 100, true, 10);
	add(101, 300, false, 20);
	assert_int_equal(threads__pid(threads, 101), 300);
	assert_true(threads__is_target(threads, 101));
	add(101, 400, true, 20); /* at the same instant: the later record */
	assert_int_equal(threads__pid(threads, 101), 400);
}

/* Records of two CPUs overtake one another. */
static void the_youngest_may_be_told_of_first(void **state)
{
	(void)state;
	add(101, 300, false, 20);
	add(101, 100, true, 10);
	assert_int_equal(threads__pid(threads, 101), 300);
	assert_true(threads__is_target(threads, 101));
}

/* Threads without end: those that were quiet longest make room, whoever is in use stays. */
static void very_many_are_forgotten_again(void **state)
{
	enum { TARGET = 1, QUIET = 2, FIRST = 10, END = FIRST + 3 * RECENT_THREADS_MAX };
	size_t known = 0;

	(void)state;
	add(TARGET, 100, false, 10);
	add(QUIET, 200, false, 10);
	for (uint32_t tid = FIRST; tid < END; tid++) {
		add(tid, 300, true, 20);
		threads__use(threads, TARGET);
	}
	for (uint32_t tid = TARGET; tid < END; tid++)
		known += threads__pid(threads, tid) != 0;
	assert_int_equal(known, RECENT_THREADS_MAX);
	assert_true(threads__is_target(threads, TARGET));
	assert_int_equal(threads__pid(threads, QUIET), 0);
	assert_int_equal(threads__pid(threads, FIRST), 0);
	assert_int_equal(threads__pid(threads, END - 1), 300);
	threads__use(threads, QUIET); /* nobody knows what it was */
	assert_false(threads__is_target(threads, QUIET));
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(nobody_is_known_at_first),
		TEST(a_peer_is_no_target),
		TEST(the_youngest_of_a_number_holds),
		TEST(the_youngest_may_be_told_of_first),
		TEST(very_many_are_forgotten_again),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* Which threads wait for connections of which listener. */
#include "support/build.h"

#include "analysis/history/deep_events.h"

enum { WORKER = 20, OTHER_WORKER = 21, ACCEPT = 288, EPOLL_WAIT = 232, READ = 0 };

#define LISTENER  0xaaaaULL
#define ELSEWHERE 0xbbbbULL
#define EPOLL     0xeeeeULL

EACH_TEST_HAS(*state, deep_events__new(), deep_events__free)

static struct acceptors *of_test(void **state)
{
	return deep_events__acceptors(*state);
}

static void watches(void **state, uint64_t at_ns, uint64_t what, uint32_t number, uint32_t flags)
{
	struct record_watch watch = {
		.head = record_head(RECORD_WATCH, sizeof(watch), 0, WORKER),
		.at_ns = at_ns,
		.what = what,
		.number = number,
	};

	watch.head.flags = flags;
	assert_int_equal(deep_events__add(*state, &watch.head), 0);
}

static void accepts(void **state, uint32_t tid, uint64_t exit_ns, uint64_t listener)
{
	assert_int_equal(acceptors_accept(of_test(state), tid, exit_ns, listener, true), 0);
}

static bool polls_for(void **state, uint64_t at_ns, uint64_t listener)
{
	return acceptors_waits(of_test(state), WORKER, at_ns, listener, true, EPOLL_WAIT);
}

/* Whatever it waited for before the first connection, or without one, is not known. */
TEST(a_thread_that_polls_waits_for_what_it_has_accepted_so)
{
	watches(state, 1000, EPOLL, EPOLL_WAIT, WATCH_EPOLL);
	assert_false(polls_for(state, 1500, LISTENER));
	accepts(state, WORKER, 2000, LISTENER);
	assert_true(polls_for(state, 1500, LISTENER));
	assert_true(polls_for(state, 3000, LISTENER));
	assert_false(polls_for(state, 500, LISTENER));
	assert_false(polls_for(state, 3000, ELSEWHERE));
}

/* As with a socket that has a timeout: the thread polls one connection, not the listener. */
TEST(a_thread_that_polls_something_else_waits_for_no_connection)
{
	watches(state, 1000, EPOLL, EPOLL_WAIT, WATCH_EPOLL);
	accepts(state, WORKER, 2000, LISTENER);
	watches(state, 3000, EPOLL + 1, EPOLL_WAIT, WATCH_EPOLL);
	assert_false(polls_for(state, 3500, LISTENER));
	watches(state, 4000, EPOLL, EPOLL_WAIT, WATCH_EPOLL);
	assert_true(polls_for(state, 4500, LISTENER));
}

TEST(a_thread_in_accept_waits_for_that_listener)
{
	watches(state, 1000, LISTENER, ACCEPT, WATCH_ACCEPT);
	assert_true(acceptors_waits(of_test(state), WORKER, 1000, LISTENER, false, ACCEPT));
	assert_false(acceptors_waits(of_test(state), WORKER, 1000, ELSEWHERE, false, ACCEPT));
	assert_false(acceptors_waits(of_test(state), WORKER, 1000, LISTENER, false, READ));
	assert_false(polls_for(state, 1000, LISTENER));
}

TEST(each_thread_of_a_listener_is_listed_once)
{
	uint32_t cnt;
	const uint32_t *tid;

	accepts(state, WORKER, 1000, LISTENER);
	accepts(state, OTHER_WORKER, 2000, LISTENER);
	accepts(state, WORKER, 3000, LISTENER);
	accepts(state, WORKER, 4000, ELSEWHERE);
	accepts(state, WORKER, 5000, 0); /* which one is not known */
	tid = acceptors_of(of_test(state), LISTENER, &cnt);
	assert_int_equal(cnt, 2);
	assert_int_equal(tid[0], WORKER);
	assert_int_equal(tid[1], OTHER_WORKER);
	acceptors_of(of_test(state), 0, &cnt);
	assert_int_equal(cnt, 0);
}

TEST(the_last_one_before_what_is_forgotten_is_kept)
{
	watches(state, 1000, EPOLL, EPOLL_WAIT, WATCH_EPOLL);
	accepts(state, WORKER, 2000, LISTENER);
	acceptors_trim(of_test(state), 90000);
	assert_true(polls_for(state, 95000, LISTENER));
}

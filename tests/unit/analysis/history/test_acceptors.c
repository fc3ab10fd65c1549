/* SPDX-License-Identifier: BSD-2-Clause */
/* Which threads wait for connections of which listener. */
#include "support/build.h"

#include "analysis/history/deep_events.h"

enum { WORKER = 20, OTHER_WORKER = 21, ACCEPT = 288, EPOLL_WAIT = 232, READ = 0 };

#define LISTENER  0xaaaaULL
#define ELSEWHERE 0xbbbbULL
#define EPOLL     0xeeeeULL
#define GROUP     0x9999ULL

enum { CHANNEL = 7, PROGRAM = 3, OTHER_PROGRAM = 4 };

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

static void shares(void **state, uint64_t at_ns, const struct record_shared *what)
{
	struct record_shared shared = *what;

	shared.head = record_head(RECORD_SHARED, sizeof(shared), 0, WORKER);
	shared.head.flags = what->head.flags;
	shared.at_ns = at_ns;
	assert_int_equal(deep_events__add(*state, &shared.head), 0);
}

static void watched_by(void **state, uint64_t at_ns, uint64_t epoll)
{
	const struct record_shared shared = {
		.head.flags = SHARED_EPOLL, .channel = CHANNEL, .epoll = epoll};

	shares(state, at_ns, &shared);
}

static void listens(void **state, uint64_t listener, uint64_t group, uint32_t program)
{
	const struct record_shared shared = {
		.head.flags = SHARED_PORT,
		.listener = listener,
		.group = group,
		.epoll = EPOLL,
		.program = program,
	};

	shares(state, 1000, &shared);
}

TEST(an_epoll_watches_a_channel_until_another_one_does)
{
	watched_by(state, 1000, EPOLL);
	watched_by(state, 2000, 0);
	watched_by(state, 3000, EPOLL + 1);
	assert_int_equal(acceptors_epoll_of(of_test(state), CHANNEL, 999), 0);
	assert_int_equal(acceptors_epoll_of(of_test(state), CHANNEL, 1500), EPOLL);
	assert_int_equal(acceptors_epoll_of(of_test(state), CHANNEL, 2500), 0);
	assert_int_equal(acceptors_epoll_of(of_test(state), CHANNEL, 9000), EPOLL + 1);
	assert_int_equal(acceptors_epoll_of(of_test(state), CHANNEL + 1, 9000), 0);
}

/* A list of files, or accept(), is no epoll, whatever it looks like. */
TEST(threads_that_sleep_in_an_epoll_are_known)
{
	uint32_t cnt;
	const uint32_t *tid;

	watches(state, 1000, EPOLL, EPOLL_WAIT, 0);
	watches(state, 2000, EPOLL, ACCEPT, WATCH_ACCEPT);
	acceptors_in_epoll(of_test(state), EPOLL, &cnt);
	assert_int_equal(cnt, 0);
	assert_false(acceptors_sleeps_in(of_test(state), WORKER, 2500, EPOLL));
	watches(state, 3000, EPOLL, EPOLL_WAIT, WATCH_EPOLL);
	tid = acceptors_in_epoll(of_test(state), EPOLL, &cnt);
	assert_int_equal(cnt, 1);
	assert_int_equal(tid[0], WORKER);
	assert_true(acceptors_sleeps_in(of_test(state), WORKER, 3500, EPOLL));
	assert_false(acceptors_sleeps_in(of_test(state), WORKER, 3500, EPOLL + 1));
}

TEST(sockets_of_one_group_are_beside_each_other)
{
	const struct port_listener *port;

	assert_null(acceptors_beside(of_test(state), LISTENER, NULL));
	listens(state, LISTENER, GROUP, PROGRAM);
	listens(state, ELSEWHERE, GROUP + 1, PROGRAM); /* the same port of another address */
	assert_null(acceptors_beside(of_test(state), LISTENER, NULL));
	listens(state, LISTENER + 1, GROUP, PROGRAM);
	port = acceptors_beside(of_test(state), LISTENER, NULL);
	assert_non_null(port);
	assert_int_equal(port->id, LISTENER + 1);
	assert_int_equal(port->epoll, EPOLL);
	assert_null(acceptors_beside(of_test(state), LISTENER, port));
	assert_null(acceptors_beside(of_test(state), 1, NULL));
}

TEST(a_udp_socket_is_known_by_its_channel)
{
	const struct record_shared shared = {
		.head.flags = SHARED_SOCKET, .channel = CHANNEL, .listener = LISTENER};

	shares(state, 1000, &shared);
	assert_int_equal(acceptors_socket_of(of_test(state), CHANNEL, 999), 0);
	assert_int_equal(acceptors_socket_of(of_test(state), CHANNEL, 1000), LISTENER);
	assert_int_equal(acceptors_socket_of(of_test(state), CHANNEL + 1, 1000), 0);
	assert_int_equal(acceptors_epoll_of(of_test(state), CHANNEL, 1000), 0);
}

TEST(a_thread_that_sleeps_in_accept_uses_the_listener)
{
	uint32_t cnt;
	const uint32_t *tid;

	watches(state, 1000, LISTENER, ACCEPT, WATCH_ACCEPT);
	tid = acceptors_of(of_test(state), LISTENER, &cnt);
	assert_int_equal(cnt, 1);
	assert_int_equal(tid[0], WORKER);
}

TEST(threads_are_of_one_program_only_if_both_are_known)
{
	struct record_watch watch = {
		.head = record_head(RECORD_WATCH, sizeof(watch), 0, OTHER_WORKER),
		.at_ns = 2000,
		.what = EPOLL,
		.number = EPOLL_WAIT,
	};
	struct acceptors *acceptors = of_test(state);

	assert_false(acceptors_are_one_program(acceptors, WORKER, OTHER_WORKER));
	listens(state, LISTENER, GROUP, PROGRAM);
	assert_int_equal(deep_events__add(*state, &watch.head), 0);
	assert_false(acceptors_are_one_program(acceptors, WORKER, OTHER_WORKER));
	watch.program = OTHER_PROGRAM;
	assert_int_equal(deep_events__add(*state, &watch.head), 0);
	assert_false(acceptors_are_one_program(acceptors, WORKER, OTHER_WORKER));
	watch.at_ns = 3000;
	watch.program = PROGRAM;
	assert_int_equal(deep_events__add(*state, &watch.head), 0);
	assert_true(acceptors_are_one_program(acceptors, WORKER, OTHER_WORKER));
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* Which thread that slept when tracing ended shows why a program hangs. */
#include "support/build.h"

#include "insight/waiting.h"

#include <string.h>

enum { CLIENT = 10, SERVER = 20, WORKER = 30, SECOND = 1000000000 };
enum { ALL = ASLEEP_ALL_TIME | ASLEEP_ALONE };

static struct sleeper_summary sleeper[8];
static struct summary summary;

static int setup(void **state)
{
	memset(sleeper, 0, sizeof(sleeper));
	memset(&summary, 0, sizeof(summary));
	summary.sleeper = sleeper;
	summary.info.mode = MODE_ATTACH;
	summary.all_left = true;
	summary.all_left_reason = LEFT_DURATION;
	summary.all_left_detail = 3000000000;
	return 0;
}

static int teardown(void **state)
{
	return 0;
}

EACH_TEST(setup, teardown)

static struct sleeper_summary *put_sleeper(uint32_t pid, uint32_t flags, uint32_t other)
{
	struct sleeper_summary *one = &sleeper[summary.sleeper_cnt++];

	*one = (struct sleeper_summary){.thread = {.pid = pid, .tid = pid},
					.flags = flags,
					.other = {.pid = other, .tid = other}};
	return one;
}

static void assert_chain(const struct waiting_chain *chain, uint32_t cnt, bool is_circle)
{
	assert_int_equal(chain->cnt, cnt);
	assert_int_equal(chain->is_circle, is_circle);
}

TEST(threads_that_wait_for_nothing_of_the_kind_say_nothing)
{
	struct waiting_chain chain = waiting_in_silence(&summary);

	assert_chain(&chain, 0, false);
	put_sleeper(CLIENT, ALL | ASLEEP_IN_TARGET | ASLEEP_FOR_DATA,
		    0); /* the other end is not known */
	put_sleeper(SERVER, ALL | ASLEEP_IN_TARGET, 0);
	chain = waiting_in_silence(&summary);
	assert_chain(&chain, 0, false);
}

TEST(a_chain_ends_at_a_process_that_is_stopped)
{
	struct waiting_chain chain;

	put_sleeper(WORKER, ASLEEP_ALL_TIME | ASLEEP_STOPPED, 0);
	put_sleeper(SERVER, ALL | ASLEEP_FOR_DATA, WORKER);
	put_sleeper(CLIENT, ALL | ASLEEP_IN_TARGET | ASLEEP_FOR_DATA, SERVER);
	chain = waiting_in_silence(&summary);
	assert_chain(&chain, 3, false);
	assert_int_equal(chain.link[0]->thread.pid, CLIENT);
	assert_int_equal(chain.link[2]->thread.pid, WORKER);
}

TEST(a_thread_that_has_run_meanwhile_is_in_no_chain)
{
	struct sleeper_summary *server;
	struct waiting_chain chain;

	put_sleeper(CLIENT, ALL | ASLEEP_IN_TARGET | ASLEEP_FOR_ROOM, SERVER);
	server = put_sleeper(SERVER, ALL | ASLEEP_FOR_ROOM, CLIENT);
	chain = waiting_in_silence(&summary);
	assert_chain(&chain, 2, true);
	server->flags = ASLEEP_ALONE | ASLEEP_FOR_ROOM;
	chain = waiting_in_silence(&summary);
	assert_chain(&chain, 1, false);
}

TEST(two_that_wait_for_room_are_a_circle_before_a_longer_chain)
{
	struct waiting_chain chain;

	put_sleeper(40, ALL | ASLEEP_IN_TARGET | ASLEEP_FOR_DATA, 50);
	put_sleeper(50, ALL | ASLEEP_FOR_DATA, WORKER);
	put_sleeper(WORKER, ALL | ASLEEP_STOPPED, 0);
	put_sleeper(CLIENT, ALL | ASLEEP_IN_TARGET | ASLEEP_FOR_ROOM, SERVER);
	put_sleeper(SERVER, ALL | ASLEEP_FOR_ROOM, CLIENT);
	chain = waiting_in_silence(&summary);
	assert_chain(&chain, 2, true);
	assert_int_equal(chain.link[0]->thread.pid, CLIENT);
}

TEST(what_a_process_with_several_threads_waits_for_is_not_known)
{
	struct waiting_chain chain;

	put_sleeper(CLIENT, ALL | ASLEEP_IN_TARGET | ASLEEP_FOR_DATA, SERVER);
	put_sleeper(SERVER, ASLEEP_ALL_TIME | ASLEEP_FOR_DATA, WORKER);
	chain = waiting_in_silence(&summary);
	assert_chain(&chain, 1, false);
}

TEST(waits_are_a_circle_only_of_processes_with_one_thread)
{
	struct sleeper_summary *client =
		put_sleeper(CLIENT, ALL | ASLEEP_IN_TARGET | ASLEEP_FOR_DATA, SERVER);
	struct waiting_chain chain;

	put_sleeper(SERVER, ALL | ASLEEP_FOR_DATA, CLIENT);
	chain = waiting_in_silence(&summary);
	assert_chain(&chain, 2, true);
	client->flags &= ~ASLEEP_ALONE;
	chain = waiting_in_silence(&summary);
	assert_false(chain.is_circle);
}

TEST(waits_of_two_kinds_are_no_circle)
{
	struct waiting_chain chain;

	put_sleeper(CLIENT, ALL | ASLEEP_IN_TARGET | ASLEEP_FOR_ROOM, SERVER);
	put_sleeper(SERVER, ALL | ASLEEP_FOR_DATA, WORKER);
	put_sleeper(WORKER, ALL | ASLEEP_FOR_ROOM, CLIENT);
	chain = waiting_in_silence(&summary);
	assert_false(chain.is_circle);
}

TEST(a_process_that_does_not_receive_what_has_no_room_is_in_a_circle)
{
	struct waiting_chain chain;
	struct sleeper_summary *server;

	put_sleeper(CLIENT, ALL | ASLEEP_IN_TARGET | ASLEEP_FOR_ROOM | ASLEEP_UNREAD, SERVER);
	server = put_sleeper(SERVER, ASLEEP_ALL_TIME, 0); /* one of several threads */
	chain = waiting_in_silence(&summary);
	assert_chain(&chain, 1, true);
	server->flags |= ASLEEP_STOPPED; /* which says more */
	chain = waiting_in_silence(&summary);
	assert_chain(&chain, 2, false);
}

TEST(a_thread_of_a_peer_speaks_if_none_of_a_target_does)
{
	struct waiting_chain chain;

	put_sleeper(CLIENT, ALL | ASLEEP_FOR_ROOM, SERVER);
	put_sleeper(SERVER, ALL | ASLEEP_IN_TARGET, 0);
	chain = waiting_in_silence(&summary);
	assert_chain(&chain, 2, false);
	assert_int_equal(chain.link[0]->thread.pid, CLIENT);
}

TEST(beside_messages_only_a_longer_wait_for_room_counts)
{
	struct sleeper_summary *client =
		put_sleeper(CLIENT, ASLEEP_IN_TARGET | ASLEEP_FOR_ROOM, SERVER);
	struct waiting_chain chain = waiting_at_end(&summary);

	assert_chain(&chain, 0, false); /* its start is not known */
	client->ns = SECOND;
	chain = waiting_at_end(&summary);
	assert_chain(&chain, 1, false);
	summary.latency.max = SECOND + 1;
	chain = waiting_at_end(&summary);
	assert_chain(&chain, 0, false);
	client->flags |= ASLEEP_ALL_TIME;
	assert_int_equal(sleeper_ns(&summary, client), 3000000000);
	chain = waiting_at_end(&summary);
	assert_chain(&chain, 1, false);
	client->flags ^= ASLEEP_FOR_ROOM | ASLEEP_FOR_DATA;
	chain = waiting_at_end(&summary);
	assert_chain(&chain, 0, false);
}

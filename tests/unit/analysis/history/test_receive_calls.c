/* SPDX-License-Identifier: BSD-2-Clause */
/* The receive calls of threads, and the channels that end at one socket. */
#include "support/build.h"

#include "container/lru_table.h"
#include "analysis/history/channels.h"
#include "analysis/history/history.h"

static struct history history;

static int setup(void **state)
{
	return history_init(&history);
}

static int teardown(void **state)
{
	history_clean(&history);
	return 0;
}

EACH_TEST(setup, teardown)

static void add(uint32_t tid, uint32_t channel, uint64_t enter_ns, uint64_t exit_ns)
{
	const struct record_receive receive = {
		.head.tid = tid, .channel = channel, .enter_ns = enter_ns, .exit_ns = exit_ns};

	assert_int_equal(history_add_call(&history, &receive), 0);
}

/* The channel of the call at that instant; 0: in none. */
static uint32_t at(uint32_t tid, uint64_t at_ns)
{
	uint32_t channel = 0;

	return history_call_at(&history, tid, at_ns, &channel) ? channel : 0;
}

TEST(a_call_is_from_its_entry_until_before_its_exit)
{
	add(1, 7, 100, 200);
	assert_int_equal(at(1, 99), 0);
	assert_int_equal(at(1, 100), 7);
	assert_int_equal(at(1, 199), 7);
	assert_int_equal(at(1, 200), 0);
	assert_int_equal(at(2, 150), 0);
}

TEST(calls_in_any_order_are_found)
{
	add(1, 9, 500, 600);
	add(1, 7, 100, 200);
	assert_int_equal(at(1, 150), 7);
	add(1, 8, 300, 400);
	assert_int_equal(at(1, 350), 8);
	assert_int_equal(at(1, 250), 0);
	assert_int_equal(at(1, 550), 9);
}

TEST(trimming_keeps_calls_that_reach_the_horizon)
{
	add(1, 7, 100, 200);
	add(1, 8, 300, 400);
	event_log_trim(&history.calls, 350);
	assert_int_equal(at(1, 150), 0);
	assert_int_equal(at(1, 350), 8);
	event_log_trim(&history.calls, UINT64_MAX);
	assert_int_equal(at(1, 350), 0);
}

TEST(the_youngest_calls_are_kept_when_there_are_too_many)
{
	for (uint64_t i = 0; i < RECEIVE_CALLS_MAX + 10; i++)
		add(1, 7, 10 * i, 10 * i + 5);
	assert_int_equal(at(1, 0), 0);
	assert_int_equal(at(1, 10 * (RECEIVE_CALLS_MAX + 9)), 7);
}

/*
 * A thread without calls costs nothing; of too many with calls, the least recently used one goes.
 */
TEST(of_very_many_threads_the_quietest_are_forgotten)
{
	enum { QUIET = 2, FIRST = 10, END = FIRST + LRU_THREADS_MAX };

	add(QUIET, 7, 100, 200);
	for (uint32_t tid = FIRST; tid < END; tid++)
		add(tid, 7, 100, 200);
	assert_int_equal(history.calls.cnt, LRU_THREADS_MAX);
	assert_int_equal(at(QUIET, 150), 0);
	assert_int_equal(at(END - 1, 150), 7);
	add(FIRST + 1, 8, 300, 400);
	event_log_trim(&history.calls, 250);
	assert_int_equal(history.calls.cnt, 1);
	assert_int_equal(at(FIRST + 1, 350), 8);
}

TEST(channels_of_one_receiving_socket_are_the_same_receiver)
{
	struct channels *channels = channels__new();
	struct record_channel record = {
		.head = {.type = RECORD_CHANNEL, .words = RECORD_WORDS(record)}};

	for (uint32_t id = 1; id <= 3; id++) {
		record.channel = id;
		record.receiver = id == 3 ? 88 : 77;
		assert_int_equal(channels__add(channels, &record), 0);
	}
	assert_true(channels__same_receiver(channels, 1, 2));
	assert_false(channels__same_receiver(channels, 1, 3));
	assert_false(channels__same_receiver(channels, 1, 4));
	assert_false(channels__same_receiver(channels, 4, 5));
	assert_true(channels__same_receiver(channels, 4, 4));
	channels__free(channels);
}

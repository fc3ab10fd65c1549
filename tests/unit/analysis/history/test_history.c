/* SPDX-License-Identifier: BSD-2-Clause */
/* How much of the history is kept for a pending message. */
#include "support/build.h"

#include "analysis/history/history.h"

#define SECOND 1000000000ULL

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

/* A change of a thread, a call of another, and a slice, at that instant. */
static void happens(uint64_t index, uint64_t at_ns)
{
	uint64_t change = WAKE(at_ns, 0);
	struct record_slice slice = make_task(0, index, 9, at_ns);
	struct record_receive receive = {
		.head.tid = 8, .channel = 3, .enter_ns = at_ns - 1, .exit_ns = at_ns};

	assert_int_equal(timelines__add(history.timelines, 7, &change, 1, index, at_ns), 0);
	assert_int_equal(history_add_call(&history, &receive), 0);
	assert_int_equal(cpu_slices__add(history.cpus, &slice), 0);
}

static void assert_cnt(size_t changes, size_t calls, size_t slices)
{
	assert_int_equal(timelines__cnt(history.timelines), changes);
	assert_int_equal(history.calls.cnt, calls);
	assert_int_equal(cpu_slices__cnt(history.cpus), slices);
}

/* What holds at the horizon is kept, and one slice before it. */
TEST(what_is_over_is_forgotten)
{
	for (uint64_t i = 0; i < 10; i++)
		happens(i, SECOND * (i + 1));
	assert_cnt(10, 10, 10);
	history_trim(&history, 10 * SECOND, 8 * SECOND);
	assert_cnt(3, 3, 3);
}

TEST(a_pending_message_keeps_the_history_for_a_minute)
{
	for (uint64_t i = 0; i < 100; i++)
		happens(i, SECOND * (i + 1));
	history_trim(&history, 30 * SECOND, 0);
	assert_cnt(100, 100, 100);
	history_trim(&history, 100 * SECOND, 0);
	assert_cnt(61, 61, 61);
	assert_int_equal(history.kept_ns, HISTORY_MAX_NS);
}

/* Many threads, whose changes are within the bounds each, and some time without an end of it. */
static uint64_t much_happens(uint64_t at_ns, uint32_t from, uint32_t changes)
{
	enum { THREADS = 64 };

	for (uint32_t i = 0; i < changes / THREADS; i++) {
		for (uint32_t tid = 0; tid < THREADS; tid++) {
			uint64_t change = WAKE(++at_ns, 0);

			assert_int_equal(
				timelines__add(history.timelines, tid, &change, 1, from + i, at_ns),
				0);
		}
	}
	return at_ns;
}

TEST(too_much_is_kept_for_less_than_a_minute)
{
	const uint32_t step = HISTORY_MAX / 8;
	uint64_t at_ns = SECOND, most = 0;

	/* An eighth of what fits, four times a second. */
	for (uint32_t i = 0; i < 60; i++) {
		at_ns = much_happens(at_ns + SECOND / 4, i * step / 64, step);
		history_trim(&history, at_ns, 0);
		if (i >= 20 && timelines__cnt(history.timelines) > most)
			most = timelines__cnt(history.timelines);
	}
	assert_true(history.kept_ns < HISTORY_MAX_NS && history.kept_ns >= HISTORY_MIN_NS);
	assert_true(most < HISTORY_MAX + 2 * step);
	/* It is quiet again. */
	history_trim(&history, at_ns + 100 * SECOND, at_ns + 100 * SECOND);
	for (int i = 0; i < 20; i++)
		history_trim(&history, at_ns + 100 * SECOND, 0);
	assert_true(history.kept_ns > HISTORY_MAX_NS / 2);
}

/* SPDX-License-Identifier: BSD-2-Clause */
#include "support/build.h"

#include "container/lru_table.h"
#include "container/step_limit.h"
#include "analysis/history/timeline.h"
#include "model/blocked_calls.h"

#define WINDOW (1ULL << CHANGE_TIME_BITS)

static struct timeline line; /* the last one */

EACH_TEST_HAS(*state, timelines__new(), timelines__free)

static void add(struct timelines *lines, uint32_t tid, uint64_t first, uint64_t base_ns,
		const uint64_t *change, size_t cnt)
{
	assert_int_equal(timelines__add(lines, tid, change, cnt, first, base_ns), 0);
}

static void assert_change(struct change change, uint64_t at_ns, unsigned int kind, unsigned int cpu)
{
	assert_int_equal(change.at_ns, at_ns);
	assert_int_equal(change.kind, kind);
	assert_int_equal(change.cpu, cpu);
}

TEST_WITH(a_change_comes_back_as_it_was_packed, NULL, NULL)
{
	for (unsigned int kind = 1; kind < NR_CHANGE_KINDS; kind++) {
		struct change change = change_unpack(change_pack(1000, 16383, kind), 7, 1000);

		assert_change(change, 1000, kind, 16383);
		assert_int_equal(change.index, 7);
	}
}

/*
 *	   0               2^46              2 x 2^46
 *	   |----------------|--------c---base--|------    c is stored as c - 2^46
 */
TEST_WITH(times_are_unwrapped_backwards_from_the_base, NULL, NULL)
{
	static const uint64_t ages[] = {0, 1, 1000, WINDOW / 2, WINDOW - 1};
	static const uint64_t bases[] = {WINDOW, WINDOW + 1, 3 * WINDOW - 1, 5 * WINDOW + 12345};

	for (size_t i = 0; i < ARRAY_SIZE(bases); i++) {
		for (size_t k = 0; k < ARRAY_SIZE(ages); k++) {
			uint64_t at_ns = bases[i] - ages[k];

			assert_change(change_unpack(WAKE(at_ns, 3), 0, bases[i]), at_ns,
				      CHANGE_WAKE, 3);
		}
	}
}

TEST(a_line_goes_on_across_the_wrap)
{
	add(*state, 1, 0, WINDOW + 9,
	    CHANGES(SLEEP(WINDOW - 2, 0), WAKE(WINDOW, 0), RUN(WINDOW + 9, 0)));
	line = timelines__of(*state, 1);
	assert_int_equal(line.cnt, 3);
	assert_int_equal(line.change[0].at_ns, WINDOW - 2);
	assert_int_equal(line.change[1].at_ns, WINDOW);
	assert_int_equal(line.change[2].at_ns, WINDOW + 9);
}

TEST(an_unknown_thread_has_an_empty_line)
{
	assert_int_equal(timelines__of(*state, 1).cnt, 0);
	add(*state, 1, 0, 10, NO_CHANGES);
	assert_int_equal(timelines__of(*state, 1).cnt, 0);
}

TEST(records_in_any_order_make_one_line)
{
	add(*state, 1, 4, 60, CHANGES(PREEMPT(50, 0), SWITCH(60, 0)));
	add(*state, 1, 0, 20, CHANGES(SLEEP(10, 0), WAKE(20, 0)));
	add(*state, 1, 2, 40, CHANGES(SWITCH(30, 0), RUN(40, 0)));
	line = timelines__of(*state, 1);
	assert_int_equal(line.cnt, 6);
	for (size_t i = 0; i < line.cnt; i++) {
		assert_int_equal(line.change[i].index, i);
		assert_int_equal(line.change[i].at_ns, 10 * (i + 1));
	}
}

TEST(a_line_that_was_read_takes_older_changes)
{
	add(*state, 1, 2, 40, CHANGES(SWITCH(30, 0), RUN(40, 0)));
	assert_int_equal(timelines__of(*state, 1).change[0].index, 2);
	add(*state, 1, 0, 20, CHANGES(SLEEP(10, 0), WAKE(20, 0)));
	assert_int_equal(timelines__of(*state, 1).change[0].index, 0);
	assert_int_equal(timelines__of(*state, 1).cnt, 4);
}

#define MANY 65536
#define LATE 1000

/* Each batch has its younger half first. */
static void add_late(struct timelines *lines, uint64_t batch)
{
	uint64_t from = MANY + batch * LATE, half = LATE / 2;

	for (uint64_t i = 0; i < LATE; i++) {
		uint64_t at = from + (i < half ? i + half : i - half);

		add(lines, 1, at, at + 1, CHANGES(WAKE(at + 1, 0)));
	}
}

/* What is in order already is not sorted again, however often the line is read. */
TEST(late_changes_cost_as_much_as_they_are_late)
{
	uint64_t spent, all;

	for (uint64_t i = 0; i < MANY; i++)
		add(*state, 1, i, i + 1, CHANGES(WAKE(i + 1, 0)));
	step_limit_begin(MANY);
	all = step_limit.left;
	for (uint64_t batch = 0; batch < 20; batch++) {
		add_late(*state, batch);
		line = timelines__of(*state, 1);
		assert_int_equal(line.cnt, MANY + (batch + 1) * LATE);
		for (size_t i = 0; i < line.cnt; i++)
			assert_int_equal(line.change[i].index, i);
	}
	spent = all - step_limit.left;
	assert_false(step_limit_is_exceeded());
	step_limit_end();
	/* Sorting all 65,536 once takes 17 steps for each. */
	assert_in_range(spent, 1, 17 * MANY);
}

TEST(a_loss_shows_as_a_jump_of_the_index)
{
	add(*state, 1, 0, 20, CHANGES(SLEEP(10, 0), WAKE(20, 0)));
	add(*state, 1, 9, 40, CHANGES(SWITCH(30, 0)));
	line = timelines__of(*state, 1);
	assert_int_equal(line.cnt, 3);
	assert_int_equal(line.change[1].index, 1);
	assert_int_equal(line.change[2].index, 9);
}

TEST(threads_have_lines_of_their_own)
{
	add(*state, 1, 0, 10, CHANGES(SLEEP(10, 0)));
	add(*state, 2, 0, 20, CHANGES(SLEEP(20, 0), WAKE(20, 1)));
	assert_int_equal(timelines__of(*state, 1).cnt, 1);
	assert_int_equal(timelines__of(*state, 2).cnt, 2);
	assert_int_equal(timelines__of(*state, 2).change[1].cpu, 1);
}

/*
 *	10     20     30     40
 *	 |------|------|------|		what holds at 25 began at 20
 *		    ^ horizon
 */
/* A preemption is no sleep. */
TEST(a_thread_is_awake_since_its_last_sleep)
{
	add(*state, 7, 0, 100,
	    CHANGES(change_pack(10, 7, CHANGE_SLEEP_IN), WAKE(20, 0), RUN(25, 0)));
	add(*state, 7, 3, 100, CHANGES(PREEMPT(30, 0), RUN(40, 0), SLEEP(50, 0)));
	line = timelines__of(*state, 7);
	assert_int_equal(timeline_awake_ns(&line, 5, 45), 20);
	assert_int_equal(timeline_awake_ns(&line, 15, 45), 15);
	assert_int_equal(timeline_awake_ns(&line, 26, 45), 26);
	assert_int_equal(timeline_awake_ns(&line, 26, 60), 50);
}

TEST(trimming_keeps_the_change_that_holds_at_the_horizon)
{
	add(*state, 1, 0, 40, CHANGES(SLEEP(10, 0), WAKE(20, 0), SWITCH(30, 0), RUN(40, 0)));
	timelines__trim(*state, 25, 0);
	line = timelines__of(*state, 1);
	assert_int_equal(line.cnt, 3);
	assert_int_equal(line.change[0].at_ns, 20);
	timelines__trim(*state, 30, 0);
	assert_int_equal(timelines__of(*state, 1).change[0].at_ns, 30);
	timelines__trim(*state, UINT64_MAX, 0);
	line = timelines__of(*state, 1);
	assert_int_equal(line.cnt, 1);
	assert_int_equal(line.change[0].index, 3);
}

TEST(a_send_call_under_way_keeps_the_waits_of_its_thread)
{
	add(*state, 1, 0, 40,
	    CHANGES(SLEEP(5, 0), RUN(10, 0), change_pack(20, 1, CHANGE_ROOM), WAKE(30, 0)));
	add(*state, 2, 0, 40, CHANGES(SLEEP(10, 0), WAKE(20, 0), RUN(30, 0)));
	assert_int_equal(timelines__room_ns(*state), 20);
	timelines__trim(*state, 35, 0);
	assert_int_equal(timelines__of(*state, 1).change[0].at_ns, 10);
	assert_int_equal(timelines__of(*state, 2).cnt, 1);
	timelines__trim(*state, 35, 25);
	assert_int_equal(timelines__of(*state, 1).change[0].at_ns, 20);
	timelines__sent(*state, 1);
	add(*state, 1, 4, 50, CHANGES(RUN(40, 0)));
	timelines__trim(*state, 45, 0);
	assert_int_equal(timelines__of(*state, 1).change[0].at_ns, 40);
}

static void assert_room_is_kept(struct timelines *lines, bool is_kept)
{
	struct timeline line = timelines__of(lines, 1);

	assert_false(timeline_follows(&line, 0));
	assert_int_equal(timeline_has_room_before(&line, 0), is_kept);
}

TEST(changes_before_the_first_wait_for_room_are_not_missed)
{
	/* Taken off the CPU in the send call, before it was full. */
	add(*state, 1, 0, 50,
	    CHANGES(PREEMPT(10, 0), SWITCH(20, 0), RUN(30, 0), change_pack(40, 1, CHANGE_ROOM),
		    WAKE(50, 0)));
	timelines__trim(*state, 50, 0);
	assert_int_equal(timelines__of(*state, 1).change[0].at_ns, 30);
	assert_room_is_kept(*state, true);
	timelines__trim(*state, 50, 49);
	assert_room_is_kept(*state, true);
	timelines__trim(*state, 50, 50);
	assert_int_equal(timelines__of(*state, 1).change[0].at_ns, 50);
	assert_room_is_kept(*state, false);
}

TEST(a_change_that_was_lost_before_is_missed)
{
	add(*state, 1, 0, 10, CHANGES(PREEMPT(10, 0)));
	add(*state, 1, 2, 40, CHANGES(RUN(30, 0), change_pack(40, 1, CHANGE_ROOM)));
	timelines__trim(*state, 50, 0);
	assert_int_equal(timelines__of(*state, 1).change[0].at_ns, 30);
	assert_room_is_kept(*state, false);
}

TEST(a_line_says_from_when_on_it_is_open)
{
	add(*state, 1, 0, 100, CHANGES(SLEEP(10, 0)));
	assert_int_equal(timelines__of(*state, 1).open_ns, 0);
	timelines__complete(*state, 20);
	assert_int_equal(timelines__of(*state, 1).open_ns, 20);
	timelines__complete(*state, UINT64_MAX);
	assert_int_equal(timelines__of(*state, 1).open_ns, 0);
}

TEST(trimming_before_everything_forgets_nothing)
{
	add(*state, 1, 1, 40, CHANGES(WAKE(20, 0), SWITCH(30, 0)));
	add(*state, 1, 0, 10, CHANGES(SLEEP(10, 0)));
	timelines__trim(*state, 0, 0);
	timelines__trim(*state, 9, 0);
	assert_int_equal(timelines__of(*state, 1).cnt, 3);
}

/* Twice as many as fit: the youngest are kept, without a hole. */
TEST(a_full_line_drops_its_oldest_changes)
{
	const uint64_t total = 2 * TIMELINE_CHANGES_MAX + 5;

	for (uint64_t i = 0; i < total; i++) {
		uint64_t change = WAKE(1000 + i, 0);

		add(*state, 1, i, 1000 + i, &change, 1);
	}
	line = timelines__of(*state, 1);
	assert_true(line.cnt <= TIMELINE_CHANGES_MAX && line.cnt >= TIMELINE_CHANGES_MAX / 2);
	for (size_t i = 0; i < line.cnt; i++)
		assert_int_equal(line.change[i].index, total - line.cnt + i);
}

/* Two threads with one id count from 0 each: the changes of one follow those of the other. */
TEST(a_number_that_is_used_again_has_one_line_after_the_other)
{
	add(*state, 1, 0, 40, CHANGES(SLEEP(10, 0), WAKE(20, 0), SWITCH(30, 0), RUN(40, 0)));
	add(*state, 1, 0, 90, CHANGES(SLEEP(80, 1), WAKE(90, 1)));
	add(*state, 1, 4, 50, CHANGES(SLEEP(50, 0))); /* its records came late */
	line = timelines__of(*state, 1);
	assert_int_equal(line.cnt, 7);
	for (size_t i = 0; i < 5; i++)
		assert_change(line.change[i], 10 * (i + 1), line.change[i].kind, 0);
	assert_int_equal(line.change[4].index, 4);
	assert_int_equal(line.change[5].index, 0);
	assert_int_equal(timeline_find(&line, 79), 5);
	timelines__trim(*state, 85, 0);
	assert_int_equal(timelines__of(*state, 1).change[0].at_ns, 80);
}

/* Very many threads, of which one stays busy. */
TEST(of_very_many_threads_the_quietest_are_forgotten)
{
	enum { BUSY = 1, QUIET = 2, FIRST = 10, END = FIRST + 2 * LRU_THREADS_MAX };
	uint64_t at_ns = 1000;

	add(*state, QUIET, 0, at_ns, CHANGES(SLEEP(at_ns, 0)));
	for (uint32_t tid = FIRST; tid < END; tid++) {
		at_ns++;
		add(*state, BUSY, tid - FIRST, at_ns, CHANGES(SLEEP(at_ns, 0)));
		add(*state, tid, 0, at_ns, CHANGES(SLEEP(at_ns, 0)));
		if (!(tid % 4096))
			timelines__trim(*state, at_ns, 0);
	}
	timelines__trim(*state, UINT64_MAX, 0);
	assert_int_equal(timelines__cnt(*state), LRU_THREADS_MAX); /* the last one of each */
	assert_int_equal(timelines__of(*state, BUSY).cnt, 1);
	assert_int_equal(timelines__of(*state, QUIET).cnt, 0);
	assert_int_equal(timelines__of(*state, FIRST).cnt, 0);
	assert_int_equal(timelines__of(*state, END - 1).cnt, 1);
}

/* Trimming gives spare memory back; a quiet thread that goes on gets it again. */
TEST(a_trimmed_line_goes_on)
{
	for (uint64_t i = 0; i < 100; i++) {
		add(*state, 1, i, 10 * i, CHANGES(WAKE(10 * i, 0)));
		if (i % 10)
			continue;
		timelines__trim(*state, 10 * i, 0);
		timelines__trim(*state, 10 * i, 0);
		assert_int_equal(timelines__cnt(*state), 1);
	}
	line = timelines__of(*state, 1);
	assert_int_equal(line.cnt, 10);
	for (size_t i = 0; i < line.cnt; i++)
		assert_int_equal(line.change[i].index, 90 + i);
}

TEST_WITH(a_change_names_its_syscall_or_not, NULL, NULL)
{
	static const struct {
		uint16_t kind, syscall;
	} changes[] = {{CHANGE_SLEEP_IN, 7},         {CHANGE_POLL_IN, 7},
		       {CHANGE_SLEEP, CALL_UNKNOWN}, {CHANGE_POLL, CALL_UNKNOWN},
		       {CHANGE_WOKEN, CALL_UNKNOWN}, {CHANGE_PREEMPT, CALL_UNKNOWN}};

	for (size_t i = 0; i < ARRAY_SIZE(changes); i++) {
		struct change change = {.kind = changes[i].kind, .cpu = 7};

		assert_int_equal(change_syscall(&change), changes[i].syscall);
	}
}

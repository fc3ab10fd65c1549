/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A reader that has had its CPU for a slice gives it up for a turn, unless it disturbs no thread.
 */
#include "support/build.h"

#include "command/live/yield/slices.h"
#include "util/clock.h"

#include <errno.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/time.h>

static bool is_alone(const void *ctx)
{
	return *(const bool *)ctx;
}

static bool is_not_first(const void *ctx)
{
	return false;
}

/* How often this thread has gone to sleep. */
static long sleeps(void)
{
	struct rusage usage;

	assert_int_equal(getrusage(RUSAGE_THREAD, &usage), 0);
	return usage.ru_nvcsw;
}

/* Works for some slices. Returns how often the thread has slept. */
static long work_for(unsigned int slices)
{
	uint64_t begin_ns = clock_now_ns();
	long before = sleeps();

	while (clock_now_ns() - begin_ns < slices * (uint64_t)SLICE_NS)
		;
	return sleeps() - before;
}

TEST(others_have_their_turn)
{
	bool alone = false;
	struct slices slices = {.is_alone = is_alone, .is_first = is_not_first, .ctx = &alone};
	uint64_t begin_ns;
	long turns = 0;

	slices_open(&slices);
	assert_true(slices.has_timer);
	slices_begin(&slices, 0);
	begin_ns = clock_now_ns();
	/* The machine may take the CPU away for many slices, so what is counted are turns. */
	while (turns < 20)
		turns += work_for(1);
	/* After a turn comes a whole slice. */
	assert_true(clock_now_ns() - begin_ns >= (uint64_t)(turns - 1) * (SLICE_NS + TURN_NS));
	slices_close(&slices);
}

TEST(a_turn_changes_nothing_that_the_reader_sees)
{
	bool alone = false;
	struct slices slices = {.is_alone = is_alone, .is_first = is_not_first, .ctx = &alone};

	slices_open(&slices);
	slices_begin(&slices, 0);
	errno = ENOTTY;
	for (long turns = 0; turns < 3;)
		turns += work_for(1);
	assert_int_equal(errno, ENOTTY);
	slices_close(&slices);
}

TEST(alone_it_never_sleeps)
{
	bool alone = true;
	struct slices slices = {.is_alone = is_alone, .is_first = is_not_first, .ctx = &alone};

	slices_open(&slices);
	slices_begin(&slices, 0);
	assert_int_equal(work_for(20), 0);
	alone = false;
	for (long turns = 0; turns < 3;)
		turns += work_for(1);
	slices_close(&slices);
}

TEST(nor_does_it_when_its_work_is_done_or_without_slices)
{
	bool alone = false;
	struct slices slices = {.is_alone = is_alone, .is_first = is_not_first, .ctx = &alone},
		      none = {0};

	slices_open(&slices);
	assert_int_equal(work_for(5), 0);
	for (int i = 0; i < 100; i++) {
		slices_begin(&slices, 0);
		slices_end(&slices);
	}
	assert_int_equal(work_for(5), 0);
	slices_begin(&slices, 0);
	for (long turns = 0; turns < 3;)
		turns += work_for(1);
	slices_end(&slices);
	assert_int_equal(work_for(5), 0);
	slices_close(&slices);
	slices_open(&none);
	slices_begin(&none, 0);
	assert_int_equal(work_for(5), 0);
	slices_end(&none);
	slices_close(&none);
}

/* The reader has slept for an hour, although it was to sleep for a second. */
TEST(a_reader_that_was_away_for_long_gives_long_turns)
{
	bool alone = false;
	struct slices slices = {.is_alone = is_alone, .is_first = is_not_first, .ctx = &alone};
	uint64_t begin_ns;

	slices_open(&slices);
	slices.ended_ns = clock_now_ns() - NSEC_PER_SEC;
	slices_begin(&slices, 3600 * NSEC_PER_SEC);
	assert_int_equal(slices.starved_until_ns, 0);
	slices_end(&slices);
	slices.ended_ns = clock_now_ns() - 3600 * NSEC_PER_SEC;
	begin_ns = clock_now_ns();
	slices_begin(&slices, NSEC_PER_SEC);
	assert_true(slices.starved_until_ns >= begin_ns + STARVED_WHILE_NS);
	while (!work_for(1))
		;
	assert_true(clock_now_ns() - begin_ns >= LONG_TURN_NS);
	slices_close(&slices);
}

/* As a thread of a higher priority would: the reader has no CPU for that long after its turn. */
static void keep_from_cpu(int signal)
{
	uint64_t begin_ns = clock_now_ns();

	while (clock_now_ns() - begin_ns < LONG_TURN_NS)
		;
}

/* Asked before each turn: within the turn comes the signal that keeps the reader from its CPU. */
static bool disturbs_and_is_kept(const void *ctx)
{
	const struct itimerval within = {.it_value.tv_usec = TURN_NS / 3000};

	setitimer(ITIMER_REAL, &within, NULL);
	return false;
}

TEST(a_reader_that_is_kept_from_its_cpu_after_a_turn_gives_long_turns)
{
	const struct sigaction keep = {.sa_handler = keep_from_cpu};
	struct slices slices = {.is_alone = disturbs_and_is_kept, .is_first = is_not_first};
	struct sigaction before;

	assert_int_equal(sigaction(SIGALRM, &keep, &before), 0);
	slices_open(&slices);
	slices_begin(&slices, 0);
	while (!work_for(1))
		;
	slices_end(&slices);
	assert_true(slices.starved_until_ns > 0);
	slices_close(&slices);
	assert_int_equal(sigaction(SIGALRM, &before, NULL), 0);
}

static bool is_first(const void *ctx)
{
	return true;
}

TEST(a_reader_that_comes_before_others_gives_long_turns)
{
	bool alone = false;
	struct slices slices = {.is_alone = is_alone, .is_first = is_first, .ctx = &alone};
	uint64_t begin_ns = clock_now_ns();

	slices_open(&slices);
	slices_begin(&slices, 0);
	/* It sleeps several times in a turn. */
	for (int turns = 0; turns < 3;)
		turns += work_for(1) > 0;
	slices_end(&slices);
	assert_true(clock_now_ns() - begin_ns >= 3 * (uint64_t)LONG_TURN_NS);
	slices_close(&slices);
}

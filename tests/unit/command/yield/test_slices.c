/* SPDX-License-Identifier: BSD-2-Clause */
/* A reader that has had its CPU for a slice gives it up for a turn, unless it disturbs no thread.
 */
#include "support/build.h"

#include "command/yield/slices.h"
#include "util/clock.h"

#include <sys/resource.h>

static bool is_alone(const void *ctx)
{
	return *(const bool *)ctx;
}

/* How often this thread has gone to sleep. */
static long sleeps(void)
{
	struct rusage usage;

	assert_int_equal(getrusage(RUSAGE_THREAD, &usage), 0);
	return usage.ru_nvcsw;
}

/* Breathes for so many slices. Returns how often the thread has slept. */
static long breathe_for(struct slices *slices, unsigned int cnt)
{
	uint64_t begin_ns = clock_now_ns();
	long before = sleeps();

	do
		slices_breathe(slices);
	while (clock_now_ns() - begin_ns < cnt * SLICE_NS);
	return sleeps() - before;
}

static void others_have_their_turn(void **state)
{
	bool alone = false;
	struct slices slices = {.is_alone = is_alone, .ctx = &alone};
	uint64_t begin_ns;
	long turns;

	/* The machine may take the CPU away for many slices, so what is counted are turns. */
	begin_ns = clock_now_ns();
	for (turns = 0; turns < 20;)
		turns += breathe_for(&slices, 1);
	assert_true(clock_now_ns() - begin_ns >= (uint64_t)(turns - 1) * TURN_NS);
	assert_in_range(slices.began_ns, begin_ns, clock_now_ns());
}

static void alone_or_without_slices_it_never_sleeps(void **state)
{
	bool alone = true;
	struct slices slices = {.is_alone = is_alone, .ctx = &alone}, none = {0};

	assert_int_equal(breathe_for(&slices, 20), 0);
	assert_true(slices.began_ns > 0);
	assert_int_equal(breathe_for(&none, 20), 0);
	slices_breathe(NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(others_have_their_turn),
		cmocka_unit_test(alone_or_without_slices_it_never_sleeps),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

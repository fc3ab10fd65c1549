/* SPDX-License-Identifier: BSD-2-Clause */
/* The remaining time of one run and of several, and the line that shows it. */
#include "support/build.h"

#include "cli/run_matrix.h"
#include "command/progress.h"

#include <math.h>

#define SECOND 1000000000ULL

static void assert_left(const struct progress *progress, uint64_t now_s, uint64_t done,
			double left_s)
{
	double got = progress_left_s(progress, now_s * SECOND, done, 100);

	if (fabs(got - left_s) > 1e-9)
		fail_msg("%f s left, not %f", got, left_s);
}

TEST(a_single_run_goes_on_as_it_began)
{
	struct progress progress;

	progress_begin(&progress, 7 * SECOND, 1, 5);
	progress_run(&progress, 5);
	assert_left(&progress, 10, 0, -1);
	assert_left(&progress, 17, 25, 30);
	assert_left(&progress, 47, 100, 0);
}

/* The second run is three times as much work as the first. */
TEST(runs_to_come_count_with_their_work)
{
	struct progress progress;

	progress_begin(&progress, 0, 3, 10);
	progress_run(&progress, 2);
	assert_left(&progress, 1, 50, 9);
	progress_run(&progress, 6);
	assert_left(&progress, 2, 0, 8);
	assert_left(&progress, 10, 50, 10);
	progress_run(&progress, 2);
	assert_left(&progress, 16, 50, 16.0 / 9);
	assert_int_equal(progress.run, 3);
}

TEST(work_is_time_with_a_tick_and_messages_without)
{
	const struct workload_spec tick = {
		.messages = 90, .warmup = 10, .period_ns = 1000, .clients = 7};
	const struct workload_spec paced = {.messages = 90, .warmup = 10, .clients = 7};

	assert_true(run_work(&tick) == 100000);
	assert_true(run_work(&paced) == 700);
}

static const char *line_of(const struct progress *progress, int columns)
{
	static char line[LINE_OF_PARTS_LEN];
	struct line_parts parts = {0};

	progress_words(progress, 10 * SECOND, 25, 100, &parts);
	line_parts_fit(&parts, columns, line);
	return line;
}

TEST(the_line_keeps_what_is_left_the_longest)
{
	struct progress progress;

	progress_begin(&progress, 0, 3, 3);
	progress_run(&progress, 1);
	assert_string_equal(line_of(&progress, 80),
			    "ipctrace: run 1 of 3, round 25 of 100, 2 min left");
	assert_string_equal(line_of(&progress, 40), "run 1 of 3, round 25 of 100, 2 min left");
	assert_string_equal(line_of(&progress, 30), "round 25 of 100, 2 min left");
	assert_string_equal(line_of(&progress, 20), "2 min left");
	progress_begin(&progress, 0, 1, 1);
	progress_run(&progress, 1);
	assert_string_equal(line_of(&progress, 80), "ipctrace: round 25 of 100, 30 s left");
}

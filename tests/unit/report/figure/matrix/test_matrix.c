/* SPDX-License-Identifier: BSD-2-Clause */
/* Figures of several runs: their points have the numbers of the runs. */
#include "support/build.h"
#include "support/pictured.h"
#include "support/sample.h"
#include "support/svg.h"

#include "report/published.h"

#include <stdio.h>
#include <string.h>

static const double widths[] = {FIGURE_WIDE, FIGURE_NARROW};

static struct run_points points; /* of each test */

static int teardown(void **state)
{
	run_points_clean(&points);
	points = (struct run_points){0};
	return 0;
}

EACH_TEST(NULL, teardown)

static void add_summary(struct run_points *points, struct summary *summary)
{
	const struct illustration illustration = {.summary = summary};

	assert_int_equal(run_points_add(points, &illustration), 0);
	assert_int_equal(run_points_merge(points), 0);
}

/* Runs of push over a transport, with 1..clients clients. */
static void add_sweep(struct run_points *points, const char *transport, uint32_t clients)
{
	for (uint32_t i = 1; i <= clients; i++) {
		struct summary *summary = sample_summary(i);

		snprintf(summary->info.workload.transport, SPEC_TEXT_LEN, "%s", transport);
		add_summary(points, summary);
	}
}

static bool applies(const struct figure *figure, const struct run_points *points)
{
	return figure_shows(figure, &(struct illustration){.points = points});
}

static char *drawn(const struct figure *figure, const struct run_points *points, double width)
{
	char *svg;

	assert_true(applies(figure, points));
	svg = pictured_figure(figure, &(struct illustration){.points = points}, width);
	assert_null(strstr(svg, "nan"));
	return svg;
}

TEST(a_sweep_has_the_curves_of_the_paper)
{
	add_sweep(&points, "uds", 4);
	add_sweep(&points, "tcp", 4);
	for (size_t w = 0; w < ARRAY_SIZE(widths); w++) {
		char *svg = drawn(&figure_over_clients, &points, widths[w]);

		for (size_t i = 0; i < points.runs.cnt; i++) {
			const double *number = points.runs.row[i].number;

			assert_true(svg_count(svg, "data-ns", "%.3f", number[NUMBER_FIRST]) >= 1);
			assert_true(svg_count(svg, "data-ns", "%.3f", number[NUMBER_LAST]) >= 1);
			assert_true(svg_count(svg, "data-ns", "%.3f",
					      number[NUMBER_SERVICE_TIME]) >= 1);
			assert_true(svg_count(svg, "data-value", "%.6f",
					      number[NUMBER_EFFICIENCY]) >= 1);
		}
		/* Two curves in each of six panels; with one client there is no gap to a next. */
		assert_true(svg_count(svg, "data-transport", "tcp") == 6 * 4 - 1);
		assert_true(svg_count(svg, "data-published-ns", "31000.000") == 1);
	}
}

TEST(one_number_of_clients_is_no_curve)
{
	assert_false(applies(&figure_over_clients, &points));
	assert_false(applies(&figure_runs, &points));
	add_sweep(&points, "uds", 1);
	add_sweep(&points, "tcp", 1);
	assert_false(applies(&figure_over_clients, &points));
	assert_false(applies(&figure_over_size, &points));
	assert_true(applies(&figure_runs, &points));
}

/* The lowest and the highest of four runs do not count, as in the text report. */
TEST(repeated_runs_are_one_point)
{
	char *svg;

	for (uint32_t run = 1; run <= 4; run++) {
		for (uint32_t clients = 1; clients <= 2; clients++) {
			struct summary *summary = sample_summary(clients);

			summary->info.workload.run = run;
			add_summary(&points, summary);
		}
	}
	assert_int_equal(points.runs.cnt, 8);
	assert_int_equal(points.merged.cnt, 2);
	svg = drawn(&figure_runs, &points, FIGURE_WIDE);
	assert_true(svg_count(svg, "data-runs", "4") == 2);
}

TEST(sizes_have_curves_of_round_trips)
{
	static const uint64_t sizes[] = {1, 64, 4096};
	char *svg;

	for (size_t i = 0; i < ARRAY_SIZE(sizes); i++) {
		struct summary *summary = sample_paced("pingpong", 1);

		summary->info.workload.size = sizes[i];
		add_summary(&points, summary);
	}
	svg = drawn(&figure_over_size, &points, FIGURE_NARROW);
	assert_true(svg_count(svg, "data-size", "4096") == 3);
	assert_true(svg_count(svg, "data-ns", "%.3f",
			      points.runs.row[0].number[NUMBER_ROUND_TRIP]) >= 1);
	assert_false(applies(&figure_over_clients, &points));
}

TEST(floods_have_rates)
{
	char *svg;

	for (uint32_t clients = 1; clients <= 2; clients++) {
		struct summary *summary = sample_paced("flood", clients);

		add_summary(&points, summary);
	}
	svg = drawn(&figure_over_clients, &points, FIGURE_WIDE);
	assert_true(svg_count(svg, "data-value", "%.6f", points.runs.row[1].number[NUMBER_RATE]) ==
		    1);
	svg = drawn(&figure_runs, &points, FIGURE_WIDE);
	assert_true(svg_count(svg, "data-per-second", "%.3f",
			      points.runs.row[1].number[NUMBER_RATE]) == 1);
}

TEST(rounds_stand_beside_the_paper)
{
	char *svg;

	add_sweep(&points, "uds", 2);
	svg = drawn(&figure_published, &points, FIGURE_WIDE);
	assert_true(svg_count(svg, "data-source", "run") == 1);
	assert_true(svg_count(svg, "data-source", "published") == NR_PUBLISHED);
	assert_true(svg_count(svg, "data-first", "%.3f", points.runs.row[0].number[NUMBER_FIRST]) ==
		    1);
	assert_true(svg_count(svg, "data-first", "131000.000") == 1);
}

/* Busy machines have a table of their own in the paper. */
TEST(loads_stand_beside_busy_machines)
{
	struct summary *summary;
	char *svg;

	add_sweep(&points, "uds", 1);
	summary = sample_summary(1);
	snprintf(summary->info.workload.load, SPEC_TEXT_LEN, "make");
	add_summary(&points, summary);
	svg = drawn(&figure_published, &points, FIGURE_NARROW);
	assert_true(svg_count(svg, "data-source", "published") == 2 * NR_PUBLISHED);
	assert_true(svg_count(svg, "data-third", "%.3f", 8000e3) == 1);
}

TEST(an_experiment_has_pairs)
{
	static const char *const transports[] = {"pipe", "uds-stream", "shm"};
	char *svg;

	for (size_t i = 0; i < ARRAY_SIZE(transports); i++) {
		struct summary *summary = sample_paced("pingpong", 1);

		snprintf(summary->info.experiment, SPEC_TEXT_LEN, "ipc-bench");
		snprintf(summary->info.workload.transport, SPEC_TEXT_LEN, "%s", transports[i]);
		summary->info.workload.size = 1;
		add_summary(&points, summary);
	}
	svg = drawn(&figure_published, &points, FIGURE_WIDE);
	assert_true(svg_count(svg, "data-second", "1634.000") == 1);
	assert_true(svg_count(svg, "data-second", "1907.000") == 1);
	assert_true(svg_count(svg, "class", "row") == 2);
	assert_true(svg_count(svg, "data-first", "%.3f",
			      points.runs.row[0].number[NUMBER_ROUND_TRIP] / 2) == 2);
}

TEST(runs_without_a_message_are_not_known)
{
	struct summary *summary = sample_begin(1);
	char *svg;

	add_summary(&points, summary);
	summary = sample_begin(2);
	add_summary(&points, summary);
	svg = drawn(&figure_runs, &points, FIGURE_WIDE);
	assert_non_null(strstr(svg, "not known"));
	svg = drawn(&figure_over_clients, &points, FIGURE_WIDE);
	assert_false(applies(&figure_published, &points));
}

/* Loads and handlers are commands of the user. */
TEST(hostile_loads_are_inert)
{
	for (uint32_t clients = 1; clients <= 2; clients++) {
		for (int load = 0; load < 12; load++) {
			struct summary *summary = sample_summary(clients);

			snprintf(summary->info.workload.load, SPEC_TEXT_LEN,
				 "<script>alert(\"%d\")</script>&'\xff\n\x1b[2J and a long tail",
				 load);
			add_summary(&points, summary);
		}
	}
	for (size_t i = 0; figure_at(i); i++) {
		for (size_t w = 0; w < ARRAY_SIZE(widths); w++) {
			char *svg;

			if (!applies(figure_at(i), &points))
				continue;
			svg = drawn(figure_at(i), &points, widths[w]);
			assert_null(strstr(svg, "<script"));
			assert_null(strstr(svg, "\x1b"));
			assert_null(strstr(svg, "\xff"));
		}
	}
}

TEST(more_curves_than_colours_are_counted)
{
	char transport[16], *svg;

	for (int i = 0; i < 10; i++) {
		snprintf(transport, sizeof(transport), "t%d", i);
		add_sweep(&points, transport, 2);
	}
	svg = drawn(&figure_over_clients, &points, FIGURE_WIDE);
	assert_non_null(strstr(svg, "2 more curves are not drawn."));
}

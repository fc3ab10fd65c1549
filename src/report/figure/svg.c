/* SPDX-License-Identifier: BSD-2-Clause */
/* Writes --format svg: one figure as a file of its own, for a paper or a README. */
#include "report/figure.h"
#include "report/format.h"

#include <errno.h>
#include <stdlib.h>

struct report {
	FILE *out;                   /* borrowed */
	const struct figure *figure; /* NULL: there is none of the name */
	struct run_points points;    /* of a figure of several runs */
	bool is_run_matrix;
};

static struct report *svg_begin(const struct report_style *style)
{
	struct report *report = calloc(1, sizeof(*report));

	if (!report)
		return NULL;
	report->out = style->out;
	report->is_run_matrix = style->is_run_matrix;
	report->figure = figure_find(style->figure ?: figure_bands.name);
	return report;
}

static bool is_of_several(const struct report *report)
{
	return report->figure && report->figure->subject == OF_RUNS;
}

static int svg_draw(const struct report *report, const struct illustration *illustration)
{
	struct markup markup = {.out = report->out};
	struct canvas canvas = {.markup = &markup, .width = FIGURE_WIDE, .is_alone = true};

	if (!report->figure || !figure_shows(report->figure, illustration))
		return -ENODATA;
	canvas.id = report->figure->name;
	return figure_draw(report->figure, &canvas, illustration) ?: report_flush(report->out);
}

static int svg_illustrate(struct report *report, const struct illustration *illustration)
{
	if (is_of_several(report))
		return run_points_add(&report->points, illustration);
	return report->is_run_matrix ? -ENOTUNIQ : svg_draw(report, illustration);
}

static int svg_end(struct report *report, bool is_cut)
{
	int err = run_points_merge(&report->points);

	if (!err && is_of_several(report) && report->points.runs.cnt)
		err = svg_draw(report, &(struct illustration){.points = &report->points});
	(void)is_cut; /* integrity is not part of a figure */
	run_points_clean(&report->points);
	free(report);
	return err;
}

const struct report_format report_svg = {
	.name = "svg",
	.meaning = "one figure: see --figure",
	.shows_unit = true,
	.shows_one_figure = true,
	.wants_recording = true,
	.begin = svg_begin,
	.illustrate = svg_illustrate,
	.end = svg_end,
};

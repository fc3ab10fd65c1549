/* SPDX-License-Identifier: BSD-2-Clause */
/* Writes --format svg: one figure as a file of its own, for a paper or a README. */
#include "report/figure/draw.h"
#include "report/figure/sweep.h"
#include "report/format.h"

#include <errno.h>
#include <stdlib.h>

struct report {
	FILE *out;                              /* borrowed */
	const struct figure *figure;            /* of one run, or NULL */
	const struct matrix_figure *of_several; /* of several runs, or NULL */
	struct run_points points;               /* of_several */
	const char *name;                       /* borrowed; that of the figure */
	bool is_run_matrix;
};

static struct report *svg_begin(const struct report_style *style)
{
	struct report *report = calloc(1, sizeof(*report));

	if (!report)
		return NULL;
	report->out = style->out;
	report->is_run_matrix = style->is_run_matrix;
	report->name = style->figure ?: figure_bands.name;
	report->figure = figure_find(report->name);
	report->of_several = matrix_figure_find(report->name);
	return report;
}

static struct canvas canvas_of(const struct report *report, struct markup *markup)
{
	*markup = (struct markup){.out = report->out};
	return (struct canvas){
		.markup = markup, .width = FIGURE_WIDE, .is_alone = true, .id = report->name};
}

static int svg_illustrate(struct report *report, const struct illustration *illustration)
{
	struct markup markup;
	const struct canvas canvas = canvas_of(report, &markup);

	if (report->of_several)
		return run_points_add(&report->points, illustration);
	if (report->is_run_matrix)
		return -ENOTUNIQ;
	if (!report->figure || !report->figure->applies(illustration))
		return -ENODATA;
	figure_draw(report->figure, &canvas, illustration);
	return report_flush(report->out);
}

static int draw_of_several(const struct report *report)
{
	const struct matrix_figure *figure = report->of_several;
	struct markup markup;
	const struct canvas canvas = canvas_of(report, &markup);

	if (!report->points.runs.cnt)
		return 0;
	if (!figure->applies(&report->points))
		return -ENODATA;
	matrix_figure_draw(figure, &canvas, &report->points);
	return report_flush(report->out);
}

static int svg_end(struct report *report, bool is_cut)
{
	int err = run_points_merge(&report->points);

	if (!err && report->of_several)
		err = draw_of_several(report);
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

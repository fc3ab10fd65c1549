/* SPDX-License-Identifier: BSD-2-Clause */
/* Writes --format svg: one figure of a run as a file of its own, for a paper or a README. */
#include "report/figure/draw.h"
#include "report/format.h"

#include <errno.h>
#include <stdlib.h>

struct report {
	FILE *out; /* borrowed */
	const struct figure *figure;
	const char *name; /* borrowed; that of the figure */
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
	return report;
}

static int svg_illustrate(struct report *report, const struct illustration *illustration)
{
	struct markup markup = {.out = report->out};
	const struct canvas canvas = {
		.markup = &markup, .width = FIGURE_WIDE, .is_alone = true, .id = report->name};

	if (report->is_run_matrix)
		return -ENOTUNIQ;
	if (!report->figure || !report->figure->applies(illustration))
		return -ENODATA;
	figure_draw(report->figure, &canvas, illustration);
	return report_flush(report->out);
}

static int svg_end(struct report *report, bool is_cut)
{
	(void)is_cut; /* integrity is not part of a figure */
	free(report);
	return 0;
}

const struct report_format report_svg = {
	.name = "svg",
	.wants_recording = true,
	.begin = svg_begin,
	.illustrate = svg_illustrate,
	.end = svg_end,
};

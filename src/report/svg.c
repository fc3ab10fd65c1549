/* SPDX-License-Identifier: BSD-2-Clause */
/* Writes --format svg: one figure of a run as a file of its own, for a paper or a README. */
#include "report/figure/draw.h"
#include "report/format.h"
#include "util/log.h"

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
	report->name = style->figure ?: "";
	report->figure = figure_find(report->name);
	return report;
}

/* The caller of a format with -ENODATA says nothing more. */
static int no_figure(const struct report *report, const char *why)
{
	log_error("cannot draw the figure: '%s': %s: use -f html, which has all figures of the "
		  "recording",
		  report->name, why);
	return -ENODATA;
}

static int svg_illustrate(struct report *report, const struct illustration *illustration)
{
	struct markup markup = {.out = report->out};
	const struct canvas canvas = {
		.markup = &markup, .width = FIGURE_WIDE, .is_alone = true, .id = report->name};

	if (!report->figure)
		return no_figure(report, "there is no figure of this name");
	if (report->is_run_matrix)
		return no_figure(report, "it shows one run, and the recording has several");
	if (!report->figure->applies(illustration))
		return no_figure(report, "the run has nothing that it shows");
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
	.begin = svg_begin,
	.illustrate = svg_illustrate,
	.end = svg_end,
};

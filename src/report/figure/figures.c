/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Lists the figures, and writes one as an <svg> element. Its height stands before the marks and is
 * known behind them: so these are drawn into memory first. A new figure needs an entry here.
 */
#include "report/figure.h"

#include "report/figure/canvas.h"
#include "report/memstream.h"

#include <string.h>

static const struct figure *const figures[] = {
	&figure_typical,   &figure_heat_map,   &figure_to_scale,     &figure_cpus,
	&figure_bands,     &figure_slowest,    &figure_percentiles,  &figure_exchange,
	&figure_apart,     &figure_difference, &figure_blame,        &figure_graph,
	&figure_chains,    &figure_series,     &figure_over_clients, &figure_over_size,
	&figure_exchanges, &figure_published,  &figure_runs,
};

const struct figure *figure_at(size_t i)
{
	return i < sizeof(figures) / sizeof(figures[0]) ? figures[i] : NULL;
}

const struct figure *figure_find(const char *name)
{
	const struct figure *figure;

	for (size_t i = 0; (figure = figure_at(i)); i++) {
		if (!strcmp(figure->name, name))
			break;
	}
	return figure;
}

bool figure_shows(const struct figure *figure, const struct illustration *illustration)
{
	return (figure->subject == OF_RUNS) == !!illustration->points &&
	       figure->applies(illustration);
}

int run_points_add(struct run_points *points, const struct illustration *illustration)
{
	return rows_add(&points->runs, illustration->summary);
}

int run_points_merge(struct run_points *points)
{
	rows_free(&points->merged);
	return rows_merge(&points->runs, &points->merged);
}

void run_points_clean(struct run_points *points)
{
	rows_free(&points->runs);
	rows_free(&points->merged);
}

/* Around a figure in a file of its own: viewers and papers may put it beside anything. */
#define MARGIN 12

const char figure_style[] =
#include "report/figure/figure.css.inc"
	;

static void figures_words_put(const struct canvas *canvas, const char *element, const char *words)
{
	markup_open(canvas->markup, element);
	markup_attrf(canvas->markup, "id", "%s-%s", canvas->id, element);
	markup_text(canvas->markup, words);
	markup_close(canvas->markup);
}

static void figures_put(const struct canvas *canvas, const struct figure *figure, double height,
			const char *description, const char *marks)
{
	struct markup *markup = canvas->markup;
	double margin = canvas->is_alone ? MARGIN : 0;

	markup_open(markup, "svg");
	if (canvas->is_alone)
		markup_attr(markup, "xmlns", "http://www.w3.org/2000/svg");
	markup_attr(markup, "id", canvas->id);
	markup_attrf(markup, "class", "picture %s%s", canvas->is_narrow ? "narrow" : "wide",
		     canvas->is_alone ? " alone" : "");
	markup_attr(markup, "data-figure", figure->name);
	markup_attrf(markup, "viewBox", "%.0f %.0f %.0f %.0f", 0 - margin, 0 - margin,
		     canvas->width + 2 * margin, height + 2 * margin);
	markup_attrf(markup, "width", "%.0f", canvas->width + 2 * margin);
	markup_attrf(markup, "height", "%.0f", height + 2 * margin);
	markup_attr(markup, "role", "img");
	markup_attrf(markup, "aria-labelledby", "%s-title %s-desc", canvas->id, canvas->id);
	figures_words_put(canvas, "title", figure->title);
	figures_words_put(canvas, "desc", description);
	if (canvas->is_alone) {
		markup_open(markup, "style");
		markup_raw(markup, figure_style);
		markup_close(markup);
		rect_draw(canvas, "paper", 0 - margin, 0 - margin, canvas->width + 2 * margin,
			  height + 2 * margin);
	}
	markup_raw(markup, marks);
	markup_close(markup);
}

int figure_draw(const struct figure *figure, const struct canvas *canvas,
		const struct illustration *illustration)
{
	struct paragraph words = {0};
	struct memory marks = {0};
	int err = memory_begin(&marks);

	if (!err) {
		struct markup markup = {.out = marks.stream, .is_foreign = true};
		struct canvas inside = *canvas;
		double height;

		inside.markup = &markup;
		height = figure->draw(&inside, illustration);
		err = memory_finish(&marks);
		figure->describe(illustration, &words);
		if (!err)
			figures_put(canvas, figure, height, words.text, marks.text);
	}
	memory_clean(&marks);
	return err;
}

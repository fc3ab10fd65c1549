/* SPDX-License-Identifier: BSD-2-Clause */
/* Writes the <svg> element around the marks of a figure. */
#include "report/figure/draw.h"

#include "report/figure/canvas.h"

/* Around a figure in a file of its own: viewers and papers may put it beside anything. */
#define MARGIN 12

const char figure_style[] =
#include "report/figure/figure.css.inc"
	;

static void id_attr(struct markup *markup, const struct canvas *canvas, const char *part)
{
	markup_attrf(markup, "id", "%s-%s", canvas->id, part);
}

static void words_put(const struct canvas *canvas, const char *title, const char *description)
{
	struct markup *markup = canvas->markup;

	markup_open(markup, "title");
	id_attr(markup, canvas, "title");
	markup_text(markup, title);
	markup_close(markup);
	markup_open(markup, "desc");
	id_attr(markup, canvas, "desc");
	markup_text(markup, description);
	markup_close(markup);
}

void figure_open(const struct canvas *canvas, const char *name, double height, const char *title,
		 const char *description)
{
	struct markup *markup = canvas->markup;
	double margin = canvas->is_alone ? MARGIN : 0;

	markup_open(markup, "svg");
	if (canvas->is_alone)
		markup_attr(markup, "xmlns", "http://www.w3.org/2000/svg");
	markup_attr(markup, "id", canvas->id);
	markup_attrf(markup, "class", "picture %s%s", canvas->is_narrow ? "narrow" : "wide",
		     canvas->is_alone ? " alone" : "");
	markup_attr(markup, "data-figure", name);
	markup_attrf(markup, "viewBox", "%.0f %.0f %.0f %.0f", 0 - margin, 0 - margin,
		     canvas->width + 2 * margin, height + 2 * margin);
	markup_attrf(markup, "width", "%.0f", canvas->width + 2 * margin);
	markup_attrf(markup, "height", "%.0f", height + 2 * margin);
	markup_attr(markup, "role", "img");
	markup_attrf(markup, "aria-labelledby", "%s-title %s-desc", canvas->id, canvas->id);
	words_put(canvas, title, description);
	if (!canvas->is_alone)
		return;
	markup_open(markup, "style");
	markup_raw(markup, figure_style);
	markup_close(markup);
	rect_draw(canvas, "paper", 0 - margin, 0 - margin, canvas->width + 2 * margin,
		  height + 2 * margin);
}

void figure_close(const struct canvas *canvas)
{
	markup_close(canvas->markup);
}

void figure_draw(const struct figure *figure, const struct canvas *canvas,
		 const struct illustration *illustration)
{
	char words[FIGURE_WORDS_LEN] = "";

	figure->describe(illustration, words, sizeof(words));
	figure_open(canvas, figure->name, figure->height(canvas, illustration), figure->title,
		    words);
	figure->draw(canvas, illustration);
	figure_close(canvas);
}

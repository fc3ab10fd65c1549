/* SPDX-License-Identifier: BSD-2-Clause */
/* Draws symbols of points, and legends: samples with their words, in as many lines as they need. */
#include "report/figure/legend.h"

#include <stdarg.h>
#include <stdio.h>

#define SYMBOL_RADIUS 4 /* half of the height and width of a symbol */
#define SWATCH        12
#define LINE_WIDTH    30 /* of the line below a symbol */
#define GAP           6  /* from the sample to its words */
#define LINE          20

enum shape shape_of(unsigned int i)
{
	return i % NR_SHAPES;
}

struct point {
	double x;
	double y;
};

/* Corners in units of the radius; shapes of lines have pairs of ends. */
static const struct {
	struct point corner[4];
	int cnt;
	bool is_lines;
} outlines[NR_SHAPES] = {
	[SHAPE_DIAMOND] = {{{0, -1.25}, {1.1, 0}, {0, 1.25}, {-1.1, 0}}, 4, false},
	[SHAPE_TRIANGLE] = {{{0, -1.1}, {1.1, 0.9}, {-1.1, 0.9}}, 3, false},
	[SHAPE_SQUARE] = {{{-0.9, -0.9}, {0.9, -0.9}, {0.9, 0.9}, {-0.9, 0.9}}, 4, false},
	[SHAPE_FLAG] = {{{-1.1, -0.9}, {1.1, -0.9}, {0, 1.1}}, 3, false},
	[SHAPE_PLUS] = {{{-1.2, 0}, {1.2, 0}, {0, -1.2}, {0, 1.2}}, 4, true},
	[SHAPE_CROSS] = {{{-0.9, -0.9}, {0.9, 0.9}, {-0.9, 0.9}, {0.9, -0.9}}, 4, true},
};

void symbol_open(const struct canvas *canvas, enum shape shape, const char *class, double x,
		 double y)
{
	bool is_hollow = shape == SHAPE_RING || outlines[shape].is_lines;
	const char *classes = TEXT("%s %s", is_hollow ? "hollow" : "dot", class);

	if (shape == SHAPE_DISC || shape == SHAPE_RING) {
		circle_open(canvas, classes, x, y, SYMBOL_RADIUS);
		return;
	}
	outline_open(canvas, classes);
	for (int i = 0; i < outlines[shape].cnt; i++) {
		struct point corner = outlines[shape].corner[i];
		bool is_begin = outlines[shape].is_lines ? i % 2 == 0 : i == 0;

		(is_begin ? outline_move : outline_line)(canvas, x + SYMBOL_RADIUS * corner.x,
							 y + SYMBOL_RADIUS * corner.y);
	}
	if (!outlines[shape].is_lines)
		outline_close_shape(canvas);
	outline_end(canvas);
}

void symbol_draw(const struct canvas *canvas, enum shape shape, const char *class, double x,
		 double y)
{
	symbol_open(canvas, shape, class, x, y);
	markup_close(canvas->markup);
}

static bool has_symbol(const struct legend_entry *entry)
{
	return entry->sample == SAMPLE_SYMBOL || entry->sample == SAMPLE_SYMBOL_ON_LINE;
}

static double sample_width(const struct legend_entry *entry)
{
	if (entry->sample == SAMPLE_SYMBOL_ON_LINE)
		return LINE_WIDTH;
	return has_symbol(entry) ? 2 * SYMBOL_RADIUS : SWATCH;
}

/* Where the entry begins: behind the one before, or in the next line. */
static struct point legend_place_of(struct point *next, const struct legend_entry *entry,
				    double width)
{
	double needed = sample_width(entry) + GAP + label_width(entry->label, FONT_SIZE);
	struct point place;

	if (next->x > 0 && next->x + needed > width) {
		next->x = 0;
		next->y += LINE;
	}
	place = *next;
	next->x += needed + (has_symbol(entry) ? 16 : 18);
	return place;
}

static void sample_draw(const struct canvas *canvas, const struct legend_entry *entry, double x,
			double y)
{
	static const char *const kinds[] = {[SAMPLE_AREA] = "fill",
					    [SAMPLE_CULPRIT] = "culprit",
					    [SAMPLE_LINE] = "series",
					    [SAMPLE_SYMBOL] = "",
					    [SAMPLE_SYMBOL_ON_LINE] = "series"};
	double width = sample_width(entry), middle = y + SWATCH / 2.0;
	const char *class = TEXT("%s %s", kinds[entry->sample], entry->class);

	switch (entry->sample) {
	case SAMPLE_AREA:
		rect_draw(canvas, class, x, y, SWATCH, SWATCH);
		break;
	case SAMPLE_CULPRIT:
		rect_draw(canvas, "fill c-runqueue", x, y, SWATCH, SWATCH);
		rect_draw(canvas, class, x, middle, SWATCH, SWATCH / 2.0);
		break;
	case SAMPLE_LINE:
		line_draw(canvas, class, x - 3, middle, x + SWATCH + 3, middle);
		break;
	case SAMPLE_SYMBOL_ON_LINE:
		line_draw(canvas, class, x, middle, x + width, middle);
		__attribute__((fallthrough));
	case SAMPLE_SYMBOL:
		symbol_draw(canvas, entry->shape, entry->class, x + width / 2, middle);
	}
}

static void entry_draw(const struct canvas *canvas, const struct legend_entry *entry, double x,
		       double y)
{
	double label_x = x + sample_width(entry) + GAP;

	group_open(canvas, "key");
	markup_attr(canvas->markup, "data-key", entry->class);
	if (entry->tip[0] && !canvas->is_narrow)
		tooltip_draw(canvas, "%s", entry->tip);
	sample_draw(canvas, entry, x, y);
	label_draw_fitting(canvas, NULL, label_x, y + 10.5, ANCHOR_START, canvas->width - label_x,
			   entry->label);
	markup_close(canvas->markup);
}

struct legend_entry *legend_add(struct legend *legend, const char *class, const char *format, ...)
{
	struct legend_entry *entry = &legend->entry[legend->cnt++];
	va_list args;

	entry->class = class;
	va_start(args, format);
	vsnprintf(entry->label, sizeof(entry->label), format, args);
	va_end(args);
	return entry;
}

void legend_add_cost(struct legend *legend, enum component cost)
{
	const struct component_info *info = &components[cost];

	legend_add(legend, cost_class(cost), "%s", info->legend ?: info->title);
}

double legend_draw(const struct canvas *canvas, const struct legend *legend, double y)
{
	struct point next = {0};

	if (!legend->cnt)
		return 0;
	if (canvas->markup)
		group_open(canvas, "legend");
	for (int i = 0; i < legend->cnt; i++) {
		const struct legend_entry *entry = &legend->entry[i];
		struct point place = legend_place_of(&next, entry, canvas->width);

		if (canvas->markup)
			entry_draw(canvas, entry, place.x, y + place.y);
	}
	if (canvas->markup)
		markup_close(canvas->markup);
	return next.y + LINE;
}

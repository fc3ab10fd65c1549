/* SPDX-License-Identifier: BSD-2-Clause */
/* Draws symbols of points, and their legends. */
#include "report/figure/curves/symbol.h"

#include "report/figure/palette.h"

#include <math.h>
#include <stdio.h>

#define SAMPLE   30 /* the width of a symbol on its line */
#define GAP      6  /* from the symbol to its words */
#define DISTANCE 16 /* from an entry to the next */
#define LINE     20

enum shape shape_of(unsigned int i)
{
	return i % NR_SHAPES;
}

struct corner {
	double x;
	double y;
};

/* Corners in units of the radius; shapes of lines have pairs of ends. */
static const struct {
	struct corner corner[4];
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

static void outline_draw(const struct canvas *canvas, enum shape shape, double x, double y)
{
	for (int i = 0; i < outlines[shape].cnt; i++) {
		struct corner corner = outlines[shape].corner[i];
		bool is_begin = outlines[shape].is_lines ? i % 2 == 0 : i == 0;

		(is_begin ? outline_move : outline_line)(canvas, x + SYMBOL_RADIUS * corner.x,
							 y + SYMBOL_RADIUS * corner.y);
	}
	if (!outlines[shape].is_lines)
		outline_close_shape(canvas);
	outline_end(canvas);
}

void symbol_open(const struct canvas *canvas, enum shape shape, const char *class, double x,
		 double y)
{
	bool is_hollow = shape == SHAPE_RING || outlines[shape].is_lines;
	char classes[64];

	snprintf(classes, sizeof(classes), "%s %s", is_hollow ? "hollow" : "dot", class);
	if (shape == SHAPE_DISC || shape == SHAPE_RING) {
		circle_open(canvas, classes, x, y, SYMBOL_RADIUS);
		return;
	}
	outline_open(canvas, classes);
	outline_draw(canvas, shape, x, y);
}

void symbol_draw(const struct canvas *canvas, enum shape shape, const char *class, double x,
		 double y)
{
	symbol_open(canvas, shape, class, x, y);
	markup_close(canvas->markup);
}

static double sample_width(const struct symbol_entry *entry)
{
	return entry->has_line ? SAMPLE : 2 * SYMBOL_RADIUS;
}

struct cursor {
	double x;
	double y;
};

/* Where the entry begins: behind the one before, or in the next line. */
static struct cursor place_of(struct cursor *next, const struct symbol_entry *entry, double width)
{
	double needed =
		fmin(width, sample_width(entry) + GAP + label_width(entry->label, FONT_SIZE));
	struct cursor place;

	if (next->x > 0 && next->x + needed > width) {
		next->x = 0;
		next->y += LINE;
	}
	place = *next;
	next->x += needed + DISTANCE;
	return place;
}

double symbol_legend_height(const struct symbol_entry *entry, int cnt, double width)
{
	struct cursor next = {0};

	for (int i = 0; i < cnt; i++)
		place_of(&next, &entry[i], width);
	return cnt ? next.y + LINE : 0;
}

static void entry_draw(const struct canvas *canvas, const struct symbol_entry *entry, double x,
		       double y, double width)
{
	double sample = sample_width(entry);
	char class[64];

	group_open(canvas, "key");
	markup_attr(canvas->markup, "data-key", entry->class);
	if (entry->has_line) {
		snprintf(class, sizeof(class), "series %s", entry->class);
		line_draw(canvas, class, x, y + 6, x + sample, y + 6);
	}
	symbol_draw(canvas, entry->shape, entry->class, x + sample / 2, y + 6);
	label_draw_fitting(canvas, NULL, x + sample + GAP, y + 10.5, ANCHOR_START,
			   width - sample - GAP, entry->label);
	markup_close(canvas->markup);
}

void symbol_legend_draw(const struct canvas *canvas, const struct symbol_entry *entry, int cnt,
			double x, double y, double width)
{
	struct cursor next = {0};

	if (!cnt)
		return;
	group_open(canvas, "legend");
	for (int i = 0; i < cnt; i++) {
		struct cursor place = place_of(&next, &entry[i], width);

		entry_draw(canvas, &entry[i], x + place.x, y + place.y, width - place.x);
	}
	markup_close(canvas->markup);
}

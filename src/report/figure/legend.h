/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Declares symbols for points, whose shapes differ, so that grey paper shows which is which, and
 * legends.
 */
#pragma once

#include "report/figure/canvas.h"

enum shape {
	SHAPE_DISC,
	SHAPE_DIAMOND,
	SHAPE_TRIANGLE,
	SHAPE_SQUARE,
	SHAPE_RING,
	SHAPE_FLAG, /* a triangle on its tip */
	SHAPE_PLUS,
	SHAPE_CROSS,
	NR_SHAPES
};

/* The shape of the i-th line of a figure. They repeat. */
enum shape shape_of(unsigned int i);

/*
 * Opens the symbol; attributes and a <title> may follow, then markup_close(). `class` is that of a
 * line, for example "s1".
 */
void symbol_open(const struct canvas *canvas, enum shape shape, const char *class, double x,
		 double y);
void symbol_draw(const struct canvas *canvas, enum shape shape, const char *class, double x,
		 double y);

/* What stands before the words of an entry. */
enum sample {
	SAMPLE_AREA,
	SAMPLE_CULPRIT, /* a part of the run queue */
	SAMPLE_LINE,
	SAMPLE_SYMBOL,
	SAMPLE_SYMBOL_ON_LINE
};

/*
 * An entry of a legend. Its sample has the class `class`, which the marks of the figure have, too:
 * the page's script hides marks by it.
 */
struct legend_entry {
	const char *class;
	enum sample sample;
	enum shape shape; /* of a symbol */
	char label[128];
	char tip[256]; /* empty: none */
};

#define LEGEND_MAX 32

/* Zero-initialised is empty. */
struct legend {
	struct legend_entry entry[LEGEND_MAX];
	int cnt;
};

/* An entry for an area, whose sample may be changed. There is room for LEGEND_MAX. */
__attribute__((format(printf, 3, 4))) struct legend_entry *
legend_add(struct legend *legend, const char *class, const char *format, ...);

/* The same for a component or what else takes time. */
void legend_add_cost(struct legend *legend, enum component cost);

/*
 * Draws the entries from `y` on, in lines as wide as the figure, and returns their height. On a
 * canvas without markup, nothing is drawn.
 */
double legend_draw(const struct canvas *canvas, const struct legend *legend, double y);

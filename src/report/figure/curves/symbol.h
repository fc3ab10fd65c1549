/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Declares symbols for points. Their shapes differ, so that grey paper shows which is which.
 * Declares legends of symbols.
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

/* Half of the height and width of a symbol. */
#define SYMBOL_RADIUS 4

/*
 * Opens the symbol; attributes and a <title> may follow, then markup_close(). `class` is that of a
 * line, for example "s1".
 */
void symbol_open(const struct canvas *canvas, enum shape shape, const char *class, double x,
		 double y);
void symbol_draw(const struct canvas *canvas, enum shape shape, const char *class, double x,
		 double y);

/* A symbol with its words; `has_line`: on a piece of its line. */
struct symbol_entry {
	enum shape shape;
	bool has_line;
	const char *class;
	char label[64];
};

/* The entries in lines from (x, y) on, which are `width` wide. */
double symbol_legend_height(const struct symbol_entry *entry, int cnt, double width);
void symbol_legend_draw(const struct canvas *canvas, const struct symbol_entry *entry, int cnt,
			double x, double y, double width);

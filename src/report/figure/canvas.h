/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Declares the shapes and labels that figures consist of. Places are in user units from the top
 * left corner. Classes are those of figure.css: colours are there and nowhere else, so that a
 * figure is drawn once for light pages, dark pages and paper.
 *
 * Functions that end in _open leave the element open: attributes, a <title> and others may follow,
 * then markup_close().
 */
#pragma once

#include "report/figure.h"

/* Heights of text in user units. */
#define FONT_SIZE  12
#define FONT_SMALL 11
#define LINE_STEP  16 /* from a line of text to the next one */

enum anchor { ANCHOR_START, ANCHOR_MIDDLE, ANCHOR_END };

/* `class` may be NULL. */
void rect_open(const struct canvas *canvas, const char *class, double x, double y, double width,
	       double height);
void rect_draw(const struct canvas *canvas, const char *class, double x, double y, double width,
	       double height);
void line_draw(const struct canvas *canvas, const char *class, double x1, double y1, double x2,
	       double y2);
void circle_open(const struct canvas *canvas, const char *class, double x, double y, double radius);

/* A group. */
void group_open(const struct canvas *canvas, const char *class);

/*
 * An outline: its points, then its end. It is a line, or an area if its class has a fill.
 *
 *	outline_open(canvas, "series s1");
 *	outline_move(canvas, x, y);
 *	outline_line(canvas, x, y);
 *	outline_end(canvas);             attributes may follow
 *	markup_close(canvas->markup);
 */
void outline_open(const struct canvas *canvas, const char *class);
void outline_move(const struct canvas *canvas, double x, double y);
void outline_line(const struct canvas *canvas, double x, double y);
/* So many cells of width 1 in a row, from column x on, as a part of an outline. */
void outline_cells(const struct canvas *canvas, uint32_t x, double y, uint32_t cnt, double height);
void outline_close_shape(const struct canvas *canvas); /* back to where it began */
void outline_end(const struct canvas *canvas);

/* A coordinate with at most one decimal. */
void place_attr(const struct canvas *canvas, const char *name, double value);

/* A line of text with its baseline at `y`. Text is foreign: it is escaped. */
void label_open(const struct canvas *canvas, const char *class, double x, double y,
		enum anchor anchor);
void label_draw(const struct canvas *canvas, const char *class, double x, double y,
		enum anchor anchor, const char *text);

/* A class or a label, as printf() writes it. Valid in the enclosing block. */
#define LABEL_LEN 256
#define TEXT(...) text_format((char[LABEL_LEN]){0}, __VA_ARGS__)
__attribute__((format(printf, 2, 3))) const char *text_format(char text[LABEL_LEN],
							      const char *format, ...);

/*
 * How wide a text is at most, in any of the fonts that figure.css names: no figure knows the
 * reader's font.
 */
double label_width(const char *text, double font_size);

/* `text` in `label`, cut to `width` with "…" at its end. False: not even one character fits. */
bool label_fit(const char *text, double font_size, double width, char label[LABEL_LEN]);

/* label_fit() and label_draw(); nothing if hardly anything of it fits. */
void label_draw_fitting(const struct canvas *canvas, const char *class, double x, double y,
			enum anchor anchor, double width, const char *text);

/* The tooltip of the element that is open: its <title>. */
__attribute__((format(printf, 2, 3))) void tooltip_draw(const struct canvas *canvas,
							const char *format, ...);

/* data-NAME="…": exact numbers, as in -f json. A mean has three decimals there. */
void data_count(const struct canvas *canvas, const char *name, unsigned long long value);
void data_mean(const struct canvas *canvas, const char *name, double value);

/* A share with as many digits as -f json needs. NAN and INFINITY leave the attribute out. */
void data_share(const struct canvas *canvas, const char *name, double value);

/* data-NAME="text"; empty text leaves it out. */
void data_text(const struct canvas *canvas, const char *name, const char *text);

/*
 * The classes of marks, whose colours are in figure.css: a component has one colour in all figures.
 * Neighbours in the order of time differ in lightness, so that grey paper, and readers with a
 * colour deficiency, can tell them apart.
 */

/* "k1" … "k7" for the largest culprits, from 1 on; "k0": all others, "kn": none. */
#define CULPRIT_CLASSES 7
const char *culprit_class(unsigned int place);

/* "s1" … "s8" for lines, from 0 on; each has a dash pattern of its own. They repeat. */
#define SERIES_CLASSES 8
const char *series_class(unsigned int i);

/* "h0" … "h8": how dark an area is, by its share of 1. A negative share: "hn", nothing known. */
#define HEAT_CLASSES 9
const char *heat_class(double share);

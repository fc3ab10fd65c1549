/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Defines what is drawn of several runs against a number: which figures, in a panel each, and which
 * runs make a curve.
 */
#pragma once

#include "report/figure/matrix/matrix.h"
#include "report/figure/scale.h"

#define CURVES_MAX 8
#define POINTS_MAX 64

struct panel {
	const char *title; /* at most as wide as a third of the page */
	const char *words; /* in a sentence */
	enum row_figure figure;
	enum measure measure;
};

struct line {
	const struct row *first; /* the others differ from it in the coordinate only */
	char label[SETTINGS_LEN];
};

/* What is drawn: the runs of one pattern, as curves over a coordinate. */
struct sheet {
	const struct rows *rows;
	enum coordinate x;
	const char *pattern; /* NULL: there is nothing to draw */
	struct line line[CURVES_MAX];
	uint32_t line_cnt;
	uint32_t lines_more;
	const struct panel *panel;
	uint32_t panel_cnt;
};

struct sheet sheet_of(const struct run_points *points, enum coordinate x);

/* The number of a run on the horizontal axis, and its words. */
uint64_t x_value(const struct sheet *sheet, const struct row *row);
const char *x_title(const struct sheet *sheet);

/* The points of a curve from left to right. Returns how many. */
uint32_t points_of(const struct sheet *sheet, const struct row *first,
		   const struct row *point[POINTS_MAX]);

/* The panel that says most. */
const struct panel *sheet_main_panel(const struct sheet *sheet);

/* Whether it is about rounds over the number of clients, as the GRAME paper. */
bool sheet_is_of_paper(const struct sheet *sheet);

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Declares charts of rows with up to three points each, for example percentiles of runs, on one
 * logarithmic axis.
 */
#pragma once

#include "report/figure/legend.h"
#include "report/figure/rows/frame.h"
#include "report/figure/scale.h"

#define POINT_VALUES_MAX 3
#define POINT_ROWS_MAX   64

struct point_row {
	const char *head; /* a heading above the row; NULL: none */
	char name[160];
	char note[64];
	double value[POINT_VALUES_MAX]; /* NAN: not known, or there is none */
	bool is_published;              /* not of this run: its symbols are hollow */
	const void *of;                 /* what the row shows, for `put_data` */
};

struct point_chart {
	struct point_row row[POINT_ROWS_MAX];
	uint32_t cnt;
	uint32_t most;                       /* as many are drawn, POINT_ROWS_MAX at most */
	uint32_t more;                       /* rows for which there was no room */
	const char *things;                  /* what these are: "configurations" */
	const char *label[POINT_VALUES_MAX]; /* of the values; NULL: there are no more */
	bool has_published;                  /* the legend explains hollow symbols */
	bool is_pairs;                       /* the second value is a published one */
	bool has_range;                      /* a line joins the points of a row */
	enum measure measure;
	const char *title; /* of the axis */
	double note_width;

	/* Attributes and a <title> of the row's group, which is open. */
	void (*put_data)(const struct canvas *canvas, const struct point_row *row);
};

/* A new row, empty. NULL: there is no room, and it is counted. */
struct point_row *point_chart_add(struct point_chart *chart);

/* Returns its height. */
double point_chart_draw(const struct canvas *canvas, const struct point_chart *chart);

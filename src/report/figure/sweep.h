/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Defines the figures of several runs, for example of a sweep over the number of clients. They have
 * the interface of struct figure, over the numbers of all runs. matrix/list.c lists them.
 */
#pragma once

#include "report/figure/figure.h"
#include "report/words/rows.h"

/* What figures of several runs need of each run. Zero-initialised is empty. */
struct run_points {
	struct rows runs; /* owned: one for each run */
	struct rows
		merged; /* owned: one for each configuration, the means of its runs; at the end */
};

/* Copies what is needed of a run. 0 or -ENOMEM. */
int run_points_add(struct run_points *points, const struct illustration *illustration);

/* All runs are added. 0 or -ENOMEM. */
int run_points_merge(struct run_points *points);
void run_points_clean(struct run_points *points);

struct matrix_figure {
	const char *name;
	const char *title;
	bool (*applies)(const struct run_points *points);
	void (*describe)(const struct run_points *points, char *text, size_t size);
	double (*height)(const struct canvas *canvas, const struct run_points *points);
	void (*draw)(const struct canvas *canvas, const struct run_points *points);
};

/* The figures of several runs in the order of the page, from 0 on; NULL after the last one. */
const struct matrix_figure *matrix_figure_at(size_t i);

/* NULL if no figure has this name. */
const struct matrix_figure *matrix_figure_find(const char *name);

/* The whole <svg> element. */
void matrix_figure_draw(const struct matrix_figure *figure, const struct canvas *canvas,
			const struct run_points *points);

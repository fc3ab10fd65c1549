/* SPDX-License-Identifier: BSD-2-Clause */
/* Keeps the numbers of several runs, as the text report does. */
#include "report/figure/sweep.h"

#include "report/figure/draw.h"

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

void matrix_figure_draw(const struct matrix_figure *figure, const struct canvas *canvas,
			const struct run_points *points)
{
	char words[FIGURE_WORDS_LEN] = "";

	figure->describe(points, words, sizeof(words));
	figure_open(canvas, figure->name, figure->height(canvas, points), figure->title, words);
	figure->draw(canvas, points);
	figure_close(canvas);
}

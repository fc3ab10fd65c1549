/* SPDX-License-Identifier: BSD-2-Clause */
/* Keeps the numbers of several runs, as the text report does. */
#include "report/figure/sweep.h"

int run_points_add(struct run_points *points, const struct illustration *illustration)
{
	struct rows merged;
	int err = rows_add(&points->runs, illustration->summary);

	err = err ?: rows_merge(&points->runs, &merged);
	if (err)
		return err;
	rows_free(&points->merged);
	points->merged = merged;
	return 0;
}

void run_points_clean(struct run_points *points)
{
	rows_free(&points->runs);
	rows_free(&points->merged);
}

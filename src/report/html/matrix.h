/* SPDX-License-Identifier: BSD-2-Clause */
/* Declares the parts of the page that compare several runs. */
#pragma once

#include "report/figure/figure.h"
#include "report/markup.h"
#include "report/words/paragraph.h"

/* What was run, and how the runs differ. Nothing without a run. */
void matrix_words(const struct run_points *points, struct paragraph *title,
		  struct paragraph *verdict);

/* Whether all runs are complete, and that tracing has its cost. */
void matrix_trust(struct markup *markup, const struct run_points *points);

/* What run `i` differs in from the others, "4 clients over tcp, run 2". */
void matrix_run_title(const struct run_points *points, size_t i, struct paragraph *title);

/* The slowest run; the first one if it is not known how slow they are. */
size_t matrix_slowest_run(const struct run_points *points);

/* Links to these parts, and to "each-run". */
void matrix_contents(struct markup *markup, const struct run_points *points);

/* The figures of all runs together. 0 or -errno. */
int matrix_figures(struct markup *markup, const struct run_points *points);

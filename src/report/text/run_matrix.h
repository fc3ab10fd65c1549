/* SPDX-License-Identifier: BSD-2-Clause */
/* Declares the function that prints the text report of several runs. */
#pragma once

#include "report/text/layout.h"
#include "report/words/rows.h"

/*
 * `runs` has a row for each run. Silent without a run or without memory. `is_brief`: only the first
 * screen.
 */
void text_run_matrix(const struct text *text, const struct rows *runs, bool is_brief);

/* What was run, in words. `merged`: of rows_merge(), at least one row. */
void run_matrix_title(struct paragraph *line, const struct rows *merged);

/* Returns whether nothing is missing in any run. */
bool run_matrix_integrity(struct paragraph *line, const struct rows *merged);
void run_matrix_observer(struct paragraph *line, const struct rows *merged);

/*
 * What is missing in the runs of a configuration; nothing if all is there. `set`: rows_differ_in()
 */
void run_matrix_warning(struct paragraph *line, const struct row *row, unsigned int set);

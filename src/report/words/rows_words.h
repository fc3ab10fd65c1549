/* SPDX-License-Identifier: BSD-2-Clause */
/* Declares the sentences on several runs. Each function adds to a paragraph. */
#pragma once

#include "report/words/head.h"
#include "report/words/paragraph.h"
#include "report/words/rows.h"

/* One sentence: how the latency changes between the runs. */
void result_of_rows(struct paragraph *line, const struct rows *rows);

/* The largest part of the latency of the slowest row, and what to try about it. */
void cause_of_rows(struct paragraph *line, const struct rows *rows);
void next_of_rows(struct paragraph *line, const struct rows *rows);

/* By the figure that the rows are compared by: the larger, the slower. -INFINITY: not known. */
double slowness_of_row(const struct rows *rows, const struct row *row);

/* NULL: no message was matched. */
const struct row *slowest_row(const struct rows *rows);

/* Whether the serving order varies where the kernel's timer is the sender, and why. */
void order_words(struct paragraph *paragraph, const struct row *row);

/*
 * Which transport has the best main figure among rows that differ in the transport only, and by how
 * much, or how often if there are several comparisons. Silent if there is nothing to compare, or no
 * memory.
 */
void fastest_words(struct paragraph *paragraph, const struct rows *rows,
		   const struct filter *filter);

/* What was run, in words. `merged`: of rows_merge(), at least one row. */
void run_matrix_title(struct paragraph *line, const struct rows *merged);

/* The first two lines of its report. */
void run_matrix_lines(struct head_lines *lines, const struct rows *merged);

/* Returns whether nothing is missing in any run. */
bool run_matrix_integrity(struct paragraph *line, const struct rows *merged);
void run_matrix_observer(struct paragraph *line, const struct rows *merged);

/*
 * What is missing in the runs of a configuration; nothing if all is there. `set`: rows_differ_in()
 */
void run_matrix_warning(struct paragraph *line, const struct row *row, unsigned int set);

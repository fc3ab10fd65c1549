/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Declares functions that print tables of times. Each row is a distribution. The columns are mean,
 * standard deviation, percentiles and maximum.
 */
#pragma once

#include "model/stat.h"
#include "report/text/layout.h"

struct stat_table {
	const struct text *text;
	int label_width;
	int cell_width;
};

void text_stat_heading(const struct stat_table *table, const char *title);

/* Silent if `stat` has no value. */
void text_stat_row(const struct stat_table *table, const char *label, const struct stat *stat);

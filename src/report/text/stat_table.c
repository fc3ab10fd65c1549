/* SPDX-License-Identifier: BSD-2-Clause */
/* Prints tables of times. The sections on latency and calls use these tables. */
#include "report/text/stat_table.h"

#define COLUMN_CNT 7

void text_stat_heading(const struct stat_table *table, const char *title)
{
	static const char *const titles[COLUMN_CNT] = {"mean", "+-sd",  "p50", "p90",
						       "p99",  "p99.9", "max"};
	struct column columns[COLUMN_CNT];

	for (int i = 0; i < COLUMN_CNT; i++)
		columns[i] = (struct column){.width = table->cell_width, .title = titles[i]};
	text_heading(table->text, title, table->label_width, columns, COLUMN_CNT);
}

void text_stat_row(const struct stat_table *table, const char *label, const struct stat *stat)
{
	static const double percents[] = {50, 90, 99, 99.9};
	const struct text *text = table->text;
	int width = table->cell_width;

	if (!stat->count)
		return;
	text_label(text, INK_PLAIN, table->label_width, label);
	text_us(text, width, stat_mean(stat));
	text_us(text, width, stat_stddev(stat));
	for (int i = 0; i < 4; i++)
		text_us(text, width, (double)stat_percentile(stat, percents[i]));
	text_us(text, width, (double)stat->max);
	text_newline(text);
}

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Prints tables of latencies for runs of the pattern push, with a row for each number of clients.
 * In this pattern, the server sends to all clients once per period.
 */
#include "report/text/tables/table.h"
#include "report/words/rows_words.h"

#include <math.h>
#include <string.h>

void text_push_table(const struct text *text, const struct rows *rows, const struct filter *filter,
		     const char *title)
{
	static const struct figure_column columns[] = {
		{10, "mean", "first", UNIT_US, FIGURE_FIRST, NULL},
		{10, "mean", "next", UNIT_US, FIGURE_NEXT, NULL},
		{10, "mean", "last", UNIT_US, FIGURE_LAST, NULL},
		{9, "+-sd", "last", UNIT_US, FIGURE_LAST_SD, NULL},
		{10, "time", "service", UNIT_US, FIGURE_SERVICE_TIME, NULL},
		{11, "efficiency", NULL, UNIT_SHARE, FIGURE_EFFICIENCY, NULL},
		{10, "switch", "context", UNIT_SHARE, FIGURE_CONTEXT_SWITCH, NULL},
	};

	text_table(text, &(struct table){.rows = rows,
					 .filter = *filter,
					 .title = title,
					 .coordinates = 1u << COORDINATE_CLIENTS,
					 TABLE_COLUMNS(columns)});
}

void text_own_rows(const struct text *text, const struct rows *rows)
{
	static const struct filter idle = {.pattern = "push", .load = ""};

	for (const struct row *row = NULL; (row = rows_next(rows, &idle, row));) {
		char title[SPEC_TEXT_LEN + 32];
		struct own_figures own = {
			.title = title,
			.width_ns = 2 * row->figure[FIGURE_FIRST_SD],
			.medium_ns = row->figure[FIGURE_FIRST],
			.next_ns = NAN,
			.peaks = &row->peaks,
		};

		if (row->info.workload.clients != 1 || isnan(row->figure[FIGURE_FIRST]))
			continue;
		snprintf(title, sizeof(title), "  this run, %s, %llu bytes",
			 row->info.workload.transport, (unsigned long long)row->info.workload.size);
		text_own_figures(text, &own);
	}
}

static bool is_kernel(const struct row *row)
{
	return !strcmp(row->info.workload.transport, "kernel");
}

void text_orders(const struct text *text, const struct rows *rows)
{
	for (size_t i = 0; i < rows->cnt; i++) {
		const struct workload_spec *spec = &rows->row[i].info.workload;
		struct paragraph line = {0};
		struct paragraph words = {0};

		order_words(&words, &rows->row[i]);
		if (!is_kernel(&rows->row[i]) || !words.length)
			continue;
		paragraph_add(&line, "of %u clients ", spec->clients);
		if (spec->load[0])
			paragraph_add(&line, "beside %s ", spec->load);
		paragraph_add(&line, "%s", words.text);
		paragraph_print(text, INK_BOLD, "serving order", &line);
	}
}

void text_fastest(const struct text *text, const struct rows *rows, const struct filter *filter)
{
	struct paragraph line = {0};

	fastest_words(&line, rows, filter);
	paragraph_print(text, INK_BOLD, "fastest", &line);
}

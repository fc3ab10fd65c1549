/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Prints the tables of the experiment studio6. In this experiment, a server and a client exchange
 * messages.
 */
#include "report/published.h"
#include "report/text/experiments/experiments.h"
#include "report/text/tables/table.h"

#include <math.h>
#include <string.h>

static double studio6_published(const struct row *row)
{
	return 1e6 *
	       published_studio6_ms(row->info.workload.transport, row->info.workload.messages);
}

static void studio6_signals(const struct text *text, const struct rows *rows)
{
	for (size_t i = 0; i < rows->cnt; i++) {
		const struct row *row = &rows->row[i];
		double sent = row->figure[FIGURE_WAKES_SENT];
		double delivered = row->figure[FIGURE_WAKES_DELIVERED];
		struct paragraph line = {0};

		if (isnan(sent) || row->info.workload.messages != PUBLISHED_STUDIO6_EXCHANGES)
			continue;
		paragraph_add(&line,
			      "%s, %d exchanges: %.0f sent, %.0f delivered, %.0f merged with one "
			      "that was pending",
			      row->info.workload.transport, PUBLISHED_STUDIO6_EXCHANGES, sent,
			      delivered, fmax(0, sent - delivered));
		if (!strcmp(row->info.workload.transport, "signal-std"))
			paragraph_add(&line, " (published: %d sent for %d received)",
				      PUBLISHED_STUDIO6_SIGNALS, PUBLISHED_STUDIO6_EXCHANGES);
		paragraph_print(text, INK_BOLD, "signals", &line);
	}
}

void text_studio6(const struct text *text, const struct rows *rows)
{
	static const struct figure_column columns[] = {
		{12, "total", NULL, UNIT_MS, FIGURE_TIME, NULL},
		{12, "published", NULL, UNIT_MS, 0, studio6_published},
		{14, "us/exchange", NULL, UNIT_US, FIGURE_ROUND_TRIP, NULL},
		{10, "p99", NULL, UNIT_US, FIGURE_ROUND_TRIP_P99, NULL},
	};
	const struct filter all = {0};

	text_table(text, &(struct table){.rows = rows,
					 .title = "total time against exchanges (ms)",
					 .coordinates = 1u << COORDINATE_TRANSPORT |
							1u << COORDINATE_MESSAGES,
					 TABLE_COLUMNS(columns)});
	text_newline(text);
	studio6_signals(text, rows);
	text_fastest(text, rows, &all);
}

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Prints the tables of the experiment colorado. In this experiment, a server translates the
 * requests of many clients.
 */
#include "report/published.h"
#include "report/text/experiments/experiments.h"
#include "report/text/tables/table.h"

static double colorado_published(const struct row *row)
{
	const struct workload_spec *spec = &row->info.workload;

	return 1e6 * published_colorado_ms(spec->transport, spec->clients, spec->messages);
}

static void colorado_table(const struct text *text, const struct rows *rows, const char *transport)
{
	static const struct figure_column columns[] = {
		{10, "published", NULL, UNIT_MS, 0, colorado_published},
		{10, "one way", NULL, UNIT_MS, FIGURE_LATENCY, NULL},
		{12, "round trip", NULL, UNIT_MS, FIGURE_ROUND_TRIP, NULL},
		{10, "(us)", "service", UNIT_US, FIGURE_SERVICE, NULL},
		{10, "spread", "fairness:", UNIT_SHARE, FIGURE_SPREAD, NULL},
		{11, "starved", "longest", UNIT_MS, FIGURE_GAP, NULL},
	};
	char title[SPEC_TEXT_LEN + 32];

	snprintf(title, sizeof(title), "%s: ms per message", transport);
	text_table(text, &(struct table){.rows = rows,
					 .filter = {.transport = transport},
					 .title = title,
					 .coordinates = 1u << COORDINATE_CLIENTS |
							1u << COORDINATE_MESSAGES,
					 TABLE_COLUMNS(columns)});
}

void text_colorado(const struct text *text, const struct rows *rows)
{
	struct paragraph line = {0};
	const struct filter all = {0};

	for_each_transport(text, rows, colorado_table);
	paragraph_add(&line,
		      "Published labels are as published; the published program for TCP deadlocked "
		      "beyond 128 clients x 8 messages. Spread: longest less shortest time of a "
		      "client, by their mean; longest starved: of any client in any run.");
	text_newline(text);
	paragraph_print(text, INK_PLAIN, "", &line);
	text_fastest(text, rows, &all);
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* Prints the table of the experiment lipc, which counts connections per second. */
#include "report/published.h"
#include "report/text/experiments/experiments.h"

#include <math.h>

void text_lipc(const struct text *text, const struct rows *rows)
{
	static const struct column columns[] = {
		{14, "unix", NULL}, {14, "tcp", NULL}, {14, "unix / tcp", NULL}};
	static const struct filter sockets[] = {{.transport = "uds-stream"}, {.transport = "tcp"}};
	double rate[2];

	text_newline(text);
	text_heading(text, "connections per second", 28, columns, 3);
	for (int i = 0; i < NR_PUBLISHED_LIPC; i++) {
		const struct published_lipc *figures = &published_lipc[i];

		fprintf(text->out, "  published, %-15s%14.0f%14.0f%14.1f\n", figures->language,
			figures->unix_per_second, figures->tcp_per_second,
			figures->unix_per_second / figures->tcp_per_second);
	}
	for (int i = 0; i < 2; i++) {
		const struct row *row = rows_next(rows, &sockets[i], NULL);

		rate[i] = row ? row->figure[FIGURE_RATE] : NAN;
	}
	text_label(text, INK_BOLD, 28, "  this run");
	text_number(text, 14, rate[0], 0);
	text_number(text, 14, rate[1], 0);
	text_number(text, 14, rate[0] / rate[1], 1);
	text_newline(text);
}

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Prints the tables of the experiment grame. In this experiment, a server or a kernel timer sends
 * a message to all clients every 10 ms. Some runs have a background load.
 */
#include "report/published.h"
#include "report/text/experiments/experiments.h"
#include "report/text/tables/table.h"

#include <math.h>

/* The load of the rows over the number of clients: none, unless --load names one. */
static const char *main_load(const struct rows *rows)
{
	return rows->row[0].info.workload.load;
}

static const struct row *find_push(const struct rows *rows, const char *transport, uint32_t clients)
{
	const struct filter filter = {.transport = transport, .load = main_load(rows)};
	const struct row *row = NULL;

	while ((row = rows_next(rows, &filter, row)) && row->info.workload.clients != clients)
		;
	return row;
}

/* The largest number of clients that both transports ran with. */
static uint32_t most_clients(const struct rows *rows)
{
	const struct filter filter = {.transport = "kernel", .load = main_load(rows)};
	uint32_t most = 0;

	for (const struct row *row = NULL; (row = rows_next(rows, &filter, row));) {
		uint32_t clients = row->info.workload.clients;

		if (clients > most && find_push(rows, "uds", clients))
			most = clients;
	}
	return most;
}

static void add_ratio(struct paragraph *line, const struct rows *rows, uint32_t clients)
{
	const struct row *socket = find_push(rows, "uds", clients);
	const struct row *kernel = find_push(rows, "kernel", clients);
	double first, last;

	if (!socket || !kernel)
		return;
	first = socket->figure[FIGURE_FIRST] / kernel->figure[FIGURE_FIRST];
	last = socket->figure[FIGURE_LAST] / kernel->figure[FIGURE_LAST];
	if (!isfinite(first) || !isfinite(last))
		return;
	paragraph_add(line, "%swith %u client%s sockets take %.2f times as long for the first",
		      line->length ? ", " : "", clients, plural(clients), first);
	if (clients > 1)
		paragraph_add(line, " and %.2f times as long for the last", last);
}

/* How much faster than sockets the kernel is: published, and in this run. */
static void kernel_line(const struct text *text, const struct rows *rows)
{
	uint32_t most = most_clients(rows);
	struct paragraph line = {0};

	add_ratio(&line, rows, 1);
	if (most > 1)
		add_ratio(&line, rows, most);
	if (!line.length)
		return;
	paragraph_add(&line, " (published: " PUBLISHED_MODULE
			     " with one client, and the less the more clients there are)");
	text_newline(text);
	paragraph_print(text, INK_BOLD, "kernel", &line);
}

static void busy_row(const struct text *text, const struct published_busy *figures)
{
	fprintf(text->out, "  %-32s", figures->system);
	if (figures->range_max_us)
		fprintf(text->out, "%10u-%-5u%s%u\n", figures->range_min_us, figures->range_max_us,
			figures->is_more ? " >" : "  ", figures->peak_us);
	else
		fprintf(text->out, "%10s      %s%u\n", "-", figures->is_more ? " >" : "  ",
			figures->peak_us);
}

/* The range: two standard deviations below and above the mean. */
static void own_busy_row(const struct text *text, const struct row *row)
{
	const struct peaks_summary *peaks = &row->peaks;
	char title[2 * SPEC_TEXT_LEN + 32];
	double low_ns = fmax(0, peaks->medium_ns - peaks->width_ns);

	if (isnan(row->figure[FIGURE_LATENCY]))
		return;
	snprintf(title, sizeof(title), "  this run, %s, %s", row->info.workload.transport,
		 row->info.workload.load[0] ? row->info.workload.load : "idle");
	text_label(text, INK_BOLD, 34, title);
	fprintf(text->out, "%10.0f-%-5.0f  %.0f\n", low_ns / 1e3,
		(peaks->medium_ns + peaks->width_ns) / 1e3, row->figure[FIGURE_LATENCY_MAX] / 1e3);
}

static void busy_table(const struct text *text, const struct rows *rows)
{
	static const struct column columns[] = {{16, "largest range", NULL}, {9, "peak", NULL}};
	static const struct filter all = {0};
	bool busy = false;

	for (const struct row *row = NULL; (row = rows_next(rows, &all, row));)
		busy |= row->info.workload.load[0] && row->info.workload.clients == 1;
	if (!busy)
		return;
	text_newline(text);
	text_heading(text, PUBLISHED_SOURCE ", 1 client, busy (us)", 34, columns, 2);
	for (int i = 0; i < NR_PUBLISHED; i++)
		busy_row(text, &published_busy[i]);
	for (const struct row *row = NULL; (row = rows_next(rows, &all, row));) {
		if (row->info.workload.clients == 1)
			own_busy_row(text, row);
	}
}

static void push_table(const struct text *text, const struct rows *rows, const char *transport)
{
	const struct filter filter = {.transport = transport, .load = main_load(rows)};
	char title[SPEC_TEXT_LEN + 16];

	snprintf(title, sizeof(title), "%s: latency (us)", transport);
	text_push_table(text, rows, &filter, title);
}

void text_grame(const struct text *text, const struct rows *rows)
{
	for_each_transport(text, rows, push_table);
	text_published(text, NR_PUBLISHED);
	text_own_rows(text, rows);
	busy_table(text, rows);
	kernel_line(text, rows);
	text_orders(text, rows);
}

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Prints published results beside those of runs: the tables of each experiment in its units and
 * words, and those of the GRAME paper, which a run of its workload has, too. A new experiment needs
 * a function here and a line in `experiments`.
 */
#include "report/published.h"
#include "report/text/table.h"
#include "report/words/labels.h"

#include <math.h>
#include <string.h>

void text_own_figures(const struct text *text, const struct own_figures *own)
{
	text_label(text, INK_BOLD, 34, own->title);
	text_us(text, 8, own->width_ns);
	text_us(text, 8, own->medium_ns);
	text_us(text, 8, own->next_ns);
	if (own->peaks && own->peaks->count)
		fprintf(text->out, "  %.0f-%.0f %s", (double)own->peaks->min_ns / 1e3,
			(double)own->peaks->max_ns / 1e3,
			isnan(own->peaks->per_second) ? ""
						      : frequency_word(own->peaks->per_second));
	else
		fprintf(text->out, "  %s", own->peaks ? "none" : "-");
	text_newline(text);
}

static void published_row(const struct text *text, const struct published *figures)
{
	fprintf(text->out, "  %-32s%8u%8u", figures->system, figures->width_us, figures->medium_us);
	if (figures->next_us)
		fprintf(text->out, "%8u", figures->next_us);
	else
		text_cell(text, 8, "-");
	fprintf(text->out, "  %u-%u %s\n", figures->peak_min_us, figures->peak_max_us,
		figures->frequency);
}

void text_published(const struct text *text, int cnt)
{
	static const struct column columns[] = {
		{8, "width", NULL}, {8, "medium", NULL}, {8, "next", NULL}, {7, "peaks", NULL}};

	text_newline(text);
	text_heading(text, PUBLISHED_SOURCE ", 1 client, idle (us)", 34, columns, 4);
	for (int i = 0; i < cnt; i++)
		published_row(text, &published[i]);
}

void text_own_rows(const struct text *text, const struct rows *rows)
{
	static const struct filter idle = {.pattern = "push", .load = ""};

	for (const struct row *row = NULL; (row = rows_next(rows, &idle, row));) {
		char title[SPEC_TEXT_LEN + 32];
		struct own_figures own = {
			.title = title,
			.width_ns = 2 * row->number[NUMBER_FIRST_SD],
			.medium_ns = row->number[NUMBER_FIRST],
			.next_ns = NAN,
			.peaks = &row->peaks,
		};

		if (row->info.workload.clients != 1 || isnan(row->number[NUMBER_FIRST]))
			continue;
		snprintf(title, sizeof(title), "  this run, %s, %llu bytes",
			 row->info.workload.transport, (unsigned long long)row->info.workload.size);
		text_own_figures(text, &own);
	}
}

/*
 * grame: a server or a kernel timer sends a message to all clients every 10 ms. Some runs have a
 * background load.
 */

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
	first = socket->number[NUMBER_FIRST] / kernel->number[NUMBER_FIRST];
	last = socket->number[NUMBER_LAST] / kernel->number[NUMBER_LAST];
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

	if (isnan(row->number[NUMBER_LATENCY]))
		return;
	snprintf(title, sizeof(title), "  this run, %s, %s", row->info.workload.transport,
		 row->info.workload.load[0] ? row->info.workload.load : "idle");
	text_label(text, INK_BOLD, 34, title);
	fprintf(text->out, "%10.0f-%-5.0f  %.0f\n", low_ns / 1e3,
		(peaks->medium_ns + peaks->width_ns) / 1e3, row->number[NUMBER_LATENCY_MAX] / 1e3);
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

static void grame_push(const struct text *text, const struct rows *rows, const char *transport)
{
	const struct filter filter = {.transport = transport, .load = main_load(rows)};
	char title[SPEC_TEXT_LEN + 16];

	snprintf(title, sizeof(title), "%s: latency (us)", transport);
	text_push_table(text, rows, &filter, title);
}

static void text_grame(const struct text *text, const struct rows *rows)
{
	for_each_transport(text, rows, grame_push);
	text_published(text, NR_PUBLISHED);
	text_own_rows(text, rows);
	busy_table(text, rows);
	kernel_line(text, rows);
	text_orders(text, rows);
}

/* lipc counts connections per second. */

static void lipc_row(const struct text *text, enum ink ink, const char *label,
		     const struct row *const row[2], int number)
{
	text_label(text, ink, 28, label);
	for (int i = 0; i < 2; i++)
		text_us(text, 14, row[i] ? row[i]->number[number] : NAN);
	text_newline(text);
}

/* The time for an exchange: published is how many took one second, one after another. */
static void lipc_exchanges(const struct text *text, const struct row *const row[2])
{
	static const struct column columns[] = {{14, "unix", NULL}, {14, "tcp", NULL}};
	struct paragraph line = {0};

	text_newline(text);
	text_heading(text, "mean of an exchange (us)", 28, columns, 2);
	for (int i = 0; i < NR_PUBLISHED_LIPC; i++)
		fprintf(text->out, "  published, %-15s%14.1f%14.1f\n", published_lipc[i].language,
			1e6 / published_lipc[i].unix_per_second,
			1e6 / published_lipc[i].tcp_per_second);
	lipc_row(text, INK_BOLD, "  this run", row, NUMBER_EXCHANGE);
	for (int i = 0; i < NR_EXCHANGE_PARTS; i++) {
		char label[NAME_LEN];

		snprintf(label, sizeof(label), "    %s", exchange_parts[i].title);
		lipc_row(text, INK_PLAIN, label, row, NUMBER_EXCHANGE_PART + i);
	}
	paragraph_add(&line, "Published are connections per second: these times are a second "
			     "divided by them. The parts of an exchange were not published.");
	text_newline(text);
	paragraph_print(text, INK_PLAIN, "", &line);
}

static void text_lipc(const struct text *text, const struct rows *rows)
{
	static const struct column columns[] = {
		{14, "unix", NULL}, {14, "tcp", NULL}, {14, "unix / tcp", NULL}};
	static const struct filter sockets[] = {{.transport = "uds-stream"}, {.transport = "tcp"}};
	const struct row *of[2];
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
		of[i] = rows_next(rows, &sockets[i], NULL);
		rate[i] = of[i] ? of[i]->number[NUMBER_RATE] : NAN;
	}
	text_label(text, INK_BOLD, 28, "  this run");
	text_number(text, 14, rate[0], 0);
	text_number(text, 14, rate[1], 0);
	text_number(text, 14, rate[0] / rate[1], 1);
	text_newline(text);
	lipc_exchanges(text, of);
}

/* colorado: a server translates the requests of many clients. */

static double colorado_published(const struct row *row)
{
	const struct workload_spec *spec = &row->info.workload;

	return 1e6 * published_colorado_ms(spec->transport, spec->clients, spec->messages);
}

static void colorado_table(const struct text *text, const struct rows *rows, const char *transport)
{
	static const struct number_column columns[] = {
		{10, "published", NULL, SHOW_MS, 0, colorado_published},
		{10, "one way", NULL, SHOW_MS, NUMBER_LATENCY, NULL},
		{12, "round trip", NULL, SHOW_MS, NUMBER_ROUND_TRIP, NULL},
		{10, "(us)", "service", SHOW_US, NUMBER_SERVICE, NULL},
		{10, "spread", "fairness:", SHOW_SHARE, NUMBER_SPREAD, NULL},
		{11, "starved", "longest", SHOW_MS, NUMBER_GAP, NULL},
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

static void text_colorado(const struct text *text, const struct rows *rows)
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

/* studio6: a server and a client exchange messages. */

static double studio6_published(const struct row *row)
{
	return 1e6 *
	       published_studio6_ms(row->info.workload.transport, row->info.workload.messages);
}

static void studio6_signals(const struct text *text, const struct rows *rows)
{
	for (size_t i = 0; i < rows->cnt; i++) {
		const struct row *row = &rows->row[i];
		double sent = row->number[NUMBER_WAKES_SENT];
		double delivered = row->number[NUMBER_WAKES_DELIVERED];
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

static void text_studio6(const struct text *text, const struct rows *rows)
{
	static const struct number_column columns[] = {
		{12, "total", NULL, SHOW_MS, NUMBER_TIME, NULL},
		{12, "published", NULL, SHOW_MS, 0, studio6_published},
		{14, "us/exchange", NULL, SHOW_US, NUMBER_ROUND_TRIP, NULL},
		{10, "p99", NULL, SHOW_US, NUMBER_ROUND_TRIP_P99, NULL},
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

/* ipc-bench measures latency, throughput, and the time that a server needs for an answer. */

static double ipc_bench_published(const struct row *row)
{
	return published_ipc_bench_ns(row->info.workload.transport, row->info.workload.size);
}

/* The published figure is half of a round trip. */
static double experiments_half_round_trip(const struct row *row)
{
	return row->number[NUMBER_ROUND_TRIP] / 2;
}

static void ipc_bench_latency(const struct text *text, const struct rows *rows)
{
	static const struct number_column columns[] = {
		{11, "published", NULL, SHOW_NS, 0, ipc_bench_published},
		{12, "round trip", "half a", SHOW_NS, 0, experiments_half_round_trip},
		{12, "one way", "measured", SHOW_NS, NUMBER_LATENCY, NULL},
		{10, "p99", NULL, SHOW_NS, NUMBER_LATENCY_P99, NULL},
	};
	const struct filter pingpong = {.pattern = "pingpong"};

	text_table(text, &(struct table){.rows = rows,
					 .filter = pingpong,
					 .title = "ping-pong: one-way average (ns)",
					 .coordinates = 1u << COORDINATE_TRANSPORT |
							1u << COORDINATE_BYTES,
					 TABLE_COLUMNS(columns)});
	text_fastest(text, rows, &pingpong);
}

static void ipc_bench_flood(const struct text *text, const struct rows *rows)
{
	static const struct number_column columns[] = {
		{13, "messages/s", NULL, SHOW_COUNT, NUMBER_RATE, NULL},
		{12, "MB/s", NULL, SHOW_MB, NUMBER_BYTES, NULL},
	};
	const struct filter flood = {.pattern = "flood"};

	text_table(text, &(struct table){.rows = rows,
					 .filter = flood,
					 .title = "flood: throughput one way",
					 .coordinates = 1u << COORDINATE_TRANSPORT |
							1u << COORDINATE_BYTES,
					 TABLE_COLUMNS(columns)});
	text_fastest(text, rows, &flood);
}

static double not_service(const struct row *row)
{
	return row->number[NUMBER_ROUND_TRIP] - row->number[NUMBER_SERVICE];
}

static void ipc_bench_requests(const struct text *text, const struct rows *rows)
{
	static const struct number_column columns[] = {
		{14, "round trip", NULL, SHOW_US, NUMBER_ROUND_TRIP, NULL},
		{12, "service", "server's", SHOW_US, NUMBER_SERVICE, NULL},
		{14, "scheduling", "transport,", SHOW_US, 0, not_service},
	};
	const struct filter request = {.pattern = "request"};
	struct paragraph line = {0};

	if (!rows_count(rows, &request))
		return;
	text_table(text, &(struct table){.rows = rows,
					 .filter = request,
					 .title = "request: the server's own time (us)",
					 .coordinates = 1u << COORDINATE_HANDLER,
					 TABLE_COLUMNS(columns)});
	for (int i = 0; i < NR_PUBLISHED_REQUESTS; i++)
		paragraph_add(&line, "%s%s %.0f us", i ? ", " : "", published_requests[i].what,
			      published_requests[i].us);
	paragraph_print(text, INK_BOLD, "published", &line);
}

static void text_ipc_bench(const struct text *text, const struct rows *rows)
{
	ipc_bench_latency(text, rows);
	ipc_bench_flood(text, rows);
	ipc_bench_requests(text, rows);
}

bool text_experiment(const struct text *text, const char *name, const struct rows *rows)
{
	static const struct {
		const char *name;
		void (*print)(const struct text *text, const struct rows *rows);
	} experiments[] = {{"grame", text_grame},
			   {"lipc", text_lipc},
			   {"colorado", text_colorado},
			   {"studio6", text_studio6},
			   {"ipc-bench", text_ipc_bench}};

	for (size_t i = 0; i < sizeof(experiments) / sizeof(experiments[0]); i++) {
		if (strcmp(experiments[i].name, name))
			continue;
		experiments[i].print(text, rows);
		return true;
	}
	return false;
}

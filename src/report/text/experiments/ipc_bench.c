/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Prints the tables of the experiment ipc-bench. The experiment measures latency, throughput, and
 * the time that a server needs for an answer.
 */
#include "report/published.h"
#include "report/text/experiments/experiments.h"
#include "report/text/tables/table.h"

static double ipc_bench_published(const struct row *row)
{
	return published_ipc_bench_ns(row->info.workload.transport, row->info.workload.size);
}

/* The published figure is half of a round trip. */
static double half_round_trip(const struct row *row)
{
	return row->figure[FIGURE_ROUND_TRIP] / 2;
}

static void ipc_bench_latency(const struct text *text, const struct rows *rows)
{
	static const struct figure_column columns[] = {
		{11, "published", NULL, UNIT_NS, 0, ipc_bench_published},
		{12, "round trip", "half a", UNIT_NS, 0, half_round_trip},
		{12, "one way", "measured", UNIT_NS, FIGURE_LATENCY, NULL},
		{10, "p99", NULL, UNIT_NS, FIGURE_LATENCY_P99, NULL},
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
	static const struct figure_column columns[] = {
		{13, "messages/s", NULL, UNIT_COUNT, FIGURE_RATE, NULL},
		{12, "MB/s", NULL, UNIT_MB, FIGURE_BYTES, NULL},
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
	return row->figure[FIGURE_ROUND_TRIP] - row->figure[FIGURE_SERVICE];
}

static void ipc_bench_requests(const struct text *text, const struct rows *rows)
{
	static const struct figure_column columns[] = {
		{14, "round trip", NULL, UNIT_US, FIGURE_ROUND_TRIP, NULL},
		{12, "service", "server's", UNIT_US, FIGURE_SERVICE, NULL},
		{14, "scheduling", "transport,", UNIT_US, 0, not_service},
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

void text_ipc_bench(const struct text *text, const struct rows *rows)
{
	ipc_bench_latency(text, rows);
	ipc_bench_flood(text, rows);
	ipc_bench_requests(text, rows);
}

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Prints the services that answered calls, and the clients of each. A service is a server process
 * and the name that its clients know it by.
 */
#include "report/words/labels.h"
#include "insight/metrics.h"
#include "report/words/callees.h"
#include "report/text/sections.h"
#include "insight/service_rows.h"

#include <math.h>

#define ROWS_MAX    8
#define LABEL_WIDTH 14
#define CELL_WIDTH  9

static const struct column columns[] = {
	{CELL_WIDTH, "calls", NULL},  {CELL_WIDTH, "per s", NULL}, {CELL_WIDTH, "p50", "round"},
	{CELL_WIDTH, "p99", "trip:"}, {CELL_WIDTH, "max", NULL},   {CELL_WIDTH, "mean", "service:"},
	{CELL_WIDTH, "unsure", NULL},
};

#define COLUMNS (sizeof(columns) / sizeof(columns[0]))

/* A service is a process: the thread that answered is not named. */
static void end_words(const struct summary *summary, const struct end_summary *end,
		      struct paragraph *line)
{
	char title[END_TITLE_LEN];

	process_title(summary, end, title);
	paragraph_add(line, "%s", title);
}

/* "redis-server (pid 12) on /run/redis.sock, called by redis-cli (pid 34)", above the figures. */
static void service_title(const struct text *text, const struct summary *summary,
			  const struct service_row *row)
{
	const struct service_summary *service = &row->sum;
	struct paragraph line = {0};

	if (row->is_worker) {
		paragraph_add(&line, "of these, ");
		end_words(summary, &service->server, &line);
		paragraph_print(text, INK_PLAIN, " ", &line);
		return;
	}
	if (service->processes > 1)
		paragraph_add(&line, "%s (%u processes)", service->server.comm, service->processes);
	else if (service->server.pid)
		end_words(summary, &service->server, &line);
	else
		paragraph_add(&line, "other services");
	if (service->name[0])
		paragraph_add(&line, " on %s", service->name);
	paragraph_add(&line, ", called by ");
	if (row->clients > 1 && !service->client.comm[0])
		paragraph_add(&line, "%u clients", row->clients);
	else if (row->clients > 1)
		paragraph_add(&line, "%u x %s", row->clients, service->client.comm);
	else if (service->client.pid)
		end_words(summary, &service->client, &line);
	else
		paragraph_add(&line, "other clients");
	paragraph_print(text, INK_PLAIN, "", &line);
}

/* "with calls of its own to 127.0.0.1:81 open for 97 % of that time", below the figures. */
static void nesting_line(const struct text *text, const struct service_summary *service)
{
	double all_ns = (double)service->service.sum;
	struct paragraph line = {0};

	if (service->callee_cnt && all_ns > 0) {
		paragraph_add(&line, "for %s of its service it has calls of its own open, ",
			      PERCENT((double)service->nested_ns / all_ns));
		callees_words(&line, service);
	}
	if (service->nested)
		paragraph_add(&line, "%s%s of these calls are made in the service of %s",
			      line.length ? "; " : "",
			      PERCENT((double)service->nested /
				      (double)(service->count + service->open_several)),
			      service->inside);
	paragraph_print(text, INK_PLAIN, " ", &line);
}

/* Calls whose answer, request or direction is not certain. */
static uint64_t unsure_of(const struct service_summary *service)
{
	uint64_t doubts =
		service->ambiguous > service->guessed ? service->ambiguous : service->guessed;

	return service->open_several > doubts ? service->open_several : doubts;
}

static void service_row(const struct text *text, const struct summary *summary,
			const struct service_row *row)
{
	const struct service_summary *service = &row->sum;
	double seconds = traced_seconds(summary);
	uint64_t all = service->count + service->open_several;
	double unsure = all ? (double)unsure_of(service) / (double)all : 0;

	service_title(text, summary, row);
	text_label(text, INK_PLAIN, LABEL_WIDTH, "");
	text_count(text, CELL_WIDTH, all);
	text_number(text, CELL_WIDTH, seconds > 0 ? (double)all / seconds : NAN, 0);
	if (service->count) {
		text_us(text, CELL_WIDTH, (double)stat_percentile(&service->round_trip, 50));
		text_us(text, CELL_WIDTH, (double)stat_percentile(&service->round_trip, 99));
		text_us(text, CELL_WIDTH, (double)service->round_trip.max);
		text_us(text, CELL_WIDTH, stat_mean(&service->service));
	} else {
		for (int i = 0; i < 4; i++)
			text_cell(text, CELL_WIDTH, "-");
	}
	text_cell(text, CELL_WIDTH, PERCENT(unsure));
	text_newline(text);
	nesting_line(text, service);
}

void text_services(const struct text *text, const struct summary *summary)
{
	const struct calls_summary *calls = &summary->calls;
	struct service_row *row;
	uint32_t cnt, rows;

	if (!calls->service_cnt)
		return;
	row = service_rows_of(calls, &cnt);
	rows = cnt < ROWS_MAX ? cnt : ROWS_MAX;
	text_newline(text);
	text_heading(text, "services (us)", LABEL_WIDTH, columns, COLUMNS);
	for (uint32_t i = 0; i < rows; i++)
		service_row(text, summary, &row[i]);
	if (cnt > rows)
		fprintf(text->out, "%*sand %u more, see -f json\n", LABEL_WIDTH, "", cnt - rows);
	service_rows_free(row, cnt);
}

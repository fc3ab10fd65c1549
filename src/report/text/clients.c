/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Prints a row for each client. With more than 20 clients, only the 5 fastest and the 5 slowest
 * have rows.
 */
#include "report/words/labels.h"
#include "insight/metrics.h"
#include "report/text/sections.h"

#include <math.h>
#include <stdlib.h>

#define LABEL_WIDTH 8
#define ROWS_MAX    20 /* with more clients only the best and the worst */
#define ROWS_ENDS   5

enum { TRACED_COLUMNS = 8, UNTRACED_COLUMNS = 5 };

static const struct column push_columns[TRACED_COLUMNS] = {
	{9, "mean", NULL},        {9, "p50", NULL},      {9, "p99", NULL},
	{9, "max", NULL},         {9, "position", NULL}, {9, "dispatch", NULL},
	{9, "switch", "context"}, {9, "receive", NULL},
};

/* Without rounds clients have no position: the time for all their messages is shown. */
static const struct column paced_columns[TRACED_COLUMNS] = {
	{9, "mean", NULL},   {9, "p50", NULL},      {9, "p99", NULL},         {9, "max", NULL},
	{9, "all ms", NULL}, {9, "dispatch", NULL}, {9, "switch", "context"}, {9, "receive", NULL},
};

static void mean_cells(const struct text *text, const struct component_sum *sum)
{
	double cnt = (double)sum->count;
	uint64_t context_switch_ns = 0;

	if (!sum->count)
		return;
	for (int i = 0; i < NR_COMPONENTS; i++)
		context_switch_ns += components[i].in_switch ? sum->ns[i] : 0;
	text_us(text, 9, (double)sum->ns[COMPONENT_DISPATCH] / cnt);
	text_us(text, 9, (double)context_switch_ns / cnt);
	text_us(text, 9, (double)sum->ns[COMPONENT_RECEIVE] / cnt);
}

/* All clients of an attach are clients of rounds. */
static bool has_rounds(const struct run_info *info)
{
	return info->mode == MODE_ATTACH || spec_has_rounds(&info->workload);
}

static void pace_cell(const struct text *text, const struct client_summary *client, bool push)
{
	if (push && client->position_cnt)
		text_number(text, 9, (double)client->position_sum / (double)client->position_cnt,
			    2);
	else
		text_number(text, 9, !push && client->time_ns ? (double)client->time_ns / 1e6 : NAN,
			    1);
}

static void client_row(const struct text *text, const struct client_summary *client,
		       const struct run_info *info)
{
	const struct stat *latency = &client->latency;
	char label[32];

	snprintf(label, sizeof(label), "%6u", client->client);
	text_label(text, INK_PLAIN, LABEL_WIDTH, label);
	if (!latency->count) {
		fputs("  no message was matched\n", text->out);
		return;
	}
	text_us(text, 9, stat_mean(latency));
	text_us(text, 9, (double)stat_percentile(latency, 50));
	text_us(text, 9, (double)stat_percentile(latency, 99));
	text_us(text, 9, (double)latency->max);
	pace_cell(text, client, has_rounds(info));
	if (info->traced)
		mean_cells(text, &client->components);
	text_newline(text);
}

/* The best mean first, clients without a message last. */
static int by_mean(const void *a, const void *b)
{
	const struct client_summary *const *left = a;
	const struct client_summary *const *right = b;
	double left_ns = stat_mean(&(*left)->latency);
	double right_ns = stat_mean(&(*right)->latency);

	if (!(*left)->latency.count != !(*right)->latency.count)
		return (*left)->latency.count ? -1 : 1;
	return (left_ns > right_ns) - (left_ns < right_ns);
}

static void best_and_worst(const struct text *text, const struct summary *summary)
{
	const struct client_summary *ranked[CLIENTS_MAX];
	uint32_t cnt = summary->client_cnt < CLIENTS_MAX ? summary->client_cnt : CLIENTS_MAX;

	for (uint32_t i = 0; i < cnt; i++)
		ranked[i] = &summary->client[i];
	qsort(ranked, cnt, sizeof(ranked[0]), by_mean);
	for (uint32_t i = 0; i < ROWS_ENDS; i++)
		client_row(text, ranked[i], &summary->info);
	fprintf(text->out, "     ... the %d best by mean above, the %d worst below, %u not shown\n",
		ROWS_ENDS, ROWS_ENDS, cnt - 2 * ROWS_ENDS);
	for (uint32_t i = cnt - ROWS_ENDS; i < cnt; i++)
		client_row(text, ranked[i], &summary->info);
}

/* Names of the clients of an attach. The last entry may stand for all further clients. */
static void client_names(const struct text *text, const struct summary *summary)
{
	struct paragraph line = {0};

	for (uint32_t i = 0; i < summary->client_cnt && i < ROWS_MAX; i++) {
		const struct client_summary *client = &summary->client[i];
		char tid[NAME_LEN];

		paragraph_add(&line, "%s%u %s", i ? ", " : "", client->client,
			      client->comm[0] ? client->comm : "?");
		tid_title(client->tid, tid);
		if (client->tid)
			paragraph_add(&line, " (%s)", tid);
	}
	if (summary->client_cnt > ROWS_MAX)
		paragraph_add(&line, ", further ones: see -f json");
	paragraph_print(text, INK_PLAIN, "  names", &line);
}

static void client_rows(const struct text *text, const struct summary *summary)
{
	for (uint32_t i = 0; i < summary->client_cnt; i++)
		client_row(text, &summary->client[i], &summary->info);
}

void text_clients(const struct text *text, const struct summary *summary)
{
	bool traced = summary->info.traced;

	if (summary->client_cnt < 2 || !summary->latency.count)
		return;
	text_newline(text);
	text_heading(text, "client", LABEL_WIDTH,
		     has_rounds(&summary->info) ? push_columns : paced_columns,
		     traced ? TRACED_COLUMNS : UNTRACED_COLUMNS);
	if (summary->client_cnt > ROWS_MAX)
		best_and_worst(text, summary);
	else
		client_rows(text, summary);
	if (summary->info.mode == MODE_ATTACH)
		client_names(text, summary);
}

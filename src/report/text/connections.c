/* SPDX-License-Identifier: BSD-2-Clause */
/* Prints the connections: how many there are, and the parts of each listener's. */
#include "report/text/sections.h"
#include "report/words/connection_words.h"

#define LABEL_WIDTH     12
#define CELL_WIDTH      8
#define LISTENERS_SHOWN 8

static const struct column listener_columns[] = {
	{CELL_WIDTH, "count", NULL},  {CELL_WIDTH, "connect", NULL},
	{CELL_WIDTH, "queue", NULL},  {CELL_WIDTH, "switch", "context"},
	{CELL_WIDTH, "accept", NULL}, {CELL_WIDTH, "all", NULL},
	{CELL_WIDTH, "p99", NULL},    {CELL_WIDTH, "max", NULL},
};

static void listener_row(const struct text *text, const struct summary *summary,
			 const struct listener_summary *listener)
{
	const struct stat *part = listener->part;
	struct paragraph title = {0}, queue = {0};

	listener_words(&title, summary, listener);
	paragraph_print(text, INK_PLAIN, "", &title);
	if (!listener->latency.count)
		return;
	text_label(text, INK_PLAIN, LABEL_WIDTH, "");
	text_count(text, CELL_WIDTH, listener->latency.count);
	text_us(text, CELL_WIDTH, stat_mean(&part[CONNECTION_CONNECT]));
	text_us(text, CELL_WIDTH, stat_mean(&part[CONNECTION_QUEUE]));
	text_us(text, CELL_WIDTH,
		stat_mean(&part[CONNECTION_WAKEUP]) + stat_mean(&part[CONNECTION_RUNQUEUE]) +
			stat_mean(&part[CONNECTION_SWITCH]));
	text_us(text, CELL_WIDTH, stat_mean(&part[CONNECTION_ACCEPT]));
	text_stats(text, CELL_WIDTH, &listener->latency, STATS(STAT_MEAN, 99, STAT_MAX));
	text_newline(text);
	listener_queue_words(&queue, summary, listener);
	paragraph_print(text, INK_PLAIN, " ", &queue);
}

void text_connections(const struct text *text, const struct summary *summary)
{
	const struct connections_summary *connections = &summary->connections;
	struct paragraph counts = {0}, calls = {0}, failures = {0};
	uint32_t cnt = connections->listener_cnt;

	if (!connections->calls && !connections->not_seen && !cnt)
		return;
	text_rule(text, "connections");
	text_newline(text);
	connection_count_words(&counts, summary);
	paragraph_print(text, INK_PLAIN, "connections", &counts);
	connection_call_words(&calls, summary);
	paragraph_print(text, INK_PLAIN, "calls", &calls);
	connection_failure_words(&failures, summary);
	paragraph_print(text, INK_PLAIN, "connect", &failures);
	if (!cnt)
		return;
	text_newline(text);
	text_heading(text, "mean (us)", LABEL_WIDTH, listener_columns,
		     sizeof(listener_columns) / sizeof(listener_columns[0]));
	for (uint32_t i = 0; i < cnt && i < LISTENERS_SHOWN; i++)
		listener_row(text, summary, &connections->listener[i]);
	if (cnt > LISTENERS_SHOWN)
		fprintf(text->out, "%*sand %u more, see -f json\n", LABEL_WIDTH, "",
			cnt - LISTENERS_SHOWN);
}

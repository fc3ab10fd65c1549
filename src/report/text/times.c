/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Prints the tables of times: latency, calls and chains. Each row is a distribution. Below the
 * service time stand published figures for comparison. A chain is shown as its processes in their
 * order, the latency of the whole cycle, and of each hop the time on the way and the time until its
 * receiver sends the next message.
 */
#include "insight/metrics.h"
#include "model/transport_names.h"
#include "report/published.h"
#include "report/text/sections.h"
#include "report/text/table.h"
#include "insight/services.h"
#include "report/words/exchange_words.h"
#include "report/words/labels.h"
#include "report/words/summary_words.h"

#include <math.h>

#define CHAINS_SHOWN 4

/* Less frequent chains are of no interest, such as those of a start. */
#define MATTERS 0.05 /* of the most frequent one */

void stat_heading(const struct stat_table *table, const char *title, const char *last)
{
	struct column columns[STAT_COLUMNS_MAX + 1];
	char titles[STAT_COLUMNS_MAX][16];
	int cnt = (int)table->cnt;

	for (int i = 0; i < cnt; i++) {
		double which = table->which[i];

		snprintf(titles[i], sizeof(titles[i]), "p%g", which);
		columns[i] = (struct column){table->width,
					     which == STAT_MEAN  ? "mean"
					     : which == STAT_SD  ? "+-sd"
					     : which == STAT_MAX ? "max"
								 : titles[i],
					     NULL};
	}
	columns[cnt] = (struct column){table->width, last, NULL};
	text_newline(table->text);
	text_heading(table->text, title, table->label_width, columns, cnt + (last != NULL));
}

void stat_cells(const struct stat_table *table, const char *label, const struct stat *stat)
{
	text_label(table->text, INK_PLAIN, table->label_width, label);
	text_stats(table->text, table->width, stat, table->which, table->cnt);
}

void stat_row(const struct stat_table *table, const char *label, const struct stat *stat)
{
	if (!stat->count)
		return;
	stat_cells(table, label, stat);
	text_newline(table->text);
}

#define ALL_STATS STATS(STAT_MEAN, STAT_SD, 50, 90, 99, 99.9, STAT_MAX)

/* With one client, the first, the last and all latencies are the same. */
void text_latency(const struct text *text, const struct summary *summary)
{
	const struct stat_table table = {text, 10, 10, ALL_STATS};

	if (!summary->latency.count)
		return;
	stat_heading(&table, "latency (us)", NULL);
	if (summary->client_cnt > 1) {
		stat_row(&table, "  first", &summary->rounds.first);
		stat_row(&table, "  next", &summary->rounds.next);
		stat_row(&table, "  last", &summary->rounds.last);
	}
	stat_row(&table, "  all", &summary->latency);
}

void text_service(const struct text *text, const struct summary *summary)
{
	const struct rounds_summary *rounds = &summary->rounds;
	bool one = summary->client_cnt == 1;
	char title[64];
	struct own_figures own = {
		.title = title,
		.width_ns = 2 * stat_stddev(&rounds->first),
		.medium_ns = stat_mean(&rounds->first),
		.next_ns = one ? NAN : stat_mean(&rounds->next),
		.peaks = one ? &summary->peaks : NULL,
	};
	struct paragraph line = {0};

	if (!rounds->complete)
		return;
	paragraph_add(&line, "%.1f us", rounds->service_ns / 1e3);
	/* The tick is that of the paper's workload. */
	if (rounds->period_ns)
		paragraph_add(&line, " = %s of the period", PERCENT(rounds->efficiency_pct / 100));
	else if (rounds->tick_ns && text->shows_published)
		paragraph_add(&line, " = %s of the paper's %s tick",
			      PERCENT(rounds->efficiency_pct / 100), DURATION(rounds->tick_ns));
	paragraph_add(&line, " (mean + standard deviation of %s)",
		      one ? "the latency" : "the last client");
	paragraph_print(text, INK_BOLD, "service time", &line);
	/* The published figures are of the paper's workload. */
	if (summary->info.mode == MODE_ATTACH || !text->shows_published)
		return;
	if (one)
		snprintf(title, sizeof(title), "  this run");
	else
		snprintf(title, sizeof(title), "  this run, first of %u clients",
			 summary->client_cnt);
	text_published(text, NR_PUBLISHED_UNIX);
	text_own_figures(text, &own);
}

void text_exchanges(const struct text *text, const struct summary *summary)
{
	const struct stat_table table = {text, 14, 9, ALL_STATS};
	const struct exchanges_summary *exchanges = &summary->exchanges;
	struct paragraph counts = {0};

	if (exchanges->latency.count) {
		stat_heading(&table, "exchange (us)", NULL);
		for (int i = 0; i < NR_EXCHANGE_PARTS; i++) {
			char label[NAME_LEN];

			snprintf(label, sizeof(label), "  %s", exchange_parts[i].title);
			stat_row(&table, label, &exchanges->part[i]);
		}
		stat_row(&table, "  exchange", &exchanges->latency);
	}
	exchange_count_words(&counts, summary);
	paragraph_print(text, INK_BOLD, "exchanges", &counts);
}

void text_calls(const struct text *text, const struct summary *summary)
{
	const struct stat_table table = {text, 14, 9, ALL_STATS};
	const struct calls_summary *calls = &summary->calls;

	if (!calls_seen(calls))
		return;
	stat_heading(&table, is_one_of_several(calls) ? "all calls (us)" : "calls (us)", NULL);
	stat_row(&table, "  request", &calls->request);
	stat_row(&table, "  service", &calls->service);
	stat_row(&table, "  response", &calls->response);
	if (calls->response_first.sum != calls->response.sum)
		stat_row(&table, "    first part", &calls->response_first);
	stat_row(&table, "  round trip", &calls->round_trip);
	stat_row(&table, "  several open", &calls->open_several);
	stat_row(&table, "  due to end", &calls->from_due);
	text_sentences(text, summary, call_sentences);
}

static void way_line(const struct text *text, const struct summary *summary,
		     const struct chain_summary *chain)
{
	struct paragraph line = {0};

	for (uint32_t i = 0; i < chain->hop_cnt; i++)
		paragraph_add(&line, "%s > ", PROCESS(summary, &chain->hop[i].from));
	paragraph_add(&line, "%s", PROCESS(summary, &chain->hop[chain->hop_cnt - 1].to));
	paragraph_print(text, INK_PLAIN, "  way", &line);
}

static void hop_line(const struct text *text, const struct summary *summary,
		     const struct chain_summary *chain, uint32_t i)
{
	const struct chain_hop *hop = &chain->hop[i];
	double count = (double)chain->count;
	struct paragraph line = {0};

	paragraph_add(&line, "%s to %s: %.1f us on the way, at most %.1f",
		      transport_id_name(hop->transport), PROCESS(summary, &hop->to),
		      (double)hop->latency.ns / count / 1e3, (double)hop->latency.max_ns / 1e3);
	if (i + 1 < chain->hop_cnt)
		paragraph_add(&line, "; %.1f us there, at most %.1f",
			      (double)hop->handled.ns / count / 1e3,
			      (double)hop->handled.max_ns / 1e3);
	paragraph_print(text, INK_PLAIN, "  hop", &line);
}

void text_chains(const struct text *text, const struct summary *summary)
{
	const struct stat_table table = {text, 14, 9, ALL_STATS};
	uint32_t shown = 0;

	for (; shown < summary->chain_cnt && shown < CHAINS_SHOWN; shown++) {
		const struct chain_summary *chain = &summary->chain[shown];

		if ((double)chain->count < MATTERS * (double)summary->chain[0].count)
			break;
		if (!shown)
			stat_heading(&table, "chains (us)", NULL);
		way_line(text, summary, chain);
		stat_row(&table, "  whole", &chain->cycle);
		for (uint32_t i = 0; i < chain->hop_cnt; i++)
			hop_line(text, summary, chain, i);
	}
	if (summary->chain_cnt > shown)
		fprintf(text->out, "%*sand %u more, see -f json\n", table.label_width, "",
			summary->chain_cnt - shown);
}

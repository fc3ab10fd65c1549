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
#include "report/text/tables/table.h"
#include "report/words/focus.h"
#include "report/words/labels.h"
#include "report/words/summary_words.h"

#include <math.h>

#define COLUMN_CNT   7

#define CHAINS_SHOWN 4

/* Less frequent chains are of no interest, such as those of a start. */
#define MATTERS 0.05 /* of the most frequent one */

struct stat_table {
	const struct text *text;
	int label_width;
	int cell_width;
};

static void stat_heading(const struct stat_table *table, const char *title)
{
	static const char *const titles[COLUMN_CNT] = {"mean", "+-sd",  "p50", "p90",
						       "p99",  "p99.9", "max"};
	struct column columns[COLUMN_CNT];

	for (int i = 0; i < COLUMN_CNT; i++)
		columns[i] = (struct column){.width = table->cell_width, .title = titles[i]};
	text_heading(table->text, title, table->label_width, columns, COLUMN_CNT);
}

/* Silent if `stat` has no value. */
static void stat_row(const struct stat_table *table, const char *label, const struct stat *stat)
{
	static const double percents[] = {50, 90, 99, 99.9};
	const struct text *text = table->text;
	int width = table->cell_width;

	if (!stat->count)
		return;
	text_label(text, INK_PLAIN, table->label_width, label);
	text_us(text, width, stat_mean(stat));
	text_us(text, width, stat_stddev(stat));
	for (int i = 0; i < 4; i++)
		text_us(text, width, (double)stat_percentile(stat, percents[i]));
	text_us(text, width, (double)stat->max);
	text_newline(text);
}

/* With one client, the first, the last and all latencies are the same. */
void text_latency(const struct text *text, const struct summary *summary)
{
	const struct stat_table table = {.text = text, .label_width = 10, .cell_width = 10};

	if (!summary->latency.count)
		return;
	text_newline(text);
	stat_heading(&table, "latency (us)");
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

void text_calls(const struct text *text, const struct summary *summary)
{
	static const struct section_line lines[] = {
		{"level light", INK_WARNING, level_words, NULL},
		{"service", INK_BOLD, service_states_words, NULL},
		{"calls", INK_BOLD, ambiguity_words, NULL},
	};
	const struct stat_table table = {.text = text, .label_width = 14, .cell_width = 9};
	const struct calls_summary *calls = &summary->calls;

	if (!calls_seen(calls))
		return;
	text_newline(text);
	stat_heading(&table, is_one_of_several(calls) ? "all calls (us)" : "calls (us)");
	stat_row(&table, "  request", &calls->request);
	stat_row(&table, "  service", &calls->service);
	stat_row(&table, "  response", &calls->response);
	if (calls->response_first.sum != calls->response.sum)
		stat_row(&table, "    first part", &calls->response_first);
	stat_row(&table, "  round trip", &calls->round_trip);
	stat_row(&table, "  several open", &calls->open_several);
	stat_row(&table, "  due to end", &calls->from_due);
	text_lines(text, summary, lines, sizeof(lines) / sizeof(lines[0]));
}

static void add_end(struct paragraph *line, const struct summary *summary,
		    const struct end_summary *end)
{
	char title[END_TITLE_LEN];

	process_title(summary, end, title);
	paragraph_add(line, "%s", title);
}

static void way_line(const struct text *text, const struct summary *summary,
		     const struct chain_summary *chain)
{
	struct paragraph line = {0};

	for (uint32_t i = 0; i < chain->hop_cnt; i++) {
		add_end(&line, summary, &chain->hop[i].from);
		paragraph_add(&line, " > ");
	}
	add_end(&line, summary, &chain->hop[chain->hop_cnt - 1].to);
	paragraph_print(text, INK_PLAIN, "  way", &line);
}

static void hop_line(const struct text *text, const struct summary *summary,
		     const struct chain_summary *chain, uint32_t i)
{
	const struct chain_hop *hop = &chain->hop[i];
	double count = (double)chain->count;
	struct paragraph line = {0};

	paragraph_add(&line, "%s to ", transport_id_name(hop->transport));
	add_end(&line, summary, &hop->to);
	paragraph_add(&line, ": %.1f us on the way, at most %.1f",
		      (double)hop->latency.ns / count / 1e3, (double)hop->latency.max_ns / 1e3);
	if (i + 1 < chain->hop_cnt)
		paragraph_add(&line, "; %.1f us there, at most %.1f",
			      (double)hop->handled.ns / count / 1e3,
			      (double)hop->handled.max_ns / 1e3);
	paragraph_print(text, INK_PLAIN, "  hop", &line);
}

void text_chains(const struct text *text, const struct summary *summary)
{
	const struct stat_table table = {.text = text, .label_width = 14, .cell_width = 9};
	uint32_t shown = 0;

	for (; shown < summary->chain_cnt && shown < CHAINS_SHOWN; shown++) {
		const struct chain_summary *chain = &summary->chain[shown];

		if ((double)chain->count < MATTERS * (double)summary->chain[0].count)
			break;
		if (!shown) {
			text_newline(text);
			stat_heading(&table, "chains (us)");
		}
		way_line(text, summary, chain);
		stat_row(&table, "  whole", &chain->cycle);
		for (uint32_t i = 0; i < chain->hop_cnt; i++)
			hop_line(text, summary, chain, i);
	}
	if (summary->chain_cnt > shown)
		fprintf(text->out, "%*sand %u more, see -f json\n", table.label_width, "",
			summary->chain_cnt - shown);
}

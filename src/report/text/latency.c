/* SPDX-License-Identifier: BSD-2-Clause */
/* Latencies, the service time made of them, and what was published of the like. */
#include "report/published.h"
#include "report/text/sections.h"

#include <math.h>

#define LABEL_WIDTH 10

static const struct column stat_columns[] = {
	{10, "mean", NULL}, {10, "+-sd", NULL},  {10, "p50", NULL}, {10, "p90", NULL},
	{10, "p99", NULL},  {10, "p99.9", NULL}, {10, "max", NULL},
};

static void stat_row(const struct text *text, const char *label, const struct stat *stat)
{
	static const double percent[] = {50, 90, 99, 99.9};

	if (!stat->count)
		return;
	text_label(text, INK_PLAIN, LABEL_WIDTH, label);
	text_us(text, 10, stat_mean(stat));
	text_us(text, 10, stat_stddev(stat));
	for (int i = 0; i < 4; i++)
		text_us(text, 10, (double)stat_percentile(stat, percent[i]));
	text_us(text, 10, (double)stat->max);
	text_newline(text);
}

/* With one client, its latency is the first, the last and every latency at once. */
void text_latency(const struct text *text, const struct summary *summary)
{
	if (!summary->latency.count)
		return;
	text_newline(text);
	text_heading(text, "latency (us)", LABEL_WIDTH, stat_columns,
		     sizeof(stat_columns) / sizeof(stat_columns[0]));
	if (summary->client_cnt > 1) {
		stat_row(text, "  first", &summary->rounds.first);
		stat_row(text, "  next", &summary->rounds.next);
		stat_row(text, "  last", &summary->rounds.last);
	}
	stat_row(text, "  all", &summary->latency);
}

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
	if (rounds->tick_ns)
		paragraph_add(&line, " = %s of the paper's %s tick",
			      PERCENT(rounds->efficiency_pct / 100), DURATION(rounds->tick_ns));
	paragraph_add(&line, " (mean + standard deviation of %s)",
		      one ? "the latency" : "the last client");
	paragraph_print(text, INK_BOLD, "service time", &line);
	/* What was published is of the paper's own workload. */
	if (summary->info.mode == MODE_ATTACH)
		return;
	if (one)
		snprintf(title, sizeof(title), "  this run");
	else
		snprintf(title, sizeof(title), "  this run, first of %u clients",
			 summary->client_cnt);
	text_published(text, NR_PUBLISHED_UNIX);
	text_own_figures(text, &own);
}

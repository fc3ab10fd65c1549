/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Prints the sections on latency and service time. Below the service time, prints published
 * figures for comparison.
 */
#include "report/published.h"
#include "report/text/sections.h"
#include "report/text/stat_table.h"
#include "report/text/tables/table.h"

#include <math.h>

/* With one client, the first, the last and all latencies are the same. */
void text_latency(const struct text *text, const struct summary *summary)
{
	const struct stat_table table = {.text = text, .label_width = 10, .cell_width = 10};

	if (!summary->latency.count)
		return;
	text_newline(text);
	text_stat_heading(&table, "latency (us)");
	if (summary->client_cnt > 1) {
		text_stat_row(&table, "  first", &summary->rounds.first);
		text_stat_row(&table, "  next", &summary->rounds.next);
		text_stat_row(&table, "  last", &summary->rounds.last);
	}
	text_stat_row(&table, "  all", &summary->latency);
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

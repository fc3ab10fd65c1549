/* SPDX-License-Identifier: BSD-2-Clause */
/* Prints the first screen of a report of several runs. */
#include "insight/metrics.h"
#include "report/text/component_bar.h"
#include "report/words/summary_words.h"
#include "report/text/first_screen.h"
#include "report/text/sections.h"
#include "report/text/tables/table.h"
#include "report/words/rows_words.h"

#include <math.h>
#include <stdlib.h>

#define VERDICT_LINES 4
#define CULPRIT_LINES 3
#define TRUST_LINES   3
#define ROWS_LEAST    2

enum { VERDICT, CULPRITS, WARNING, TRUST, NR_ANSWERS };

static const struct filter all = {0};

/* The main figures of the pattern, and the components of each row. */
static struct table table_of(const struct rows *rows)
{
	static const struct figure_column rounds[] = {
		{8, "mean", "first us", UNIT_US, FIGURE_FIRST, NULL},
		{6, "mean", "next", UNIT_US, FIGURE_NEXT, NULL},
		{7, "mean", "last", UNIT_US, FIGURE_LAST, NULL},
		{7, "mean", "all", UNIT_US, FIGURE_LATENCY, NULL},
		{7, "p50", "all", UNIT_US, FIGURE_LATENCY_P50, NULL},
		{7, "p99", "all", UNIT_US, FIGURE_LATENCY_P99, NULL},
		{7, "max", "all", UNIT_US, FIGURE_LATENCY_MAX, NULL},
	};
	static const struct figure_column latencies[] = {
		{9, "mean", "lat. us", UNIT_US, FIGURE_LATENCY, NULL},
		{8, "p50", NULL, UNIT_US, FIGURE_LATENCY_P50, NULL},
		{8, "p99", NULL, UNIT_US, FIGURE_LATENCY_P99, NULL},
	};
	static const struct figure_column calls[] = {
		{11, "mean us", "round trip", UNIT_US, FIGURE_ROUND_TRIP, NULL},
		{8, "p99", NULL, UNIT_US, FIGURE_ROUND_TRIP_P99, NULL},
		{9, "mean", "service", UNIT_US, FIGURE_SERVICE, NULL},
	};
	static const struct figure_column rates[] = {
		{11, "/s", "messages", UNIT_COUNT, FIGURE_RATE, NULL},
		{10, "MB/s", NULL, UNIT_MB, FIGURE_BYTES, NULL},
	};
	bool more_is_better;
	enum row_figure figure = main_figure(&rows->row[0].info.workload, &more_is_better);

	if (figure == FIGURE_RATE)
		return (struct table){.rows = rows, .has_bars = true, TABLE_COLUMNS(rates)};
	if (figure == FIGURE_ROUND_TRIP)
		return (struct table){.rows = rows, .has_bars = true, TABLE_COLUMNS(calls)};
	if (!isnan(rows->row[0].figure[FIGURE_LAST]))
		return (struct table){.rows = rows, .has_bars = true, TABLE_COLUMNS(rounds)};
	return (struct table){.rows = rows, .has_bars = true, TABLE_COLUMNS(latencies)};
}

static double latency_ns(const struct row *row)
{
	return components_ns(&row->figure[FIGURE_COMPONENT]);
}

/* A share of the run queue time, and what ran instead. */
struct behind {
	double share;
	const char *what;
};

static int largest_first(const void *a, const void *b)
{
	const struct behind *x = a, *y = b;

	return (x->share < y->share) - (x->share > y->share);
}

/* `runqueue`: its share of the latency. Others come last. */
static void add_runqueue(struct paragraph *line, const double *figure, double runqueue)
{
	struct behind behind[] = {{figure[FIGURE_BEHIND_CLIENTS], "clients"},
				  {figure[FIGURE_BEHIND_IDLE], "a CPU leaving idle"},
				  {figure[FIGURE_BEHIND_IPCTRACE], "ipctrace itself"}};
	const size_t cnt = sizeof(behind) / sizeof(behind[0]);
	double others = 1;

	qsort(behind, cnt, sizeof(behind[0]), largest_first);
	paragraph_add(line, "run queue: ");
	for (size_t i = 0; i < cnt && behind[i].share > 0; i++) {
		paragraph_add(line, "%s %s, ", behind[i].what, PERCENT(runqueue * behind[i].share));
		others -= behind[i].share;
	}
	paragraph_add(line, "others %s", PERCENT(fmax(0, runqueue * others)));
}

/* The culprits of the slowest row. */
static void culprits_of_rows(struct paragraph *line, const struct rows *rows, unsigned int set)
{
	const struct row *row = slowest_row(rows);
	double all_ns = row ? latency_ns(row) : NAN, dispatch, runqueue;

	if (!(all_ns > 0) || !(row->figure[FIGURE_RUNQUEUE] > 0))
		return;
	if (rows->cnt > 1) {
		add_coordinates(line, &row->info.workload, set);
		paragraph_add(line, " (the slowest): ");
	}
	dispatch = row->figure[FIGURE_COMPONENT + COMPONENT_DISPATCH] / all_ns;
	runqueue = row->figure[FIGURE_RUNQUEUE] / all_ns;
	if (!spec_server_sends(&row->info.workload))
		dispatch = 0;
	if (dispatch > runqueue)
		paragraph_add(line, "dispatch: ipctrace-server %s; ", PERCENT(dispatch));
	add_runqueue(line, row->figure, runqueue);
	if (dispatch > 0 && dispatch <= runqueue)
		paragraph_add(line, "; dispatch: ipctrace-server %s", PERCENT(dispatch));
}

/* The largest share of any row's latency that is a wait for ipctrace. */
static double own_share_of_rows(const struct rows *rows)
{
	double most = 0;

	for (size_t i = 0; i < rows->cnt; i++) {
		const struct row *row = &rows->row[i];
		double share = row->figure[FIGURE_BEHIND_IPCTRACE] * row->figure[FIGURE_RUNQUEUE] /
			       latency_ns(row);

		if (share > most)
			most = share;
	}
	return most;
}

static struct row sum_of(const struct rows *rows)
{
	struct row sum = rows->row[0];

	for (size_t i = 1; i < rows->cnt; i++)
		row_add_run(&sum, &rows->row[i]);
	return sum;
}

/* How many runs have a warning, which is printed below. */
static void add_warnings(struct paragraph *line, const struct rows *rows)
{
	size_t cnt = 0;

	for (size_t i = 0; i < rows->cnt; i++)
		cnt += !row_is_whole(&rows->row[i]);
	if (cnt)
		paragraph_add(line,
			      "%zu of %zu configurations %s not complete: see the warnings "
			      "below",
			      cnt, rows->cnt, cnt == 1 ? "is" : "are");
}

/* Sets how many rows have room. The culprits get fewer lines if rows need them: rows come first. */
static void fit_rows(const struct text *text, struct table *table, struct answer answer[NR_ANSWERS])
{
	for (;; answer[CULPRITS].line_max--) {
		/* The head, two empty lines, the heading, a line for further rows, the legend: 9. */
		int left = SCREEN_LINES - 9 - answers_line_cnt(text, answer, NR_ANSWERS);

		table->row_max = (size_t)(left > ROWS_LEAST ? left : ROWS_LEAST);
		if (table->row_max >= table->rows->cnt || answer[CULPRITS].line_max == 1)
			return;
	}
}

static void add_observer(struct paragraph *trust, const struct row *sum, double own)
{
	if (!sum->info.traced) {
		paragraph_add(trust, "; untraced");
		return;
	}
	paragraph_add(trust, "; waiting for ipctrace itself %s%s%s", own >= 0.001 ? "at most " : "",
		      PERCENT(own), own >= 0.001 ? " of the latency" : "");
	if (!sum->knows_cost)
		paragraph_add(trust, ", cost of its BPF code not known");
}

void first_screen_of_rows(const struct text *text, const struct rows *rows)
{
	struct answer answer[NR_ANSWERS] = {
		[VERDICT] = {"", INK_BOLD, VERDICT_LINES, {0}},
		[CULPRITS] = {"to blame", INK_BOLD, CULPRIT_LINES, {0}},
		[WARNING] = {"warning", INK_WARNING, 1, {0}},
		[TRUST] = {"trust", INK_BOLD, TRUST_LINES, {0}},
	};
	struct table table = table_of(rows);
	struct row sum = sum_of(rows);
	double own = own_share_of_rows(rows);

	if (!integrity_clean(&sum.integrity))
		answer[TRUST].ink = INK_WARNING;
	verdict_of_rows(&answer[VERDICT].words, rows);
	culprits_of_rows(&answer[CULPRITS].words, rows, rows_differ_in(rows, &all));
	trust_words(&answer[TRUST].words, &sum.integrity, &sum.info, own, sum.verified);
	add_observer(&answer[TRUST].words, &sum, own);
	add_warnings(&answer[WARNING].words, rows);
	fit_rows(text, &table, answer);
	answers_print(text, answer, CULPRITS);
	text_table(text, &table);
	if (sum.info.traced && !isnan(rows->row[0].figure[FIGURE_COMPONENT]))
		component_legend(text, &sum.info, "  shares");
	answers_print(text, answer + CULPRITS, NR_ANSWERS - CULPRITS);
}

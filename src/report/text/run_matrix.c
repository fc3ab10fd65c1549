/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Prints the report of several runs: a first screen with a row for each configuration, as many as
 * fit, then the measurement and the results. Warnings name the runs that are not complete.
 */
#include "insight/metrics.h"
#include "report/published.h"
#include "report/text/component_bar.h"
#include "report/text/sections.h"
#include "report/text/table.h"
#include "report/words/rows_words.h"
#include "report/words/summary_words.h"

#include <math.h>
#include <stdlib.h>

#define RESULT_LINES  3
#define CULPRIT_LINES 2
#define NEXT_LINES    2
#define TRUST_LINES   3
#define ROWS_LEAST    2
#define IS_NAMED      0.005 /* of the latency: smaller culprits are added up */

/* A table stands before WARNING. */
enum { RESULT, CAUSE, CULPRITS, NEXT, WARNING, COMPLETE, DISTURBED, NR_ANSWERS };

static const struct filter all = {0};

/* The main figures of the pattern, and the components of each row. */
static struct table table_of(const struct rows *rows)
{
	static const struct number_column rounds[] = {
		{8, "mean", "first us", SHOW_US, NUMBER_FIRST, NULL},
		{6, "mean", "next", SHOW_US, NUMBER_NEXT, NULL},
		{7, "mean", "last", SHOW_US, NUMBER_LAST, NULL},
		{7, "mean", "all", SHOW_US, NUMBER_LATENCY, NULL},
		{7, "p50", "all", SHOW_US, NUMBER_LATENCY_P50, NULL},
		{7, "p99", "all", SHOW_US, NUMBER_LATENCY_P99, NULL},
		{7, "max", "all", SHOW_US, NUMBER_LATENCY_MAX, NULL},
	};
	static const struct number_column latencies[] = {
		{9, "mean", "lat. us", SHOW_US, NUMBER_LATENCY, NULL},
		{8, "p50", NULL, SHOW_US, NUMBER_LATENCY_P50, NULL},
		{8, "p99", NULL, SHOW_US, NUMBER_LATENCY_P99, NULL},
	};
	static const struct number_column calls[] = {
		{11, "mean us", "round trip", SHOW_US, NUMBER_ROUND_TRIP, NULL},
		{8, "p99", NULL, SHOW_US, NUMBER_ROUND_TRIP_P99, NULL},
		{9, "mean", "service", SHOW_US, NUMBER_SERVICE, NULL},
	};
	static const struct number_column rates[] = {
		{11, "/s", "messages", SHOW_COUNT, NUMBER_RATE, NULL},
		{10, "MB/s", NULL, SHOW_MB, NUMBER_BYTES, NULL},
	};
	bool more_is_better;
	enum row_number number = main_number(&rows->row[0].info.workload, &more_is_better);

	if (number == NUMBER_RATE)
		return (struct table){.rows = rows, .has_bars = true, TABLE_COLUMNS(rates)};
	if (number == NUMBER_ROUND_TRIP)
		return (struct table){.rows = rows, .has_bars = true, TABLE_COLUMNS(calls)};
	if (!isnan(rows->row[0].number[NUMBER_LAST]))
		return (struct table){.rows = rows, .has_bars = true, TABLE_COLUMNS(rounds)};
	return (struct table){.rows = rows, .has_bars = true, TABLE_COLUMNS(latencies)};
}

static double latency_ns(const struct row *row)
{
	return components_ns(&row->number[NUMBER_COMPONENT]);
}

/* A share of the run queue time, and what ran instead. */
struct behind {
	double share;
	const char *what;
};

static int run_matrix_largest_first(const void *a, const void *b)
{
	const struct behind *x = a, *y = b;

	return (x->share < y->share) - (x->share > y->share);
}

/* `runqueue`: its share of the latency. Others come last. */
static void add_runqueue(struct paragraph *line, const double *number, double runqueue)
{
	struct behind behind[] = {{number[NUMBER_BEHIND_CLIENTS], "clients"},
				  {number[NUMBER_BEHIND_IDLE], "CPU wakes up"},
				  {number[NUMBER_BEHIND_IPCTRACE], "ipctrace itself"}};
	const size_t cnt = sizeof(behind) / sizeof(behind[0]);
	double others = 1;

	qsort(behind, cnt, sizeof(behind[0]), run_matrix_largest_first);
	for (size_t i = 0; i < cnt && runqueue * behind[i].share >= IS_NAMED; i++) {
		paragraph_add(line, "%s %s, ", behind[i].what, PERCENT(runqueue * behind[i].share));
		others -= behind[i].share;
	}
	paragraph_add(line, "others %s of the latency", PERCENT(fmax(0, runqueue * others)));
}

/* The culprits of the slowest row, which the cause names. */
static void culprits_of_rows(struct paragraph *line, const struct rows *rows)
{
	const struct row *row = slowest_row(rows);
	double all_ns = row ? latency_ns(row) : NAN, runqueue;

	if (!(all_ns > 0) || !(row->number[NUMBER_RUNQUEUE] > 0))
		return;
	runqueue = row->number[NUMBER_RUNQUEUE] / all_ns;
	add_runqueue(line, row->number, runqueue);
}

/* The largest share of any row's latency that is a wait for ipctrace. */
static double own_share_of_rows(const struct rows *rows)
{
	double most = 0;

	for (size_t i = 0; i < rows->cnt; i++) {
		const struct row *row = &rows->row[i];
		double share = row->number[NUMBER_BEHIND_IPCTRACE] * row->number[NUMBER_RUNQUEUE] /
			       latency_ns(row);

		if (share > most)
			most = share;
	}
	return most;
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

/* Sets how many rows have room. Culprits, then what to try get fewer lines if rows need them. */
static void fit_rows(const struct text *text, struct table *table, struct answer answer[NR_ANSWERS])
{
	for (;;) {
		struct answer *cut = &answer[answer[CULPRITS].line_max > 1 ? CULPRITS : NEXT];
		/*
		 * The head, two empty lines, the heading, a line for further rows, the legend: 9.
		 */
		int left = SCREEN_LINES - 9 - answers_line_cnt(text, answer, NR_ANSWERS);

		table->row_max = (size_t)(left > ROWS_LEAST ? left : ROWS_LEAST);
		if (table->row_max >= table->rows->cnt || cut->line_max == 1)
			return;
		cut->line_max--;
	}
}

static void add_observer(struct paragraph *line, const struct row *sum, double own)
{
	if (!sum->info.traced) {
		paragraph_add(line, "no: untraced");
		return;
	}
	if (own > 0)
		paragraph_add(line, "%s: up to %s of the latency is waiting for ipctrace itself",
			      own >= DISTURBING_SHARE ? "yes" : "hardly", PERCENT(own));
	else
		paragraph_add(line, "no: no message waited for ipctrace itself");
}

/* A row for each configuration, as many as fit. */
static void first_screen(const struct text *text, const struct rows *rows)
{
	struct answer answer[NR_ANSWERS] = {
		[RESULT] = {"RESULT", INK_BOLD, RESULT_LINES, {0}},
		[CAUSE] = {"CAUSE", INK_BOLD, RESULT_LINES, {0}},
		[CULPRITS] = {"CPU waits", INK_BOLD, CULPRIT_LINES, {0}},
		[NEXT] = {"NEXT", INK_BOLD, NEXT_LINES, {0}},
		[WARNING] = {"warning", INK_WARNING, 1, {0}},
		[COMPLETE] = {"complete", INK_BOLD, TRUST_LINES, {0}},
		[DISTURBED] = {"disturbed", INK_BOLD, 1, {0}},
	};
	struct table table = table_of(rows);
	struct row sum = rows_sum(rows);
	double own = own_share_of_rows(rows);

	if (!integrity_clean(&sum.integrity))
		answer[COMPLETE].ink = INK_WARNING;
	result_of_rows(&answer[RESULT].words, rows);
	cause_of_rows(&answer[CAUSE].words, rows);
	next_of_rows(&answer[NEXT].words, rows);
	culprits_of_rows(&answer[CULPRITS].words, rows);
	complete_words(&answer[COMPLETE].words, &sum.integrity, &sum.info, sum.verified);
	add_observer(&answer[DISTURBED].words, &sum, own);
	add_warnings(&answer[WARNING].words, rows);
	fit_rows(text, &table, answer);
	answers_print(text, answer, WARNING);
	text_table(text, &table);
	if (sum.info.traced && !isnan(rows->row[0].number[NUMBER_COMPONENT]))
		component_legend(text, &sum.info, "  shares");
	answers_print(text, answer + WARNING, NR_ANSWERS - WARNING);
}

/* The main figures of the pattern, a row per configuration. */
static void print_comparison(const struct text *text, const struct rows *rows)
{
	static const struct number_column latencies[] = {
		{9, "mean", "latency", SHOW_US, NUMBER_LATENCY, NULL},
		{9, "p50", NULL, SHOW_US, NUMBER_LATENCY_P50, NULL},
		{9, "p99", NULL, SHOW_US, NUMBER_LATENCY_P99, NULL},
		{10, "switch", "context", SHOW_SHARE, NUMBER_CONTEXT_SWITCH, NULL},
	};
	static const struct number_column calls[] = {
		{9, "mean", "latency", SHOW_US, NUMBER_LATENCY, NULL},
		{9, "p99", NULL, SHOW_US, NUMBER_LATENCY_P99, NULL},
		{10, "mean", "round trip", SHOW_US, NUMBER_ROUND_TRIP, NULL},
		{9, "p99", NULL, SHOW_US, NUMBER_ROUND_TRIP_P99, NULL},
		{9, "mean", "service", SHOW_US, NUMBER_SERVICE, NULL},
	};
	static const struct number_column rates[] = {
		{11, "/s", "messages", SHOW_COUNT, NUMBER_RATE, NULL},
		{10, "MB/s", NULL, SHOW_MB, NUMBER_BYTES, NULL},
		{9, "spread", NULL, SHOW_SHARE, NUMBER_SPREAD, NULL},
	};
	const struct workload_spec *spec = &rows->row[0].info.workload;
	bool more_is_better;
	enum row_number number = main_number(spec, &more_is_better);
	struct table table = {.rows = rows};

	if (number == NUMBER_RATE)
		table = (struct table){.rows = rows, .title = "throughput", TABLE_COLUMNS(rates)};
	else if (number == NUMBER_ROUND_TRIP)
		table = (struct table){.rows = rows, .title = "times (us)", TABLE_COLUMNS(calls)};
	else
		table = (struct table){
			.rows = rows, .title = "latency (us)", TABLE_COLUMNS(latencies)};
	text_table(text, &table);
	text_fastest(text, rows, &table.filter);
}

static double messages_sent(const struct row *row)
{
	return (double)row->integrity.sent;
}

static double messages_matched(const struct row *row)
{
	return (double)row->integrity.matched;
}

static double messages_incomplete(const struct row *row)
{
	return (double)integrity_incomplete(&row->integrity);
}

static double records_lost(const struct row *row)
{
	return (double)integrity_lost(&row->integrity);
}

static double messages_corrupt(const struct row *row)
{
	return row->verified ? (double)row->integrity.corrupt : NAN;
}

static void print_integrity(const struct text *text, const struct rows *rows)
{
	static const struct number_column columns[] = {
		{10, "sent", NULL, SHOW_COUNT, 0, messages_sent},
		{10, "matched", NULL, SHOW_COUNT, 0, messages_matched},
		{12, "incomplete", NULL, SHOW_COUNT, 0, messages_incomplete},
		{7, "lost", NULL, SHOW_COUNT, 0, records_lost},
		{9, "corrupt", NULL, SHOW_COUNT, 0, messages_corrupt},
	};
	struct table table = {.rows = rows, .title = "integrity", TABLE_COLUMNS(columns)};
	bool verified = false;

	for (size_t i = 0; i < rows->cnt; i++)
		verified |= rows->row[i].verified;
	table.column_cnt -= !verified;
	text_table(text, &table);
}

/* The sum of each load over all configurations, printed at the first one that has it. */
static void print_loads(const struct text *text, const struct rows *rows)
{
	struct paragraph line = {0};

	for (size_t i = 0; i < rows->cnt; i++) {
		const struct workload_spec *spec = &rows->row[i].info.workload;
		const struct filter filter = {.load = spec->load};
		struct load_summary sum = {0};

		if (rows_next(rows, &filter, NULL) != &rows->row[i])
			continue;
		for (const struct row *row = NULL; (row = rows_next(rows, &filter, row));)
			sum.count += row->load.count;
		if (line.length && spec->load[0])
			paragraph_add(&line, "; ");
		load_words(&line, spec, &sum);
	}
	paragraph_print(text, INK_BOLD, "loads", &line);
}

/* A push over the number of clients is the paper's experiment. */
static void print_results(const struct text *text, const struct rows *rows, unsigned int set)
{
	const struct run_info *info = &rows->row[0].info;

	if (text_experiment(text, info->experiment, rows))
		return;
	if (!spec_has_rounds(&info->workload) || set & ~(1u << COORDINATE_CLIENTS)) {
		print_comparison(text, rows);
	} else {
		text_push_table(text, rows, &all, "latency (us)");
		if (text->shows_published)
			text_published(text, NR_PUBLISHED);
		if (text->shows_published)
			text_own_rows(text, rows);
	}
	text_orders(text, rows);
}

static void print_details(const struct text *text, const struct rows *rows, unsigned int set)
{
	const struct run_info *info = &rows->row[0].info;
	struct paragraph title = {0}, integrity = {0}, observer = {0}, windows = {0};

	text_rule(text, "measurement");
	text_newline(text);
	run_matrix_title(&title, rows);
	text_workload(text, info, &title);
	if (info->experiment[0]) {
		/* The configurations differ too much for a table. Warnings name the bad ones. */
		bool is_clean = run_matrix_integrity(&integrity, rows);

		text_newline(text);
		paragraph_print(text, is_clean ? INK_BOLD : INK_WARNING, "integrity", &integrity);
	} else {
		print_integrity(text, rows);
	}
	run_matrix_observer(&observer, rows);
	paragraph_print(text, INK_BOLD, "observer", &observer);
	print_loads(text, rows);
	if (info->condition[0])
		windows_words(&windows, info);
	paragraph_print(text, INK_BOLD, "recording", &windows);
	for (size_t i = 0; i < rows->cnt; i++) {
		struct paragraph warning = {0};

		run_matrix_warning(&warning, &rows->row[i], set);
		paragraph_print(text, INK_WARNING, "warning", &warning);
	}
	text_rule(text, "results");
	print_results(text, rows, set);
}

void text_run_matrix(const struct text *text, const struct rows *runs, bool is_brief)
{
	struct head_lines lines = {0};
	struct answer head[2];
	struct rows rows;
	unsigned int set;

	if (!runs->cnt || rows_merge(runs, &rows))
		return;
	set = rows_differ_in(&rows, &all);
	run_matrix_lines(&lines, &rows);
	head_answers(text, &lines, head);
	answers_print(text, head, 2);
	text_newline(text);
	first_screen(text, &rows);
	if (!is_brief)
		print_details(text, &rows, set);
	rows_free(&rows);
}

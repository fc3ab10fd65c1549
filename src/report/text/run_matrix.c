/* SPDX-License-Identifier: BSD-2-Clause */
/* Prints the report of several runs. Warnings name the runs that are not complete. */
#include "insight/metrics.h"
#include "report/published.h"
#include "report/text/experiments/experiments.h"
#include "report/text/first_screen.h"
#include "report/text/run_matrix.h"
#include "report/text/sections.h"
#include "report/text/tables/table.h"
#include "report/words/rows_words.h"
#include "report/words/summary_words.h"

#include <math.h>

/* The main figures of the pattern, a row per configuration. */
static void print_comparison(const struct text *text, const struct rows *rows)
{
	static const struct figure_column latencies[] = {
		{9, "mean", "latency", UNIT_US, FIGURE_LATENCY, NULL},
		{9, "p50", NULL, UNIT_US, FIGURE_LATENCY_P50, NULL},
		{9, "p99", NULL, UNIT_US, FIGURE_LATENCY_P99, NULL},
		{10, "switch", "context", UNIT_SHARE, FIGURE_CONTEXT_SWITCH, NULL},
	};
	static const struct figure_column calls[] = {
		{9, "mean", "latency", UNIT_US, FIGURE_LATENCY, NULL},
		{9, "p99", NULL, UNIT_US, FIGURE_LATENCY_P99, NULL},
		{10, "mean", "round trip", UNIT_US, FIGURE_ROUND_TRIP, NULL},
		{9, "p99", NULL, UNIT_US, FIGURE_ROUND_TRIP_P99, NULL},
		{9, "mean", "service", UNIT_US, FIGURE_SERVICE, NULL},
	};
	static const struct figure_column rates[] = {
		{11, "/s", "messages", UNIT_COUNT, FIGURE_RATE, NULL},
		{10, "MB/s", NULL, UNIT_MB, FIGURE_BYTES, NULL},
		{9, "spread", NULL, UNIT_SHARE, FIGURE_SPREAD, NULL},
	};
	const struct workload_spec *spec = &rows->row[0].info.workload;
	bool more_is_better;
	enum row_figure figure = main_figure(spec, &more_is_better);
	struct table table = {.rows = rows};

	if (figure == FIGURE_RATE)
		table = (struct table){.rows = rows, .title = "throughput", TABLE_COLUMNS(rates)};
	else if (figure == FIGURE_ROUND_TRIP)
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

/* The configurations of an experiment differ too much for a table. Warnings name the bad ones. */
static void print_integrity_of_all(const struct text *text, const struct rows *rows)
{
	struct paragraph line = {0};
	bool is_clean = run_matrix_integrity(&line, rows);

	text_newline(text);
	paragraph_print(text, is_clean ? INK_BOLD : INK_WARNING, "integrity", &line);
}

static void print_integrity(const struct text *text, const struct rows *rows)
{
	static const struct figure_column columns[] = {
		{10, "sent", NULL, UNIT_COUNT, 0, messages_sent},
		{10, "matched", NULL, UNIT_COUNT, 0, messages_matched},
		{12, "incomplete", NULL, UNIT_COUNT, 0, messages_incomplete},
		{7, "lost", NULL, UNIT_COUNT, 0, records_lost},
		{9, "corrupt", NULL, UNIT_COUNT, 0, messages_corrupt},
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

static void print_observer(const struct text *text, const struct rows *rows)
{
	struct paragraph line = {0};

	run_matrix_observer(&line, rows);
	paragraph_print(text, INK_BOLD, "observer", &line);
}

static void print_windows(const struct text *text, const struct run_info *info)
{
	struct paragraph line = {0};

	if (!info->condition[0])
		return;
	windows_words(&line, info);
	paragraph_print(text, INK_BOLD, "recording", &line);
}

static void print_warnings(const struct text *text, const struct rows *rows, unsigned int set)
{
	for (size_t i = 0; i < rows->cnt; i++) {
		struct paragraph line = {0};

		run_matrix_warning(&line, &rows->row[i], set);
		paragraph_print(text, INK_WARNING, "warning", &line);
	}
}

/* A push over the number of clients is the paper's experiment. */
static void print_results(const struct text *text, const struct rows *rows, unsigned int set)
{
	const struct run_info *info = &rows->row[0].info;
	const struct filter all = {0};

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
	struct paragraph title = {0};

	text_rule(text, "measurement");
	text_newline(text);
	run_matrix_title(&title, rows);
	text_workload(text, &rows->row[0].info, &title);
	if (rows->row[0].info.experiment[0])
		print_integrity_of_all(text, rows);
	else
		print_integrity(text, rows);
	print_observer(text, rows);
	print_loads(text, rows);
	print_windows(text, &rows->row[0].info);
	print_warnings(text, rows, set);
	text_rule(text, "results");
	print_results(text, rows, set);
}

void text_run_matrix(const struct text *text, const struct rows *runs, bool is_brief)
{
	const struct filter all = {0};
	struct head_lines lines = {0};
	struct rows rows;
	unsigned int set;

	if (!runs->cnt || rows_merge(runs, &rows))
		return;
	set = rows_differ_in(&rows, &all);
	run_matrix_lines(&lines, &rows);
	text_head_lines(text, &rows.row[0].info, &lines);
	text_newline(text);
	first_screen_of_rows(text, &rows);
	if (!is_brief)
		print_details(text, &rows, set);
	rows_free(&rows);
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* Prints the report of several runs. Warnings name the runs that are not complete. */
#include "insight/metrics.h"
#include "report/published.h"
#include "report/text/experiments/experiments.h"
#include "report/text/first_screen/first_screen.h"
#include "report/text/run_matrix.h"
#include "report/text/sections.h"
#include "report/words/rows.h"
#include "report/text/tables/table.h"

#include <math.h>

/* "1 to 5 clients": the range of a number over all workloads. */
static void range_words(const struct rows *rows, enum coordinate coordinate, const char *unit,
			char *words, size_t size)
{
	uint64_t min = coordinate_number(&rows->row[0].info.workload, coordinate);
	uint64_t max = min;

	for (size_t i = 1; i < rows->cnt; i++) {
		uint64_t next = coordinate_number(&rows->row[i].info.workload, coordinate);

		min = next < min ? next : min;
		max = next > max ? next : max;
	}
	if (min == max)
		snprintf(words, size, "%llu %s%s", (unsigned long long)min, unit, plural(min));
	else
		snprintf(words, size, "%llu-%llu %ss", (unsigned long long)min,
			 (unsigned long long)max, unit);
}

typedef void head_fn(const struct text *text, const struct run_info *info,
		     const struct workload_words *words);

/* The last configurations of an interrupted run matrix have fewer runs. */
static void count_runs(const struct rows *rows, struct workload_words *words)
{
	words->least_runs = words->most_runs = rows->row[0].runs;
	for (size_t i = 1; i < rows->cnt; i++) {
		uint32_t runs = rows->row[i].runs;

		words->least_runs = runs < words->least_runs ? runs : words->least_runs;
		words->most_runs = runs > words->most_runs ? runs : words->most_runs;
	}
}

/* The words of a run matrix. */
struct matrix_words {
	char clients[64];
	char messages[64];
	char size[64];
	struct workload_words words; /* points to the others */
};

static void fill_words(const struct rows *rows, unsigned int set, struct matrix_words *matrix)
{
	const struct workload_spec *spec = &rows->row[0].info.workload;

	matrix->words = (struct workload_words){
		.pattern = set & 1u << COORDINATE_PATTERN ? "several patterns" : spec->pattern,
		.transport =
			set & 1u << COORDINATE_TRANSPORT ? "several transports" : spec->transport,
		.clients = matrix->clients,
		.messages = matrix->messages,
		.size = matrix->size,
		.handler = set & 1u << COORDINATE_HANDLER ? "" : spec->handler,
		.load = set & 1u << COORDINATE_LOAD ? "" : spec->load,
	};
	count_runs(rows, &matrix->words);
	range_words(rows, COORDINATE_CLIENTS, "client", matrix->clients, sizeof(matrix->clients));
	range_words(rows, COORDINATE_MESSAGES, "message", matrix->messages,
		    sizeof(matrix->messages));
	if (set & 1u << COORDINATE_BYTES)
		snprintf(matrix->size, sizeof(matrix->size), "several sizes");
	else
		range_words(rows, COORDINATE_BYTES, "byte", matrix->size, sizeof(matrix->size));
}

static void print_head(const struct text *text, const struct rows *rows, unsigned int set,
		       head_fn *print)
{
	struct matrix_words matrix;

	fill_words(rows, set, &matrix);
	print(text, &rows->row[0].info, &matrix.words);
}

void run_matrix_title(struct paragraph *line, const struct rows *merged)
{
	const struct filter all = {0};
	struct matrix_words matrix;

	fill_words(merged, rows_differ_in(merged, &all), &matrix);
	workload_title(line, &merged->row[0].info, &matrix.words);
}

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

static struct row sum_of(const struct rows *rows)
{
	struct row all = rows->row[0];

	for (size_t i = 1; i < rows->cnt; i++)
		row_add_run(&all, &rows->row[i]);
	return all;
}

bool run_matrix_integrity(struct paragraph *line, const struct rows *merged)
{
	struct row all = sum_of(merged);

	paragraph_add(line, "of all runs: ");
	integrity_words(line, &all.integrity, all.info.traced, all.verified);
	return integrity_clean(&all.integrity);
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

/* The published figures were measured without tracing. */
void run_matrix_observer(struct paragraph *line, const struct rows *merged)
{
	if (merged->row[0].info.traced)
		paragraph_add(line, "traced: the cost of that is part of these figures; "
				    "--no-trace measures without it");
	else
		paragraph_add(line, "none: these runs were not traced");
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

void run_matrix_warning(struct paragraph *line, const struct row *row, unsigned int set)
{
	if (row_is_whole(row))
		return;
	add_coordinates(line, &row->info.workload, set);
	paragraph_add(line, ": ");
	integrity_words(line, &row->integrity, row->info.traced, row->verified);
	if (row->early.length)
		paragraph_add(line, "; ended early %s", row->early.text);
	if (row->departures.length)
		paragraph_add(line, "; %s", row->departures.text);
	if (row->load.ended)
		paragraph_add(line, "; load ");
	if (row->load.ended)
		load_words(line, &row->info.workload, &row->load);
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
	text_rule(text, "measurement");
	text_newline(text);
	print_head(text, rows, set, text_head_words);
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
	struct rows rows;
	unsigned int set;

	if (!runs->cnt || rows_merge(runs, &rows))
		return;
	set = rows_differ_in(&rows, &all);
	print_head(text, &rows, set, text_head_word_lines);
	text_newline(text);
	first_screen_of_rows(text, &rows);
	if (!is_brief)
		print_details(text, &rows, set);
	rows_free(&rows);
}

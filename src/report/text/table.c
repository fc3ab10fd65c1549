/* SPDX-License-Identifier: BSD-2-Clause */
/* Prints tables that have a row for each configuration of several runs. */
#include "report/text/table.h"

#include "report/text/component_bar.h"
#include "report/words/rows_words.h"
#include "util/plain.h"

#include <math.h>
#include <string.h>

#define COLUMNS_MAX  16
#define COLUMNS_PAGE 80 /* of a table with its bars, if the page has them */
#define STACKED      4  /* columns beside the bar of a stacked row */
#define BAR_MIN      11
#define LARGEST      10 /* columns of the largest component, before the bar */

static const struct {
	const char *title;
	int width;
} coordinates[NR_COORDINATES] = {
	[COORDINATE_PATTERN] = {"pattern", 10},  [COORDINATE_TRANSPORT] = {"transport", 14},
	[COORDINATE_LOAD] = {"load", 10},        [COORDINATE_HANDLER] = {"handler", 18},
	[COORDINATE_BYTES] = {"bytes", 9},       [COORDINATE_CLIENTS] = {"clients", 8},
	[COORDINATE_MESSAGES] = {"messages", 9},
};

static enum coordinate table_first_of(unsigned int set)
{
	enum coordinate first = 0;

	while (!(set & 1u << first))
		first++;
	return first;
}

static int table_columns_of(const struct table *table, unsigned int set)
{
	int columns = 0;

	for (enum coordinate i = 0; i < NR_COORDINATES; i++)
		columns += set & 1u << i ? coordinates[i].width : 0;
	for (size_t i = 0; i < table->column_cnt; i++)
		columns += table->column[i].width;
	return columns;
}

/* The columns of a bar with what stands before it; 0: there is no bar. */
static int bar_width(const struct text *text, const struct table *table, const struct row *row,
		     unsigned int set)
{
	int columns = table_columns_of(table, set), width = bar_room(text, columns, COLUMNS_PAGE);

	if (columns > text->columns)
		width = text->columns - STACKED;

	if (!table->has_bars || width < BAR_MIN || isnan(row->number[NUMBER_COMPONENT]))
		return 0;
	return width;
}

/* Whether the largest component of at least one row is shown. */
static bool shows_largest(const struct text *text, const struct table *table, unsigned int set)
{
	const struct row *row = NULL;

	while ((row = rows_next(table->rows, &table->filter, row))) {
		if (bar_width(text, table, row, set) >= BAR_MIN + LARGEST)
			return true;
	}
	return false;
}

static void print_heading(const struct text *text, const struct table *table, unsigned int set)
{
	enum coordinate label = table_first_of(set);
	struct column column[COLUMNS_MAX];
	int cnt = 0;

	for (enum coordinate i = label + 1; i < NR_COORDINATES; i++) {
		if (set & 1u << i)
			column[cnt++] =
				(struct column){coordinates[i].width, coordinates[i].title, NULL};
	}
	for (size_t i = 0; i < table->column_cnt && cnt < COLUMNS_MAX; i++)
		column[cnt++] = (struct column){table->column[i].width, table->column[i].title,
						table->column[i].above};
	if (cnt < COLUMNS_MAX && shows_largest(text, table, set))
		column[cnt++] = (struct column){LARGEST, "largest", NULL};
	text_heading(text, coordinates[label].title, coordinates[label].width, column, cnt);
}

/* Long words, such as commands, are cut and end in "..". */
static void print_word(const struct text *text, const char *word, int width, bool is_label)
{
	char cut[SPEC_TEXT_LEN];

	if (plain_columns(word) < width)
		snprintf(cut, sizeof(cut), "%s", word);
	else
		snprintf(cut, sizeof(cut), "%.*s..", (int)plain_fit(word, width - 3), word);
	if (is_label)
		text_label(text, INK_PLAIN, width, cut);
	else
		text_cell(text, width, cut);
}

static void print_coordinates(const struct text *text, const struct workload_spec *spec,
			      unsigned int set)
{
	enum coordinate label = table_first_of(set);

	for (enum coordinate i = label; i < NR_COORDINATES; i++) {
		const char *word = coordinate_word(spec, i);
		int width = coordinates[i].width;

		if (!(set & 1u << i))
			continue;
		if (word) {
			print_word(text, word, width, i == label);
		} else if (i == label) {
			text_count(text, width - 1, coordinate_number(spec, i));
			fputc(' ', text->out);
		} else {
			text_count(text, width, coordinate_number(spec, i));
		}
	}
}

static void print_figure(const struct text *text, const struct number_column *column,
			 const struct row *row)
{
	double value = column->value ? column->value(row) : row->number[column->number];

	switch (column->form) {
	case SHOW_NS:
	case SHOW_COUNT:
		text_number(text, column->width, value, 0);
		break;
	case SHOW_US:
		text_us(text, column->width, value);
		break;
	case SHOW_MS:
		text_number(text, column->width, value / 1e6, 3);
		break;
	case SHOW_MB:
		text_number(text, column->width, value / 1e6, 1);
		break;
	case SHOW_SHARE:
		text_share(text, column->width, value);
		break;
	}
}

static void table_print_bar(const struct text *text, const struct row *row, int width)
{
	const double *component_ns = &row->number[NUMBER_COMPONENT];

	if (width >= BAR_MIN + LARGEST) {
		largest_component(text, component_ns, LARGEST);
		width -= LARGEST;
	}
	begin_bar(text);
	component_bar(text, component_ns, width, true);
}

static void table_print_row(const struct text *text, const struct table *table,
			    const struct row *row, unsigned int set)
{
	print_coordinates(text, &row->info.workload, set);
	for (size_t i = 0; i < table->column_cnt; i++)
		print_figure(text, &table->column[i], row);
	if (bar_width(text, table, row, set))
		table_print_bar(text, row, bar_width(text, table, row, set));
	text_newline(text);
}

void text_table(const struct text *text, const struct table *table)
{
	unsigned int set = table->coordinates ?: rows_differ_in(table->rows, &table->filter);
	size_t cnt = rows_count(table->rows, &table->filter), printed = 0;
	struct table fitting = *table;
	const struct row *row = NULL;

	if (!cnt)
		return;
	set = set ?: 1u << COORDINATE_CLIENTS;
	while (table->has_bars && fitting.column_cnt > 1 &&
	       table_columns_of(&fitting, set) >
		       (text->columns > COLUMNS_PAGE ? text->columns : COLUMNS_PAGE))
		fitting.column_cnt--;
	text_newline(text);
	if (table->title)
		text_heading(text, table->title, 0, NULL, 0);
	print_heading(text, &fitting, set);
	while ((!table->row_max || printed < table->row_max) &&
	       (row = rows_next(table->rows, &table->filter, row))) {
		table_print_row(text, &fitting, row, set);
		printed++;
	}
	if (printed < cnt)
		fprintf(text->out, "  ... %zu more below\n", cnt - printed);
}

void for_each_transport(const struct text *text, const struct rows *rows,
			void (*table)(const struct text *, const struct rows *, const char *))
{
	for (size_t i = 0; i < rows->cnt; i++) {
		const char *name = rows->row[i].info.workload.transport;
		const struct filter filter = {.transport = name};

		if (rows_next(rows, &filter, NULL) == &rows->row[i])
			table(text, rows, name);
	}
}

void text_push_table(const struct text *text, const struct rows *rows, const struct filter *filter,
		     const char *title)
{
	static const struct number_column columns[] = {
		{10, "mean", "first", SHOW_US, NUMBER_FIRST, NULL},
		{10, "mean", "next", SHOW_US, NUMBER_NEXT, NULL},
		{10, "mean", "last", SHOW_US, NUMBER_LAST, NULL},
		{9, "+-sd", "last", SHOW_US, NUMBER_LAST_SD, NULL},
		{10, "time", "service", SHOW_US, NUMBER_SERVICE_TIME, NULL},
		{11, "efficiency", NULL, SHOW_SHARE, NUMBER_EFFICIENCY, NULL},
		{10, "switch", "context", SHOW_SHARE, NUMBER_CONTEXT_SWITCH, NULL},
	};

	text_table(text, &(struct table){.rows = rows,
					 .filter = *filter,
					 .title = title,
					 .coordinates = 1u << COORDINATE_CLIENTS,
					 TABLE_COLUMNS(columns)});
}

void text_orders(const struct text *text, const struct rows *rows)
{
	for (size_t i = 0; i < rows->cnt; i++) {
		const struct workload_spec *spec = &rows->row[i].info.workload;
		struct paragraph line = {0};
		struct paragraph words = {0};

		order_words(&words, &rows->row[i]);
		if (strcmp(spec->transport, "kernel") || !words.length)
			continue;
		paragraph_add(&line, "of %u clients ", spec->clients);
		if (spec->load[0])
			paragraph_add(&line, "beside %s ", spec->load);
		paragraph_add(&line, "%s", words.text);
		paragraph_print(text, INK_BOLD, "serving order", &line);
	}
}

void text_fastest(const struct text *text, const struct rows *rows, const struct filter *filter)
{
	struct paragraph line = {0};

	fastest_words(&line, rows, filter);
	paragraph_print(text, INK_BOLD, "fastest", &line);
}

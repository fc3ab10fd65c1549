/* SPDX-License-Identifier: BSD-2-Clause */
/* Tables over the cells of a sweep: a row each, that begins with what makes it differ from others.
 */
#ifndef IPCTRACE_REPORT_TEXT_TABLES_TABLE_H
#define IPCTRACE_REPORT_TEXT_TABLES_TABLE_H

#include "report/text/layout.h"
#include "report/text/tables/rows.h"

/* What cells can differ in, in the order of the columns; the first one of a table is its label. */
enum coordinate {
	COORDINATE_PATTERN,
	COORDINATE_TRANSPORT,
	COORDINATE_LOAD,
	COORDINATE_HANDLER,
	COORDINATE_BYTES,
	COORDINATE_CLIENTS,
	COORDINATE_MESSAGES,
	NR_COORDINATES
};

/* How a figure is shown; decimals go where there is no room for them. */
enum unit {
	UNIT_NS,
	UNIT_US,
	UNIT_MS,
	UNIT_SHARE,
	UNIT_COUNT,
	UNIT_MB, /* of bytes */
};

struct figure_column {
	int width;
	const char *title;
	const char *above; /* the title's first line; NULL: none */
	enum unit unit;
	enum figure figure;
	double (*value)(const struct row *row); /* if not NULL: instead of a figure */
};

struct table {
	const struct rows *rows;
	struct filter filter;     /* which of them */
	const char *title;        /* a line of its own; NULL: none */
	unsigned int coordinates; /* 1u << enum coordinate, that are columns; 0: as they differ */
	const struct figure_column *column;
	size_t column_cnt;
};

#define TABLE_COLUMNS(array) .column = (array), .column_cnt = sizeof(array) / sizeof((array)[0])

/* Silent if there are no such rows. */
void text_table(const struct text *text, const struct table *table);

bool specs_differ_in(const struct workload_spec *a, const struct workload_spec *b,
		     enum coordinate coordinate);

/* What the rows of a filter differ in: 1u << enum coordinate. */
unsigned int rows_differ_in(const struct rows *rows, const struct filter *filter);

/* "2 clients over tcp, 64 bytes": what is in `coordinates`. */
void add_coordinates(struct paragraph *paragraph, const struct workload_spec *spec,
		     unsigned int coordinates);

/* Calls `table` for each transport, at its first row. */
void for_each_transport(const struct text *text, const struct rows *rows,
			void (*table)(const struct text *, const struct rows *, const char *));

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Tables over the configurations of a run matrix. A row begins with the coordinates: the values
 * that distinguish it from the other rows.
 */
#ifndef IPCTRACE_REPORT_TEXT_TABLES_TABLE_H
#define IPCTRACE_REPORT_TEXT_TABLES_TABLE_H

#include "report/text/layout.h"
#include "report/text/tables/rows.h"

/* What configurations can differ in, in the order of the columns. The first is the label. */
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

/* How a figure is shown. Decimals that do not fit are dropped. */
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
	const char *above; /* first line of the title; NULL: none */
	enum unit unit;
	enum figure figure;
	double (*value)(const struct row *row); /* instead of `figure`; NULL: none */
};

struct table {
	const struct rows *rows;
	struct filter filter;     /* which rows */
	const char *title;        /* a line of its own; NULL: none */
	unsigned int coordinates; /* 1u << enum coordinate; 0: those that differ */
	const struct figure_column *column;
	size_t column_cnt;
};

#define TABLE_COLUMNS(array) .column = (array), .column_cnt = sizeof(array) / sizeof((array)[0])

/* Silent if no row passes the filter. */
void text_table(const struct text *text, const struct table *table);

/* The value of a coordinate that is a number. */
uint64_t coordinate_number(const struct workload_spec *spec, enum coordinate coordinate);

bool specs_differ_in(const struct workload_spec *a, const struct workload_spec *b,
		     enum coordinate coordinate);

/* The coordinates in which the rows of a filter differ: bits 1u << enum coordinate. */
unsigned int rows_differ_in(const struct rows *rows, const struct filter *filter);

/* "2 clients over tcp, 64 bytes": clients, transport, and the `coordinates`. */
void add_coordinates(struct paragraph *paragraph, const struct workload_spec *spec,
		     unsigned int coordinates);

/* Calls `table` once for each transport, in the order of their first rows. */
void for_each_transport(const struct text *text, const struct rows *rows,
			void (*table)(const struct text *, const struct rows *, const char *));

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Declares tables that compare several runs. A table has one row for each configuration (runs with
 * the same settings). A row begins with settings, for example the transport.
 */
#pragma once

#include "report/text/layout.h"
#include "report/words/rows.h"

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
enum row_unit {
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
	enum row_unit unit;
	enum row_figure figure;
	double (*value)(const struct row *row); /* instead of `figure`; NULL: none */
};

struct table {
	const struct rows *rows;
	struct filter filter;     /* which rows */
	const char *title;        /* a line of its own; NULL: none */
	unsigned int coordinates; /* 1u << enum coordinate; 0: those that differ */
	size_t row_max;           /* then a line says how many follow; 0: no limit */
	bool has_bars;            /* the components of each row as a bar, if there is room */
	const struct figure_column *column;
	size_t column_cnt;
};

#define TABLE_COLUMNS(array) .column = (array), .column_cnt = sizeof(array) / sizeof((array)[0])

/* With bars, leaves out the last columns that have no room. Silent if no row passes the filter. */
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

/* A row of this run's figures. */
struct own_figures {
	const char *title;
	double width_ns;
	double medium_ns;
	double next_ns;                    /* NAN: does not apply */
	const struct peaks_summary *peaks; /* NULL: does not apply */
};

/* The heading and the first `cnt` of the published rows. */
void text_published(const struct text *text, int cnt);

/* A row below text_published(). */
void text_own_figures(const struct text *text, const struct own_figures *own);

/* First, next and last latency over the number of clients. */
void text_push_table(const struct text *text, const struct rows *rows, const struct filter *filter,
		     const char *title);

/* Rows below text_published(): the runs with one client on an idle machine. */
void text_own_rows(const struct text *text, const struct rows *rows);

/* A line for each row of transport kernel: whether the serving order varies, and why. */
void text_orders(const struct text *text, const struct rows *rows);

/* Whether the serving order varies where the kernel's timer is the sender, and why. */
void order_words(struct paragraph *paragraph, const struct row *row);

/*
 * Which transport has the best main figure among rows that differ in the transport only, and by how
 * much, or how often if there are several comparisons. Silent if there is nothing to compare, or no
 * memory.
 */
void fastest_words(struct paragraph *paragraph, const struct rows *rows,
		   const struct filter *filter);

/* The same as a line. */
void text_fastest(const struct text *text, const struct rows *rows, const struct filter *filter);

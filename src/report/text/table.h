/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Declares tables that compare several runs. A table has one row for each configuration (runs with
 * the same settings). A row begins with settings, for example the transport.
 */
#pragma once

#include "report/text/layout.h"
#include "report/words/rows.h"

/* How a figure is shown. Decimals that do not fit are dropped. */
enum number_form {
	SHOW_NS,
	SHOW_US,
	SHOW_MS,
	SHOW_SHARE,
	SHOW_COUNT,
	SHOW_MB, /* of bytes */
};

struct number_column {
	int width;
	const char *title;
	const char *above; /* first line of the title; NULL: none */
	enum number_form form;
	enum row_number number;
	double (*value)(const struct row *row); /* instead of `number`; NULL: none */
};

struct table {
	const struct rows *rows;
	struct filter filter;     /* which rows */
	const char *title;        /* a line of its own; NULL: none */
	unsigned int coordinates; /* 1u << enum coordinate; 0: those that differ */
	size_t row_max;           /* then a line says how many follow; 0: no limit */
	bool has_bars;            /* the components of each row as a bar, if there is room */
	const struct number_column *column;
	size_t column_cnt;
};

#define TABLE_COLUMNS(array) .column = (array), .column_cnt = sizeof(array) / sizeof((array)[0])

/* With bars, leaves out the last columns that have no room. Silent if no row passes the filter. */
void text_table(const struct text *text, const struct table *table);

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

/* fastest_words() as a line. */
void text_fastest(const struct text *text, const struct rows *rows, const struct filter *filter);

/*
 * Prints the tables of a published experiment: its figures beside those of `rows`, in its units and
 * words. False: there is no experiment of this name.
 */
bool text_experiment(const struct text *text, const char *name, const struct rows *rows);

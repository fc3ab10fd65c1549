/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Declares functions that print the sections of the text report. text.c defines the order of the
 * sections. A section that has nothing to show prints nothing.
 */
#pragma once

#include "model/explanation.h"
#include "model/summary.h"
#include "report/text/layout.h"
#include "report/words/head.h"
#include "report/words/rows.h"
#include "report/words/summary_words.h"

/*
 * The first screen of one run or attach: 24 lines of 80 columns. It answers, in this order: what
 * was seen, what is slow and why, what is typical, what to try, how long it took, where the time
 * went, and whether the figures can be trusted.
 */
#define SCREEN_LINES   24
#define HEAD_LINES     2 /* of the title, and of the conditions */
#define VERDICT_LINES  7
#define HEADLINE_LINES 9 /* with what is in the way, and slow units beside usual ones */

/* Where its parts go: an explanation may take the place of the cause, and of what to try. */
struct first_screen {
	const struct text *head;
	const struct text *cause;
	const struct text *typical;
	const struct text *next;
	const struct text *rest;
	struct paragraph *typical_words; /* without the hint to --explain: owned by the caller */
};

/* 0 or -ENOMEM. */
int text_first_screen(const struct first_screen *screen, const struct summary *summary);

/*
 * The report of several runs. `runs` has a row for each. Silent without a run or without memory.
 * `is_brief`: only the first screen.
 */
void text_run_matrix(const struct text *text, const struct rows *runs, bool is_brief);

enum explain_extent {
	EXPLAIN_ALL,    /* the first screen, and all tables */
	EXPLAIN_SCREEN, /* the first screen */
	EXPLAIN_BELOW,  /* a few lines, below the first screen of a report */
};

/* An explanation of one message, call or round shows this one in full. */
void text_explanation(const struct text *text, const struct explanation *explanation,
		      enum explain_extent extent);

/* The workload, or the target, and the host. */
void text_head(const struct text *text, const struct run_info *info);
void text_workload(const struct text *text, const struct run_info *info,
		   const struct paragraph *workload);

/* The first lines of a report. The conditions stand behind the title if its line has room. */
void head_answers(const struct text *text, const struct head_lines *lines, struct answer answer[2]);

void text_sentences(const struct text *text, const struct summary *summary,
		    const struct sentence *sentence);

/* A table of times: each row is a distribution. */
#define STAT_COLUMNS_MAX 8
struct stat_table {
	const struct text *text;
	int label_width;
	int width; /* of a cell */
	const double *which;
	size_t cnt;
};

/* `last`: the title of another column; NULL: there is none. An empty line precedes it. */
void stat_heading(const struct stat_table *table, const char *title, const char *last);
void stat_cells(const struct stat_table *table, const char *label, const struct stat *stat);

/* The cells of a line. Silent if `stat` has no value. */
void stat_row(const struct stat_table *table, const char *label, const struct stat *stat);

void text_latency(const struct text *text, const struct summary *summary);
void text_service(const struct text *text, const struct summary *summary);
void text_exchanges(const struct text *text, const struct summary *summary);
void text_calls(const struct text *text, const struct summary *summary);
void text_services(const struct text *text, const struct summary *summary);
void text_chains(const struct text *text, const struct summary *summary);
void text_failing(const struct text *text, const struct summary *summary);
void text_connections(const struct text *text, const struct summary *summary);
void text_components(const struct text *text, const struct summary *summary);
void text_blame(const struct text *text, const struct summary *summary);
void text_clients(const struct text *text, const struct summary *summary);
void text_channels(const struct text *text, const struct summary *summary);

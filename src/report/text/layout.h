/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Declares functions that print the tables, paragraphs and numbers of the text report. text_us()
 * prints nanoseconds as microseconds. Text is escaped (util/plain.h), because names come from
 * other programs.
 */
#pragma once

#include "model/stat.h"
#include "report/format.h"
#include "report/text/page.h"
#include "report/words/paragraph.h"
#include "util/duration.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct text {
	FILE *out;   /* makes what is written to it plain */
	FILE *sheet; /* borrowed; the output */
	struct page *page;
	int columns; /* of the page */
	bool color;
	bool is_unicode;      /* bars and rules have block characters */
	bool shows_published; /* published figures stand beside those of a run */
};

/* Returns 0 or -errno. See text_close(). */
int text_open(struct text *text, const struct report_style *style);

/* Both return 0 or -errno of the sheet. text_close() writes what is left. */
int text_flush(const struct text *text);
int text_close(struct text *text);

enum ink { INK_PLAIN, INK_BOLD, INK_WARNING, NR_INKS };

/* This program's own words, in a color if the page has colors. */
void text_put(const struct text *text, enum ink ink, const char *words);

/* Letters of a bar, which a page with colors shows on ground of the color. */
void text_mark(const struct text *text, enum hue hue, const char *letters);

/* Left-aligned in `width` columns. At least one space follows if `width` is not 0. */
void text_label(const struct text *text, enum ink ink, int width, const char *label);

/*
 * The label of a row from column `from` on. If it needs more than `width` columns, the cells stand
 * on a line of their own.
 */
void text_row_label(const struct text *text, enum ink ink, int from, int width, const char *label);

/* The same behind an indent. The cells begin `width` columns after the start of the line. */
void put_row_label(const struct text *text, enum ink ink, int indent, int width, const char *label);

/*
 * A cell of a row begins, or what stands behind all cells. Where the page is too narrow for the
 * table, each cell stands alone with its title. The functions below do so by themselves.
 */
void text_begin_cell(const struct text *text);
void text_begin_tail(const struct text *text);

/*
 * Right-aligned cells that never touch their left neighbor. NAN is shown as "-". A number drops
 * decimals that do not fit.
 */
void text_number(const struct text *text, int width, double number, int decimals);
void text_us(const struct text *text, int width, double ns);
void text_share(const struct text *text, int width, double share); /* 0.36: "36.0 %" */
void text_count(const struct text *text, int width, uint64_t count);

/* Cells in microseconds: percentiles of a distribution, or what else `which` asks for. */
#define STAT_MEAN  (-1.0)
#define STAT_SD    (-2.0)
#define STAT_MAX   100.0
#define STATS(...) ((const double[]){__VA_ARGS__}), sizeof((double[]){__VA_ARGS__}) / sizeof(double)
void text_stats(const struct text *text, int width, const struct stat *stat, const double *which,
		size_t cnt);

void text_cell(const struct text *text, int width, const char *cell);

/* The columns of a bar after column `from`: at most `most`, and more on a wide page. */
#define BAR_MAX 40
int bar_room(const struct text *text, int from, int most);

/* Behind the cells of a row. */
void begin_bar(const struct text *text);

/* A bar as long as `share` of the columns after `from`. */
void text_bar(const struct text *text, int from, double share, char ink);
void text_newline(const struct text *text);

/* A line across the page with a title, above a part of the report. An empty line precedes it. */
void text_rule(const struct text *text, const char *title);

/* A column of a table, whose title may have two lines. */
struct column {
	int width;
	const char *title;
	const char *above; /* first line of the title; NULL: none */
};

void text_heading(const struct text *text, const char *title, int width,
		  const struct column *column, int column_cnt);

/*
 * A label at the left. Lines break at spaces, but not between a number and its unit. Silent if the
 * paragraph is empty.
 */
void paragraph_print(const struct text *text, enum ink ink, const char *label,
		     const struct paragraph *paragraph);

/*
 * The same with at most `line_max` lines of 80 columns, or more lines on a narrow page: the last
 * one ends in "..." if it is cut.
 */
void paragraph_print_lines(const struct text *text, enum ink ink, const char *label,
			   const struct paragraph *paragraph, int line_max);

/* A paragraph of a screen, and how many lines it may have there. */
struct answer {
	const char *label;
	enum ink ink;
	int line_max;
	struct paragraph words;
};

/* How many lines they have together; and prints them. */
int answers_line_cnt(const struct text *text, const struct answer *answer, size_t cnt);
void answers_print(const struct text *text, const struct answer *answer, size_t cnt);

/* Nothing of it is cut. */
bool answer_is_whole(const struct text *text, const struct answer *answer);

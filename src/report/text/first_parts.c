/* SPDX-License-Identifier: BSD-2-Clause */
/* Prints where the time of a mean unit went: the parts of the first screen. */
#include "report/text/first_parts.h"

#include "report/text/component_bar.h"
#include "report/words/whole_words.h"

#include <math.h>
#include <string.h>

#define LABEL_WIDTH    22
#define TIME_WIDTH     9
#define SHARE_WIDTH    7
#define TABLE_WIDTH    (LABEL_WIDTH + TIME_WIDTH + SHARE_WIDTH)
#define BAR_WIDTH      6
#define GAP            2
#define CULPRITS_LEAST 12
#define CULPRITS_GOOD  30 /* wider pages have longer bars */
#define ROWS_LEAST     2
#define REST_FAIR      0.2  /* of the whole: may share a row */
#define MATTERS        0.01 /* of the whole: smaller parts share a row */

/* The columns of a bar: there is none if the culprits have no room beside it. */
static int parts_bar_width(const struct text *text)
{
	int left = text->columns - TABLE_WIDTH - 2 * GAP - BAR_WIDTH;

	if (page_is_stacked(text->page) || left < CULPRITS_LEAST)
		return 0;
	return BAR_WIDTH + (left > CULPRITS_GOOD ? (left - CULPRITS_GOOD) / 3 : 0);
}

static int culprit_columns(const struct text *text, int bar)
{
	int columns = text->columns - TABLE_WIDTH - GAP - (bar ? bar + GAP : 0);

	if (page_is_stacked(text->page))
		columns = text->columns - 2 * GAP;
	return columns < ROW_WORDS_LEN ? columns : ROW_WORDS_LEN - 1;
}

/* A part that has a row has a bar. */
static int bar_length(double share, int width)
{
	int length = (int)lround(share * width);

	return length || !width ? length : 1;
}

static void first_parts_put_bar(const struct text *text, const struct bar_mark *mark, double share,
				int width)
{
	char letters[BAR_COLUMNS_MAX + 1] = "";
	int length = bar_length(share, width);

	if (length > BAR_COLUMNS_MAX)
		length = BAR_COLUMNS_MAX;
	memset(letters, mark->letter[0], (size_t)length);
	fprintf(text->out, "%*s", GAP, "");
	text_mark(text, mark->hue, letters);
}

static void first_parts_row(const struct text *text, const struct whole *whole,
			    const struct whole_part *part)
{
	const struct bar_mark *mark = whole_part_mark(part);
	double share = part->ns / whole->all_ns;
	int bar = parts_bar_width(text);
	int length = bar_length(share, bar), columns = culprit_columns(text, bar);
	char words[ROW_WORDS_LEN] = "";

	fputs("  ", text->out);
	put_mark(text, mark);
	fputc(' ', text->out);
	text_label(text, INK_PLAIN, LABEL_WIDTH - 4, whole_part_title(part));
	text_us(text, TIME_WIDTH, part->ns);
	text_cell(text, SHARE_WIDTH, PERCENT(share));
	if (columns >= CULPRITS_LEAST)
		whole_part_culprits(whole, part, columns, words);
	text_begin_tail(text);
	if (length)
		first_parts_put_bar(text, mark, share, bar);
	if (words[0])
		fprintf(text->out, "%*s%s", bar ? bar - length + GAP + (length ? 0 : GAP) : GAP, "",
			words);
	text_newline(text);
}

static void first_parts_rest(const struct text *text, const struct whole *whole,
			     const struct whole_part *const *part, uint32_t cnt)
{
	char title[32];
	double ns = 0;

	for (uint32_t i = 0; i < cnt; i++)
		ns += part[i]->ns;
	snprintf(title, sizeof(title), "    %u smaller part%s", cnt, plural(cnt));
	text_label(text, INK_PLAIN, LABEL_WIDTH, title);
	text_us(text, TIME_WIDTH, ns);
	text_cell(text, SHARE_WIDTH, PERCENT(ns / whole->all_ns));
	text_newline(text);
}

/* How many of the sorted parts have a row of their own. */
static uint32_t first_parts_rows_of(const struct whole *whole, const struct whole_part *const *part,
				    int row_max)
{
	uint32_t rows = 0, most = row_max > ROWS_LEAST ? (uint32_t)row_max : ROWS_LEAST;

	while (rows < whole->cnt && part[rows]->ns >= MATTERS * whole->all_ns)
		rows++;
	if (rows + 1 == whole->cnt)
		rows = whole->cnt; /* the row of the others could name the one as well */
	return rows < most || (rows == most && rows == whole->cnt) ? rows : most - 1;
}

int first_parts_good(const struct whole *whole, int most)
{
	const struct whole_part *sorted[WHOLE_PARTS_MAX];
	double rest = whole->all_ns;
	int rows = 0;

	whole_sorted(whole, sorted);
	while (rows < most - 1 && (uint32_t)rows < whole->cnt && rest > REST_FAIR * whole->all_ns)
		rest -= sorted[rows++]->ns;
	return rows + 1;
}

void first_parts_table(const struct text *text, const struct whole *whole, int row_max)
{
	static const char *const titles[] = {[WHOLE_MESSAGE] = "each message (us)",
					     [WHOLE_CALL] = "each call (us)",
					     [WHOLE_EXCHANGE] = "each exchange (us)"};
	static const char because[] = "because of (share of all)";
	int bar = parts_bar_width(text), gap = GAP + (bar ? bar + GAP : 0);
	const struct column columns[] = {
		{TIME_WIDTH, "mean", NULL},
		{SHARE_WIDTH, "share", NULL},
		{gap + (int)strlen(because), because, NULL},
	};
	const struct whole_part *sorted[WHOLE_PARTS_MAX];
	uint32_t rows;

	if (!whole->cnt)
		return;
	whole_sorted(whole, sorted);
	rows = first_parts_rows_of(whole, sorted, row_max);
	text_heading(text, titles[whole->unit], LABEL_WIDTH, columns, bar ? 3 : 2);
	for (uint32_t i = 0; i < rows; i++)
		first_parts_row(text, whole, sorted[i]);
	if (rows < whole->cnt)
		first_parts_rest(text, whole, sorted + rows, whole->cnt - rows);
}

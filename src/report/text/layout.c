/* SPDX-License-Identifier: BSD-2-Clause */
/* Prints the tables, paragraphs and numbers of the text report. */
#include "report/text/layout.h"

#include "util/plain.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <string.h>

/* Bars may be longer than sentences: lines of text of more than 120 columns are hard to read. */
#define COLUMNS_MIN     32
#define COLUMNS_DEFAULT 80 /* where there is no terminal */
#define COLUMNS_MAX     200
#define COLUMNS_TEXT    140

#define NARROW          60 /* below it, paragraphs have no column of labels */
#define LABEL_WIDTH     14 /* of a paragraph */
#define LABEL_NARROW    2
#define BAR_GAP         2 /* between a table and its bars */

static int page_columns(int terminal)
{
	if (!terminal)
		return COLUMNS_DEFAULT;
	if (terminal < COLUMNS_MIN)
		return COLUMNS_MIN;
	return terminal > COLUMNS_MAX ? COLUMNS_MAX : terminal;
}

int text_open(struct text *text, const struct report_style *style)
{
	int columns = page_columns(style->columns), err;

	*text = (struct text){.sheet = style->out,
			      .page = page_open(style->out, columns),
			      .columns = columns,
			      .color = style->color,
			      .is_unicode = style->is_unicode,
			      .shows_published = style->shows_published};
	if (!text->page)
		return -errno;
	text->out = plain_open(page_stream(text->page));
	if (text->out)
		return 0;
	err = -errno;
	page_close(text->page);
	return err;
}

int text_flush(const struct text *text)
{
	int err = report_flush(text->out);

	return report_flush(text->sheet) ?: err;
}

int text_close(struct text *text)
{
	int err = fclose(text->out) ? -errno : 0, page_err = page_close(text->page);

	return report_flush(text->sheet) ?: err ?: page_err;
}

static void put_plain(const struct text *text, const char *from)
{
	plain_put(from, strlen(from), text->out);
}

/* Behind what is written already. */
static void set_color(const struct text *text, const char *code)
{
	fflush(text->out);
	page_color(text->page, code);
}

void text_put(const struct text *text, enum ink ink, const char *words)
{
	static const char *const codes[NR_INKS] = {
		[INK_BOLD] = "\033[1m", [INK_WARNING] = "\033[1;31m"};
	bool colored = text->color && codes[ink] && *words;

	if (colored)
		set_color(text, codes[ink]);
	put_plain(text, words);
	if (colored)
		set_color(text, NULL);
}

void text_mark(const struct text *text, enum hue hue, const char *letters)
{
	static const char *const codes[NR_HUES] = {
		[HUE_BLUE] = "\033[7;34m",      [HUE_CYAN] = "\033[7;36m",
		[HUE_YELLOW] = "\033[7;33m",    [HUE_RED] = "\033[7;31m",
		[HUE_MAGENTA] = "\033[7;35m",   [HUE_GREEN] = "\033[7;32m",
		[HUE_GRAY] = "\033[7;90m",      [HUE_LIGHT_BLUE] = "\033[7;94m",
		[HUE_LIGHT_CYAN] = "\033[7;96m"};
	bool colored = text->color && *letters;

	if (colored)
		set_color(text, codes[hue]);
	put_plain(text, letters);
	if (colored)
		set_color(text, NULL);
}

void text_label(const struct text *text, enum ink ink, int width, const char *label)
{
	int gap = width - plain_columns(label);

	text_put(text, ink, label);
	if (width)
		fprintf(text->out, "%*s", gap > 1 ? gap : 1, "");
}

void text_row_label(const struct text *text, enum ink ink, int from, int width, const char *label)
{
	bool fits = plain_columns(label) < width || page_is_stacked(text->page);

	text_label(text, ink, fits ? width : 0, label);
	if (!fits)
		fprintf(text->out, "\n%*s", from + width, "");
}

void put_row_label(const struct text *text, enum ink ink, int indent, int width, const char *label)
{
	fprintf(text->out, "%*s", indent, "");
	text_row_label(text, ink, indent, width - indent, label);
}

void text_begin_cell(const struct text *text)
{
	fflush(text->out);
	page_cell(text->page);
}

void text_begin_tail(const struct text *text)
{
	fflush(text->out);
	page_tail(text->page);
}

void text_cell(const struct text *text, int width, const char *cell)
{
	int gap = width - plain_columns(cell);

	text_begin_cell(text);
	fprintf(text->out, "%*s", gap > 0 ? gap : 0, "");
	put_plain(text, cell);
}

/* No "-0.0". */
static double without_sign_of_0(double number, int decimals)
{
	return fabs(number) < 0.5 * pow(10, -decimals) ? 0 : number;
}

void text_number(const struct text *text, int width, double number, int decimals)
{
	char cell[64];

	if (!isfinite(number)) {
		text_cell(text, width, "-");
		return;
	}
	for (; decimals >= 0; decimals--) {
		if (snprintf(cell, sizeof(cell), "%.*f", decimals,
			     without_sign_of_0(number, decimals)) < width) {
			text_cell(text, width, cell);
			return;
		}
	}
	text_begin_cell(text);
	fprintf(text->out, "%*.2e", width, number);
}

void text_us(const struct text *text, int width, double ns)
{
	text_number(text, width, ns / 1e3, 1);
}

void text_share(const struct text *text, int width, double share)
{
	char cell[64];

	if (!isfinite(share))
		snprintf(cell, sizeof(cell), "-");
	else if (snprintf(cell, sizeof(cell), "%.1f %%", without_sign_of_0(100 * share, 1)) >=
		 width)
		snprintf(cell, sizeof(cell), "%.1e %%", 100 * share);
	text_cell(text, width, cell);
}

void text_count(const struct text *text, int width, uint64_t count)
{
	text_begin_cell(text);
	fprintf(text->out, "%*llu", width, (unsigned long long)count);
}

#define ROUNDING 1e-6 /* of 100 - 99.9 */

static double stat_figure(const struct stat *stat, double which)
{
	if (which == STAT_MEAN)
		return stat_mean(stat);
	if (which == STAT_SD)
		return stat_stddev(stat);
	if (which == STAT_MAX)
		return (double)stat->max;
	/* With fewer units it would be the maximum under another name. */
	if (which > 50 && (double)stat->count * (100 - which) < 100 - ROUNDING)
		return NAN;
	return (double)stat_percentile(stat, which);
}

void text_stats(const struct text *text, int width, const struct stat *stat, const double *which,
		size_t cnt)
{
	for (size_t i = 0; i < cnt; i++)
		text_us(text, width, stat_figure(stat, which[i]));
}

void begin_bar(const struct text *text)
{
	text_begin_tail(text);
	fprintf(text->out, "%*s", BAR_GAP, "");
}

int bar_room(const struct text *text, int from, int most)
{
	int room = text->columns - from - BAR_GAP;

	if (page_is_stacked(text->page))
		room = text->columns - 2 * BAR_GAP;
	if (text->columns > COLUMNS_DEFAULT)
		most += text->columns - COLUMNS_DEFAULT;
	if (room > most)
		return most;
	return room > 0 ? room : 0;
}

void text_bar(const struct text *text, int from, double share, char ink)
{
	int length = (int)lround(share * bar_room(text, from, BAR_MAX));

	begin_bar(text);
	for (int i = 0; i < length; i++)
		fputc(ink, text->out);
}

void text_newline(const struct text *text)
{
	fputc('\n', text->out);
}

void text_rule(const struct text *text, const char *title)
{
	const char *dash = text->is_unicode ? "\u2500" : "-";
	int at = plain_columns(title) + 4;

	text_newline(text);
	fprintf(text->out, "%s%s ", dash, dash);
	text_put(text, INK_BOLD, title);
	fputc(' ', text->out);
	for (; at < text->columns; at++)
		fputs(dash, text->out);
	text_newline(text);
}

static void first_line(const struct text *text, int width, const struct column *column,
		       int column_cnt)
{
	int last = column_cnt;

	while (last > 0 && !column[last - 1].above)
		last--;
	if (!last)
		return;
	fprintf(text->out, "%*s", width, "");
	for (int i = 0; i < last; i++)
		text_cell(text, column[i].width, column[i].above ?: "");
	text_newline(text);
}

/* Whether the page has no room for the columns: the rows will repeat their titles. */
static bool is_stacked(const struct text *text, int width, const struct column *column,
		       int column_cnt)
{
	bool stacked;

	for (int i = 0; i < column_cnt; i++)
		width += column[i].width;
	fflush(text->out);
	stacked = page_table(text->page, width, column_cnt);
	for (int i = 0; i < column_cnt; i++)
		page_cell_title(text->page, column[i].above, column[i].title);
	return stacked;
}

/* A long title takes room from the first column. */
void text_heading(const struct text *text, const char *title, int width,
		  const struct column *column, int column_cnt)
{
	int over = (int)strlen(title) - width;
	bool stacked = is_stacked(text, width, column, column_cnt);

	if (!stacked)
		first_line(text, width, column, column_cnt);
	text_put(text, INK_BOLD, title);
	if (column_cnt && over < 0 && !stacked)
		fprintf(text->out, "%*s", -over, "");
	for (int i = 0; i < column_cnt && !stacked; i++)
		text_cell(text, column[i].width - (!i && over > 0 ? over : 0), column[i].title);
	text_newline(text);
}

/* The lines of a paragraph, one after the other. */
struct line_break {
	const char *rest; /* begins with the line's text */
	size_t length;    /* of the line */
	int room;         /* columns of the line */
	int next_room;    /* of the following lines */
};

/* The column of a labelled paragraph. */
static int layout_indent_of(const struct text *text, const char *label)
{
	if (!label[0])
		return 0;
	return text->columns < NARROW ? LABEL_NARROW : LABEL_WIDTH;
}

/* Of the label with the gap behind it. */
static int label_columns(const struct text *text, const char *label)
{
	int indent = layout_indent_of(text, label), columns = (int)strlen(label);

	if (columns < indent)
		return indent;
	return columns + (indent == LABEL_NARROW ? LABEL_NARROW : !!indent);
}

static struct line_break first_line_of(const struct text *text, const char *label,
				       const struct paragraph *paragraph)
{
	int indent = layout_indent_of(text, label);
	int columns = text->columns > COLUMNS_TEXT ? COLUMNS_TEXT : text->columns;
	int from = label_columns(text, label);

	return (struct line_break){.rest = paragraph->text,
				   .length = line_length(paragraph->text, columns - from),
				   .room = columns - from,
				   .next_room = columns - indent};
}

/* False: the line was the last one. */
static bool next_line(struct line_break *line)
{
	line->rest += line->length;
	if (!*line->rest)
		return false;
	line->rest += *line->rest == ' ';
	line->room = line->next_room;
	line->length = line_length(line->rest, line->room);
	return true;
}

static int layout_count_lines(const struct text *text, const char *label,
			      const struct paragraph *paragraph)
{
	struct line_break line = first_line_of(text, label, paragraph);
	int cnt = paragraph->length > 0;

	while (cnt && next_line(&line))
		cnt++;
	return cnt;
}

/* Narrow pages have more lines for the same words. */
static int lines_at_most(const struct text *text, int line_max)
{
	if (text->columns >= COLUMNS_DEFAULT || line_max >= INT_MAX / COLUMNS_DEFAULT)
		return line_max;
	return (line_max * COLUMNS_DEFAULT + text->columns - 1) / text->columns + 1;
}

/* How much of a line is printed before "...": if possible up to the end of an item of a list. */
static size_t cut_length(const struct paragraph *paragraph, const struct line_break *line)
{
	size_t length = line_length(line->rest, line->room - (int)strlen(" ...")), items = 0;
	int depth = 0;

	for (const char *at = paragraph->text; at < line->rest + length; at++) {
		depth += (*at == '(') - (*at == ')');
		if (!depth && at >= line->rest && (*at == ',' || *at == ';'))
			items = at + 1 - line->rest;
	}
	return items > length / 2 ? items : length;
}

void paragraph_print_lines(const struct text *text, enum ink ink, const char *label,
			   const struct paragraph *paragraph, int line_max)
{
	struct line_break line = first_line_of(text, label, paragraph);
	int indent = layout_indent_of(text, label);
	int left = layout_count_lines(text, label, paragraph);

	line_max = lines_at_most(text, line_max);
	if (!left)
		return;
	text_label(text, ink, label_columns(text, label), label);
	for (; left > 1 && line_max > 1; left--, line_max--) {
		plain_put(line.rest, line.length, text->out);
		fprintf(text->out, "\n%*s", indent, "");
		next_line(&line);
	}
	plain_put(line.rest, left > 1 ? cut_length(paragraph, &line) : line.length, text->out);
	if (left > 1)
		fputs(" ...", text->out);
	text_newline(text);
}

void paragraph_print(const struct text *text, enum ink ink, const char *label,
		     const struct paragraph *paragraph)
{
	paragraph_print_lines(text, ink, label, paragraph, INT_MAX);
}

int answers_line_cnt(const struct text *text, const struct answer *answer, size_t cnt)
{
	int lines = 0;

	for (size_t i = 0; i < cnt; i++) {
		int needed = layout_count_lines(text, answer[i].label, &answer[i].words);
		int most = lines_at_most(text, answer[i].line_max);

		lines += needed < most ? needed : most;
	}
	return lines;
}

bool answer_is_whole(const struct text *text, const struct answer *answer)
{
	return layout_count_lines(text, answer->label, &answer->words) <=
	       lines_at_most(text, answer->line_max);
}

void answers_print(const struct text *text, const struct answer *answer, size_t cnt)
{
	for (size_t i = 0; i < cnt; i++)
		paragraph_print_lines(text, answer[i].ink, answer[i].label, &answer[i].words,
				      answer[i].line_max);
}

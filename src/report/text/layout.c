/* SPDX-License-Identifier: BSD-2-Clause */
/* Prints the tables, paragraphs and numbers of the text report. */
#include "report/text/layout.h"

#include "util/plain.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdarg.h>
#include <string.h>

/* The tables need 80 columns. Lines of more than 120 are hard to read. */
#define COLUMNS_MIN 80
#define COLUMNS_MAX 120

#define LABEL_WIDTH 14 /* of a paragraph */
#define BAR_MAX     40
#define BAR_GAP     2 /* between a table and its bars */

static int page_columns(int terminal)
{
	if (terminal < COLUMNS_MIN)
		return COLUMNS_MIN;
	return terminal > COLUMNS_MAX ? COLUMNS_MAX : terminal;
}

int text_open(struct text *text, const struct report_style *style)
{
	*text = (struct text){.out = plain_open(style->out),
			      .sheet = style->out,
			      .columns = page_columns(style->columns),
			      .color = style->color,
			      .is_unicode = style->is_unicode,
			      .shows_published = style->shows_published};
	return text->out ? 0 : -errno;
}

int text_close(struct text *text)
{
	int err = report_flush(text->out);

	return fclose(text->out) && !err ? -errno : err;
}

static void put_plain(const struct text *text, const char *from)
{
	plain_put(from, strlen(from), text->out);
}

/* Only `sheet` takes escape codes: `out` would make them plain. Both are flushed in order. */
void text_put(const struct text *text, enum ink ink, const char *words)
{
	static const char *const codes[NR_INKS] = {
		[INK_BOLD] = "\033[1m",       [INK_WARNING] = "\033[1;31m",
		[INK_BLUE] = "\033[34m",      [INK_CYAN] = "\033[36m",
		[INK_YELLOW] = "\033[33m",    [INK_RED] = "\033[31m",
		[INK_MAGENTA] = "\033[35m",   [INK_GREEN] = "\033[32m",
		[INK_GRAY] = "\033[90m",      [INK_LIGHT_BLUE] = "\033[94m",
		[INK_LIGHT_CYAN] = "\033[96m"};
	bool colored = text->color && codes[ink] && *words;

	if (colored) {
		fflush(text->out);
		fputs(codes[ink], text->sheet);
	}
	put_plain(text, words);
	if (colored) {
		fflush(text->out);
		fputs("\033[0m", text->sheet);
	}
}

void text_label(const struct text *text, enum ink ink, int width, const char *label)
{
	int gap = width - plain_columns(label);

	text_put(text, ink, label);
	if (width)
		fprintf(text->out, "%*s", gap > 1 ? gap : 1, "");
}

void text_cell(const struct text *text, int width, const char *cell)
{
	int gap = width - plain_columns(cell);

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
	fprintf(text->out, "%*llu", width, (unsigned long long)count);
}

void text_bar(const struct text *text, int from, double share, char ink)
{
	int room = text->columns - from - BAR_GAP;
	int length = (int)lround(share * (room < BAR_MAX ? room : BAR_MAX));

	if (length > 0)
		fprintf(text->out, "%*s", BAR_GAP, "");
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
	for (; at < COLUMNS_MIN; at++)
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

/* A long title takes room from the first column. */
void text_heading(const struct text *text, const char *title, int width,
		  const struct column *column, int column_cnt)
{
	int over = (int)strlen(title) - width;

	first_line(text, width, column, column_cnt);
	text_put(text, INK_BOLD, title);
	if (column_cnt && over < 0)
		fprintf(text->out, "%*s", -over, "");
	for (int i = 0; i < column_cnt; i++)
		text_cell(text, column[i].width - (!i && over > 0 ? over : 0), column[i].title);
	text_newline(text);
}

void paragraph_add(struct paragraph *paragraph, const char *format, ...)
{
	size_t room = sizeof(paragraph->text) - paragraph->length;
	va_list args;
	int length;

	va_start(args, format);
	length = vsnprintf(paragraph->text + paragraph->length, room, format, args);
	va_end(args);
	if (length > 0)
		paragraph->length += (size_t)length < room ? (size_t)length : room - 1;
}

/* Whether the word before `at` is one that a number follows. */
static bool is_before_number(const char *rest, size_t at)
{
	static const char *const words[] = {"pid", "tid", "CPU", "RR", "FIFO", "nice"};

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		size_t length = strlen(words[i]);

		if (at >= length && !memcmp(rest + at - length, words[i], length) &&
		    (at == length || rest[at - length - 1] == '(' || rest[at - length - 1] == ' '))
			return isdigit((unsigned char)rest[at + 1]) || rest[at + 1] == '-';
	}
	return false;
}

/* Whether a line may end before this space: a number stays with its unit, or with "pid". */
static bool is_break(const char *rest, size_t at)
{
	return rest[at] == ' ' && !isdigit((unsigned char)rest[at - 1]) &&
	       !is_before_number(rest, at);
}

/* How many bytes of `rest` go on a line of `room` columns: at least one. */
static size_t line_length(const char *rest, int room)
{
	size_t fits = plain_fit(rest, room), length = 0;

	if (!rest[fits])
		return fits;
	for (size_t i = 1; i <= fits; i++) {
		if (is_break(rest, i))
			length = i;
	}
	return length ?: fits ?: 1;
}

/* The lines of a paragraph, one after the other. */
struct line_break {
	const char *rest; /* begins with the line's text */
	size_t length;    /* of the line */
	int room;         /* columns of the line */
	int next_room;    /* of the following lines */
};

static struct line_break first_line_of(const struct text *text, const char *label,
				       const struct paragraph *paragraph)
{
	int indent = label[0] ? LABEL_WIDTH : 0;
	int from = (int)strlen(label) < indent ? indent : (int)strlen(label) + !!indent;

	return (struct line_break){.rest = paragraph->text,
				   .length = line_length(paragraph->text, text->columns - from),
				   .room = text->columns - from,
				   .next_room = text->columns - indent};
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

int paragraph_line_cnt(const struct text *text, const char *label,
		       const struct paragraph *paragraph)
{
	struct line_break line = first_line_of(text, label, paragraph);
	int cnt = paragraph->length > 0;

	while (cnt && next_line(&line))
		cnt++;
	return cnt;
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

static void print_cut(const struct text *text, const struct paragraph *paragraph,
		      const struct line_break *line)
{
	plain_put(line->rest, cut_length(paragraph, line), text->out);
	fputs(" ...", text->out);
}

void paragraph_print_lines(const struct text *text, enum ink ink, const char *label,
			   const struct paragraph *paragraph, int line_max)
{
	struct line_break line = first_line_of(text, label, paragraph);
	int indent = label[0] ? LABEL_WIDTH : 0;
	int left = paragraph_line_cnt(text, label, paragraph);

	if (!left)
		return;
	text_label(text, ink, indent, label);
	for (; left > 1 && line_max > 1; left--, line_max--) {
		plain_put(line.rest, line.length, text->out);
		fprintf(text->out, "\n%*s", indent, "");
		next_line(&line);
	}
	if (left > 1)
		print_cut(text, paragraph, &line);
	else
		plain_put(line.rest, line.length, text->out);
	text_newline(text);
}

void paragraph_print(const struct text *text, enum ink ink, const char *label,
		     const struct paragraph *paragraph)
{
	paragraph_print_lines(text, ink, label, paragraph, INT_MAX);
}

const char *percent_text(double share, char text[PERCENT_LEN])
{
	double percent = 100 * share;

	if (percent > -0.05 && percent <= 0)
		snprintf(text, PERCENT_LEN, "0 %%");
	else if (percent > 0 && percent < 0.05)
		snprintf(text, PERCENT_LEN, "<0.1 %%");
	else if (percent < 100 && percent >= 99.95)
		snprintf(text, PERCENT_LEN, ">99.9 %%");
	else if (percent <= -9.95 || (percent >= 9.95 && percent < 99.5) || percent >= 100)
		snprintf(text, PERCENT_LEN, "%.0f %%", percent);
	else
		snprintf(text, PERCENT_LEN, "%.1f %%", percent);
	return text;
}

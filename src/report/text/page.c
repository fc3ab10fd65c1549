/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Lays out lines that are too long for the page.
 *
 *	calls (us)          mean      p50      p99      max
 *	  request          239.5    175.4    510.2    510.2  #####
 *
 * On a page that is too narrow for the table:
 *
 *	calls (us)
 *	  request
 *	    mean   239.5  p50    175.4
 *	    p99    510.2  max    510.2
 *	    #####
 */
#include "report/text/page.h"

#include "util/plain.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#define CELLS_MAX   32
#define TITLE_LEN   40
#define INDENT      2  /* of what belongs to the line above */
#define GAP         2  /* between stacked cells */
#define TAIL_LEAST  20 /* columns that are worth a hanging indent */
#define COLUMNS_MIN 20

/* Some of the line: [from, to). */
struct part {
	size_t from;
	size_t to;
};

struct page {
	FILE *out; /* borrowed */
	FILE *stream;
	int columns;

	/* The incomplete line, and the color of each of its bytes. */
	char *text;
	const char **color;
	size_t length;
	size_t room;
	const char *color_now;

	size_t cell[CELLS_MAX]; /* where they begin */
	int cell_cnt;
	size_t tail; /* 0: none */

	/* The table. */
	bool is_stacked;
	char title[CELLS_MAX][TITLE_LEN];
	int title_cnt;
};

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

size_t line_length(const char *rest, int room)
{
	size_t fits = plain_fit(rest, room), good = 0, length = 0;

	if (!rest[fits])
		return fits;
	for (size_t i = 1; i <= fits; i++) {
		if (rest[i] != ' ')
			continue;
		length = i;
		good = is_break(rest, i) ? i : good;
	}
	return good ?: length ?: fits ?: 1;
}

static void put_bytes(const struct page *page, struct part part)
{
	const char *color = NULL;

	for (size_t i = part.from; i < part.to; i++) {
		if (page->color[i] != color) {
			fputs(color ? "\033[0m" : "", page->out);
			color = page->color[i];
			fputs(color ?: "", page->out);
		}
		fputc(page->text[i], page->out);
	}
	fputs(color ? "\033[0m" : "", page->out);
}

static void put_indent(const struct page *page, int columns)
{
	fprintf(page->out, "%*s", columns, "");
}

static struct part trimmed(const struct page *page, size_t from, size_t to)
{
	while (from < to && page->text[from] == ' ')
		from++;
	while (to > from && page->text[to - 1] == ' ')
		to--;
	return (struct part){from, to > from ? to : from};
}

static int page_columns_of(struct page *page, struct part part)
{
	char after = page->text[part.to];
	int columns;

	page->text[part.to] = '\0';
	columns = plain_columns(page->text + part.from);
	page->text[part.to] = after;
	return columns;
}

/* Where a line begins: a word that is too long for the indent gets less of it. */
static int fitted(struct page *page, struct part part, int indent)
{
	struct part word = {part.from, part.from};
	int most;

	while (word.to < part.to && page->text[word.to] != ' ')
		word.to++;
	most = page->columns - page_columns_of(page, word);
	return most < 0 ? 0 : indent < most ? indent : most;
}

static void start_line(const struct page *page, int indent)
{
	fputc('\n', page->out);
	put_indent(page, indent);
}

/*
 * The cursor is at column `cursor`. The first line should begin at column `at`, and the others at
 * `indent`. Returns the column behind the last one.
 */
static int put_wrapped(struct page *page, struct part part, int cursor, int at, int indent)
{
	char after = page->text[part.to];

	if (fitted(page, part, at) < at && cursor) {
		at = fitted(page, part, indent);
		start_line(page, at);
	} else {
		at = fitted(page, part, at);
		put_indent(page, at - cursor);
	}
	for (;;) {
		size_t length;
		struct part line;

		page->text[part.to] = '\0';
		length = line_length(page->text + part.from, page->columns - at);
		page->text[part.to] = after;
		line = trimmed(page, part.from, part.from + length);
		put_bytes(page, line);
		at += page_columns_of(page, line);
		part = trimmed(page, part.from + length, part.to);
		if (part.from >= part.to)
			return at;
		at = fitted(page, part, indent);
		start_line(page, at);
	}
}

/* A line that is no row of a stacked table. */
static void put_long_line(struct page *page)
{
	int indent = (int)trimmed(page, 0, page->length).from, hanging = indent + INDENT;
	struct part tail = trimmed(page, page->tail, page->length);
	struct part head = {0, page->tail};
	int cursor, at;

	if (indent > page->columns / 2)
		indent = hanging = INDENT;
	if (!page->tail || page_columns_of(page, head) > page->columns) {
		put_wrapped(page, trimmed(page, 0, page->length), 0, indent, hanging);
	} else {
		head = (struct part){0, trimmed(page, 0, page->tail).to};
		put_bytes(page, head);
		cursor = page_columns_of(page, head);
		at = page_columns_of(page, (struct part){0, tail.from});
		if (page->columns - at < TAIL_LEAST) {
			fputc('\n', page->out);
			cursor = 0;
			at = hanging;
		}
		put_wrapped(page, tail, cursor, at, at);
	}
	fputc('\n', page->out);
}

/* Where cell `i` ends, the last one before the tail. */
static struct part cell_of(const struct page *page, int i)
{
	size_t end = page->tail ?: page->length;

	if (i + 1 < page->cell_cnt)
		end = page->cell[i + 1];
	return trimmed(page, page->cell[i], end);
}

static bool page_is_number(const struct page *page, struct part cell)
{
	return strchr("+-<>", page->text[cell.from]) ||
	       isdigit((unsigned char)page->text[cell.from]);
}

static const char *title_of(const struct page *page, int i)
{
	return i < page->title_cnt ? page->title[i] : "";
}

/* The columns of titles, and of titles with their numbers, so that they stand below each other. */
struct grid {
	int title;
	int cell;
};

static struct grid grid_of(struct page *page)
{
	struct grid grid = {0};
	int number = 0;

	for (int i = 0; i < page->cell_cnt; i++) {
		struct part cell = cell_of(page, i);
		int title = plain_columns(title_of(page, i)), columns = page_columns_of(page, cell);

		if (columns && title > grid.title)
			grid.title = title;
		if (page_is_number(page, cell) && columns > number)
			number = columns;
	}
	grid.cell = grid.title + 1 + number;
	return grid;
}

/* "p99   510.2", "held by redis-server", at column `at`, which is the cursor's. */
static void put_stacked_cell(struct page *page, int i, const struct grid *grid, int at)
{
	struct part cell = cell_of(page, i);
	const char *title = title_of(page, i);
	int cursor = at + plain_columns(title), value = at + grid->title + 1;

	plain_put(title, strlen(title), page->out);
	if (page_is_number(page, cell))
		value = at + grid->cell - page_columns_of(page, cell);
	put_wrapped(page, cell, cursor, value, value);
}

static void put_cells(struct page *page, int indent)
{
	struct grid grid = grid_of(page);
	int cursor = 0, at = page->columns;

	for (int i = 0; i < page->cell_cnt; i++) {
		struct part cell = cell_of(page, i);
		int columns = grid.title + 1 + page_columns_of(page, cell);

		if (cell.from == cell.to)
			continue;
		if (at + (columns > grid.cell ? columns : grid.cell) > page->columns) {
			fputc('\n', page->out);
			cursor = 0;
			at = indent;
		}
		put_indent(page, at - cursor);
		put_stacked_cell(page, i, &grid, at);
		cursor = at + (page_is_number(page, cell) ? grid.cell : columns);
		/* Words that are wider than numbers have the line for themselves. */
		at = columns > grid.cell ? page->columns : at + grid.cell + GAP;
	}
}

/* The label, and below it the cells and the tail. */
static void put_stacked(struct page *page)
{
	struct part label = trimmed(page, 0, page->cell[0]);
	struct part tail = trimmed(page, page->tail, page->tail ? page->length : 0);
	int indent = label.to > label.from ? (int)label.from : 0, below = indent + INDENT;

	if (label.to > label.from)
		put_wrapped(page, label, 0, indent, below);
	put_cells(page, below);
	if (tail.to > tail.from) {
		fputc('\n', page->out);
		put_wrapped(page, tail, 0, below, below);
	}
	fputc('\n', page->out);
}

static void page_put_line(struct page *page)
{
	struct part whole = {0};

	while (page->length && page->text[page->length - 1] == ' ')
		page->length--;
	whole.to = page->length;
	if (page->tail > page->length)
		page->tail = 0;
	page->text[page->length] = '\0';
	if (page->is_stacked && page->cell_cnt)
		put_stacked(page);
	else if (page_columns_of(page, whole) > page->columns)
		put_long_line(page);
	else {
		put_bytes(page, whole);
		fputc('\n', page->out);
	}
	if (!page->length)
		page->is_stacked = false;
	page->length = 0;
	page->cell_cnt = 0;
	page->tail = 0;
}

static bool page_grow(struct page *page)
{
	size_t room = page->room ? 2 * page->room : 256;
	char *text = realloc(page->text, room);
	const char **color;

	if (!text)
		return false;
	page->text = text;
	color = realloc(page->color, room * sizeof(*color));
	if (!color)
		return false;
	page->color = color;
	page->room = room;
	return true;
}

/* For fopencookie(): 0 is an error. */
static ssize_t page_write(void *cookie, const char *text, size_t size)
{
	struct page *page = cookie;

	for (size_t i = 0; i < size; i++) {
		if (page->length + 1 >= page->room && !page_grow(page))
			return 0;
		if (text[i] == '\n') {
			page_put_line(page);
			continue;
		}
		page->text[page->length] = text[i];
		page->color[page->length++] = page->color_now;
	}
	return (ssize_t)size;
}

struct page *page_open(FILE *out, int columns)
{
	const cookie_io_functions_t functions = {.write = page_write};
	struct page *page = calloc(1, sizeof(*page));

	if (!page)
		return NULL;
	page->out = out;
	page->columns = columns < COLUMNS_MIN ? COLUMNS_MIN : columns;
	page->stream = page_grow(page) ? fopencookie(page, "w", functions) : NULL;
	if (page->stream)
		return page;
	free(page->text);
	free(page->color);
	free(page);
	return NULL;
}

FILE *page_stream(struct page *page)
{
	return page->stream;
}

int page_close(struct page *page)
{
	int err = fclose(page->stream) ? -errno : 0;

	if (page->length) {
		page->text[page->length] = '\0';
		put_bytes(page, (struct part){0, page->length});
	}
	free(page->text);
	free(page->color);
	free(page);
	return err;
}

void page_has_no_end(struct page *page)
{
	page->columns = INT_MAX;
}

bool page_table(struct page *page, int columns, int cnt)
{
	page->is_stacked = columns > page->columns && cnt <= CELLS_MAX;
	page->title_cnt = 0;
	return page->is_stacked;
}

void page_cell_title(struct page *page, const char *above, const char *title)
{
	char *to = page->title[page->title_cnt];

	if (page->title_cnt == CELLS_MAX)
		return;
	snprintf(to, TITLE_LEN, "%s%s%s", above ?: "", above && title ? " " : "", title ?: "");
	page->title_cnt++;
}

bool page_is_stacked(const struct page *page)
{
	return page->is_stacked;
}

void page_cell(struct page *page)
{
	if (page->length && page->cell_cnt < CELLS_MAX)
		page->cell[page->cell_cnt++] = page->length;
}

void page_tail(struct page *page)
{
	page->tail = page->length;
}

void page_color(struct page *page, const char *code)
{
	page->color_now = code;
}

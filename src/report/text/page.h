/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Declares the page of a text report, which no line leaves. Lines that are too long are laid out
 * anew: rows of tables become stacked (one "title value" after the other), and everything else goes
 * on in the next line. Words and numbers stay whole.
 *
 * The text comes through a stream. What the text does not show is said between two writes, after
 * a flush: where cells begin, and which color follows.
 */
#pragma once

#include <stdbool.h>
#include <stdio.h>

struct page;

/* NULL and errno on failure. `out` is borrowed. */
struct page *page_open(FILE *out, int columns);

/* Where the text is written. Its flush passes on complete lines, and does not flush `out`. */
FILE *page_stream(struct page *page);

/* Writes what is left, even an incomplete line. Returns 0 or -errno. */
int page_close(struct page *page);

/* From now on, lines of any length are fine. */
void page_has_no_end(struct page *page);

/*
 * A table begins: the next line is its heading, and the rows have `cnt` cells at most until an
 * empty line. True: the table is wider than the page, and its rows are stacked. Then the heading
 * should be the table's title alone.
 */
bool page_table(struct page *page, int columns, int cnt);

/* The title of the next cell. Copied. */
void page_cell_title(struct page *page, const char *above, const char *title);

/* Whether rows are stacked now. */
bool page_is_stacked(const struct page *page);

/* A cell of a row begins here. What begins the line is the label, even if it is a number. */
void page_cell(struct page *page);

/* Behind the cells: a bar, or words. */
void page_tail(struct page *page);

/* The escape code of the following text. Not copied. NULL: no color. */
void page_color(struct page *page, const char *code);

/*
 * How many bytes of `rest` go on a line of `room` columns: at least one. A line ends before a
 * space, and if possible not between a number and its unit, or after a word such as "pid". Only a
 * word that is longer than the line is cut.
 */
size_t line_length(const char *rest, int room);

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Typography of the text report: tables of right-aligned columns, and labelled paragraphs that are
 * broken at the width of the page. All times come in nanoseconds and are shown in microseconds.
 * Names come from foreign programs: all text is shown in its plain form, see plain.h.
 */
#ifndef IPCTRACE_REPORT_TEXT_LAYOUT_H
#define IPCTRACE_REPORT_TEXT_LAYOUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct text {
	FILE *out;   /* makes plain text of all that is written to it */
	FILE *sheet; /* borrowed; where it goes */
	int columns; /* of the page */
	bool color;
};

/* `columns` of the terminal that `sheet` is; 0: it is none. 0, or -errno; ended by text_close(). */
int text_open(struct text *text, FILE *sheet, int columns, bool color);

/* Hands on what is left. 0, or -errno of the sheet, also of what was written before. */
int text_close(struct text *text);

enum ink { INK_PLAIN, INK_BOLD, INK_WARNING };

/* Left-aligned in `width` columns, and one space at least if that is not 0. */
void text_label(const struct text *text, enum ink ink, int width, const char *label);

/*
 * Right-aligned cells that never touch their left neighbour. NAN is shown as "-". A number loses
 * decimals for which there is no room.
 */
void text_number(const struct text *text, int width, double number, int decimals);
void text_us(const struct text *text, int width, double ns);
void text_share(const struct text *text, int width, double share); /* 0.36: "36.0 %" */
void text_count(const struct text *text, int width, uint64_t count);
void text_cell(const struct text *text, int width, const char *cell);

/* `share` of the columns that are left of a page from column `from` on, up to 40. */
void text_bar(const struct text *text, int from, double share, char ink);
void text_newline(const struct text *text);

/* The heading of a table: a column's title may have a first line. */
struct column {
	int width;
	const char *title;
	const char *above; /* NULL: none */
};

void text_heading(const struct text *text, const char *title, int width,
		  const struct column *column, int column_cnt);

/* Zero-initialised is empty. What does not fit is cut off. */
struct paragraph {
	size_t length;
	char text[2048];
};

__attribute__((format(printf, 2, 3))) void paragraph_add(struct paragraph *paragraph,
							 const char *format, ...);

/* With a label at its left; lines break at spaces, but not between a number and what follows it. */
void paragraph_print(const struct text *text, enum ink ink, const char *label,
		     const struct paragraph *paragraph);

/* For use in paragraphs: "98 %", "5.1 %", "<0.1 %"; never "100 %" for less or "0 %" for more. */
#define PERCENT_LEN 16
const char *percent_text(double share, char text[PERCENT_LEN]);
#define PERCENT(share) percent_text((share), (char[PERCENT_LEN]){0})

/* "10 ms", "1.5 s", "250 us", "64 ns" */
#define DURATION_LEN 32
const char *duration_text(uint64_t ns, char text[DURATION_LEN]);
#define DURATION(ns) duration_text((ns), (char[DURATION_LEN]){0})

static inline const char *plural(uint64_t count)
{
	return count == 1 ? "" : "s";
}

#endif

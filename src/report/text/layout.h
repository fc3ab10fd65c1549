/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Declares functions that print the tables, paragraphs and numbers of the text report. text_us()
 * prints nanoseconds as microseconds. Text is escaped (util/plain.h), because names come from
 * other programs.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct text {
	FILE *out;   /* makes what is written to it plain */
	FILE *sheet; /* borrowed; the output */
	int columns; /* of the page */
	bool color;
};

/* `columns`: of the terminal; 0: `sheet` is no terminal. Returns 0 or -errno. See text_close(). */
int text_open(struct text *text, FILE *sheet, int columns, bool color);

/* Writes what is left. Returns 0, or the first -errno of the sheet. */
int text_close(struct text *text);

enum ink { INK_PLAIN, INK_BOLD, INK_WARNING };

/* Left-aligned in `width` columns. At least one space follows if `width` is not 0. */
void text_label(const struct text *text, enum ink ink, int width, const char *label);

/*
 * Right-aligned cells that never touch their left neighbor. NAN is shown as "-". A number drops
 * decimals that do not fit.
 */
void text_number(const struct text *text, int width, double number, int decimals);
void text_us(const struct text *text, int width, double ns);
void text_share(const struct text *text, int width, double share); /* 0.36: "36.0 %" */
void text_count(const struct text *text, int width, uint64_t count);
void text_cell(const struct text *text, int width, const char *cell);

/* A bar as long as `share` of the columns after `from`, of up to 40 columns. */
void text_bar(const struct text *text, int from, double share, char ink);
void text_newline(const struct text *text);

/* A column of a table, whose title may have two lines. */
struct column {
	int width;
	const char *title;
	const char *above; /* first line of the title; NULL: none */
};

void text_heading(const struct text *text, const char *title, int width,
		  const struct column *column, int column_cnt);

/* Zero-initialized is empty. What does not fit is cut off. */
struct paragraph {
	size_t length;
	char text[2048];
};

__attribute__((format(printf, 2, 3))) void paragraph_add(struct paragraph *paragraph,
							 const char *format, ...);

/*
 * A label at the left. Lines break at spaces, but not between a number and its unit. Silent if the
 * paragraph is empty.
 */
void paragraph_print(const struct text *text, enum ink ink, const char *label,
		     const struct paragraph *paragraph);

/* "98 %", "5.1 %", "<0.1 %"; "100 %" and "0 %" only if exact. Valid in the enclosing block. */
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

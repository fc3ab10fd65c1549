/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Declares functions that write HTML and SVG. Text and attributes are escaped here and nowhere
 * else, so that a name with markup in it stays a name:
 *
 *	markup_open(&markup, "text");
 *	markup_attr(&markup, "class", "label");
 *	markup_attrf(&markup, "x", "%.1f", x);
 *	markup_text(&markup, comm);
 *	markup_close(&markup);                    <text class="label" x="3.0">hog</text>
 *
 * Foreign text may have any bytes. Control characters, and bytes that are no valid UTF-8, are
 * written as octal numbers (\ooo). Names of elements and attributes are those of this program.
 */
#pragma once

#include <stdbool.h>
#include <stdio.h>

#define MARKUP_DEPTH_MAX 64

struct markup {
	FILE *out;                             /* borrowed; errors are those of the stream */
	const char *element[MARKUP_DEPTH_MAX]; /* those that are open */
	int depth;
	bool is_in_tag;  /* attributes may follow */
	bool is_foreign; /* inside of <svg>: empty elements end with "/>" */
};

void markup_open(struct markup *markup, const char *element);
void markup_attr(struct markup *markup, const char *name, const char *value);
__attribute__((format(printf, 3, 4))) void markup_attrf(struct markup *markup, const char *name,
							const char *format, ...);
void markup_text(struct markup *markup, const char *text);

/* Text of several lines: newlines stay newlines. */
void markup_lines(struct markup *markup, const char *text);
__attribute__((format(printf, 2, 3))) void markup_textf(struct markup *markup, const char *format,
							...);

/* Closes the element that was opened last. */
void markup_close(struct markup *markup);

/* An element with text and nothing else. `class` may be NULL. */
void markup_element(struct markup *markup, const char *element, const char *class,
		    const char *text);

/* This program's own markup, script or style, as it is. */
void markup_raw(struct markup *markup, const char *text);

/* Ends a part of a page in memory with a NUL: what follows is another string. */
void markup_end_part(struct markup *markup);

/*
 * The bytes of the UTF-8 character at `text` (RFC 3629); 0: it is none, or one that controls a
 * terminal or the direction of text, and its first byte is written as \ooo.
 */
size_t markup_character_length(const char *text);

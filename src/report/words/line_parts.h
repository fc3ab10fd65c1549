/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Declares a line of parts that has to fit into some columns. Parts stay whole: those of the
 * highest ranks are left out.
 */
#pragma once

#include <stddef.h>

#define LINE_PARTS_MAX 8
#define LINE_PART_LEN  512

/* With its NUL, of any line. */
#define LINE_OF_PARTS_LEN (LINE_PARTS_MAX * LINE_PART_LEN)

/* Zero-initialized is empty. */
struct line_parts {
	int cnt;
	struct {
		int rank;
		char text[LINE_PART_LEN]; /* plain */
	} part[LINE_PARTS_MAX];
};

/*
 * Appends a part. Names from other programs may be in it, because it is escaped (util/plain.h). No
 * two parts have one rank.
 */
__attribute__((format(printf, 3, 4))) void line_parts_add(struct line_parts *parts, int rank,
							  const char *format, ...);

/*
 * Writes the parts in the order in which they were added: those of the lowest ranks that fit. The
 * first rank that does not fit ends the choice, so that a part never stands without the one that it
 * belongs to.
 */
void line_parts_fit(const struct line_parts *parts, int columns, char line[LINE_OF_PARTS_LEN]);

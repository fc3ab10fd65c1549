/* SPDX-License-Identifier: BSD-2-Clause */
/* Chooses the parts of a line that fit into some columns. */
#include "report/words/line_parts.h"

#include "util/plain.h"

#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void line_parts_add(struct line_parts *parts, int rank, const char *format, ...)
{
	char text[LINE_PART_LEN];
	va_list args;

	if (parts->cnt == LINE_PARTS_MAX)
		return;
	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	parts->part[parts->cnt].rank = rank;
	plain_text(text, parts->part[parts->cnt++].text, LINE_PART_LEN);
}

/* The part with the lowest rank above this one; -1: there is none. */
static int next_part(const struct line_parts *parts, int rank)
{
	int next = -1;

	for (int i = 0; i < parts->cnt; i++) {
		if (parts->part[i].rank > rank &&
		    (next < 0 || parts->part[i].rank < parts->part[next].rank))
			next = i;
	}
	return next;
}

/* The first rank that does not fit. */
static int rank_limit(const struct line_parts *parts, int columns)
{
	int next = next_part(parts, INT_MIN);

	while (next >= 0) {
		columns -= plain_columns(parts->part[next].text);
		if (columns < 0)
			return parts->part[next].rank;
		next = next_part(parts, parts->part[next].rank);
	}
	return INT_MAX;
}

void line_parts_fit(const struct line_parts *parts, int columns, char line[LINE_OF_PARTS_LEN])
{
	int limit = rank_limit(parts, columns);
	size_t at = 0;

	line[0] = '\0';
	for (int i = 0; i < parts->cnt; i++) {
		if (parts->part[i].rank < limit)
			at += snprintf(line + at, LINE_OF_PARTS_LEN - at, "%s",
				       parts->part[i].text);
	}
}

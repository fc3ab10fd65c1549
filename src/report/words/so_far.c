/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Puts into words what an attach has seen so far, and chooses the parts of a line that fit into the
 * columns of a narrow terminal.
 */
#include "report/words/so_far.h"

#include "util/duration.h"
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

#define SECOND_NS 1000000000ULL
#define MINUTE_S  60
#define HOUR_S    (60 * MINUTE_S)

/* Times have so many digits. */
#define DIGITS_LIMIT 1000

/* What is left out last comes first. */
enum rank {
	RANK_TIME,
	RANK_MESSAGES,
	RANK_LOST,
	RANK_SLOWEST,
	RANK_CALLS,
	RANK_UNIT,
	RANK_P99,
	RANK_PROGRAM
};

/* 12345678: 12300000 */
static uint64_t rounded(uint64_t ns)
{
	uint64_t step = 1;

	while (ns / step >= DIGITS_LIMIT)
		step *= 10;
	return (ns / step + (ns % step >= step - step / 2)) * step;
}

/* "119 s", "119 min", "26 h 3 min": it changes often enough to show that tracing goes on. */
static void so_far_add_time(uint64_t traced_ns, struct line_parts *parts)
{
	unsigned long long s = traced_ns / SECOND_NS;

	if (s < 2 * MINUTE_S)
		line_parts_add(parts, RANK_TIME, "%llu s", s);
	else if (s < 2 * HOUR_S)
		line_parts_add(parts, RANK_TIME, "%llu min %llu s", s / MINUTE_S, s % MINUTE_S);
	else
		line_parts_add(parts, RANK_TIME, "%llu h %llu min", s / HOUR_S,
			       s % HOUR_S / MINUTE_S);
}

static void add_units(uint64_t cnt, enum unit_kind unit, enum rank rank, struct line_parts *parts)
{
	line_parts_add(parts, rank, ", %llu %s", (unsigned long long)cnt,
		       unit_words(unit, cnt != 1));
}

static void so_far_add_counts(const struct so_far *so_far, struct line_parts *parts)
{
	if (so_far->messages)
		add_units(so_far->messages, UNIT_MESSAGE, RANK_MESSAGES, parts);
	else
		line_parts_add(parts, RANK_MESSAGES, ", no message yet");
	if (so_far->calls)
		add_units(so_far->calls, UNIT_CALL, RANK_CALLS, parts);
	if (so_far->lost)
		line_parts_add(parts, RANK_LOST, ", %llu record%s lost",
			       (unsigned long long)so_far->lost, so_far->lost == 1 ? "" : "s");
}

static void so_far_add_slow(const struct so_far *so_far, struct line_parts *parts)
{
	if (!so_far->slowest_ns)
		return;
	line_parts_add(parts, RANK_SLOWEST, ", slowest %s", DURATION(rounded(so_far->slowest_ns)));
	line_parts_add(parts, RANK_UNIT, ", a %s%s%s", unit_words(so_far->unit, false),
		       so_far->to[0] ? " to " : "", so_far->to);
	if (so_far->p99_ns)
		line_parts_add(parts, RANK_P99, ", p99 of %s %s", unit_words(so_far->unit, true),
			       DURATION(rounded(so_far->p99_ns)));
}

void so_far_words(const struct so_far *so_far, struct line_parts *parts)
{
	line_parts_add(parts, RANK_PROGRAM, "ipctrace: ");
	so_far_add_time(so_far->traced_ns, parts);
	so_far_add_counts(so_far, parts);
	so_far_add_slow(so_far, parts);
}

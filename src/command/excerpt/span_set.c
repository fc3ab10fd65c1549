/* SPDX-License-Identifier: BSD-2-Clause */
/* Keeps spans in an array in the order of time. */
#include "command/excerpt/span_set.h"

#include <stdlib.h>
#include <string.h>

#define ROOM_LEAST 64
#define GAP_LEAST  1000000ULL

void span_set_free(struct span_set *set)
{
	free(set->span);
	*set = (struct span_set){0};
}

static bool span_set_grow(struct span_set *set)
{
	size_t room = set->room ? 2 * set->room : ROOM_LEAST;
	struct span *span;

	if (set->cnt < set->room)
		return true;
	span = reallocarray(set->span, room, sizeof(*span));
	if (!span)
		return false;
	set->span = span;
	set->room = room;
	return true;
}

/* Removes the last spans that the new one touches, and puts it behind the others. */
static void put_last(struct span_set *set, struct span span)
{
	for (; set->cnt; set->cnt--) {
		const struct span *last = &set->span[set->cnt - 1];

		if (span.from_ns > last->to_ns && span.from_ns - last->to_ns > set->gap_ns)
			break;
		if (last->from_ns < span.from_ns)
			span.from_ns = last->from_ns;
		if (last->to_ns > span.to_ns)
			span.to_ns = last->to_ns;
	}
	set->span[set->cnt++] = span;
}

static void fill_gaps(struct span_set *set)
{
	size_t cnt = set->cnt;

	set->gap_ns = set->gap_ns ? 2 * set->gap_ns : GAP_LEAST;
	set->cnt = 0;
	for (size_t i = 0; i < cnt; i++)
		put_last(set, set->span[i]);
}

bool span_set_append(struct span_set *set, struct span span, size_t max)
{
	if (!span_set_grow(set))
		return false;
	put_last(set, span);
	while (set->cnt > max)
		fill_gaps(set);
	return true;
}

bool span_set_insert(struct span_set *set, struct span span)
{
	size_t first = spans_find(set->span, 0, set->cnt, span.from_ns), behind = first;

	if (!span_set_grow(set))
		return false;
	for (; behind < set->cnt && set->span[behind].from_ns <= span.to_ns; behind++) {
		if (set->span[behind].from_ns < span.from_ns)
			span.from_ns = set->span[behind].from_ns;
		if (set->span[behind].to_ns > span.to_ns)
			span.to_ns = set->span[behind].to_ns;
	}
	memmove(set->span + first + 1, set->span + behind,
		(set->cnt - behind) * sizeof(*set->span));
	set->cnt = set->cnt + first + 1 - behind;
	set->span[first] = span;
	return true;
}

bool span_set_next_gap(const struct span_set *set, uint64_t from_ns, uint64_t to_ns,
		       struct span *part)
{
	size_t i = spans_find(set->span, 0, set->cnt, from_ns);

	for (; i < set->cnt && set->span[i].from_ns <= from_ns; i++)
		from_ns = set->span[i].to_ns > from_ns ? set->span[i].to_ns : from_ns;
	if (from_ns >= to_ns)
		return false;
	part->from_ns = from_ns;
	part->to_ns = i < set->cnt && set->span[i].from_ns < to_ns ? set->span[i].from_ns : to_ns;
	return true;
}

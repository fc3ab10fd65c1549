/* SPDX-License-Identifier: BSD-2-Clause */
/* Keeps the longest units, and drops the shorter half of them whenever there is no more room. */
#include "explain/longest.h"

#include <errno.h>
#include <stdlib.h>

/* So many units are kept at least, ... */
#define KEPT_MIN (1u << 14)
/* ... this many times as many as are slow so far: later units may all be shorter, ... */
#define KEPT_TIMES 3
/* ... and so many at most; there is room for twice as many (8 MB). */
#define KEPT_MAX (1u << 18)

struct longest longest_begin(const struct selection *selection)
{
	return (struct longest){.selection = selection, .dropped_ns = selection->slower_than_ns};
}

void longest_clean(struct longest *longest)
{
	free(longest->span);
	longest->span = NULL;
}

static uint64_t length_ns(const struct span *span)
{
	return span->to_ns - span->from_ns;
}

static int compare_length(const void *left, const void *right)
{
	uint64_t a = length_ns(left), b = length_ns(right);

	return a < b ? 1 : a > b ? -1 : 0;
}

static size_t wanted(const struct longest *longest)
{
	uint64_t slow = selection_slow_max(longest->selection, longest->units);
	uint64_t cnt = slow < KEPT_MAX / KEPT_TIMES ? slow * KEPT_TIMES : KEPT_MAX;

	return cnt < KEPT_MIN ? KEPT_MIN : cnt;
}

/* Drops all but the `cnt` longest. */
static void longest_drop(struct longest *longest, size_t cnt)
{
	uint64_t longest_ns;

	qsort(longest->span, longest->cnt, sizeof(*longest->span), compare_length);
	longest_ns = length_ns(&longest->span[cnt]);
	if (longest_ns > longest->dropped_ns)
		longest->dropped_ns = longest_ns;
	longest->cnt = cnt;
}

static int longest_make_room(struct longest *longest)
{
	size_t cnt = wanted(longest);
	struct span *span;

	if (longest->room < 2 * cnt) {
		span = realloc(longest->span, 2 * cnt * sizeof(*span));
		if (!span)
			return -ENOMEM;
		longest->span = span;
		longest->room = 2 * cnt;
	} else {
		longest_drop(longest, cnt);
	}
	return 0;
}

int longest_add(struct longest *longest, uint64_t from_ns, uint64_t to_ns)
{
	int err;

	longest->units++;
	if (to_ns - from_ns <= longest->dropped_ns)
		return 0;
	err = longest->cnt == longest->room ? longest_make_room(longest) : 0;
	if (!err)
		longest->span[longest->cnt++] = (struct span){from_ns, to_ns};
	return err;
}

struct span *longest_spans(const struct longest *longest, uint64_t above_ns, size_t *cnt)
{
	struct span *spans = calloc(longest->cnt + 1, sizeof(*spans));

	*cnt = 0;
	for (size_t i = 0; spans && i < longest->cnt; i++) {
		if (length_ns(&longest->span[i]) > above_ns)
			spans[(*cnt)++] = longest->span[i];
	}
	return spans;
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* Keeps the longest units, and drops the shorter half of them whenever there is no more room. */
#include "explain/slowest.h"

#include <errno.h>
#include <stdlib.h>

/* So many units are kept at least, ... */
#define KEPT_MIN (1u << 14)
/* ... this many times as many as are slow so far: later units may all be shorter, ... */
#define KEPT_TIMES 3
/* ... and so many at most; there is room for twice as many (8 MB). */
#define KEPT_MAX (1u << 18)

struct slowest {
	const struct selection *selection;
	uint64_t units; /* so far */
	uint64_t dropped_ns;
	struct span *span;
	size_t cnt;
	size_t room;
};

struct slowest *slowest__new(const struct selection *selection)
{
	struct slowest *slowest = calloc(1, sizeof(*slowest));

	if (slowest) {
		slowest->selection = selection;
		slowest->dropped_ns = selection->slower_than_ns;
	}
	return slowest;
}

void slowest__free(struct slowest *slowest)
{
	if (!slowest)
		return;
	free(slowest->span);
	free(slowest);
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

static size_t wanted(const struct slowest *slowest)
{
	uint64_t slow = selection_slow_max(slowest->selection, slowest->units);
	uint64_t cnt = slow < KEPT_MAX / KEPT_TIMES ? slow * KEPT_TIMES : KEPT_MAX;

	return cnt < KEPT_MIN ? KEPT_MIN : cnt;
}

/* Drops all but the `cnt` longest. */
static void slowest_drop(struct slowest *slowest, size_t cnt)
{
	uint64_t longest_ns;

	qsort(slowest->span, slowest->cnt, sizeof(*slowest->span), compare_length);
	longest_ns = length_ns(&slowest->span[cnt]);
	if (longest_ns > slowest->dropped_ns)
		slowest->dropped_ns = longest_ns;
	slowest->cnt = cnt;
}

static int slowest_make_room(struct slowest *slowest)
{
	size_t cnt = wanted(slowest);
	struct span *span;

	if (slowest->room < 2 * cnt) {
		span = realloc(slowest->span, 2 * cnt * sizeof(*span));
		if (!span)
			return -ENOMEM;
		slowest->span = span;
		slowest->room = 2 * cnt;
	} else {
		slowest_drop(slowest, cnt);
	}
	return 0;
}

int slowest__add(struct slowest *slowest, uint64_t from_ns, uint64_t to_ns)
{
	int err;

	slowest->units++;
	if (to_ns - from_ns <= slowest->dropped_ns)
		return 0;
	err = slowest->cnt == slowest->room ? slowest_make_room(slowest) : 0;
	if (!err)
		slowest->span[slowest->cnt++] = (struct span){from_ns, to_ns};
	return err;
}

bool slowest__has_all(const struct slowest *slowest, uint64_t above_ns)
{
	return above_ns >= slowest->dropped_ns;
}

struct span *slowest__spans(const struct slowest *slowest, uint64_t above_ns, size_t *cnt)
{
	struct span *spans = calloc(slowest->cnt + 1, sizeof(*spans));

	*cnt = 0;
	for (size_t i = 0; spans && i < slowest->cnt; i++) {
		if (length_ns(&slowest->span[i]) > above_ns)
			spans[(*cnt)++] = slowest->span[i];
	}
	return spans;
}

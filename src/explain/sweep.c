/* SPDX-License-Identifier: BSD-2-Clause */
/* Sorts intervals in batches, and merges neighbours that overlap. */
#include "explain/sweep.h"

#include <errno.h>
#include <stdlib.h>

struct open_cluster {
	bool is_open;
	uint64_t from_ns;
	uint64_t to_ns;
};

struct waiting {
	struct interval interval;
	size_t bytes;
	uint64_t number; /* in the order of arrival, so that the order of sorting is unique */
};

struct sweep {
	const struct sweep_ops *ops;
	void *ctx;
	uint32_t lanes;
	struct open_cluster *open; /* [lanes] */
	struct waiting *waiting;   /* [SWEEP_ROOM] */
	uint32_t cnt;
	size_t bytes;
	uint64_t number;
};

struct sweep *sweep__new(uint32_t lanes, const struct sweep_ops *ops, void *ctx)
{
	struct sweep *sweep = calloc(1, sizeof(*sweep));

	if (!sweep)
		return NULL;
	*sweep = (struct sweep){.ops = ops,
				.ctx = ctx,
				.lanes = lanes,
				.open = calloc(lanes, sizeof(*sweep->open)),
				.waiting = malloc(SWEEP_ROOM * sizeof(*sweep->waiting))};
	if (sweep->open && sweep->waiting)
		return sweep;
	sweep__free(sweep);
	return NULL;
}

void sweep__free(struct sweep *sweep)
{
	if (!sweep)
		return;
	for (uint32_t i = 0; i < sweep->cnt; i++)
		free(sweep->waiting[i].interval.payload);
	free(sweep->waiting);
	free(sweep->open);
	free(sweep);
}

static int sweep_by_begin(const void *a, const void *b)
{
	const struct waiting *x = a, *y = b;

	if (x->interval.from_ns != y->interval.from_ns)
		return x->interval.from_ns < y->interval.from_ns ? -1 : 1;
	return x->number < y->number ? -1 : 1;
}

static bool overlaps(const struct open_cluster *open, const struct interval *interval)
{
	return interval->from_ns <= open->to_ns && interval->to_ns >= open->from_ns;
}

static int sweep_place(struct sweep *sweep, const struct interval *interval)
{
	struct open_cluster *open = &sweep->open[interval->lane];
	int err = 0;

	if (open->is_open && !overlaps(open, interval)) {
		err = sweep->ops->close(sweep->ctx, interval->lane);
		open->is_open = false;
	}
	if (!open->is_open)
		*open = (struct open_cluster){true, interval->from_ns, interval->to_ns};
	if (interval->from_ns < open->from_ns)
		open->from_ns = interval->from_ns;
	if (interval->to_ns > open->to_ns)
		open->to_ns = interval->to_ns;
	return err ?: sweep->ops->extend(sweep->ctx, interval);
}

/* Places the first `cnt` in the order of time. The others go on waiting. */
static int place_first(struct sweep *sweep, uint32_t cnt)
{
	int err = 0;

	qsort(sweep->waiting, sweep->cnt, sizeof(*sweep->waiting), sweep_by_begin);
	for (uint32_t i = 0; i < cnt; i++) {
		if (!err)
			err = sweep_place(sweep, &sweep->waiting[i].interval);
		sweep->bytes -= sweep->waiting[i].bytes;
		free(sweep->waiting[i].interval.payload);
	}
	for (uint32_t i = cnt; i < sweep->cnt; i++)
		sweep->waiting[i - cnt] = sweep->waiting[i];
	sweep->cnt -= cnt;
	return err;
}

int sweep__add(struct sweep *sweep, const struct interval *interval, size_t bytes)
{
	sweep->waiting[sweep->cnt++] = (struct waiting){*interval, bytes, sweep->number++};
	sweep->bytes += bytes;
	if (sweep->cnt < SWEEP_ROOM && (sweep->bytes < SWEEP_BYTES_MAX || sweep->cnt < SWEEP_LEAST))
		return 0;
	return place_first(sweep, sweep->cnt - sweep->cnt / 4);
}

int sweep__finish(struct sweep *sweep)
{
	int err = place_first(sweep, sweep->cnt);

	for (uint32_t lane = 0; !err && lane < sweep->lanes; lane++) {
		if (sweep->open[lane].is_open)
			err = sweep->ops->close(sweep->ctx, lane);
		sweep->open[lane].is_open = false;
	}
	return err;
}

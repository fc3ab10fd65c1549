/* SPDX-License-Identifier: BSD-2-Clause */
/* Sorts intervals in batches, and merges neighbours that overlap. */
#include "explain/sweep.h"

#include <stdlib.h>

void sweep_clean(struct sweep *sweep)
{
	for (uint32_t i = 0; i < sweep->cnt; i++)
		free(sweep->waiting[i].interval.payload);
	sweep->cnt = 0;
}

static int sweep_by_begin(const void *a, const void *b)
{
	const struct waiting *x = a, *y = b;

	if (x->interval.from_ns != y->interval.from_ns)
		return x->interval.from_ns < y->interval.from_ns ? -1 : 1;
	return x->number < y->number ? -1 : 1;
}

static int sweep_place(struct sweep *sweep, const struct interval *interval)
{
	struct open_cluster *open = &sweep->open[interval->lane];
	int err = 0;

	if (open->is_open && (interval->from_ns > open->to_ns || interval->to_ns < open->from_ns)) {
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

int sweep_add(struct sweep *sweep, const struct interval *interval, size_t bytes)
{
	sweep->waiting[sweep->cnt++] = (struct waiting){*interval, bytes, sweep->number++};
	sweep->bytes += bytes;
	if (sweep->cnt < SWEEP_ROOM && (sweep->bytes < SWEEP_BYTES_MAX || sweep->cnt < SWEEP_LEAST))
		return 0;
	return place_first(sweep, sweep->cnt - sweep->cnt / 4);
}

int sweep_finish(struct sweep *sweep)
{
	int err = place_first(sweep, sweep->cnt);

	for (uint32_t lane = 0; !err && lane < sweep->lanes; lane++) {
		if (sweep->open[lane].is_open)
			err = sweep->ops->close(sweep->ctx, lane);
		sweep->open[lane].is_open = false;
	}
	return err;
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* Divides times evenly, and latencies evenly on a logarithmic scale. */
#include "picture/parts.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define COLUMNS 240
#define ROWS    48

/* One row may be divided. */
#define ROWS_MAX (ROWS + 1)

/* Rows of a latency range too narrow for ROWS different bounds are fewer. */
static void set_bounds(struct heat_map *heat, uint64_t least_ns, uint64_t most_ns)
{
	double low = (double)least_ns, ratio = ((double)most_ns + 1) / (low < 1 ? 1 : low);
	uint64_t next = least_ns;

	heat->bound_ns[0] = least_ns;
	for (uint32_t i = 1; i <= ROWS && next <= most_ns; i++) {
		double bound = (low < 1 ? 1 : low) * pow(ratio, (double)i / ROWS);

		next = i == ROWS || bound >= (double)most_ns ? most_ns + 1 : (uint64_t)bound;
		if (next > heat->bound_ns[heat->rows])
			heat->bound_ns[++heat->rows] = next;
	}
}

/*
 * Forged times may be as far apart as numbers can be: then there is no number behind the last one.
 */
static uint64_t less_than_all(uint64_t ns)
{
	return ns < UINT64_MAX ? ns : UINT64_MAX - 1;
}

/* Divides the row that has this latency and shorter ones. */
static void add_bound(struct heat_map *heat, uint64_t latency_ns)
{
	uint32_t row = 0;

	while (row <= heat->rows && heat->bound_ns[row] < latency_ns)
		row++;
	if (!row || row > heat->rows || heat->bound_ns[row] == latency_ns)
		return;
	memmove(&heat->bound_ns[row + 1], &heat->bound_ns[row],
		(heat->rows + 1 - row) * sizeof(*heat->bound_ns));
	heat->bound_ns[row] = latency_ns;
	heat->rows++;
}

/* Columns are at least a nanosecond long. False: there is no memory. */
static bool add_levels(struct heat_map *heat, uint64_t span_ns)
{
	for (uint32_t i = 0; i < HEAT_LEVELS; i++) {
		uint32_t columns = heat_level_columns(heat, i);

		if (columns > span_ns)
			break;
		heat->finer[i] = calloc((size_t)ROWS_MAX * columns, sizeof(*heat->finer[i]));
		if (!heat->finer[i])
			return false;
	}
	return true;
}

int heat_begin(struct heat_map *heat, const struct extent *extent, uint64_t slow_above_ns)
{
	uint64_t most_ns = less_than_all(extent->most_ns), span_ns;

	*heat = (struct heat_map){.from_ns = extent->from_ns};
	if (!extent->units)
		return 0;
	heat->to_ns = extent->from_ns + less_than_all(extent->to_ns - extent->from_ns);
	span_ns = heat->to_ns - heat->from_ns + 1;
	heat->columns = span_ns < COLUMNS ? (uint32_t)span_ns : COLUMNS;
	heat->bound_ns = calloc(ROWS_MAX + 1, sizeof(*heat->bound_ns));
	heat->cnt = calloc((size_t)ROWS_MAX * heat->columns, sizeof(*heat->cnt));
	if (!heat->bound_ns || !heat->cnt)
		return -ENOMEM;
	if (!add_levels(heat, span_ns))
		return -ENOMEM;
	set_bounds(heat, extent->least_ns < most_ns ? extent->least_ns : most_ns, most_ns);
	if (slow_above_ns < most_ns)
		add_bound(heat, slow_above_ns + 1);
	return 0;
}

static uint32_t column_of_so_many(const struct heat_map *heat, uint64_t at_ns, uint32_t columns)
{
	uint64_t off_ns = at_ns > heat->from_ns ? at_ns - heat->from_ns : 0;
	uint64_t span_ns = heat->to_ns - heat->from_ns + 1, scaled, column;

	/* A division of 128 bits takes several times as long. */
	if (__builtin_mul_overflow(off_ns, columns, &scaled))
		column = (uint64_t)((unsigned __int128)off_ns * columns / span_ns);
	else
		column = scaled / span_ns;
	return column < columns ? (uint32_t)column : columns - 1;
}

uint32_t heat_column(const struct heat_map *heat, uint64_t at_ns)
{
	return column_of_so_many(heat, at_ns, heat->columns);
}

static uint32_t heat_row_of(const struct heat_map *heat, uint64_t latency_ns)
{
	uint32_t low = 0, high = heat->rows - 1;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (latency_ns >= heat->bound_ns[middle + 1])
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

void heat_add(struct heat_map *heat, const struct unit *unit)
{
	uint32_t row = heat_row_of(heat, unit_latency_ns(unit));

	heat->cnt[row * heat->columns + heat_column(heat, unit->from_ns)]++;
	for (uint32_t i = 0; i < HEAT_LEVELS && heat->finer[i]; i++) {
		uint32_t columns = heat_level_columns(heat, i);

		heat->finer[i][row * columns + column_of_so_many(heat, unit->from_ns, columns)]++;
	}
}

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Defines where the parts of the heat map are:
 *
 *	legend     how many units a shade stands for, and above which latency they are slow
 *	           | (1)    episodes at the cell  |
 *	latency    | cells           of the worst |
 *	           |------------------------------|
 *	CPU 0      | what ran there instead       |
 *	CPU 1      |                              |
 *	            time
 *	legend     of what ran
 */
#pragma once

#include "model/explanation.h"
#include "model/picture.h"
#include "report/figure/axis.h"
#include "report/figure/legend.h"

#define STRIP_HEIGHT 16

struct heat_layout {
	const struct canvas *canvas;
	const struct illustration *illustration;
	const struct picture *picture;
	const struct explanation *explanation; /* NULL: there is none */
	struct axis time;                      /* since zero_ns */
	struct axis latency;
	bool shows_map; /* one of the two may be missing: in a page they are figures of their own */
	bool shows_strips;
	uint64_t zero_ns;
	uint32_t first_row; /* those below and above the rest are empty */
	uint32_t last_row;
	uint64_t most; /* units of a cell */
	double top;    /* of the plot */
	double bottom;
	double cells_top;
	double strips; /* top of the first one */
	double end;    /* of the last one: where the axis of time is */
	double height;
	struct legend legend; /* of the strips */
};

/* Where the column begins; heat.columns: where the last one ends. */
static inline double heat_column_x(const struct heat_layout *layout, uint32_t column)
{
	double share = (double)column / layout->picture->heat.columns;

	return layout->time.scale.start +
	       share * (layout->time.scale.end - layout->time.scale.start);
}

/* Where a row begins, at its shortest latency. Rows need not be equally high. */
static inline double heat_row_y(const struct heat_layout *layout, uint32_t row)
{
	return scale_place(&layout->latency.scale, (double)layout->picture->heat.bound_ns[row]);
}

#define LAST_ROW_LEAST 5

/* Where it ends. There is room above the last row. */
static inline double heat_row_top(const struct heat_layout *layout, uint32_t row)
{
	double bottom = heat_row_y(layout, row), top = heat_row_y(layout, row + 1);
	bool is_low = row == layout->last_row && top > bottom - LAST_ROW_LEAST;

	return is_low ? bottom - LAST_ROW_LEAST : top;
}

/* The first row that has room for longer units than this. */
static inline uint32_t heat_row_above(const struct heat_layout *layout, uint64_t ns)
{
	uint32_t row = layout->first_row;

	while (row <= layout->last_row && layout->picture->heat.bound_ns[row + 1] <= ns)
		row++;
	return row;
}

/* The counts of all cells, and in a page those of finer ones, for its script. */
void heat_draw_data(const struct heat_layout *layout);

/* The largest episodes first: a smaller one that has no room for its number has none. */
void heat_draw_episodes(const struct heat_layout *layout);

/* The entries of the legend of strips: those culprits that a strip has. */
void strips_fill_legend(struct heat_layout *layout);

/* What ran on each CPU while slow units waited for it. */
void strips_draw_labels(const struct heat_layout *layout);
void strips_draw_cells(const struct heat_layout *layout);
void strips_draw_numbers(const struct heat_layout *layout);

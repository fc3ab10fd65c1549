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
	const struct picture *picture;
	const struct explanation *explanation; /* NULL: there is none */
	struct axis time;                      /* since zero_ns */
	struct axis latency;
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

/* The entries of the legend of strips: those culprits that a strip has. */
void strips_fill_legend(struct heat_layout *layout);

/* What ran on each CPU while slow units waited for it. */
void strips_draw_labels(const struct heat_layout *layout);
void strips_draw_cells(const struct heat_layout *layout);
void strips_draw_numbers(const struct heat_layout *layout);

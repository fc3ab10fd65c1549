/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Declares the drawing of a network: nodes as boxes, edges as curves. The number of an edge in the
 * list below it stands on its curve.
 */
#pragma once

#include "report/figure/canvas.h"
#include "report/figure/graph/layout.h"
#include "report/figure/graph/view.h"

struct drawing {
	const struct canvas *canvas;
	const struct graph_view *view;
	struct layout layout;
	uint32_t link_of[NETWORK_EDGES_MAX]; /* 1 + index in the layout; 0: from a node to itself */
	double top;                          /* y of the layout */
	double box_width;
	double column_step;   /* from a column to the next one */
	double room_on_right; /* for links within a column */
};

/* Finds the layout. */
void drawing_plan(struct drawing *drawing);

/* Returns where it ends. */
double drawing_put(const struct drawing *drawing);

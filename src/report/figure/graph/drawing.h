/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Declares the parts of the drawing of a network: nodes as boxes, edges as curves, and the list of
 * edges below these. The number of an edge in the list stands beside its curve.
 */
#pragma once

#include "report/figure/canvas.h"
#include "report/figure/graph/layout.h"
#include "report/figure/graph/network.h"

/* How long the messages of an edge take, from the shortest on: classes "e0" … of figure.css. */
#define LEVELS_MAX 4

struct levels {
	double bound_ns[LEVELS_MAX + 1]; /* level i: from bound i up to bound i + 1 */
	int cnt;
};

struct drawing {
	const struct canvas *canvas;
	const struct summary *summary;
	const struct network *network;
	struct layout layout;
	uint32_t link_of[NETWORK_EDGES_MAX]; /* 1 + index in the layout; 0: from a node to itself */
	struct levels levels;
	double top; /* y of the layout */
	double box_width;
	double column_step;   /* from a column to the next one */
	double room_on_right; /* for links within a column */
};

/* Finds the layout. */
void drawing_plan(struct drawing *drawing);

/* The height of boxes and curves. */
double drawing_height(const struct drawing *drawing);
void drawing_put(const struct drawing *drawing);

/* "e2" */
const char *level_class(const struct drawing *drawing, const struct network_edge *edge);

/* The name of a node, and its number or how many processes it stands for. */
#define NODE_NAME_LEN (2 * CHANNEL_NAME_LEN)
void node_name(const struct drawing *drawing, uint32_t node, char name[NODE_NAME_LEN]);
void node_remark(const struct drawing *drawing, uint32_t node, char remark[64]);

/* The <title> of an edge. */
void edge_tooltip(const struct drawing *drawing, const struct network_edge *edge);

/* The list of all edges, with their exact numbers as data- attributes. */
double edge_list_height(const struct drawing *drawing);
void edge_list_draw(const struct drawing *drawing, double y);

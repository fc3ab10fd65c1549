/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Declares the words and colours of a network, those of its nodes, edges and latencies, and its
 * drawing.
 */
#pragma once

#include "report/figure/canvas.h"
#include "report/figure/graph/columns.h"
#include "report/figure/graph/network.h"

/* How long the messages of an edge take, from the shortest on: classes "e0" … of figure.css. */
#define LEVELS_MAX 4

struct levels {
	double bound_ns[LEVELS_MAX + 1]; /* level i: from bound i up to bound i + 1 */
	int cnt;
};

struct graph_view {
	const struct summary *summary; /* borrowed */
	const struct network *network; /* borrowed */
	struct levels levels;
};

void view_find_levels(struct graph_view *view);

/* "e2" */
const char *level_class(const struct graph_view *view, const struct network_edge *edge);

/* The name of a node, and its number or how many processes it stands for. */
#define NODE_NAME_LEN (2 * CHANNEL_NAME_LEN)
void node_name(const struct graph_view *view, uint32_t node, char name[NODE_NAME_LEN]);
void node_remark(const struct graph_view *view, uint32_t node, char remark[64]);

/* ", threads worker-1, worker-2, ..."; empty: all are called like their process. */
void node_threads(const struct graph_view *view, uint32_t node, char words[LABEL_LEN]);

/* "uds-stream /run/x.sock", "pipe, 3 channels" */
void channel_words(const struct network_edge *edge, char words[NODE_NAME_LEN]);

/*
 * "redis-cli → redis-server". Nodes of one name have their numbers behind it. What is longer than
 * so many columns has shorter names, but no number is cut.
 */
#define ENDS_LEN (2 * (NODE_NAME_LEN + 72))
void ends_words(const struct graph_view *view, const struct network_edge *edge, int columns,
		char words[ENDS_LEN]);

/* The <title> of an edge. */
void edge_tooltip(const struct canvas *canvas, const struct graph_view *view,
		  const struct network_edge *edge);

/*
 * Nodes as boxes, edges as curves. The number of an edge in the list below it stands on its curve.
 */
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

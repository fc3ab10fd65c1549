/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Declares a layout for a graph of few nodes, as in a drawing of processes and their channels. It
 * stands from left to right in columns:
 *
 *	+---+ out          in +---+
 *	| A |-------.   .-----| C |
 *	+---+        X        +---+
 *	| B |-------'   '-----| D |
 *	+---+                 +---+
 *	column 0              column 1
 *
 * A link that spans a column has a place of its own there, so that it does not cross a node. The
 * same graph gets the same layout.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#define LAYOUT_NODES_MAX   32
#define LAYOUT_LINKS_MAX   64
#define LAYOUT_COLUMNS_MAX 8

struct layout_node {
	double height;   /* given */
	uint32_t column; /* found */
	double y;        /* found: the upper edge */
};

struct layout_link {
	uint32_t from; /* given: it should point to the right, if that makes no circle */
	uint32_t to;   /* not `from` */
	double height; /* given: of its lines, one above the other */

	/* Found. The left end is in the lower column, or above in the same one. */
	bool is_reversed; /* `to` is its left end */
	bool is_beside;   /* both ends are in one column; it leaves and comes back at its right */
	double left_y;    /* its middle, where it leaves its left end */
	double right_y;
	double y[LAYOUT_COLUMNS_MAX]; /* its middle in each column between these */
};

/* `node_cnt` and `link_cnt` have to be within the limits above. */
struct layout {
	uint32_t columns_max; /* given: 1..LAYOUT_COLUMNS_MAX */
	double gap;           /* given: between two nodes of a column */
	struct layout_node node[LAYOUT_NODES_MAX];
	uint32_t node_cnt;
	struct layout_link link[LAYOUT_LINKS_MAX]; /* the most important first */
	uint32_t link_cnt;
	uint32_t columns; /* found */
	double height;    /* found */
};

void layout_find(struct layout *layout);

static inline uint32_t layout_left(const struct layout_link *link)
{
	return link->is_reversed ? link->to : link->from;
}

static inline uint32_t layout_right(const struct layout_link *link)
{
	return link->is_reversed ? link->from : link->to;
}

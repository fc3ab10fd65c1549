/* SPDX-License-Identifier: BSD-2-Clause */
/* Draws processes as boxes, and what they send as curves between these. */
#include "report/figure/graph/view.h"

#include <math.h>
#include <stdio.h>

#define BOX_HEIGHT   40
#define BOX_MOST     190
#define COLUMN_GAP   84   /* at least */
#define LABEL_SHARE  0.55 /* of the gap: longer labels would hide the lines */
#define NODE_GAP     28
#define LINE_SPACE   12 /* for one line of a link */
#define LOOP_HEIGHT  18
#define BESIDE_WIDTH 46
#define WIDTH_LEAST  1.2 /* of lines */
#define WIDTH_MOST   6.0
#define LABEL_HEIGHT 13
#define LABELS_MAX   (NETWORK_EDGES_MAX + NETWORK_NODES_MAX)

/* The link of an edge, which all edges between two nodes share. */
static uint32_t drawing_link_of(struct layout *layout, const struct network *network,
				const struct network_edge *edge)
{
	bool calls = network_calls(network, edge->from, edge->to);
	uint32_t from = calls ? edge->from : edge->to, to = calls ? edge->to : edge->from;

	if (edge->from == edge->to)
		return 0;
	for (uint32_t i = 0; i < layout->link_cnt; i++) {
		if (layout->link[i].from == from && layout->link[i].to == to)
			return i + 1;
	}
	layout->link[layout->link_cnt++] = (struct layout_link){.from = from, .to = to};
	return layout->link_cnt;
}

static void make_links(struct drawing *drawing)
{
	const struct network *network = drawing->view->network;
	struct layout *layout = &drawing->layout;

	for (uint32_t i = 0; i < network->edge_cnt; i++) {
		uint32_t link = drawing_link_of(layout, network, &network->edge[i]);

		drawing->link_of[i] = link;
		if (link)
			layout->link[link - 1].height += LINE_SPACE;
		else
			drawing->room_on_right = BESIDE_WIDTH;
	}
}

/* A box is as high as its links need. */
static void make_nodes(struct drawing *drawing)
{
	struct layout *layout = &drawing->layout;

	layout->node_cnt = drawing->view->network->node_cnt;
	for (uint32_t i = 0; i < layout->node_cnt; i++) {
		double needed = 8;

		for (uint32_t k = 0; k < layout->link_cnt; k++) {
			if (layout->link[k].from == i || layout->link[k].to == i)
				needed += layout->link[k].height;
		}
		layout->node[i].height = fmax(BOX_HEIGHT, needed);
	}
}

void drawing_plan(struct drawing *drawing)
{
	struct layout *layout = &drawing->layout;
	double width;

	layout->columns_max = 5;
	layout->gap = NODE_GAP;
	make_links(drawing);
	make_nodes(drawing);
	layout_find(layout);
	for (uint32_t i = 0; i < layout->link_cnt; i++) {
		if (layout->link[i].is_beside)
			drawing->room_on_right = BESIDE_WIDTH;
	}
	width = drawing->canvas->width - drawing->room_on_right - 2;
	drawing->box_width =
		fmin(BOX_MOST, (width - COLUMN_GAP * (layout->columns - 1.0)) / layout->columns);
	drawing->column_step =
		layout->columns > 1 ? (width - drawing->box_width) / (layout->columns - 1) : 0;
}

static double column_x(const struct drawing *drawing, uint32_t column)
{
	return 1 + drawing->column_step * column;
}

static double node_y(const struct drawing *drawing, uint32_t node)
{
	return drawing->top + LOOP_HEIGHT + drawing->layout.node[node].y;
}

static void node_draw(const struct drawing *drawing, uint32_t node)
{
	const struct canvas *canvas = drawing->canvas;
	const struct network_node *of = &drawing->view->network->node[node];
	double x = column_x(drawing, drawing->layout.node[node].column);
	double y = node_y(drawing, node), height = drawing->layout.node[node].height;
	double middle = x + drawing->box_width / 2, width = drawing->box_width - 12;
	char name[NODE_NAME_LEN], remark[64], threads[LABEL_LEN], label[LABEL_LEN];

	node_name(drawing->view, node, name);
	node_threads(drawing->view, node, threads);
	node_remark(drawing->view, node, remark);
	group_open(canvas, "node");
	tooltip_draw(canvas, "%s (%s%s): %llu messages sent and received", name, remark, threads,
		     (unsigned long long)of->messages);
	rect_draw(canvas, "bubble", x, y, drawing->box_width, height);
	if (label_fit(name, FONT_SIZE, width, label))
		label_draw(canvas, "strong", middle, y + height / 2 - 3, ANCHOR_MIDDLE, label);
	if (label_fit(remark, FONT_SMALL, width, label))
		label_draw(canvas, "soft", middle, y + height / 2 + 12, ANCHOR_MIDDLE, label);
	markup_close(canvas->markup);
}

/* The points of a curve from left to right: between two of them it is straight, or bends. */
#define STOPS_MAX (2 * LAYOUT_COLUMNS_MAX + 2)

struct curve_way {
	double x[STOPS_MAX];
	double y[STOPS_MAX];
	int cnt;
	bool is_beside;
	bool is_to_left; /* it points to its first point */
};

static void drawing_add_stop(struct curve_way *way, double x, double y)
{
	way->x[way->cnt] = x;
	way->y[way->cnt++] = y;
}

/* Where an edge stands among those of its link: those to the right come first. */
static double place_in_link(const struct drawing *drawing, uint32_t edge, bool *is_to_left)
{
	const struct network *network = drawing->view->network;
	const struct layout_link *link = &drawing->layout.link[drawing->link_of[edge] - 1];
	uint32_t before = 0, cnt = 0;

	*is_to_left = network->edge[edge].from != layout_left(link);
	for (uint32_t i = 0; i < network->edge_cnt; i++) {
		bool other = network->edge[i].from != layout_left(link);

		if (drawing->link_of[i] != drawing->link_of[edge])
			continue;
		cnt++;
		before += other == *is_to_left ? i < edge : !other;
	}
	return (before - (cnt - 1) / 2.0) * LINE_SPACE;
}

static struct curve_way way_of(const struct drawing *drawing, uint32_t edge)
{
	const struct layout *layout = &drawing->layout;
	const struct layout_link *link = &layout->link[drawing->link_of[edge] - 1];
	uint32_t left = layout->node[layout_left(link)].column;
	uint32_t right = layout->node[layout_right(link)].column;
	struct curve_way way = {.is_beside = link->is_beside};
	double shift = drawing->top + LOOP_HEIGHT;
	double beside = link->is_beside ? drawing->box_width : 0;

	shift += place_in_link(drawing, edge, &way.is_to_left);
	drawing_add_stop(&way, column_x(drawing, left) + drawing->box_width, link->left_y + shift);
	for (uint32_t column = left + 1; column < right; column++) {
		drawing_add_stop(&way, column_x(drawing, column), link->y[column] + shift);
		drawing_add_stop(&way, column_x(drawing, column) + drawing->box_width,
				 link->y[column] + shift);
	}
	drawing_add_stop(&way, column_x(drawing, right) + beside, link->right_y + shift);
	return way;
}

static double width_of(const struct drawing *drawing, const struct network_edge *edge)
{
	double most = (double)drawing->view->network->edge[0].messages;

	if (!(most > 0))
		return WIDTH_LEAST;
	return WIDTH_LEAST + (WIDTH_MOST - WIDTH_LEAST) * sqrt((double)edge->messages / most);
}

static double arrow_length(double width)
{
	return 6 + width * 0.8;
}

/* The tip is at (x, y). */
static void arrow_draw(const struct drawing *drawing, const char *class, double x, double y,
		       bool is_to_left, double width)
{
	const struct canvas *canvas = drawing->canvas;
	double length = arrow_length(width) * (is_to_left ? 1 : -1), half = 3 + width * 0.6;

	outline_open(canvas, TEXT("arrow %s", class));
	outline_move(canvas, x, y);
	outline_line(canvas, x + length, y - half);
	outline_line(canvas, x + length, y + half);
	outline_close_shape(canvas);
	outline_end(canvas);
	markup_close(canvas->markup);
}

static void path_draw(const struct drawing *drawing, const char *class, const char *data,
		      double width)
{
	struct markup *markup = drawing->canvas->markup;

	markup_open(markup, "path");
	markup_attrf(markup, "class", "flow %s", class);
	markup_attr(markup, "d", data);
	markup_attrf(markup, "stroke-width", "%.1f", width);
	markup_close(markup);
}

/* How far the control points of a bend are from its ends. */
static double bend_of(const struct curve_way *way, int i)
{
	return way->is_beside ? 2.0 / 3 * (BESIDE_WIDTH - 8) * 2 : (way->x[i + 1] - way->x[i]) / 2;
}

static void way_draw(const struct drawing *drawing, const struct curve_way *way, const char *class,
		     double width)
{
	double tip = arrow_length(width);
	char data[1024];
	int length = 0, last = way->cnt - 1;

	for (int i = 0; i < way->cnt; i++) {
		double x = way->x[i];
		bool is_bend = i % 2;

		/* The line ends inside of its arrow. */
		if (i == last && !way->is_to_left)
			x -= way->is_beside ? -tip : tip;
		if (!i && way->is_to_left)
			x += tip;
		if (!i)
			length += snprintf(data, sizeof(data), "M%.1f %.1f", x, way->y[i]);
		else if (!is_bend)
			length += snprintf(data + length, sizeof(data) - length, "H%.1f", x);
		else
			length += snprintf(data + length, sizeof(data) - length,
					   "C%.1f %.1f %.1f %.1f %.1f %.1f",
					   way->x[i - 1] + bend_of(way, i - 1), way->y[i - 1],
					   way->x[i] -
						   bend_of(way, i - 1) * (way->is_beside ? -1 : 1),
					   way->y[i], x, way->y[i]);
	}
	path_draw(drawing, class, data, width);
	if (way->is_to_left)
		arrow_draw(drawing, class, way->x[0], way->y[0], true, width);
	else
		arrow_draw(drawing, class, way->x[last], way->y[last], way->is_beside, width);
}

/* From a node to itself: above its right corner. */
static void loop_draw(const struct drawing *drawing, const struct network_edge *edge,
		      const char *class)
{
	double x = column_x(drawing, drawing->layout.node[edge->from].column) + drawing->box_width;
	double y = node_y(drawing, edge->from);
	char data[256];

	snprintf(data, sizeof(data), "M%.1f %.1fC%.1f %.1f %.1f %.1f %.1f %.1f", x - 30, y, x - 34,
		 y - 20, x + 20, y - 20, x + 14, y + 8);
	path_draw(drawing, class, data, WIDTH_LEAST);
	arrow_draw(drawing, class, x, y + 8, true, WIDTH_LEAST);
}

struct label_box {
	double left;
	double top;
	double right;
	double bottom;
};

/* What labels must not cover: each other, and boxes. */
struct taken {
	struct label_box box[LABELS_MAX];
	uint32_t cnt;
};

static bool is_free(const struct taken *taken, const struct label_box *box)
{
	for (uint32_t i = 0; i < taken->cnt; i++) {
		const struct label_box *other = &taken->box[i];

		if (box->left < other->right && other->left < box->right &&
		    box->top < other->bottom && other->top < box->bottom)
			return false;
	}
	return true;
}

static void drawing_take(struct taken *taken, struct label_box box)
{
	if (taken->cnt < LABELS_MAX)
		taken->box[taken->cnt++] = box;
}

/* A point of a bend at the share `at` of its way; control points lie at its middle. */
static void point_of_bend(const struct curve_way *way, int i, double at, double *x, double *y)
{
	double from = 1 - at, bend = bend_of(way, i);
	double a = from * from * from, b = 3 * from * from * at, c = 3 * from * at * at,
	       d = at * at * at;
	double right = way->is_beside ? way->x[i + 1] + bend : way->x[i + 1] - bend;

	*x = a * way->x[i] + b * (way->x[i] + bend) + c * right + d * way->x[i + 1];
	*y = (a + b) * way->y[i] + (c + d) * way->y[i + 1];
}

static bool place_label(const struct curve_way *way, struct taken *taken, double width, double *x,
			double *y)
{
	static const double shares[] = {0.5, 0.38, 0.62, 0.28, 0.72, 0.2, 0.8};

	for (int i = 0; i + 1 < way->cnt; i += 2) {
		for (size_t k = 0; k < sizeof(shares) / sizeof(shares[0]); k++) {
			struct label_box box;

			point_of_bend(way, i, shares[k], x, y);
			box = (struct label_box){*x - width / 2, *y - LABEL_HEIGHT / 2.0,
						 *x + width / 2, *y + LABEL_HEIGHT / 2.0};
			if (!is_free(taken, &box))
				continue;
			drawing_take(taken, box);
			return true;
		}
	}
	return false;
}

/* The number with the latency if there is room, else the number alone, else nothing. */
static void label_of_edge(const struct drawing *drawing, uint32_t edge, const struct curve_way *way,
			  struct taken *taken)
{
	const struct stat *latency = &drawing->view->network->edge[edge].latency;
	double gap = way->is_beside ? BESIDE_WIDTH : way->x[1] - way->x[0];
	const char *number = TEXT("%u", edge + 1);
	const char *words = TEXT("%s: %s", number, NS_TEXT((double)stat_percentile(latency, 99)));
	double x, y, width;

	width = label_width(words, FONT_SMALL) + 6;
	if (!latency->count || width > LABEL_SHARE * gap ||
	    !place_label(way, taken, width, &x, &y)) {
		words = number;
		width = label_width(words, FONT_SMALL) + 6;
		if (!place_label(way, taken, width, &x, &y))
			return;
	}
	width = label_width(words, FONT_SMALL) + 4;
	rect_draw(drawing->canvas, "paper", x - width / 2, y - 7, width, LABEL_HEIGHT);
	label_draw(drawing->canvas, "small", x, y + 4, ANCHOR_MIDDLE, words);
}

/* Left of the loop. */
static void label_of_loop(const struct drawing *drawing, uint32_t edge)
{
	uint32_t node = drawing->view->network->edge[edge].from;
	double x = column_x(drawing, drawing->layout.node[node].column) + drawing->box_width;

	label_draw(drawing->canvas, "small", x - 38, node_y(drawing, node) - 4, ANCHOR_END,
		   TEXT("%u", edge + 1));
}

static void take_nodes(const struct drawing *drawing, struct taken *taken)
{
	for (uint32_t i = 0; i < drawing->layout.node_cnt; i++) {
		double x = column_x(drawing, drawing->layout.node[i].column);
		double y = node_y(drawing, i);

		drawing_take(taken, (struct label_box){x, y, x + drawing->box_width,
						       y + drawing->layout.node[i].height});
	}
}

static void edge_draw(const struct drawing *drawing, uint32_t i)
{
	const struct canvas *canvas = drawing->canvas;
	const struct network_edge *edge = &drawing->view->network->edge[i];
	const char *class = level_class(drawing->view, edge);

	group_open(canvas, NULL);
	data_count(canvas, "edge", i + 1);
	edge_tooltip(canvas, drawing->view, edge);
	if (drawing->link_of[i]) {
		struct curve_way way = way_of(drawing, i);

		way_draw(drawing, &way, class, width_of(drawing, edge));
	} else {
		loop_draw(drawing, edge, class);
	}
	markup_close(canvas->markup);
}

double drawing_put(const struct drawing *drawing)
{
	struct taken taken = {0};

	for (uint32_t i = drawing->view->network->edge_cnt; i-- > 0;)
		edge_draw(drawing, i);
	for (uint32_t i = 0; i < drawing->view->network->node_cnt; i++)
		node_draw(drawing, i);
	take_nodes(drawing, &taken);
	for (uint32_t i = 0; i < drawing->view->network->edge_cnt; i++) {
		struct curve_way way;

		if (!drawing->link_of[i]) {
			label_of_loop(drawing, i);
			continue;
		}
		way = way_of(drawing, i);
		label_of_edge(drawing, i, &way, &taken);
	}
	return drawing->top + LOOP_HEIGHT + drawing->layout.height + 2;
}

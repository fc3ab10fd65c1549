/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Finds the layout of a graph: columns by the longest way from the left, an order in each column
 * with few crossings (barycentres), and then the height of each place, as near to its neighbours as
 * the places above and below it allow.
 */
#include "report/figure/graph/columns.h"

#include <math.h>
#include <string.h>

#define SWEEPS    12
#define ALIGNINGS 8

/* Nodes, and one place for each column that a link passes. */
#define PLACES_MAX (LAYOUT_NODES_MAX + LAYOUT_LINKS_MAX * LAYOUT_COLUMNS_MAX)
#define ARCS_MAX   (LAYOUT_LINKS_MAX * LAYOUT_COLUMNS_MAX)

struct place {
	uint32_t column;
	double height;
	double gap;    /* to the next one */
	double middle; /* y */
	double wanted; /* where neighbours would have it */
};

/* Between two neighbouring columns. */
struct arc {
	uint32_t left; /* places */
	uint32_t right;
};

struct plan {
	struct place place[PLACES_MAX];
	uint32_t place_cnt;
	struct arc arc[ARCS_MAX];
	uint32_t arc_cnt;
	uint32_t passing[LAYOUT_LINKS_MAX]; /* the first place of the columns it passes */
	uint32_t column[LAYOUT_COLUMNS_MAX][PLACES_MAX]; /* places from the top */
	uint32_t in_column[LAYOUT_COLUMNS_MAX];
};

/* Whether `to` can be reached over the links before `end`. */
static bool is_reached(const struct layout *layout, uint32_t from, uint32_t to, uint32_t end)
{
	bool reached[LAYOUT_NODES_MAX] = {false}, is_new = true;

	reached[from] = true;
	while (is_new && !reached[to]) {
		is_new = false;
		for (uint32_t i = 0; i < end; i++) {
			const struct layout_link *link = &layout->link[i];

			if (!reached[layout_left(link)] || reached[layout_right(link)])
				continue;
			is_new = reached[layout_right(link)] = true;
		}
	}
	return reached[to];
}

/* Links that would close a circle point to the left. */
static void break_circles(struct layout *layout)
{
	for (uint32_t i = 0; i < layout->link_cnt; i++) {
		struct layout_link *link = &layout->link[i];

		link->is_reversed = is_reached(layout, link->to, link->from, i);
	}
}

static void find_columns(struct layout *layout)
{
	bool has_moved = true;

	while (has_moved) {
		has_moved = false;
		for (uint32_t i = 0; i < layout->link_cnt; i++) {
			const struct layout_node *left =
				&layout->node[layout_left(&layout->link[i])];
			struct layout_node *right = &layout->node[layout_right(&layout->link[i])];

			if (right->column > left->column)
				continue;
			right->column = left->column + 1;
			has_moved = true;
		}
	}
}

/* A node without a link on its left stands beside what it has on its right. */
static void move_to_the_right(struct layout *layout)
{
	for (uint32_t i = 0; i < layout->node_cnt; i++) {
		uint32_t nearest = UINT32_MAX;
		bool has_left = false;

		for (uint32_t k = 0; k < layout->link_cnt; k++) {
			const struct layout_link *link = &layout->link[k];
			uint32_t column = layout->node[layout_right(link)].column;

			has_left |= layout_right(link) == i;
			if (layout_left(link) == i && column < nearest)
				nearest = column;
		}
		if (!has_left && nearest != UINT32_MAX)
			layout->node[i].column = nearest - 1;
	}
}

/* Long ways are pressed into as many columns as there are. */
static void limit_columns(struct layout *layout)
{
	uint32_t last = 0;

	for (uint32_t i = 0; i < layout->node_cnt; i++)
		last = layout->node[i].column > last ? layout->node[i].column : last;
	layout->columns = last + 1;
	if (layout->columns <= layout->columns_max)
		return;
	for (uint32_t i = 0; i < layout->node_cnt; i++)
		layout->node[i].column =
			layout->node[i].column * layout->columns_max / layout->columns;
	layout->columns = layout->columns_max;
}

static uint32_t add_place(struct plan *plan, uint32_t column, double height, double gap)
{
	uint32_t i = plan->place_cnt++;

	plan->place[i] = (struct place){.column = column, .height = height, .gap = gap};
	plan->column[column][plan->in_column[column]++] = i;
	return i;
}

static void add_arc(struct plan *plan, uint32_t left, uint32_t right)
{
	plan->arc[plan->arc_cnt++] = (struct arc){left, right};
}

static void plan_link(const struct layout *layout, uint32_t i, struct plan *plan)
{
	const struct layout_link *link = &layout->link[i];
	uint32_t place = layout_left(link), right = layout_right(link), next;
	uint32_t end = layout->node[right].column;

	plan->passing[i] = plan->place_cnt;
	if (layout->node[place].column == end)
		return;
	for (uint32_t column = layout->node[place].column + 1; column < end; column++) {
		next = add_place(plan, column, link->height, layout->gap / 2);
		add_arc(plan, place, next);
		place = next;
	}
	add_arc(plan, place, right);
}

/* Places of nodes have the numbers of the nodes. */
static void make_plan(const struct layout *layout, struct plan *plan)
{
	for (uint32_t i = 0; i < layout->node_cnt; i++)
		add_place(plan, layout->node[i].column, layout->node[i].height, layout->gap);
	for (uint32_t i = 0; i < layout->link_cnt; i++)
		plan_link(layout, i, plan);
}

/* Where a place stands in its column. */
static void columns_find_ranks(const struct layout *layout, const struct plan *plan,
			       uint32_t rank[PLACES_MAX])
{
	for (uint32_t column = 0; column < layout->columns; column++) {
		for (uint32_t i = 0; i < plan->in_column[column]; i++)
			rank[plan->column[column][i]] = i;
	}
}

static uint64_t crossings(const struct layout *layout, const struct plan *plan)
{
	uint32_t rank[PLACES_MAX];
	uint64_t cnt = 0;

	columns_find_ranks(layout, plan, rank);
	for (uint32_t i = 0; i < plan->arc_cnt; i++) {
		for (uint32_t k = 0; k < i; k++) {
			const struct arc *a = &plan->arc[i], *b = &plan->arc[k];

			if (plan->place[a->left].column != plan->place[b->left].column)
				continue;
			cnt += (rank[a->left] < rank[b->left] && rank[a->right] > rank[b->right]) ||
			       (rank[a->left] > rank[b->left] && rank[a->right] < rank[b->right]);
		}
	}
	return cnt;
}

/* The mean of `value` over neighbours on one side, or both; its own without any. */
static double mean_of_neighbours(const struct plan *plan, uint32_t place, bool on_left,
				 bool on_right, const double value[PLACES_MAX])
{
	double sum = 0;
	uint32_t cnt = 0;

	for (uint32_t i = 0; i < plan->arc_cnt; i++) {
		if (on_left && plan->arc[i].right == place) {
			sum += value[plan->arc[i].left];
			cnt++;
		}
		if (on_right && plan->arc[i].left == place) {
			sum += value[plan->arc[i].right];
			cnt++;
		}
	}
	return cnt ? sum / cnt : value[place];
}

/* Sorts a column by `key`; those with equal keys keep their order. */
static void sort_column(struct plan *plan, uint32_t column, const double key[PLACES_MAX])
{
	uint32_t *place = plan->column[column];

	for (uint32_t i = 1; i < plan->in_column[column]; i++) {
		uint32_t moved = place[i], to = i;

		for (; to && key[place[to - 1]] > key[moved]; to--)
			place[to] = place[to - 1];
		place[to] = moved;
	}
}

static void columns_sweep(const struct layout *layout, struct plan *plan, bool to_right)
{
	for (uint32_t n = 0; n < layout->columns; n++) {
		uint32_t column = to_right ? n : layout->columns - 1 - n;
		double key[PLACES_MAX], rank[PLACES_MAX];
		uint32_t number[PLACES_MAX];

		columns_find_ranks(layout, plan, number);
		for (uint32_t i = 0; i < plan->place_cnt; i++)
			rank[i] = number[i];
		for (uint32_t i = 0; i < plan->in_column[column]; i++) {
			uint32_t place = plan->column[column][i];

			key[place] = mean_of_neighbours(plan, place, to_right, !to_right, rank);
		}
		sort_column(plan, column, key);
	}
}

/* The sweeps find several orders. The one with fewest crossings is taken. */
static void find_order(const struct layout *layout, struct plan *plan)
{
	uint32_t best[LAYOUT_COLUMNS_MAX][PLACES_MAX];
	uint64_t least = crossings(layout, plan);

	memcpy(best, plan->column, sizeof(best));
	for (int i = 0; i < SWEEPS && least; i++) {
		uint64_t cnt;

		columns_sweep(layout, plan, i % 2 == 0);
		cnt = crossings(layout, plan);
		if (cnt >= least)
			continue;
		least = cnt;
		memcpy(best, plan->column, sizeof(best));
	}
	memcpy(plan->column, best, sizeof(best));
}

/* The least distance of the middles of two places of one column. */
static double distance(const struct place *above, const struct place *below)
{
	return (above->height + below->height) / 2 + fmax(above->gap, below->gap);
}

/* A run of places of one column that touch, and move as one. */
struct block {
	uint32_t first; /* in the column */
	uint32_t cnt;
	double sum;   /* of wanted tops of the first place */
	double begin; /* middle of the first place */
};

/*
 * Moves the places of a column to where they want to be, in their order and without overlap, so
 * that the sum of squares of what they miss is least.
 */
static void align_column(struct plan *plan, uint32_t column)
{
	struct block block[PLACES_MAX];
	double offset[PLACES_MAX]; /* of each place from the first one, if all touch */
	const uint32_t *order = plan->column[column];
	uint32_t cnt = 0;

	for (uint32_t i = 0; i < plan->in_column[column]; i++) {
		struct place *place = &plan->place[order[i]];

		offset[i] = i ? offset[i - 1] + distance(&plan->place[order[i - 1]], place) : 0;
		block[cnt] =
			(struct block){i, 1, place->wanted - offset[i], place->wanted - offset[i]};
		cnt++;
		while (cnt > 1 && block[cnt - 2].begin > block[cnt - 1].begin) {
			block[cnt - 2].cnt += block[cnt - 1].cnt;
			block[cnt - 2].sum += block[cnt - 1].sum;
			block[cnt - 2].begin = block[cnt - 2].sum / block[cnt - 2].cnt;
			cnt--;
		}
	}
	for (uint32_t b = 0; b < cnt; b++) {
		for (uint32_t i = 0; i < block[b].cnt; i++)
			plan->place[order[block[b].first + i]].middle =
				block[b].begin + offset[block[b].first + i];
	}
}

static void stack_columns(const struct layout *layout, struct plan *plan)
{
	for (uint32_t column = 0; column < layout->columns; column++) {
		for (uint32_t i = 0; i < plan->in_column[column]; i++)
			plan->place[plan->column[column][i]].wanted = 0;
		align_column(plan, column);
	}
}

static void align(const struct layout *layout, struct plan *plan)
{
	double middle[PLACES_MAX];

	for (int n = 0; n < ALIGNINGS; n++) {
		for (uint32_t k = 0; k < layout->columns; k++) {
			uint32_t column = n % 2 ? layout->columns - 1 - k : k;

			for (uint32_t i = 0; i < plan->place_cnt; i++)
				middle[i] = plan->place[i].middle;
			for (uint32_t i = 0; i < plan->in_column[column]; i++) {
				uint32_t place = plan->column[column][i];

				plan->place[place].wanted =
					mean_of_neighbours(plan, place, true, true, middle);
			}
			align_column(plan, column);
		}
	}
}

/* The uppermost place gets y = 0. */
static void shift(struct layout *layout, struct plan *plan)
{
	double top = INFINITY, bottom = -INFINITY;

	for (uint32_t i = 0; i < plan->place_cnt; i++) {
		top = fmin(top, plan->place[i].middle - plan->place[i].height / 2);
		bottom = fmax(bottom, plan->place[i].middle + plan->place[i].height / 2);
	}
	for (uint32_t i = 0; i < plan->place_cnt; i++)
		plan->place[i].middle -= top;
	layout->height = plan->place_cnt ? bottom - top : 0;
}

static void take_over(struct layout *layout, const struct plan *plan)
{
	for (uint32_t i = 0; i < layout->node_cnt; i++)
		layout->node[i].y = plan->place[i].middle - layout->node[i].height / 2;
	for (uint32_t i = 0; i < layout->link_cnt; i++) {
		struct layout_link *link = &layout->link[i];
		struct layout_node *left = &layout->node[layout_left(link)];
		struct layout_node *right = &layout->node[layout_right(link)];

		link->is_beside = left->column == right->column;
		if (link->is_beside && left->y > right->y)
			link->is_reversed = !link->is_reversed;
		for (uint32_t column = left->column + 1; column < right->column; column++)
			link->y[column] =
				plan->place[plan->passing[i] + column - left->column - 1].middle;
	}
}

/* An end of a link at a side of a node. */
struct port {
	uint32_t link;
	bool is_left;   /* it is the left end of the link: at the right side of the node */
	double towards; /* y of where the link goes to */
};

static double towards(const struct layout *layout, const struct layout_link *link, bool is_left)
{
	const struct layout_node *left = &layout->node[layout_left(link)];
	const struct layout_node *right = &layout->node[layout_right(link)];

	if (left->column + 1 < right->column)
		return link->y[is_left ? left->column + 1 : right->column - 1];
	return is_left ? right->y + right->height / 2 : left->y + left->height / 2;
}

static void columns_add_port(struct port *port, uint32_t *cnt, struct port more)
{
	uint32_t to = *cnt;

	for (; to && port[to - 1].towards > more.towards; to--)
		port[to] = port[to - 1];
	port[to] = more;
	(*cnt)++;
}

/* The ports of one side stand above one another, around the middle of the node. */
static void set_ports(struct layout *layout, const struct layout_node *node,
		      const struct port *port, uint32_t cnt)
{
	double sum = 0, y;

	for (uint32_t i = 0; i < cnt; i++)
		sum += layout->link[port[i].link].height;
	y = node->y + (node->height - sum) / 2;
	for (uint32_t i = 0; i < cnt; i++) {
		struct layout_link *link = &layout->link[port[i].link];

		*(port[i].is_left ? &link->left_y : &link->right_y) = y + link->height / 2;
		y += link->height;
	}
}

static void find_ports(struct layout *layout, uint32_t node)
{
	struct port right[2 * LAYOUT_LINKS_MAX], left[LAYOUT_LINKS_MAX];
	uint32_t right_cnt = 0, left_cnt = 0;

	for (uint32_t i = 0; i < layout->link_cnt; i++) {
		const struct layout_link *link = &layout->link[i];

		if (layout_left(link) == node)
			columns_add_port(right, &right_cnt,
					 (struct port){i, true, towards(layout, link, true)});
		if (layout_right(link) != node)
			continue;
		if (link->is_beside)
			columns_add_port(right, &right_cnt,
					 (struct port){i, false, towards(layout, link, false)});
		else
			columns_add_port(left, &left_cnt,
					 (struct port){i, false, towards(layout, link, false)});
	}
	set_ports(layout, &layout->node[node], right, right_cnt);
	set_ports(layout, &layout->node[node], left, left_cnt);
}

void layout_find(struct layout *layout)
{
	struct plan plan = {0};

	for (uint32_t i = 0; i < layout->node_cnt; i++)
		layout->node[i].column = 0;
	for (uint32_t i = 0; i < layout->link_cnt; i++)
		layout->link[i].is_reversed = layout->link[i].is_beside = false;
	break_circles(layout);
	find_columns(layout);
	move_to_the_right(layout);
	limit_columns(layout);
	make_plan(layout, &plan);
	find_order(layout, &plan);
	stack_columns(layout, &plan);
	align(layout, &plan);
	shift(layout, &plan);
	take_over(layout, &plan);
	for (uint32_t i = 0; i < layout->node_cnt; i++)
		find_ports(layout, i);
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* The layout of a graph: columns, an order with few crossings, and no place on top of another. */
#include "support/build.h"

#include "report/figure/graph/columns.h"

static struct layout *graph_of(uint32_t nodes, uint32_t links, const uint32_t (*link)[2])
{
	static struct layout layout;

	layout = (struct layout){.columns_max = 5, .gap = 20, .node_cnt = nodes, .link_cnt = links};
	for (uint32_t i = 0; i < nodes; i++)
		layout.node[i].height = 40;
	for (uint32_t i = 0; i < links; i++)
		layout.link[i] =
			(struct layout_link){.from = link[i][0], .to = link[i][1], .height = 12};
	layout_find(&layout);
	return &layout;
}

#define GRAPH(nodes, ...)                                                                          \
	graph_of(nodes, ARRAY_SIZE(((const uint32_t[][2]){__VA_ARGS__})),                          \
		 (const uint32_t[][2]){__VA_ARGS__})

static double bottom(const struct layout_node *node)
{
	return node->y + node->height;
}

/* No two nodes of a column touch, and no link passes a node. */
static void assert_apart(const struct layout *layout)
{
	for (uint32_t i = 0; i < layout->node_cnt; i++) {
		const struct layout_node *node = &layout->node[i];

		assert_true(node->column < layout->columns);
		assert_true(node->y >= -0.001 && bottom(node) <= layout->height + 0.001);
		for (uint32_t k = 0; k < i; k++) {
			const struct layout_node *other = &layout->node[k];

			if (node->column == other->column)
				assert_true(bottom(node) <= other->y - layout->gap + 0.001 ||
					    bottom(other) <= node->y - layout->gap + 0.001);
		}
		for (uint32_t k = 0; k < layout->link_cnt; k++) {
			const struct layout_link *link = &layout->link[k];
			double y = link->y[node->column], half = link->height / 2;

			if (layout->node[layout_left(link)].column < node->column &&
			    layout->node[layout_right(link)].column > node->column)
				assert_true(y + half <= node->y || y - half >= bottom(node));
		}
	}
}

/* Links that are not beside a column point to the right. */
static void assert_to_the_right(const struct layout *layout)
{
	for (uint32_t i = 0; i < layout->link_cnt; i++) {
		const struct layout_link *link = &layout->link[i];
		uint32_t left = layout->node[layout_left(link)].column;
		uint32_t right = layout->node[layout_right(link)].column;

		assert_true(link->is_beside ? left == right : left < right);
	}
}

TEST(a_chain_has_a_column_for_each_node)
{
	const struct layout *layout = GRAPH(3, {1, 0}, {0, 2});

	assert_int_equal(layout->columns, 3);
	assert_int_equal(layout->node[1].column, 0);
	assert_int_equal(layout->node[0].column, 1);
	assert_int_equal(layout->node[2].column, 2);
	assert_true(layout->node[0].y == layout->node[2].y);
	assert_true(layout->height == 40);
}

TEST(clients_stand_left_of_their_server)
{
	const struct layout *layout = GRAPH(4, {0, 3}, {1, 3}, {2, 3});

	assert_int_equal(layout->columns, 2);
	for (uint32_t i = 0; i < 3; i++)
		assert_int_equal(layout->node[i].column, 0);
	assert_int_equal(layout->node[3].column, 1);
	/* In the middle of its clients. */
	assert_true(layout->node[3].y == layout->node[1].y);
	assert_apart(layout);
}

/* A late caller stands beside what it calls, not at the left edge. */
TEST(a_caller_stands_beside_what_it_calls)
{
	const struct layout *layout = GRAPH(4, {0, 1}, {1, 2}, {3, 2});

	assert_int_equal(layout->node[3].column, 1);
}

TEST(a_circle_is_broken_at_its_least_important_link)
{
	const struct layout *layout = GRAPH(3, {0, 1}, {1, 2}, {2, 0});

	assert_false(layout->link[0].is_reversed);
	assert_false(layout->link[1].is_reversed);
	assert_true(layout->link[2].is_reversed);
	assert_to_the_right(layout);
	assert_apart(layout);
}

static void assert_uncrossed(const struct layout *layout)
{
	bool is_down = layout->node[0].y < layout->node[1].y;

	assert_true(is_down == (layout->node[5].y < layout->node[4].y));
	assert_true((layout->node[1].y < layout->node[2].y) ==
		    (layout->node[4].y < layout->node[3].y));
}

TEST(crossings_are_undone)
{
	assert_uncrossed(GRAPH(6, {0, 5}, {1, 4}, {2, 3}));
	assert_uncrossed(GRAPH(6, {2, 3}, {1, 4}, {0, 5}));
}

/* Ports stand in the order of where their links go, within the node. */
TEST(ports_do_not_cross)
{
	const struct layout *layout = GRAPH(4, {0, 3}, {1, 3}, {2, 3});

	for (uint32_t i = 0; i < 3; i++) {
		double y = layout->link[i].right_y;

		assert_true(y - 6 >= layout->node[3].y - 0.001);
		assert_true(y + 6 <= bottom(&layout->node[3]) + 0.001);
		for (uint32_t k = 0; k < i; k++)
			assert_true((layout->node[i].y < layout->node[k].y) ==
				    (y < layout->link[k].right_y));
	}
}

TEST(long_ways_are_pressed_into_the_columns)
{
	const struct layout *layout =
		GRAPH(8, {0, 1}, {1, 2}, {2, 3}, {3, 4}, {4, 5}, {5, 6}, {6, 7});
	uint32_t beside = 0;

	assert_int_equal(layout->columns, 5);
	for (uint32_t i = 0; i < layout->link_cnt; i++)
		beside += layout->link[i].is_beside;
	assert_int_equal(beside, 3);
	assert_to_the_right(layout);
	assert_apart(layout);
}

TEST(nothing_has_no_height)
{
	static struct layout layout = {.columns_max = 5};

	layout_find(&layout);
	assert_true(layout.height == 0);
	assert_int_equal(layout.columns, 1);
}

static bool has_link(const struct layout *layout, uint32_t a, uint32_t b)
{
	for (uint32_t i = 0; i < layout->link_cnt; i++) {
		const struct layout_link *link = &layout->link[i];

		if ((link->from == a && link->to == b) || (link->from == b && link->to == a))
			return true;
	}
	return false;
}

static void random_graph(struct layout *layout, uint64_t *seed)
{
	*layout = (struct layout){.columns_max = 2 + random_below(seed, 6), .gap = 20};
	layout->node_cnt = 2 + random_below(seed, LAYOUT_NODES_MAX - 1);
	for (uint32_t i = 0; i < layout->node_cnt; i++)
		layout->node[i].height = 40 + random_below(seed, 60);
	for (uint32_t i = random_below(seed, LAYOUT_LINKS_MAX + 1); i > 0; i--) {
		uint32_t from = random_below(seed, layout->node_cnt);
		uint32_t to = random_below(seed, layout->node_cnt);

		if (from == to || has_link(layout, from, to))
			continue;
		layout->link[layout->link_cnt++] = (struct layout_link){
			.from = from, .to = to, .height = 12 * (1 + random_below(seed, 3))};
	}
}

TEST(random_graphs_have_room_for_all)
{
	static struct layout layout, again;
	uint64_t seed = 20;

	for (int i = 0; i < 60; i++) {
		random_graph(&layout, &seed);
		again = layout;
		layout_find(&layout);
		layout_find(&again);
		assert_memory_equal(&layout, &again, sizeof(layout));
		assert_apart(&layout);
		assert_to_the_right(&layout);
	}
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* Sorts the nodes of causes by what they contribute, and lists them depth first. */
#include "explain/rows.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

struct sorted {
	uint32_t node;
	uint32_t parent;
	double difference_ns;
};

struct lister {
	const struct causes_tree *tree;
	const struct culprits *culprits;
	const struct node *node;
	struct sorted *sorted; /* by parent; the largest first within one */
	uint32_t cnt;
	struct explain_row *row;
	uint32_t *node_of_row;
	uint32_t row_cnt;
};

static int by_parent_and_size(const void *a, const void *b)
{
	const struct sorted *x = a, *y = b;
	double x_ns = fabs(x->difference_ns), y_ns = fabs(y->difference_ns);

	if (x->parent != y->parent)
		return x->parent < y->parent ? -1 : 1;
	if (x_ns != y_ns)
		return x_ns > y_ns ? -1 : 1;
	return (x->node > y->node) - (x->node < y->node);
}

static double rows_difference_of(const struct lister *lister, const struct node *node)
{
	return causes_tree__mean_ns(lister->tree, node, SIDE_SLOW) -
	       causes_tree__mean_ns(lister->tree, node, SIDE_BASE);
}

static void rows_sort(struct lister *lister, uint32_t nodes)
{
	for (uint32_t i = 0; i < nodes; i++) {
		const struct node *node = &lister->node[i];

		if (node->sum_ns[SIDE_SLOW] || node->sum_ns[SIDE_BASE])
			lister->sorted[lister->cnt++] = (struct sorted){
				i, node->id.parent, rows_difference_of(lister, node)};
	}
	qsort(lister->sorted, lister->cnt, sizeof(*lister->sorted), by_parent_and_size);
}

static void list_row(struct lister *lister, uint32_t index)
{
	const struct node *node = &lister->node[index];
	bool is_component = node->id.parent == NODE_NONE;

	lister->node_of_row[lister->row_cnt] = index;
	lister->row[lister->row_cnt++] = (struct explain_row){
		.is_component = is_component,
		.depth = node->id.depth,
		.part = node->id.part,
		.cost = node->id.cost,
		.role = node->id.role,
		.from_interrupt = node->id.from_interrupt,
		.call = node->id.call,
		.is_rest = node->id.culprit == CULPRIT_REST,
		.folded = node->threads,
		.by = node_blame(node, lister->culprits),
		.slow_ns = causes_tree__mean_ns(lister->tree, node, SIDE_SLOW),
		.base_ns = causes_tree__mean_ns(lister->tree, node, SIDE_BASE),
		.slow_units = node->units[SIDE_SLOW],
		.base_units = node->units[SIDE_BASE],
		.slow_episodes = node->episodes.cnt,
		.largest_ns = node->largest_ns,
	};
}

/* Where the children of a node begin among the sorted ones. */
static uint32_t first_child(const struct lister *lister, uint32_t parent)
{
	uint32_t low = 0, high = lister->cnt;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (lister->sorted[middle].parent < parent)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* Recursion is as deep as causes are, see CAUSE_DEPTH_MAX. */
static void list_children(struct lister *lister, uint32_t parent)
{
	for (uint32_t i = first_child(lister, parent);
	     i < lister->cnt && lister->sorted[i].parent == parent; i++) {
		list_row(lister, lister->sorted[i].node);
		list_children(lister, lister->sorted[i].node);
	}
}

static double rows_own_ns(const struct lister *lister)
{
	double own = 0;

	for (uint32_t i = 0; i < lister->cnt; i++) {
		const struct node *node = &lister->node[lister->sorted[i].node];
		const struct culprit_id *id = culprits__id(lister->culprits, node->id.culprit);

		if (node_is_culprit(node) && id->class == BLAME_IPCTRACE)
			own += lister->sorted[i].difference_ns;
	}
	return own;
}

int rows_fill(const struct causes_tree *tree, const struct culprits *culprits,
	      struct explanation *explanation, uint32_t **node_of_row)
{
	struct lister lister = {
		.tree = tree, .culprits = culprits, .node = causes_tree_nodes(tree)};
	uint32_t nodes = tree->nodes.cnt;

	lister.sorted = calloc(nodes, sizeof(*lister.sorted));
	lister.row = calloc(nodes, sizeof(*lister.row));
	lister.node_of_row = calloc(nodes, sizeof(*lister.node_of_row));
	*node_of_row = lister.node_of_row;
	explanation->row = lister.row;
	if (!lister.sorted || !lister.row || !lister.node_of_row) {
		free(lister.sorted);
		return -ENOMEM;
	}
	rows_sort(&lister, nodes);
	list_children(&lister, NODE_NONE);
	explanation->row_cnt = lister.row_cnt;
	explanation->own_ns = rows_own_ns(&lister);
	if (explanation->difference_ns > 0)
		explanation->own_share = explanation->own_ns / explanation->difference_ns;
	free(lister.sorted);
	return 0;
}

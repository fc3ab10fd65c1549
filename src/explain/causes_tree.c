/* SPDX-License-Identifier: BSD-2-Clause */
/* Keeps the nodes of causes in a hash table, adds units to them, and lists them as rows. */
#include "explain/causes_tree.h"

#include "model/blocked_calls.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Further pairs of node and thread are not counted. */
#define THREADS_MAX 65536

/* Further functions are not known. */
#define FUNCTIONS_MAX 4096

struct node_thread {
	uint32_t node;
	uint32_t tid;
};

struct causes_tree *causes_tree__new(void)
{
	struct causes_tree *tree = calloc(1, sizeof(*tree));
	int64_t last = tree ? 0 : -ENOMEM;

	if (tree)
		tree->nodes = (struct index_table){.entry_size = sizeof(struct node),
						   .key_size = sizeof(struct node_id)};
	for (uint32_t i = 0; last >= 0 && i < COMPONENT_NODES; i++) {
		struct node_id id = {
			.parent = NODE_NONE, .part = i / NR_COSTS, .cost = i % NR_COSTS};

		last = index_table_place(&tree->nodes, &id, NODES_MAX);
	}
	if (last >= 0) {
		tree->threads = (struct index_table){.entry_size = sizeof(struct node_thread),
						     .key_size = sizeof(struct node_thread)};
		tree->functions = (struct index_table){.entry_size = LOCK_FUNCTION_LEN,
						       .key_size = LOCK_FUNCTION_LEN};
		return tree;
	}
	causes_tree__free(tree);
	return NULL;
}

void causes_tree__free(struct causes_tree *tree)
{
	if (!tree)
		return;
	index_table_clean(&tree->nodes);
	index_table_clean(&tree->threads);
	index_table_clean(&tree->functions);
	free(tree);
}

static uint32_t causes_tree_component_of(uint32_t part, uint32_t cost)
{
	return part * NR_COSTS + cost;
}

/* The node of all culprits of a component for which there is no room. */
static struct node_id rest_of(struct node_id id)
{
	return (struct node_id){.parent = causes_tree_component_of(id.part, id.cost),
				.culprit = CULPRIT_REST,
				.part = id.part,
				.cost = id.cost,
				.role = CAUSE_RAN,
				.call = CALL_OTHERS};
}

/* The node of a cause. NODE_NONE: it follows one, and there is no room. -ENOMEM. */
static int64_t causes_tree_node_of(struct causes_tree *tree, struct node_id id)
{
	struct node_id rest = rest_of(id);
	int64_t found = NODE_NONE;

	if (id.culprit != CULPRIT_REST)
		found = index_table_place(&tree->nodes, &id, NODES_MAX);
	if (found != NODE_NONE || id.depth)
		return found;
	return index_table_place(&tree->nodes, &rest, UINT32_MAX);
}

/* Counts the threads of a node. If there is no room, the count is too low. */
static int causes_tree_count_thread(struct causes_tree *tree, uint32_t index, uint32_t tid)
{
	struct node *node = &causes_tree_nodes(tree)[index];
	struct node_thread key = {index, tid};
	uint32_t before = tree->threads.cnt;

	if (node->threads && node->last_tid == tid)
		return 0;
	node->last_tid = tid;
	if (!node->threads)
		node->tid = tid;
	if (index_table_place(&tree->threads, &key, THREADS_MAX) < 0)
		return -ENOMEM;
	node->threads += tree->threads.cnt - before;
	return 0;
}

static void causes_tree_add_time(struct causes_tree *tree, uint32_t index, uint64_t ns,
				 uint32_t cpu)
{
	struct node *node = &causes_tree_nodes(tree)[index];

	if (!node->unit_ns) {
		tree->time[tree->time_cnt++].node = index;
		node->unit_cpu = cpu;
	} else if (node->unit_cpu != cpu) {
		node->unit_cpu = BLAME_CPU_SEVERAL;
	}
	node->unit_ns += ns;
}

/* Keeps the most frequent CPUs (Misra and Gries 1982, with weights). */
static void count_cpu(struct node *node, uint32_t cpu, uint64_t ns)
{
	unsigned int least = 0;

	for (unsigned int i = 0; i < NODE_CPUS; i++) {
		if (node->cpu_ns[i] && node->cpu[i] == cpu) {
			node->cpu_ns[i] += ns;
			return;
		}
		if (node->cpu_ns[i] < node->cpu_ns[least])
			least = i;
	}
	if (node->cpu_ns[least] >= ns) {
		for (unsigned int i = 0; i < NODE_CPUS; i++)
			node->cpu_ns[i] -= ns;
		return;
	}
	ns -= node->cpu_ns[least];
	for (unsigned int i = 0; i < NODE_CPUS; i++)
		node->cpu_ns[i] -= i == least ? 0 : node->cpu_ns[least];
	node->cpu[least] = cpu;
	node->cpu_ns[least] = ns;
}

static uint32_t causes_tree_cpu_of(const struct node *node)
{
	uint64_t all = node->sum_ns[SIDE_SLOW];

	for (unsigned int i = 0; all && i < NODE_CPUS; i++) {
		if (node->cpu_ns[i] >= all - all / 10)
			return node->cpu[i];
	}
	return all ? BLAME_CPU_SEVERAL : BLAME_CPU_UNKNOWN;
}

struct blame node_blame(const struct node *node, const struct culprits *culprits)
{
	struct blame blame = culprits__blame(culprits, node->id.culprit);

	if (culprits__id(culprits, node->id.culprit)->is_folded && node->threads == 1)
		blame.tid = node->tid;
	blame.cpu = causes_tree_cpu_of(node);
	return blame;
}

/* Moves what the unit has spent from the nodes' scratch into their sums. */
static void causes_tree_settle(struct causes_tree *tree, enum explain_side side)
{
	for (uint32_t i = 0; i < tree->time_cnt; i++) {
		struct node *node = &causes_tree_nodes(tree)[tree->time[i].node];

		tree->time[i].ns = node->unit_ns;
		tree->time[i].cpu = node->unit_cpu;
		node->sum_ns[side] += node->unit_ns;
		node->units[side]++;
		if (side == SIDE_SLOW) {
			if (node->unit_ns > node->largest_ns)
				node->largest_ns = node->unit_ns;
			count_cpu(node, node->unit_cpu, node->unit_ns);
		}
		node->unit_ns = 0;
	}
}

/* That of all its causes, or several. */
static void causes_tree_add_spare(struct node *node, uint32_t cpu)
{
	if (!node->has_spare)
		node->spare_cpu = cpu;
	else if (node->spare_cpu != cpu)
		node->spare_cpu = BLAME_CPU_SEVERAL;
	node->has_spare = true;
}

static void causes_tree_add_asked(struct node *node, uint64_t asked_ns)
{
	if (!asked_ns)
		return;
	if (!node->asked_least_ns || asked_ns < node->asked_least_ns)
		node->asked_least_ns = asked_ns;
	if (asked_ns > node->asked_most_ns)
		node->asked_most_ns = asked_ns;
}

/* Adds time to the node of a culprit. The index of the node; NODE_NONE: no room; -ENOMEM. */
static int64_t add_culprit(struct causes_tree *tree, struct node_id id, const struct blame *by)
{
	int64_t index = causes_tree_node_of(tree, id);
	int err = 0;

	if (index < 0 || index == NODE_NONE)
		return index;
	causes_tree_add_time(tree, index, by->ns, by->cpu);
	if (id.culprit != CULPRIT_NOBODY && by->kind == SLICE_TASK)
		err = causes_tree_count_thread(tree, index, by->tid);
	return err ?: index;
}

/* Latency that no cause accounts for. */
static int causes_tree_add_unknown(struct causes_tree *tree, uint64_t ns)
{
	uint32_t component = causes_tree_component_of(PART_WHOLE, COST_UNKNOWN);
	struct node_id id = {.parent = component, .cost = COST_UNKNOWN, .role = CAUSE_UNKNOWN};
	struct blame by = {.ns = ns, .cpu = BLAME_CPU_UNKNOWN};
	int64_t index;

	if (!ns)
		return 0;
	causes_tree_add_time(tree, component, ns, BLAME_CPU_UNKNOWN);
	index = add_culprit(tree, id, &by);
	return index < 0 ? index : 0;
}

/* Adds what is known of a cause beyond its time to its node. */
static void causes_tree_note(struct node *node, enum explain_side side, const struct cause *cause)
{
	if (!node->has_spare)
		memcpy(node->disk, cause->disk, sizeof(node->disk));
	else if (strcmp(node->disk, cause->disk))
		node->disk[0] = '\0';
	if (!node->has_spare)
		node->failed = cause->failed;
	else if (!failed_call_is_same(&node->failed, &cause->failed))
		node->failed = (struct failed_call){0};
	causes_tree_add_spare(node, cause->spare_cpu);
	causes_tree_add_asked(node, cause->asked_ns);
	node->minor[side] += cause->minor;
	node->major[side] += cause->major;
}

/* As in struct node_id, or -ENOMEM. */
static int64_t function_number(struct causes_tree *tree, const char *function)
{
	char key[LOCK_FUNCTION_LEN] = {0};
	int64_t place;

	if (!function[0])
		return 0;
	memcpy(key, function, strnlen(function, sizeof(key) - 1));
	place = index_table_place(&tree->functions, key, FUNCTIONS_MAX);
	return place == INDEX_NONE ? 0 : place < 0 ? place : place + 1;
}

static const char *function_text(const struct causes_tree *tree, uint16_t number)
{
	const char(*text)[LOCK_FUNCTION_LEN] = tree->functions.entry;

	return number ? text[number - 1] : "";
}

static int causes_tree_add_cause(struct causes_tree *tree, enum explain_side side,
				 const struct unit *unit, uint32_t i, uint32_t culprit)
{
	const struct cause *cause = &unit->cause[i];
	struct node_id id = {.parent = causes_tree_component_of(cause->part, cause->cost),
			     .culprit = culprit,
			     .part = cause->part,
			     .cost = cause->cost,
			     .role = cause->role,
			     .from_interrupt = cause->from_interrupt,
			     .call = cause->call,
			     .reason = cause->reason};
	int64_t index = function_number(tree, cause->function);

	if (index < 0)
		return index;
	id.function = index;
	if (cause->parent) {
		if (cause->parent > i || tree->node_of[cause->parent - 1] == NODE_NONE)
			return 0;
		id.parent = tree->node_of[cause->parent - 1];
		id.depth = tree->depth_of[cause->parent - 1] + 1;
	} else {
		causes_tree_add_time(tree, id.parent, cause->by.ns, cause->by.cpu);
	}
	index = add_culprit(tree, id, &cause->by);
	if (index < 0)
		return index;
	if (index != NODE_NONE)
		causes_tree_note(&causes_tree_nodes(tree)[index], side, cause);
	tree->node_of[i] = index;
	tree->depth_of[i] = id.depth;
	return 0;
}

/* What the causes lack of the latency; all of it if they cannot be right. */
static uint64_t missing_ns(const struct unit *unit)
{
	uint64_t latency_ns = unit_latency_ns(unit), left_ns = latency_ns;

	for (uint32_t i = 0; i < unit->cause_cnt; i++) {
		const struct cause *cause = &unit->cause[i];

		if (cause->part >= NR_CAUSE_PARTS || cause->cost >= NR_COSTS ||
		    cause->role >= NR_CAUSE_ROLES)
			return latency_ns;
		if (cause->parent)
			continue;
		if (cause->by.ns > left_ns)
			return latency_ns;
		left_ns -= cause->by.ns;
	}
	return left_ns;
}

int causes_tree__add(struct causes_tree *tree, enum explain_side side, const struct unit *unit,
		     const uint32_t *culprit)
{
	uint64_t missing = missing_ns(unit);
	int err = 0;

	tree->units[side]++;
	tree->time_cnt = 0;
	for (uint32_t i = 0; !err && i < unit->cause_cnt; i++) {
		tree->node_of[i] = NODE_NONE;
		if (unit->cause[i].by.ns && missing < unit_latency_ns(unit))
			err = causes_tree_add_cause(tree, side, unit, i, culprit[i]);
	}
	if (!err)
		err = causes_tree_add_unknown(tree, missing);
	tree->lacks_causes = false;
	for (uint32_t part = 0; part < NR_CAUSE_PARTS; part++)
		tree->lacks_causes |=
			causes_tree_nodes(tree)[causes_tree_component_of(part, COST_UNKNOWN)]
				.unit_ns > 0;
	causes_tree_settle(tree, side);
	return err;
}

void causes_tree__add_outlier(struct causes_tree *tree)
{
	tree->outliers++;
	for (uint32_t i = 0; i < tree->time_cnt; i++)
		causes_tree_nodes(tree)[tree->time[i].node].outliers_ns += tree->time[i].ns;
}

static double outliers_mean_ns(const struct causes_tree *tree, const struct node *node)
{
	return tree->outliers ? (double)node->outliers_ns / (double)tree->outliers : 0;
}

static double mean_of(const struct causes_tree *tree, const uint64_t sum[NR_EXPLAIN_SIDES],
		      enum explain_side side)
{
	return tree->units[side] ? (double)sum[side] / (double)tree->units[side] : 0;
}

double causes_tree__mean_ns(const struct causes_tree *tree, const struct node *node,
			    enum explain_side side)
{
	return mean_of(tree, node->sum_ns, side);
}

/* The rows of an explanation: nodes by what they contribute, listed depth first. */
struct sorted {
	uint32_t node;
	uint32_t parent;
	double ns; /* by which it is sorted */
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
	double x_ns = fabs(x->ns), y_ns = fabs(y->ns);

	if (x->parent != y->parent)
		return x->parent < y->parent ? -1 : 1;
	if (x_ns != y_ns)
		return x_ns > y_ns ? -1 : 1;
	return (x->node > y->node) - (x->node < y->node);
}

/* By what a row is sorted. False: the view has no such row. */
static bool row_weight(const struct causes_tree *tree, const struct node *node,
		       enum explain_weight weight, double *ns)
{
	double base_ns = causes_tree__mean_ns(tree, node, SIDE_BASE);

	switch (weight) {
	case WEIGHT_MORE:
		*ns = causes_tree__mean_ns(tree, node, SIDE_SLOW) - base_ns;
		return node->sum_ns[SIDE_SLOW] || node->sum_ns[SIDE_BASE];
	case WEIGHT_OUTLIERS:
		*ns = outliers_mean_ns(tree, node);
		return node->outliers_ns;
	default:
		*ns = base_ns;
		return node->sum_ns[SIDE_BASE];
	}
}

static void rows_sort(struct lister *lister, uint32_t nodes, enum explain_weight weight)
{
	for (uint32_t i = 0; i < nodes; i++) {
		const struct node *node = &lister->node[i];
		double ns;

		if (row_weight(lister->tree, node, weight, &ns))
			lister->sorted[lister->cnt++] = (struct sorted){i, node->id.parent, ns};
	}
	qsort(lister->sorted, lister->cnt, sizeof(*lister->sorted), by_parent_and_size);
}

static void list_row(struct lister *lister, uint32_t index)
{
	const struct node *node = &lister->node[index];
	struct explain_row *row = &lister->row[lister->row_cnt];
	bool is_component = node->id.parent == NODE_NONE;

	lister->node_of_row[lister->row_cnt++] = index;
	*row = (struct explain_row){
		.is_component = is_component,
		.depth = node->id.depth,
		.part = node->id.part,
		.cost = node->id.cost,
		.role = node->id.role,
		.from_interrupt = node->id.from_interrupt,
		.call = node->id.call,
		.reason = node->id.reason,
		.spare_cpu = node->spare_cpu,
		.asked_least_ns = node->asked_least_ns,
		.asked_most_ns = node->asked_most_ns,
		.is_rest = node->id.culprit == CULPRIT_REST,
		.folded = node->threads,
		.by = node_blame(node, lister->culprits),
		.slow_ns = causes_tree__mean_ns(lister->tree, node, SIDE_SLOW),
		.base_ns = causes_tree__mean_ns(lister->tree, node, SIDE_BASE),
		.outliers_ns = outliers_mean_ns(lister->tree, node),
		.slow_faults = mean_of(lister->tree, node->minor, SIDE_SLOW),
		.base_faults = mean_of(lister->tree, node->minor, SIDE_BASE),
		.slow_majors = mean_of(lister->tree, node->major, SIDE_SLOW),
		.base_majors = mean_of(lister->tree, node->major, SIDE_BASE),
		.slow_units = node->units[SIDE_SLOW],
		.base_units = node->units[SIDE_BASE],
		.slow_episodes = node->episodes.cnt,
		.largest_ns = node->largest_ns,
	};
	row->failed = node->failed;
	memcpy(row->disk, node->disk, sizeof(row->disk));
	snprintf(row->function, sizeof(row->function), "%s",
		 function_text(lister->tree, node->id.function));
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
			own += lister->sorted[i].ns;
	}
	return own;
}

/* The caller frees all three lists, also after an error. 0 or -ENOMEM. */
static int rows_list(struct lister *lister, enum explain_weight weight)
{
	uint32_t nodes = lister->tree->nodes.cnt;

	lister->sorted = calloc(nodes, sizeof(*lister->sorted));
	lister->row = calloc(nodes, sizeof(*lister->row));
	lister->node_of_row = calloc(nodes, sizeof(*lister->node_of_row));
	if (!lister->sorted || !lister->row || !lister->node_of_row)
		return -ENOMEM;
	rows_sort(lister, nodes, weight);
	list_children(lister, NODE_NONE);
	return 0;
}

/* The rows of a set alone. The caller frees them, also after an error. 0 or -ENOMEM. */
static int rows_of_set(const struct causes_tree *tree, const struct culprits *culprits,
		       enum explain_weight weight, struct explain_row **row, uint32_t *cnt)
{
	struct lister lister = {
		.tree = tree, .culprits = culprits, .node = causes_tree_nodes(tree)};
	int err = rows_list(&lister, weight);

	*row = lister.row;
	*cnt = lister.row_cnt;
	free(lister.sorted);
	free(lister.node_of_row);
	return err;
}

int rows_fill(const struct causes_tree *tree, const struct culprits *culprits,
	      struct explanation *explanation, uint32_t **node_of_row)
{
	struct lister lister = {
		.tree = tree, .culprits = culprits, .node = causes_tree_nodes(tree)};
	int err = rows_list(&lister, WEIGHT_MORE);

	*node_of_row = lister.node_of_row;
	explanation->row = lister.row;
	explanation->row_cnt = lister.row_cnt;
	if (!err) {
		explanation->own_ns = rows_own_ns(&lister);
		if (explanation->difference_ns > 0)
			explanation->own_share = explanation->own_ns / explanation->difference_ns;
	}
	free(lister.sorted);
	err = err
		      ?: rows_of_set(tree, culprits, WEIGHT_USUAL, &explanation->usual,
				     &explanation->usual_cnt);
	if (!tree->outliers)
		return err;
	return err
		       ?: rows_of_set(tree, culprits, WEIGHT_OUTLIERS, &explanation->outlier,
				      &explanation->outlier_cnt);
}

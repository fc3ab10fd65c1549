/* SPDX-License-Identifier: BSD-2-Clause */
/* Keeps the nodes of causes in a hash table, and adds units to them. */
#include "explain/causes_tree.h"

#include "explain/index_table.h"
#include "model/blocked_calls.h"

/* The nodes that one unit can add to: also the culprit of COST_UNKNOWN. */
#define TIMES_MAX (COMPONENT_NODES + CAUSES_MAX + 1)

/* Pairs of node and thread, for the count of threads. */
#define THREADS_MAX 65536

struct node_thread {
	uint32_t node;
	uint32_t tid;
};

/* The nodes of a unit's causes, which are the parents of those that follow them. */
struct above {
	uint32_t node[CAUSES_MAX];
	uint16_t depth[CAUSES_MAX];
};

struct causes_tree {
	struct node *node;
	uint32_t cnt;
	struct index_table table;
	struct node_thread *thread;
	struct index_table threads;
	struct node_time time[TIMES_MAX]; /* of the unit that was added last */
	uint32_t time_cnt;
	struct above above; /* of that unit */
	bool lacks_causes;
	uint64_t units[NR_EXPLAIN_SIDES];
};

static int causes_tree_append(struct causes_tree *tree, struct node_id id)
{
	int err = array_make_room(&tree->node, tree->cnt, sizeof(*tree->node));

	if (!err)
		tree->node[tree->cnt++] = (struct node){.id = id};
	return err;
}

struct causes_tree *causes_tree__new(void)
{
	struct causes_tree *tree = calloc(1, sizeof(*tree));
	int err = tree ? 0 : -ENOMEM;

	for (uint32_t i = 0; !err && i < COMPONENT_NODES; i++)
		err = causes_tree_append(tree, (struct node_id){.parent = NODE_NONE,
								.part = i / NR_COSTS,
								.cost = i % NR_COSTS});
	if (!err)
		return tree;
	causes_tree__free(tree);
	return NULL;
}

void causes_tree__free(struct causes_tree *tree)
{
	if (!tree)
		return;
	free(tree->table.slot);
	free(tree->threads.slot);
	free(tree->thread);
	free(tree->node);
	free(tree);
}

static uint32_t causes_tree_component_of(uint32_t part, uint32_t cost)
{
	return part * NR_COSTS + cost;
}

static uint32_t hash_id(const struct node_id *id)
{
	uint64_t word[sizeof(*id) / sizeof(uint64_t)], hash = 0;

	_Static_assert(sizeof(*id) == 16, "a key without padding");
	memcpy(word, id, sizeof(word));
	for (size_t i = 0; i < sizeof(word) / sizeof(word[0]); i++)
		hash = hash_word(hash, word[i]);
	return hash_fold(hash);
}

static bool causes_tree_has_id(const void *entries, uint32_t index, const void *key)
{
	const struct node *node = entries;

	return !memcmp(&node[index].id, key, sizeof(node->id));
}

/* The node with this id, which is made if need be; -ENOMEM. */
static int64_t causes_tree_find_or_make(struct causes_tree *tree, struct node_id id)
{
	uint32_t hash = hash_id(&id);
	uint32_t found = index_table_find(&tree->table, hash, causes_tree_has_id, tree->node, &id);

	if (found != INDEX_NONE)
		return found;
	if (index_table_add(&tree->table, hash, tree->cnt) || causes_tree_append(tree, id))
		return -ENOMEM;
	return tree->cnt - 1;
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
	uint32_t found;

	if (id.culprit != CULPRIT_REST && tree->cnt < NODES_MAX)
		return causes_tree_find_or_make(tree, id);
	if (id.culprit != CULPRIT_REST) {
		found = index_table_find(&tree->table, hash_id(&id), causes_tree_has_id, tree->node,
					 &id);
		if (found != INDEX_NONE)
			return found;
	}
	return id.depth ? NODE_NONE : causes_tree_find_or_make(tree, rest_of(id));
}

static bool has_thread(const void *entries, uint32_t index, const void *key)
{
	const struct node_thread *thread = entries;

	return !memcmp(&thread[index], key, sizeof(*thread));
}

/* Counts the threads of a node. If there is no room, the count is too low. */
static int causes_tree_count_thread(struct causes_tree *tree, uint32_t index, uint32_t tid)
{
	struct node *node = &tree->node[index];
	struct node_thread key = {index, tid};
	uint32_t hash = hash_fold(hash_word(index, tid));

	if (node->threads && node->last_tid == tid)
		return 0;
	node->last_tid = tid;
	if (!node->threads)
		node->tid = tid;
	if (index_table_find(&tree->threads, hash, has_thread, tree->thread, &key) != INDEX_NONE ||
	    tree->threads.cnt == THREADS_MAX)
		return 0;
	if (array_make_room(&tree->thread, tree->threads.cnt, sizeof(key)))
		return -ENOMEM;
	tree->thread[tree->threads.cnt] = key;
	node->threads++;
	return index_table_add(&tree->threads, hash, tree->threads.cnt);
}

static void causes_tree_add_time(struct causes_tree *tree, uint32_t index, uint64_t ns,
				 uint32_t cpu)
{
	struct node *node = &tree->node[index];

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
	const struct culprit_id *id = culprits__id(culprits, node->id.culprit);
	struct blame blame = {
		.class = id->class,
		.kind = id->kind,
		.tid = id->is_folded ? (node->threads == 1 ? node->tid : 0) : id->tid,
		.cpu = causes_tree_cpu_of(node),
		.policy = id->policy,
		.priority = id->priority,
	};

	memcpy(blame.comm, id->comm, sizeof(blame.comm));
	return blame;
}

/* Moves what the unit has spent from the nodes' scratch into their sums. */
static void causes_tree_settle(struct causes_tree *tree, enum explain_side side)
{
	for (uint32_t i = 0; i < tree->time_cnt; i++) {
		struct node *node = &tree->node[tree->time[i].node];

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

static bool is_valid(const struct cause *cause)
{
	return cause->part < NR_CAUSE_PARTS && cause->cost < NR_COSTS &&
	       cause->role < NR_CAUSE_ROLES;
}

static int causes_tree_add_cause(struct causes_tree *tree, const struct unit *unit, uint32_t i,
				 uint32_t culprit)
{
	struct above *above = &tree->above;
	const struct cause *cause = &unit->cause[i];
	struct node_id id = {.parent = causes_tree_component_of(cause->part, cause->cost),
			     .culprit = culprit,
			     .part = cause->part,
			     .cost = cause->cost,
			     .role = cause->role,
			     .from_interrupt = cause->from_interrupt,
			     .call = cause->call};
	int64_t index;

	if (cause->parent) {
		if (cause->parent > i || above->node[cause->parent - 1] == NODE_NONE)
			return 0;
		id.parent = above->node[cause->parent - 1];
		id.depth = above->depth[cause->parent - 1] + 1;
	} else {
		causes_tree_add_time(tree, id.parent, cause->by.ns, cause->by.cpu);
	}
	index = add_culprit(tree, id, &cause->by);
	if (index < 0)
		return index;
	above->node[i] = index;
	above->depth[i] = id.depth;
	return 0;
}

/* What the causes lack of the latency; all of it if they cannot be right. */
static uint64_t missing_ns(const struct unit *unit)
{
	uint64_t latency_ns = unit_latency_ns(unit), left_ns = latency_ns;

	for (uint32_t i = 0; i < unit->cause_cnt; i++) {
		const struct cause *cause = &unit->cause[i];

		if (!is_valid(cause))
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
		tree->above.node[i] = NODE_NONE;
		if (unit->cause[i].by.ns && missing < unit_latency_ns(unit))
			err = causes_tree_add_cause(tree, unit, i, culprit[i]);
	}
	if (!err)
		err = causes_tree_add_unknown(tree, missing);
	tree->lacks_causes = false;
	for (uint32_t part = 0; part < NR_CAUSE_PARTS; part++)
		tree->lacks_causes |=
			tree->node[causes_tree_component_of(part, COST_UNKNOWN)].unit_ns > 0;
	causes_tree_settle(tree, side);
	return err;
}

const struct node_time *causes_tree__times(const struct causes_tree *tree, uint32_t *cnt)
{
	*cnt = tree->time_cnt;
	return tree->time;
}

uint32_t causes_tree__node_of(const struct causes_tree *tree, uint32_t cause)
{
	return tree->above.node[cause];
}

bool causes_tree__lacks_causes(const struct causes_tree *tree)
{
	return tree->lacks_causes;
}

void causes_tree__count_episode(struct causes_tree *tree, uint32_t node, uint64_t episode)
{
	if (tree->node[node].episodes && tree->node[node].last_episode == episode)
		return;
	tree->node[node].last_episode = episode;
	tree->node[node].episodes++;
}

double causes_tree__mean_ns(const struct causes_tree *tree, const struct node *node,
			    enum explain_side side)
{
	return tree->units[side] ? (double)node->sum_ns[side] / (double)tree->units[side] : 0;
}

const struct node *causes_tree__nodes(const struct causes_tree *tree, uint32_t *cnt)
{
	*cnt = tree->cnt;
	return tree->node;
}

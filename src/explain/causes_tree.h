/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Adds up causes of slow units and of the base, by component and culprit:
 *
 *	component (run queue) -> culprit (hog) -> what it did (blocked) -> its culprit ...
 *	                      -> itself
 *
 * Each is a node of a tree. Sums are integers: the components of a set add up to its latencies, and
 * culprits to their component.
 */
#pragma once

#include "explain/culprits.h"
#include "explain/side.h"
#include "model/unit.h"

/* Nodes that are kept apart. Further ones are added up, for each component apart. */
#define NODES_MAX 65536

/* No component has a parent. */
#define NODE_NONE UINT32_MAX

/* The first nodes are the components. */
#define COMPONENT_NODES (NR_CAUSE_PARTS * NR_COSTS)

#define NODE_CPUS       4

struct node_id {
	uint32_t parent; /* index, or NODE_NONE */
	uint32_t culprit;
	uint8_t part;
	uint8_t cost;
	uint8_t role;
	uint8_t from_interrupt;
	uint16_t call;
	uint16_t depth; /* 0: a component or its culprits */
};

struct node {
	struct node_id id;
	uint64_t sum_ns[NR_EXPLAIN_SIDES];
	uint64_t units[NR_EXPLAIN_SIDES];
	uint64_t largest_ns;
	uint32_t tid;     /* the first thread; */
	uint32_t threads; /* how many there are at least */
	uint32_t last_tid;
	uint32_t cpu[NODE_CPUS]; /* where the slow units' time was spent: the most frequent ones, */
	uint64_t cpu_ns[NODE_CPUS]; /* at least so long */
	uint64_t unit_ns;           /* of the unit that is being added; */
	uint32_t unit_cpu;
	uint64_t episodes; /* for causes_tree__count_episode() */
	uint64_t last_episode;
};

/* What one unit spent on a node. */
struct node_time {
	uint32_t node;
	uint32_t cpu; /* or BLAME_CPU_ */
	uint64_t ns;
};

struct causes_tree;

/* NULL: out of memory. */
struct causes_tree *causes_tree__new(void);
void causes_tree__free(struct causes_tree *tree);

/*
 * Adds a unit with at most CAUSES_MAX causes. `culprit` has the number of each one's culprit. What
 * its causes lack of the latency is added as COST_UNKNOWN; if they are more than the latency, all
 * of it is. 0 or -ENOMEM.
 */
int causes_tree__add(struct causes_tree *tree, enum explain_side side, const struct unit *unit,
		     const uint32_t *culprit);

/* What the unit that was added last spent on each node. Borrowed until the next one. */
const struct node_time *causes_tree__times(const struct causes_tree *tree, uint32_t *cnt);

/* The node of that unit's cause; NODE_NONE: there was no room, or it took no time. */
uint32_t causes_tree__node_of(const struct causes_tree *tree, uint32_t cause);

/* Whether part of that unit's time is of COST_UNKNOWN. */
bool causes_tree__lacks_causes(const struct causes_tree *tree);

/* The node is found in this episode; episodes come one after the other. */
void causes_tree__count_episode(struct causes_tree *tree, uint32_t node, uint64_t episode);

/* All nodes, borrowed until the next causes_tree__add(). */
const struct node *causes_tree__nodes(const struct causes_tree *tree, uint32_t *cnt);

/* The mean time of all units of a side on this node, also of those that lack it. */
double causes_tree__mean_ns(const struct causes_tree *tree, const struct node *node,
			    enum explain_side side);

/* Whether the node is a culprit of a component, not a component and not below a culprit. */
static inline bool node_is_culprit(const struct node *node)
{
	return node->id.parent < COMPONENT_NODES;
}

/*
 * The culprit of a node, with the CPU on which at least 90 % of the slow units' time was spent. The
 * thread if there is only one.
 */
struct blame node_blame(const struct node *node, const struct culprits *culprits);

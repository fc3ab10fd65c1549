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
#include "explain/index_table.h"
#include "explain/side.h"
#include "model/explanation.h"

/* Nodes that are kept apart. Further ones are added up, for each component apart. */
#define NODES_MAX 65536

/* No component has a parent. */
#define NODE_NONE INDEX_NONE

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
	uint16_t reason;
	uint16_t function; /* 1 + index in `functions`; 0: none, or not known */
};

struct node {
	struct node_id id;
	uint64_t sum_ns[NR_EXPLAIN_SIDES];
	uint64_t units[NR_EXPLAIN_SIDES];
	uint64_t outliers_ns;             /* what outliers have of the slow units' sum */
	uint64_t minor[NR_EXPLAIN_SIDES]; /* page faults */
	uint64_t major[NR_EXPLAIN_SIDES];
	uint64_t largest_ns;
	bool has_spare;           /* the next one is set */
	uint32_t spare_cpu;       /* of its causes, or BLAME_CPU_SEVERAL */
	char disk[DISK_NAME_LEN]; /* the same; "": not known, or several */
	struct failed_call failed;
	uint64_t asked_least_ns; /* of its causes; 0: not known */
	uint64_t asked_most_ns;
	uint32_t tid;     /* the first thread; */
	uint32_t threads; /* how many there are at least */
	uint32_t last_tid;
	uint32_t cpu[NODE_CPUS]; /* where the slow units' time was spent: the most frequent ones, */
	uint64_t cpu_ns[NODE_CPUS]; /* at least so long */
	uint64_t unit_ns;           /* of the unit that is being added; */
	uint32_t unit_cpu;
	struct episode_count episodes;
};

/* What one unit spent on a node. */
struct node_time {
	uint32_t node;
	uint32_t cpu; /* or BLAME_CPU_ */
	uint64_t ns;
};

/* The nodes that one unit can add to: also the culprit of COST_UNKNOWN. */
#define NODE_TIMES_MAX (COMPONENT_NODES + CAUSES_MAX + 1)

struct causes_tree {
	struct index_table nodes;     /* of struct node */
	struct index_table threads;   /* pairs of node and thread, to count them */
	struct index_table functions; /* of the kernel: char[LOCK_FUNCTION_LEN] */
	uint64_t units[NR_EXPLAIN_SIDES];
	uint64_t outliers; /* of the slow units */

	/* Of the unit that was added last. */
	struct node_time time[NODE_TIMES_MAX]; /* what it spent on each node */
	uint32_t time_cnt;
	bool lacks_causes; /* part of its time is of COST_UNKNOWN */

	/*
	 * The nodes of its causes, which are the parents of those that follow them. NODE_NONE:
	 * there was no room, or it took no time.
	 */
	uint32_t node_of[CAUSES_MAX];
	uint16_t depth_of[CAUSES_MAX];
};

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

/* Counts the slow unit that was added last as an outlier, too. */
void causes_tree__add_outlier(struct causes_tree *tree);

/* All nodes, borrowed until the next causes_tree__add(). */
static inline struct node *causes_tree_nodes(const struct causes_tree *tree)
{
	return tree->nodes.entry;
}

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

/*
 * Fills in the rows, those of the base and of outliers, and what ipctrace itself has caused.
 * `node_of_row`: the node of each row, which the caller frees, also after an error. 0 or -ENOMEM.
 */
int rows_fill(const struct causes_tree *tree, const struct culprits *culprits,
	      struct explanation *explanation, uint32_t **node_of_row);

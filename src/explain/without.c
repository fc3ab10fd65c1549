/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Keeps the histogram of all units, and its changes without the largest culprits. Units that are
 * not slow may be a sample: then each one counts as several.
 */
#include "explain/without.h"

#include <errno.h>
#include <stdlib.h>

static void free_both(struct histogram histogram[NR_EXPLAIN_SIDES])
{
	for (int side = 0; side < NR_EXPLAIN_SIDES; side++)
		histogram_free(&histogram[side]);
}

void without_clean(struct without *without)
{
	free_both(without->all);
	for (uint32_t i = 0; i < without->slot_cnt; i++)
		free_both(without->slot[i].change);
}

/* A slot for a new culprit: a free one, or that of the culprit with least time in slow units. */
static struct slot *make_slot(struct without *without, uint32_t culprit)
{
	struct slot *slot = without->slot;

	if (without->slot_cnt < WITHOUT_CULPRITS_MAX) {
		slot = &without->slot[without->slot_cnt++];
	} else {
		for (uint32_t i = 1; i < WITHOUT_CULPRITS_MAX; i++) {
			if (without->slot[i].slow_ns < slot->slow_ns)
				slot = &without->slot[i];
		}
		without->absent[slot->culprit].slot = 0;
		without->absent[slot->culprit].was_forgotten = true;
		free_both(slot->change);
	}
	*slot = (struct slot){.culprit = culprit};
	without->absent[culprit].slot = 1 + (slot - without->slot);
	return slot;
}

static int add_change(struct without *without, const struct unit *unit, uint32_t culprit,
		      enum explain_side side)
{
	struct absent *absent = &without->absent[culprit];
	uint64_t latency_ns = unit_latency_ns(unit), ns = absent->unit_ns;
	struct slot *slot;
	int err;

	absent->unit_ns = 0;
	if (!ns || absent->was_forgotten)
		return 0;
	slot = absent->slot ? &without->slot[absent->slot - 1] : make_slot(without, culprit);
	if (side == SIDE_SLOW)
		slot->slow_ns += ns;
	if (ns > latency_ns)
		ns = latency_ns;
	err = histogram_add(&slot->change[side], latency_ns, -1);
	return err ?: histogram_add(&slot->change[side], latency_ns - ns, 1);
}

int without_add(struct without *without, const struct unit *unit, const uint32_t *culprit,
		enum explain_side side)
{
	uint64_t latency_ns = unit_latency_ns(unit);
	int err = histogram_add(&without->all[side], latency_ns, 1);

	without->cnt[side]++;
	if (latency_ns > without->max_ns)
		without->max_ns = latency_ns;
	for (uint32_t i = 0; i < unit->cause_cnt; i++) {
		if (!unit->cause[i].parent && culprit[i] >= CULPRIT_FIRST)
			without->absent[culprit[i]].unit_ns += unit->cause[i].by.ns;
	}
	for (uint32_t i = 0; i < unit->cause_cnt && !err; i++) {
		if (!unit->cause[i].parent && culprit[i] >= CULPRIT_FIRST)
			err = add_change(without, unit, culprit[i], side);
	}
	return err;
}

/* So that counts stay integers: a slow unit counts as so many. */
#define SLOW_WEIGHT 4096

/* How much each of the others counts, so that all together are `units`. */
static uint64_t weight_of_others(const struct without *without, uint64_t units)
{
	uint64_t cnt = without->cnt[SIDE_BASE], others = units - without->cnt[SIDE_SLOW];

	return cnt ? (others * SLOW_WEIGHT + cnt / 2) / cnt : 0;
}

static int without_merge(struct histogram *merged,
			 const struct histogram histogram[NR_EXPLAIN_SIDES],
			 uint64_t weight_of_others)
{
	int err = histogram_merge(merged, &histogram[SIDE_SLOW], SLOW_WEIGHT);

	return err ?: histogram_merge(merged, &histogram[SIDE_BASE], weight_of_others);
}

/* So many of all `units` are above a percentile; a slow one counts for SLOW_WEIGHT. */
static uint64_t percentile(const struct without *without, uint64_t units, uint64_t weight,
			   const struct histogram *merged, double percent)
{
	uint64_t above = units - percentile_rank(percent, units);
	uint64_t cnt = without->cnt[SIDE_SLOW] * SLOW_WEIGHT + without->cnt[SIDE_BASE] * weight;
	uint64_t last_ns = histogram_rank(merged, cnt - above * SLOW_WEIGHT).last;

	return last_ns < without->max_ns ? last_ns : without->max_ns;
}

/* `change` NULL: of all units as they were. 0 or -ENOMEM. */
static int find_percentiles(const struct without *without, uint64_t units,
			    const struct histogram change[NR_EXPLAIN_SIDES], uint64_t *p99_ns,
			    uint64_t *p999_ns)
{
	uint64_t weight = weight_of_others(without, units);
	struct histogram merged = {0};
	int err = without_merge(&merged, without->all, weight);

	if (!err && change)
		err = without_merge(&merged, change, weight);
	if (!err) {
		*p99_ns = percentile(without, units, weight, &merged, 99);
		*p999_ns = percentile(without, units, weight, &merged, 99.9);
	}
	histogram_free(&merged);
	return err;
}

/* A culprit over all components: the sum of its differences, and its largest row. */
struct total {
	double difference_ns;
	double row_ns;
	uint32_t row;
};

static void without_add_up(const struct causes_tree *tree, const uint32_t *node_of_row,
			   const struct explanation *explanation, struct total *total)
{
	const struct node *node = causes_tree_nodes(tree);

	for (uint32_t i = 0; i < explanation->row_cnt; i++) {
		double ns = explanation->row[i].slow_ns - explanation->row[i].base_ns;
		struct total *sum = &total[node[node_of_row[i]].id.culprit];

		if (!node_is_culprit(&node[node_of_row[i]]))
			continue;
		sum->difference_ns += ns;
		if (ns > sum->row_ns) {
			sum->row_ns = ns;
			sum->row = i;
		}
	}
}

/* The culprit with a histogram that contributes most; NULL: none contributes. */
static const struct slot *largest_slot(const struct without *without, const struct total *total)
{
	const struct slot *largest = NULL;

	for (uint32_t i = 0; i < without->slot_cnt; i++) {
		const struct slot *slot = &without->slot[i];

		if (total[slot->culprit].difference_ns > 0 && total[slot->culprit].row_ns > 0 &&
		    (!largest ||
		     total[slot->culprit].difference_ns > total[largest->culprit].difference_ns))
			largest = slot;
	}
	return largest;
}

int without_finish(const struct without *without, uint64_t units, const struct causes_tree *tree,
		   const uint32_t *node_of_row, struct explanation *explanation)
{
	struct total *total = calloc(CULPRITS_MAX, sizeof(*total));
	const struct slot *slot;
	int err;

	if (!total)
		return -ENOMEM;
	err = find_percentiles(without, units, NULL, &explanation->p99_ns, &explanation->p999_ns);
	without_add_up(tree, node_of_row, explanation, total);
	while (!err && explanation->without_cnt < EXPLAIN_WITHOUT_MAX &&
	       (slot = largest_slot(without, total))) {
		struct explain_without *one = &explanation->without[explanation->without_cnt++];

		one->row = total[slot->culprit].row;
		err = find_percentiles(without, units, slot->change, &one->p99_ns, &one->p999_ns);
		total[slot->culprit].difference_ns = 0;
	}
	free(total);
	return err;
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* Keeps a random sample of slow units in full, and compares them with the means. */
#include "explain/typical.h"

#include <math.h>

static void clean(struct candidate *candidate)
{
	free((struct cause *)candidate->unit.cause);
	free(candidate->moment);
	free(candidate->time);
	*candidate = (struct candidate){0};
}

void typical_clean(struct typical *typical)
{
	for (uint32_t i = 0; i < typical->cnt; i++)
		clean(&typical->candidate[i]);
}

static void *copy_of(const void *list, uint32_t cnt, size_t size)
{
	void *copy = calloc(cnt ?: 1, size);

	if (copy && cnt)
		memcpy(copy, list, cnt * size);
	return copy;
}

static int copy_times(struct candidate *candidate, const struct causes_tree *tree)
{
	candidate->time = calloc(tree->time_cnt ?: 1, sizeof(*candidate->time));
	if (!candidate->time)
		return -ENOMEM;
	for (uint32_t i = 0; i < tree->time_cnt; i++) {
		if (node_is_culprit(&causes_tree_nodes(tree)[tree->time[i].node]))
			candidate->time[candidate->time_cnt++] = tree->time[i];
	}
	return 0;
}

int typical_add(struct typical *typical, const struct unit *unit, const struct causes_tree *tree)
{
	uint64_t place = typical->slow++;
	struct candidate *candidate;

	/* Where it goes in the sample (reservoir sampling). */
	if (place >= TYPICAL_CANDIDATES_MAX)
		place = (hash_word(hash_word(0, place), place) >> 11) * 0x1p-53 *
			(double)typical->slow;
	if (place >= TYPICAL_CANDIDATES_MAX)
		return 0;
	candidate = &typical->candidate[place];
	if (place < typical->cnt)
		clean(candidate);
	else
		typical->cnt = place + 1;
	typical->last = place;
	candidate->unit = *unit;
	candidate->unit.service = NULL;
	candidate->unit.cause = copy_of(unit->cause, unit->cause_cnt, sizeof(*unit->cause));
	if (!candidate->unit.cause || copy_times(candidate, tree))
		return -ENOMEM;
	return 1;
}

int typical_set_moments(struct typical *typical, const struct moment *moment, uint32_t cnt)
{
	struct candidate *candidate = &typical->candidate[typical->last];

	if (typical->last >= typical->cnt)
		return 0;
	free(candidate->moment);
	candidate->moment = copy_of(moment, cnt, sizeof(*moment));
	candidate->moment_cnt = candidate->moment ? cnt : 0;
	return candidate->moment ? 0 : -ENOMEM;
}

/*
 * The sum of |time - mean| over all culprits, less the sum of all means, which is the same for all
 * candidates.
 */
static double distance_of(const struct candidate *candidate, const struct causes_tree *tree)
{
	const struct node *node = causes_tree_nodes(tree);
	double distance = 0;

	for (uint32_t i = 0; i < candidate->time_cnt; i++) {
		const struct node_time *time = &candidate->time[i];
		double mean_ns = causes_tree__mean_ns(tree, &node[time->node], SIDE_SLOW);

		distance += fabs((double)time->ns - mean_ns) - mean_ns;
	}
	return distance;
}

void typical_finish(struct typical *typical, const struct causes_tree *tree,
		    struct explanation *explanation)
{
	struct candidate *nearest = NULL;
	double least = 0;

	for (uint32_t i = 0; i < typical->cnt; i++) {
		double distance = distance_of(&typical->candidate[i], tree);

		if (!nearest || distance < least) {
			nearest = &typical->candidate[i];
			least = distance;
		}
	}
	if (!nearest)
		return;
	explanation->typical = (struct explain_typical){.is_known = true,
							.unit = nearest->unit,
							.moment = nearest->moment,
							.moment_cnt = nearest->moment_cnt};
	nearest->unit.cause = NULL;
	nearest->moment = NULL;
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* Sorts units into slow ones and the base, passes them to the parts, and collects their results. */
#include "explain/explainer.h"

#include "explain/episodes.h"
#include "explain/focus.h"
#include "explain/ranks.h"
#include "explain/sample.h"
#include "explain/longest.h"
#include "explain/meanwhile.h"
#include "explain/nested.h"
#include "explain/stacks.h"
#include "explain/typical.h"
#include "explain/vain.h"
#include "explain/without.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

/* Units that open a connection. */
struct opened_sum {
	uint64_t units;
	unsigned __int128 ns;         /* until these connections were open, ... */
	unsigned __int128 connect_ns; /* ... and until their requests were sent */
};

struct explain {
	struct explain_choice choice;
	char against_file[SELECT_TEXT_LEN];
	struct ranks ranks;     /* empty after pass 1 */
	struct longest longest; /* likewise, after explain__needed() */
	uint64_t units;
	uint64_t first_ns; /* when the first one began, and the last one */
	uint64_t last_ns;
	uint64_t longest_ns;
	unsigned __int128 sum_ns; /* of all latencies */
	struct checkpoints checkpoints;
	uint64_t ambiguous;
	uint64_t not_cut;
	bool has_message;    /* the unit of --message is among them, */
	struct span message; /* and was under way then */
	bool is_chosen;
	enum explain_outcome outcome;
	struct bounds bounds;
	struct explain_set set[NR_EXPLAIN_SIDES];
	struct explain_set outliers;

	/* Pass 2. */
	struct sample sample; /* of units that are not slow */
	struct span *needed;
	struct spans needed_spans;
	uint32_t culprit[CAUSES_MAX]; /* of the unit that is being added */
	struct culprits *culprits;
	struct causes_tree *tree;
	struct attributes *attributes;
	struct episodes *episodes;
	struct without without;
	struct typical typical;
	struct tally stacks;
	struct nested nested[NR_EXPLAIN_SIDES];
	struct vain vain[NR_EXPLAIN_SIDES];
	struct meanwhile meanwhile[NR_EXPLAIN_SIDES];
	struct opened_sum opening[NR_EXPLAIN_SIDES];
};

struct explain *explain__new(const struct explain_choice *choice)
{
	struct explain *explain = calloc(1, sizeof(*explain));

	if (!explain)
		return NULL;
	explain->choice = *choice;
	if (choice->against_file)
		snprintf(explain->against_file, sizeof(explain->against_file), "%s",
			 choice->against_file);
	explain->choice.against_file = explain->against_file;
	explain->ranks.exact_max = EXPLAIN_EXACT_MAX;
	explain->longest = longest_begin(&explain->choice.selection);
	explain->culprits = culprits__new();
	explain->tree = causes_tree__new();
	if (explain->culprits && explain->tree)
		return explain;
	explain__free(explain);
	return NULL;
}

void explain__free(struct explain *explain)
{
	if (!explain)
		return;
	ranks_clean(&explain->ranks);
	longest_clean(&explain->longest);
	free(explain->needed);
	free(explain->sample.span);
	episodes__free(explain->episodes);
	attributes__free(explain->attributes);
	typical_clean(&explain->typical);
	tally_free(&explain->stacks);
	without_clean(&explain->without);
	causes_tree__free(explain->tree);
	culprits__free(explain->culprits);
	free(explain);
}

static bool explainer_passes(const struct explain *explain, const struct unit *unit)
{
	return unit->kind == explain->choice.kind &&
	       selection_passes(&explain->choice.selection, unit, explain->choice.info.begin.ns);
}

int explain__rank(struct explain *explain, const struct unit *unit)
{
	const struct selection *selection = &explain->choice.selection;

	if (!explainer_passes(explain, unit))
		return 0;
	if (unit->is_ambiguous) {
		explain->ambiguous++;
		return 0;
	}
	if (!explain->units++ || unit->from_ns < explain->first_ns)
		explain->first_ns = unit->from_ns;
	if (unit->from_ns > explain->last_ns)
		explain->last_ns = unit->from_ns;
	if (selection_is_message(selection, unit)) {
		explain->has_message = true;
		explain->message = (struct span){unit->from_ns, unit->to_ns};
	}
	if (unit_latency_ns(unit) > explain->longest_ns)
		explain->longest_ns = unit_latency_ns(unit);
	explain->sum_ns += unit_latency_ns(unit);
	checkpoints_add(&explain->checkpoints, unit->from_ns);
	return ranks_add(&explain->ranks, unit_latency_ns(unit))
		       ?: longest_add(&explain->longest, unit->from_ns, unit->to_ns);
}

/* One unit can be shown without others, too. */
static bool needs_others(const struct explain *explain)
{
	const struct selection *selection = &explain->choice.selection;

	return !selection->has_message && selection->against != AGAINST_FILE;
}

static enum explain_outcome outcome_of(const struct explain *explain)
{
	if (!explain->units)
		return EXPLAIN_NO_UNITS;
	if (!explain->bounds.slow_cnt)
		return EXPLAIN_NONE_SLOW;
	if (explain->units < EXPLAIN_UNITS_MIN && needs_others(explain))
		return EXPLAIN_TOO_FEW;
	if (!explain->bounds.base_cnt && needs_others(explain))
		return EXPLAIN_NO_BASE;
	return EXPLAIN_DONE;
}

enum explain_outcome explain__choose(struct explain *explain)
{
	const struct selection *selection = &explain->choice.selection;
	struct bounds *bounds = &explain->bounds;
	uint64_t slow;

	if (explain->is_chosen)
		return explain->outcome;
	ranks_choose(&explain->ranks, selection, bounds);
	ranks_clean(&explain->ranks);
	slow = bounds->slow_cnt;
	if (selection->has_message) {
		bounds->slow_cnt = bounds->slow_sample_cnt = explain->has_message;
		bounds->slow_sample_ns[0] = explain->message.to_ns - explain->message.from_ns;
		/* It is held against the others as it is: nothing has to set it apart. */
		slow = UINT64_MAX;
	}
	explain->is_chosen = true;
	if (outcome_of(explain) == EXPLAIN_TOO_FEW)
		bounds_drop_base(bounds);
	explain->sample = sample_of(&explain->checkpoints,
				    explain->choice.sample_units ?: SAMPLE_UNITS, slow);
	explain->outcome = outcome_of(explain);
	return explain->outcome;
}

static int compare_from(const void *left, const void *right)
{
	const struct span *a = left, *b = right;

	return a->from_ns < b->from_ns ? -1 : a->from_ns > b->from_ns ? 1 : 0;
}

/* Sorts spans, and makes one of those that overlap. Returns how many there are. */
static size_t explainer_merge(struct span *span, size_t cnt)
{
	size_t merged = 0;

	qsort(span, cnt, sizeof(*span), compare_from);
	for (size_t i = 0; i < cnt; i++) {
		struct span *last = merged ? &span[merged - 1] : NULL;

		if (!last || span[i].from_ns > last->to_ns)
			span[merged++] = span[i];
		else if (span[i].to_ns > last->to_ns)
			last->to_ns = span[i].to_ns;
	}
	return merged;
}

/* The slow units; NULL: out of memory, or some are forgotten. */
static struct span *slow_spans(const struct explain *explain, size_t *cnt)
{
	struct span *span;

	if (!explain->choice.selection.has_message)
		return longest_has_all(&explain->longest, explain->bounds.slow_above_ns)
			       ? longest_spans(&explain->longest, explain->bounds.slow_above_ns,
					       cnt)
			       : NULL;
	span = calloc(1, sizeof(*span));
	*cnt = 1;
	if (span)
		*span = explain->message;
	return span;
}

/* Those that begin in this stretch and are not slow are over by then. */
static struct span under_way(const struct explain *explain, struct span stretch)
{
	uint64_t longest_ns = explain->bounds.slow_above_ns;

	if (longest_ns > explain->longest_ns)
		longest_ns = explain->longest_ns;
	if (__builtin_add_overflow(stretch.to_ns, longest_ns, &stretch.to_ns))
		stretch.to_ns = UINT64_MAX;
	return stretch;
}

/* The slow units, and those of the sample. False: some are not known. */
static bool find_needed(struct explain *explain)
{
	const struct spans *sampled = &explain->sample.spans;
	size_t cnt;
	struct span *span;

	explain->needed = slow_spans(explain, &cnt);
	if (!explain->needed)
		return false;
	span = realloc(explain->needed, (cnt + sampled->cnt) * sizeof(*span));
	if (!span)
		return false;
	for (size_t i = 0; i < sampled->cnt; i++)
		span[cnt + i] = under_way(explain, sampled->span[i]);
	explain->needed = span;
	explain->needed_spans = (struct spans){span, explainer_merge(span, cnt + sampled->cnt)};
	return true;
}

const struct spans *explain__needed(struct explain *explain)
{
	bool is_found = explain_has_rows(explain__choose(explain)) && explain->sample.every &&
			find_needed(explain);

	longest_clean(&explain->longest);
	return is_found ? &explain->needed_spans : NULL;
}

/* The parts that need the bounds. */
static int begin_pass(struct explain *explain)
{
	if (explain->attributes)
		return 0;
	explain->attributes = attributes__new(explain->choice.info.mode,
					      explain->choice.selection.against == AGAINST_FILE,
					      &explain->bounds);
	if (!explain->attributes)
		return -ENOMEM;
	explain->episodes =
		episodes__new(explain->tree, explain->attributes, explain->bounds.base_mean_ns);
	return explain->episodes ? 0 : -ENOMEM;
}

static int find_culprits(struct explain *explain, const struct unit *unit)
{
	for (uint32_t i = 0; i < unit->cause_cnt; i++) {
		int64_t culprit = culprits__find(explain->culprits, &unit->cause[i]);

		if (culprit < 0)
			return culprit;
		explain->culprit[i] = culprit;
	}
	return 0;
}

static void explainer_count(struct explain_set *set, uint64_t latency_ns)
{
	if (!set->count++ || latency_ns < set->least_ns)
		set->least_ns = latency_ns;
	if (latency_ns > set->most_ns)
		set->most_ns = latency_ns;
	set->sum_ns += latency_ns;
}

static int add_to_side(struct explain *explain, enum explain_side side, const struct unit *unit)
{
	int err;

	explainer_count(&explain->set[side], unit_latency_ns(unit));
	nested_add(&explain->nested[side], unit);
	vain_add(&explain->vain[side], unit);
	meanwhile_add(&explain->meanwhile[side], unit);
	explain->opening[side].units += unit->opening_ns > 0;
	explain->opening[side].ns += unit->opening_ns;
	explain->opening[side].connect_ns += unit->connect_ns;
	err = causes_tree__add(explain->tree, side, unit, explain->culprit);
	explain->not_cut += explain->tree->lacks_causes;
	return err ?: attributes__add(explain->attributes, side, unit);
}

static bool explainer_is_slow(const struct explain *explain, const struct unit *unit)
{
	const struct selection *selection = &explain->choice.selection;

	return selection->has_message ? selection_is_message(selection, unit)
				      : bounds_are_slow(&explain->bounds, unit_latency_ns(unit));
}

bool explain__has(const struct explain *explain, const struct unit *unit)
{
	return explainer_passes(explain, unit) && !unit->is_ambiguous;
}

uint64_t explain__weight(struct explain *explain, const struct unit *unit)
{
	const struct sample *sample = &explain->sample;

	if (!explain__has(explain, unit))
		return 0;
	if (!sample->every || explainer_is_slow(explain, unit))
		return 1;
	return sample_has(&explain->sample, unit->from_ns) ? sample->every : 0;
}

uint64_t explain__slow_above_ns(const struct explain *explain)
{
	return explain_has_rows(explain->outcome) && !explain->choice.selection.has_message
		       ? explain->bounds.slow_above_ns
		       : UINT64_MAX;
}

bool explain__has_other(const struct explain *explain, const struct unit *unit)
{
	return unit->kind == explain->choice.kind && !unit->is_ambiguous &&
	       selection_passes_other(&explain->choice.selection, unit);
}

/* More causes than there can be cannot be right: then none is known. */
static struct unit without_excess(const struct unit *unit)
{
	struct unit copy = *unit;

	if (copy.cause_cnt > CAUSES_MAX)
		copy.cause_cnt = 0;
	return copy;
}

int explain__add(struct explain *explain, const struct unit *added)
{
	struct unit unit = without_excess(added);
	bool slow = explainer_is_slow(explain, &unit);
	int err;

	if (!explain_has_rows(explain__choose(explain)) || !explain__has(explain, &unit) ||
	    (!slow && !sample_has(&explain->sample, unit.from_ns)))
		return 0;
	err = begin_pass(explain);
	err = err ?: find_culprits(explain, &unit);
	err = err
		      ?: without_add(&explain->without, &unit, explain->culprit,
				     slow ? SIDE_SLOW : SIDE_BASE);
	if (err)
		return err;
	if (slow) {
		err = add_to_side(explain, SIDE_SLOW, &unit);
		if (!err && bounds_are_outliers(&explain->bounds, unit_latency_ns(&unit))) {
			explainer_count(&explain->outliers, unit_latency_ns(&unit));
			causes_tree__add_outlier(explain->tree);
		}
		err = err ?: stack_counts_add(&explain->stacks, explain->tree, &unit);
		err = err ?: episodes__add(explain->episodes, &unit);
		return err ?: typical_add(&explain->typical, &unit, explain->tree);
	}
	return explain->choice.selection.against != AGAINST_FILE &&
			       bounds_are_base(&explain->bounds, unit_latency_ns(&unit))
		       ? add_to_side(explain, SIDE_BASE, &unit)
		       : 0;
}

int explain__typical(struct explain *explain, const struct moment *moment, uint32_t cnt)
{
	if (cnt > EXPLAIN_MOMENTS_MAX)
		cnt = EXPLAIN_MOMENTS_MAX;
	return typical_set_moments(&explain->typical, moment, cnt);
}

int explain__add_other(struct explain *explain, const struct unit *added)
{
	struct unit unit = without_excess(added);
	int err;

	if (!explain_has_rows(explain__choose(explain)) || !explain__has_other(explain, &unit))
		return 0;
	err = begin_pass(explain);
	err = err ?: find_culprits(explain, &unit);
	return err ?: add_to_side(explain, SIDE_BASE, &unit);
}

static struct explain_opening opening_finish(const struct explain *explain, enum explain_side side)
{
	const struct opened_sum *sum = &explain->opening[side];
	double cnt = (double)explain->set[side].count;

	if (!sum->units)
		return (struct explain_opening){0};
	return (struct explain_opening){.share = (double)sum->units / cnt,
					.ns = (double)((long double)sum->ns / cnt),
					.connect_ns = (double)((long double)sum->connect_ns / cnt)};
}

static void fill_in_sets(const struct explain *explain, struct explanation *explanation)
{
	const struct selection *selection = &explain->choice.selection;

	explanation->slow = explain->set[SIDE_SLOW];
	explanation->slow_nested = nested_finish(&explain->nested[SIDE_SLOW]);
	explanation->usual_nested = nested_finish(&explain->nested[SIDE_BASE]);
	explanation->slow_vain = vain_finish(&explain->vain[SIDE_SLOW]);
	explanation->usual_vain = vain_finish(&explain->vain[SIDE_BASE]);
	explanation->slow_meanwhile = meanwhile_finish(&explain->meanwhile[SIDE_SLOW]);
	explanation->usual_meanwhile = meanwhile_finish(&explain->meanwhile[SIDE_BASE]);
	explanation->slow_opening = opening_finish(explain, SIDE_SLOW);
	explanation->usual_opening = opening_finish(explain, SIDE_BASE);
	explanation->base = explain->set[SIDE_BASE];
	explanation->outliers = explain->outliers;
	if (explain->sample.every && explanation->base.count && selection->against != AGAINST_FILE)
		explanation->base.sampled_of = explain->bounds.base_cnt;
	selection_text(selection, explanation->slow.select);
	selection_against_text(selection, explain->against_file, explanation->base.select);
	explanation->difference_ns =
		explain_mean_ns(&explanation->slow) - explain_mean_ns(&explanation->base);
	if (!explain->units)
		return;
	explanation->mean_ns = (double)((long double)explain->sum_ns / explain->units);
	if (explain->sum_ns)
		explanation->tail_share =
			(double)((long double)explanation->slow.sum_ns / explain->sum_ns);
}

/* Events that are only so many units apart are as regular as the units. */
#define UNITS_APART 3

/* Up to which period events show that of the units: the distance of rounds, the period of a run. */
static uint64_t tick_of(const struct explain *explain)
{
	uint64_t period_ns = explain->choice.info.workload.period_ns, distance_ns = 0;

	if (explain->units > 1)
		distance_ns = (explain->last_ns - explain->first_ns) / (explain->units - 1);
	if (explain->choice.kind == UNIT_ROUND)
		return distance_ns;
	return period_ns > UNITS_APART * distance_ns ? period_ns : UNITS_APART * distance_ns;
}

/* The order matters: attributes and rows show how often they are found in an episode. */
static int fill_in_parts(struct explain *explain, struct explanation *explanation)
{
	uint32_t *node_of_row = NULL;
	int err = episodes__finish(explain->episodes, explain->culprits, tick_of(explain),
				   explanation);

	err = err ?: attributes__finish(explain->attributes, explanation);
	err = err ?: rows_fill(explain->tree, explain->culprits, explanation, &node_of_row);
	err = err ?: stack_counts_fill(&explain->stacks, node_of_row, explanation);
	err = err
		      ?: without_finish(&explain->without, explain->units, explain->tree,
					node_of_row, explanation);
	free(node_of_row);
	if (!err)
		typical_finish(&explain->typical, explain->tree, explanation);
	return err;
}

int explain__finish(struct explain *explain, struct explanation *explanation)
{
	int err = 0;

	*explanation =
		(struct explanation){.info = explain->choice.info,
				     .outcome = explain__choose(explain),
				     .unit = explain->choice.kind,
				     .has_other = explain->choice.selection.against == AGAINST_FILE,
				     .units = explain->units,
				     .ambiguous = explain->ambiguous,
				     .not_cut = explain->not_cut};
	fill_in_sets(explain, explanation);
	if (explain_has_rows(explanation->outcome) && !explanation->slow.count)
		explanation->outcome = EXPLAIN_NONE_SLOW;
	if (explanation->outcome == EXPLAIN_DONE && !explanation->base.count &&
	    (explanation->has_other || !explain->choice.selection.has_message))
		explanation->outcome = EXPLAIN_NO_BASE;
	if (explain_has_rows(explanation->outcome))
		err = fill_in_parts(explain, explanation);
	explanation->focus =
		focus_of(explanation, selection_is_default(&explain->choice.selection));
	if (err)
		explanation_clean(explanation);
	return err;
}

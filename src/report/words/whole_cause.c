/* SPDX-License-Identifier: BSD-2-Clause */
/* Names the largest part of the time of a mean unit, and what causes it. */
#include "report/words/whole_words.h"

#include "insight/metrics.h"
#include "report/words/explain/cause_words.h"
#include "report/words/summary_words.h"
#include "report/words/verdict_parts.h"

#include <stdlib.h>

#define AS_LARGE       0.7  /* times the largest part */
#define SECOND_MATTERS 0.25 /* of the whole: the next part has a clause of its own */
#define TAIL_MATTERS   0.5  /* of all time: slow units have it */
#define MOSTLY         0.55 /* of a part */
#define HALF           0.45 /* the same, about */
#define MATTERS        0.1  /* the same: a smaller culprit is not named */

const char *whole_units(const struct whole *whole)
{
	static const char *const units[] = {[WHOLE_MESSAGE] = "messages",
					    [WHOLE_CALL] = "calls",
					    [WHOLE_EXCHANGE] = "exchanges"};

	return units[whole->unit];
}

static const char *part_is(const struct whole_part *part)
{
	switch (part->kind) {
	case WHOLE_COMPONENT:
		return components[part->which].is;
	case WHOLE_STATE:
		return service_states[part->which].is_part;
	case WHOLE_STEP:
		return exchange_parts[part->which].title;
	case WHOLE_UNKNOWN:
		break;
	}
	return "not known";
}

static const char *whole_time(const struct whole *whole)
{
	static const char *const times[] = {[WHOLE_MESSAGE] = "the latency",
					    [WHOLE_CALL] = "call time",
					    [WHOLE_EXCHANGE] = "the time of exchanges"};

	return times[whole->unit];
}

/* ", mostly behind hog (pid 4711, nice 0): 59 % of call time; then cc1 (pid 4712, nice 0): 15 %" */
static void add_waits_of_whole(struct paragraph *line, const struct whole *whole,
			       const struct whole_part *part, enum words_extent extent)
{
	const struct blame_list list = {whole->blame, whole->blame_cnt};
	double wait = part->ns / whole->all_ns, first, second;
	struct culprit *culprit;
	uint32_t cnt;

	culprit = culprits_of(whole->summary, list, &cnt);
	first = cnt ? whole_share(whole, culprit[0].ns) : 0;
	second = cnt > 1 && culprit_has_name(&culprit[1]) ? whole_share(whole, culprit[1].ns) : 0;
	if (first >= MATTERS * wait && culprit_has_name(&culprit[0])) {
		paragraph_add(line, ", %s ",
			      first >= NEARLY_ALL * wait ? "almost entirely"
			      : first >= MOSTLY * wait   ? "mostly"
			      : first >= HALF * wait     ? "about half of it"
							 : "most of all");
		blamed_words(line, &culprit[0]);
		if (first < NEARLY_ALL * wait)
			paragraph_add(line, ": %s of %s", PERCENT(first), whole_time(whole));
		if (extent == WORDS_ALL && first < NEARLY_ALL * wait && second >= MATTERS * wait) {
			paragraph_add(line, "; then ");
			blamed_words(line, &culprit[1]);
			paragraph_add(line, ": %s", PERCENT(second));
		}
	}
	free(culprit);
}

static void add_details(struct paragraph *line, const struct whole *whole,
			const struct whole_part *part, enum words_extent extent)
{
	switch (part->kind) {
	case WHOLE_COMPONENT:
		if (whole->unit == WHOLE_CALL) {
			call_component_words(line, whole, part);
		} else {
			paragraph_add(line, ": ");
			component_words(line, whole->summary, part->which);
		}
		if (part->which == COMPONENT_RUNQUEUE)
			add_waits_of_whole(line, whole, part, extent);
		break;
	case WHOLE_STATE:
		call_state_words(line, whole->summary, part->which);
		break;
	case WHOLE_STEP:
		paragraph_add(line, ": %s", exchange_parts[part->which].where);
		break;
	case WHOLE_UNKNOWN:
		if (part->service_ns >= MOSTLY * part->ns)
			call_unknown_words(line, whole->summary);
		break;
	}
}

/* Of messages without the slowest 1 % for each component. */
static const char *usual_component(const struct whole *whole, double *share)
{
	double ns[NR_COMPONENTS];
	enum component usual;

	for (int i = 0; i < NR_COMPONENTS; i++)
		ns[i] = stat_mean_of_least(&whole->summary->component[i], USUAL_PERCENT);
	usual = components_largest(ns);
	*share = components_ns(ns) > 0 ? ns[usual] / components_ns(ns) : 0;
	return *share > 0 && usual != (enum component)whole_largest(whole)->which
		       ? components[usual].is
		       : NULL;
}

/* The largest part without the slowest 1 %, if it is another one; NULL: it is the same. */
static const char *whole_usual(const struct whole *whole, double *share)
{
	static const char *const parts[] = {[CALL_REQUEST] = "the request",
					    [CALL_SERVICE] = "the service",
					    [CALL_RESPONSE] = "the response"};
	bool is_trimmed = false;
	enum call_part part;

	if (whole->unit == WHOLE_MESSAGE)
		return usual_component(whole, share);
	if (whole->unit != WHOLE_CALL)
		return NULL;
	part = usual_call_part(&whole->summary->calls, share, &is_trimmed);
	return is_trimmed ? parts[part] : NULL;
}

/* Means say nothing of a usual unit if a few have most of the time. */
static void add_slow_units(struct paragraph *line, const struct whole *whole,
			   enum words_extent extent)
{
	const struct whole_tail tail = whole_tail(whole);
	double usual_share;
	const char *usual = whole_usual(whole, &usual_share);

	if (whole->stat->count < PERCENTILES_MIN || extent == WORDS_LEAST)
		return;
	if (tail.ns >= TAIL_MATTERS)
		paragraph_add(line, " The slowest %s of %s (%s or more) take %s of %s.",
			      PERCENT(tail.units), whole_units(whole), SPAN((double)tail.from_ns),
			      PERCENT(tail.ns), whole_time(whole));
	if (usual && extent == WORDS_ALL)
		paragraph_add(line, " Without the slowest 1 %%, the largest part is %s (%s).",
			      usual, PERCENT(usual_share));
}

/* "35 % is ...". One that is about as large has its place and its culprit named as well. */
static void add_second(struct paragraph *line, const struct whole *whole,
		       const struct whole_part *const *sorted, enum words_extent extent)
{
	const struct whole_part *second = sorted[1];
	bool is_as_large = second->ns >= AS_LARGE * sorted[0]->ns;

	if (extent != WORDS_ALL && !is_as_large)
		return;
	paragraph_add(line, " %s is %s", PERCENT(second->ns / whole->all_ns), part_is(second));
	if (extent == WORDS_ALL && is_as_large)
		add_details(line, whole, second, WORDS_FEW);
	paragraph_add(line, ".");
}

void whole_cause_words(struct paragraph *line, const struct whole *whole, enum words_extent extent)
{
	bool is_partial = lacks_messages(&whole->summary->integrity);
	const struct whole_part *sorted[WHOLE_PARTS_MAX];

	if (!whole->cnt)
		return;
	whole_sorted(whole, sorted);
	if (is_partial)
		extent = WORDS_LEAST;
	paragraph_add(line, "%s%s of %s is %s", is_partial ? "as far as it was recorded, " : "",
		      PERCENT(sorted[0]->ns / whole->all_ns), whole_time(whole),
		      part_is(sorted[0]));
	add_details(line, whole, sorted[0], extent);
	paragraph_add(line, ".");
	if (whole->cnt > 1 && sorted[1]->ns >= SECOND_MATTERS * whole->all_ns)
		add_second(line, whole, sorted, extent);
	add_slow_units(line, whole, extent);
}

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Writes the answers of an explanation: what sets slow units apart, when they came, how much better
 * the percentiles would be without the largest culprits, and how much of all that is known.
 */
#include "insight/metrics.h"
#include "report/words/explain/cause_words.h"
#include "report/words/explain/explain_words.h"
#include "report/words/explain/first_view.h"
#include "util/plain.h"

#include <math.h>
#include <string.h>

#define NAMED_IN_WORDS 3
#define GAIN_MATTERS   0.95 /* of a percentile: what is left of it without the culprit */

void explain_attribute_words(const struct explain_attribute *attribute, char words[CLAUSE_LEN])
{
	struct around around = attribute_infos[attribute->attribute].words;
	bool is_asleep = attribute->attribute == ATTRIBUTE_PATH &&
			 !strcmp(attribute->value, paths[PATH_SLEPT].name);

	snprintf(words, CLAUSE_LEN, "%s%s%s", around.before,
		 is_asleep ? "asleep" : attribute->value, around.after);
}

void explain_nothing_apart(struct paragraph *line, const struct explanation *explanation)
{
	paragraph_add(line, "Nothing sets them apart (%llu value%s looked at).",
		      (unsigned long long)explanation->attributes_looked_at,
		      plural(explanation->attributes_looked_at));
}

static void add_attribute(struct paragraph *line, const struct explain_attribute *attribute,
			  const char *separator)
{
	char words[CLAUSE_LEN];

	explain_attribute_words(attribute, words);
	paragraph_add(line, "%s%s: %s of the slow ones, %s of the others ", separator, words,
		      PERCENT(attribute->slow_share), PERCENT(attribute->base_share));
	if (isfinite(attribute->ratio))
		paragraph_add(line, "(%.1f times as often)", attribute->ratio);
	else
		paragraph_add(line, "(no other has it)");
}

/* If several values have the same units, the most certain one stands for all. */
static void explain_apart_words(struct paragraph *line, const struct explanation *explanation)
{
	uint32_t named = 0;

	if (!explanation->attributes_looked_at)
		return;
	if (!explanation->attribute_cnt)
		explain_nothing_apart(line, explanation);
	for (uint32_t i = 0; i < explanation->attribute_cnt && named < NAMED_IN_WORDS; i++) {
		const struct explain_attribute *attribute = &explanation->attribute[i];

		if (attribute->same_as)
			continue;
		add_attribute(line, attribute, named++ ? "; " : "");
	}
}

/* The culprit, without its number if that is too long. */
static void answers_name_of(const struct explain_row *row, int width, char name[CLAUSE_LEN])
{
	char whole[CULPRIT_LEN];
	bool fits = plain_columns(row_culprit(row, whole)) <= width;

	snprintf(name, CLAUSE_LEN, "%s", fits || !row->by.comm[0] ? whole : row->by.comm);
}

/* What stands between the component and its culprit. */
static const char *joint(const struct explain_row *row)
{
	if (row->cost == COST_STOPPED)
		return " until ";
	if (row->cost == COMPONENT_BLOCKED)
		return " by ";
	if (row->role != CAUSE_KEPT)
		return ": ";
	return row->cost == COMPONENT_DISPATCH ? " to " : " with ";
}

void episode_label(const struct explanation *explanation, const struct explain_episode *episode,
		   int width, char label[CLAUSE_LEN])
{
	struct explain_row row = {.cost = episode->cost,
				  .role = episode->role,
				  .call = CALL_UNKNOWN,
				  .by = episode->by};
	const char *title = components[episode->cost].title;
	char words[CLAUSE_LEN], cpu[NAME_LEN] = "";

	if (!row_has_culprit(&row)) {
		snprintf(label, CLAUSE_LEN, "%s", title);
		return;
	}
	if (row.role != CAUSE_RAN) {
		answers_name_of(&row, width - (int)strlen(title) - (int)strlen(joint(&row)), words);
		snprintf(label, CLAUSE_LEN, "%s%s%.*s", title, joint(&row), CLAUSE_LEN - NAME_LEN,
			 words);
		return;
	}
	if (episode->cpu < BLAME_CPU_SEVERAL)
		snprintf(cpu, sizeof(cpu), ", CPU %u", episode->cpu);
	row_label(&explanation->info, &row, width - (int)strlen(cpu), words);
	snprintf(label, CLAUSE_LEN, "%.*s%s", CLAUSE_LEN - NAME_LEN, words, cpu);
}

void explain_period(struct paragraph *line, const struct explanation *explanation)
{
	const struct explain_episode *one = explanation->episode + explanation->period_episode - 1;
	struct explain_row row;
	char name[CLAUSE_LEN];

	if (!explanation->period_ns)
		return;
	paragraph_add(line, "%llu of %llu ", (unsigned long long)explanation->period_hits,
		      (unsigned long long)explanation->period_of);
	if (!explanation->period_episode) {
		paragraph_add(line, "lie %s apart", SPAN((double)explanation->period_ns));
		return;
	}
	row = (struct explain_row){.cost = one->cost, .role = one->role, .by = one->by};
	answers_name_of(&row, CULPRIT_LEN, name);
	paragraph_add(line, "distances between those of %s are %s",
		      row_has_culprit(&row) ? name : components[one->cost].title,
		      SPAN((double)explanation->period_ns));
}

static void answers_add_counts(struct paragraph *line, const struct explanation *explanation,
			       const struct explain_episode *episode)
{
	paragraph_add(line, "%llu %s", (unsigned long long)episode->units,
		      unit_words(explanation->unit, episode->units != 1));
	if (episode->rounds && explanation->unit == UNIT_MESSAGE)
		paragraph_add(line, " in %llu round%s", (unsigned long long)episode->rounds,
			      plural(episode->rounds));
}

static void answers_add_largest(struct paragraph *line, const struct explanation *explanation)
{
	const struct explain_episode *episode = &explanation->episode[0];
	char label[CLAUSE_LEN];

	episode_label(explanation, episode, CULPRIT_LEN, label);
	paragraph_add(line, "%s at %s, ",
		      explanation->episodes == 1 ? "one episode," : "; the largest",
		      INSTANT(&explanation->info, episode->from_ns));
	answers_add_counts(line, explanation, episode);
	paragraph_add(line, " in %s, mostly %s", SPAN((double)(episode->to_ns - episode->from_ns)),
		      label);
}

static void explain_when_words(struct paragraph *line, const struct explanation *explanation)
{
	if (!explanation->episode_cnt || explanation->slow.count < 2)
		return;
	if (explanation->episodes > 1)
		paragraph_add(line, "%llu episodes", (unsigned long long)explanation->episodes);
	if (explanation->period_ns)
		paragraph_add(line, ", ");
	explain_period(line, explanation);
	answers_add_largest(line, explanation);
}

void without_label(const struct explanation *explanation, const struct explain_without *without,
		   char words[CLAUSE_LEN])
{
	const struct explain_row *row = &explanation->row[without->row];

	if (row_has_culprit(row))
		row_culprit(row, words);
	else
		row_component(row, words);
}

static bool gains_much(uint64_t without_ns, uint64_t as_it_is_ns)
{
	return (double)without_ns <= GAIN_MATTERS * (double)as_it_is_ns;
}

void explain_without_words(struct paragraph *line, const struct explanation *explanation)
{
	const struct explain_without *first = &explanation->without[0];
	char words[CLAUSE_LEN];

	if (!explanation->without_cnt || (!gains_much(first->p99_ns, explanation->p99_ns) &&
					  !gains_much(first->p999_ns, explanation->p999_ns)))
		return;
	without_label(explanation, first, words);
	paragraph_add(line, "%s, ", words);
	if (gains_much(first->p99_ns, explanation->p99_ns))
		paragraph_add(line, "the p99 of all would be %s at best instead of %s, and p99.9 ",
			      SPAN((double)first->p99_ns), SPAN((double)explanation->p99_ns));
	else
		paragraph_add(line, "the p99.9 of all would be ");
	paragraph_add(line, "%s%s instead of %s", SPAN((double)first->p999_ns),
		      gains_much(first->p99_ns, explanation->p99_ns) ? "" : " at best",
		      SPAN((double)explanation->p999_ns));
}

static void answers_add_part(struct paragraph *line, uint64_t cnt, const char *what)
{
	if (cnt)
		paragraph_add(line, "; %llu %s", (unsigned long long)cnt, what);
}

/* What of the difference has no known cause. */
static double unknown_share(const struct explanation *explanation)
{
	double ns = 0;

	for (uint32_t i = 0; i < explanation->row_cnt; i++) {
		const struct explain_row *row = &explanation->row[i];
		bool is_unknown = row->cost == COST_UNKNOWN || row->role == CAUSE_UNKNOWN ||
				  (row->role == CAUSE_RAN && row->by.class == BLAME_UNKNOWN);

		if (!row->is_component && !row->depth && is_unknown)
			ns += row->slow_ns - row->base_ns;
	}
	return explanation->difference_ns > 0 ? ns / explanation->difference_ns : 0;
}

void explain_known_words(struct paragraph *line, const struct explanation *explanation)
{
	double unknown = unknown_share(explanation), own = explanation->own_share;

	if (!explain_has_rows(explanation->outcome))
		return;
	paragraph_add(line, "the causes of %s of %s", PERCENT(1 - (unknown > 0 ? unknown : 0)),
		      explanation->base.count ? "the difference" : "its time");
	paragraph_add(line, "; waiting for ipctrace itself is %s of %s%s",
		      PERCENT(own > 0 ? own : 0), explanation->base.count ? "the difference" : "it",
		      own >= DISTURBING_SHARE ? ": leave a CPU free for it" : "");
	answers_add_part(line, explanation->not_cut, "could not be cut in full");
	answers_add_part(line, explanation->ambiguous, "are ambiguous and left out");
	if (explanation->info.condition[0])
		paragraph_add(line, "; only the time around messages with %s is recorded",
			      explanation->info.condition);
}

/* Components whose time is part of another one. */
static void answers_add_components(struct paragraph *line, const struct run_info *info)
{
	for (int i = 0; i < NR_COMPONENTS; i++) {
		const char *missing = component_missing(info, i);

		if (missing)
			paragraph_add(line, "%s%s: %s", line->length ? "; " : "",
				      components[i].title, missing);
	}
}

void explain_missing_words(struct paragraph *line, const struct explanation *explanation)
{
	const struct run_info *info = &explanation->info;

	answers_add_components(line, info);
	if (info->level != LEVEL_DEEP)
		paragraph_add(line,
			      "%s--level deep also records what wakes a thread, interrupts in "
			      "every component, CPUs that leave idle, and throttled groups",
			      line->length ? "; " : "");
}

static void answers_usual(struct paragraph *line, const struct explanation *explanation)
{
	if (first_view(explanation) != WEIGHT_USUAL)
		explain_usual_words(line, explanation);
}

static void answers_slow(struct paragraph *line, const struct explanation *explanation)
{
	if (first_view(explanation) != WEIGHT_MORE)
		explain_slow_words(line, explanation);
}

static void answers_outliers(struct paragraph *line, const struct explanation *explanation)
{
	if (first_view(explanation) != WEIGHT_OUTLIERS)
		explain_outlier_words(line, explanation);
	explain_longest_words(line, explanation);
}

const struct explain_answer explain_answers[EXPLAIN_ANSWERS] = {
	{"usual", answers_usual, 3},       {"slow", answers_slow, 3},
	{"outliers", answers_outliers, 5}, {"apart", explain_apart_words, 3},
	{"when", explain_when_words, 3},   {"without", explain_without_words, 3},
	{"known", explain_known_words, 3}, {"to do", explain_remedy_words, 5},
};

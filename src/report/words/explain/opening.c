/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Writes the first sentences of an explanation: what slow units wait for, how much of the
 * difference that is, and in how many of them it is found; or why there is nothing to explain.
 */

#include "insight/metrics.h"
#include "report/words/explain/cause_words.h"
#include "report/words/explain/explain_words.h"

#include <string.h>

#define MOSTLY       0.5 /* of the difference, or of the slow units */
#define ALL_IS_SAID  0.8 /* of the difference: no further lead is needed */
#define NEXT_MATTERS 0.1
#define STANDS_OUT   0.25
#define CHAIN_MAX    3

/* Smaller rows are not worth a sentence. */
#define WORTH_A_LOOK   0.01 /* of the difference */
#define MOST           0.5  /* of the row that is followed */

#define CANDIDATES_MAX 64
#define LEADS_MAX      3

/*
 * A culprit to look at first, with all its rows: it may have kept the slow units waiting in several
 * components.
 */
struct lead {
	const struct explain_row *row; /* the one with most; borrowed */
	double more_ns;                /* of all its rows: part of the difference of the means */
	uint64_t slow_units;           /* in which the culprit is found: so many, or more */
	uint64_t base_units;
	uint32_t rows;
	bool is_mixed;  /* both ends waited for it */
	bool has_parts; /* in several parts of calls */
};

struct candidate {
	struct lead lead;
	char culprit[CULPRIT_LEN]; /* empty: nothing is to blame but the component itself */
};

static bool opening_is_same(const struct candidate *candidate, const struct explain_row *row,
			    const char *culprit)
{
	const struct explain_row *first = candidate->lead.row;

	if (!culprit[0])
		return !candidate->culprit[0] && first->part == row->part &&
		       first->cost == row->cost && first->role == row->role;
	return first->role == row->role && !strcmp(candidate->culprit, culprit);
}

static struct candidate *opening_find(struct candidate *candidate, uint32_t *cnt,
				      const struct explain_row *row)
{
	char culprit[CULPRIT_LEN] = "";

	if (row_has_culprit(row))
		snprintf(culprit, sizeof(culprit), "%s", row_culprit(row, (char[CULPRIT_LEN]){0}));
	for (uint32_t i = 0; i < *cnt; i++) {
		if (opening_is_same(&candidate[i], row, culprit))
			return &candidate[i];
	}
	if (*cnt == CANDIDATES_MAX)
		return NULL;
	candidate[*cnt] = (struct candidate){.lead = {.row = row}};
	memcpy(candidate[*cnt].culprit, culprit, sizeof(culprit));
	return &candidate[(*cnt)++];
}

static void opening_add(const struct explanation *explanation, struct lead *lead,
			const struct explain_row *row)
{
	lead->has_parts |= lead->row->part != row->part;
	lead->is_mixed |=
		strcmp(row_subject(explanation, lead->row), row_subject(explanation, row)) != 0;
	if (row_more_ns(row) > row_more_ns(lead->row))
		lead->row = row;
	lead->more_ns += row_more_ns(row);
	if (row->slow_units > lead->slow_units)
		lead->slow_units = row->slow_units;
	if (row->base_units > lead->base_units)
		lead->base_units = row->base_units;
	lead->rows++;
}

static uint32_t candidates_of(const struct explanation *explanation,
			      struct candidate candidate[CANDIDATES_MAX])
{
	double least_ns = WORTH_A_LOOK * explanation->difference_ns;
	uint32_t cnt = 0;

	for (uint32_t i = 0; i < explanation->row_cnt; i++) {
		const struct explain_row *row = &explanation->row[i];
		struct candidate *one;

		if (row->is_component || row->depth || row_more_ns(row) < least_ns)
			continue;
		one = opening_find(candidate, &cnt, row);
		if (one)
			opening_add(explanation, &one->lead, row);
	}
	return cnt;
}

/* Puts a lead among the largest so far. */
static uint32_t opening_insert(struct lead lead[LEADS_MAX], uint32_t cnt, const struct lead *one)
{
	uint32_t at = cnt;

	while (at && lead[at - 1].more_ns < one->more_ns)
		at--;
	if (at == LEADS_MAX)
		return cnt;
	if (cnt < LEADS_MAX)
		cnt++;
	memmove(&lead[at + 1], &lead[at], (cnt - 1 - at) * sizeof(*lead));
	lead[at] = *one;
	return cnt;
}

/* At most LEADS_MAX, the largest first. Returns how many. */
static uint32_t leads_of(const struct explanation *explanation, struct lead lead[LEADS_MAX])
{
	struct candidate candidate[CANDIDATES_MAX];
	uint32_t candidates, cnt = 0;

	if (!(explanation->difference_ns > 0))
		return 0;
	candidates = candidates_of(explanation, candidate);
	for (uint32_t i = 0; i < candidates; i++)
		cnt = opening_insert(lead, cnt, &candidate[i].lead);
	return cnt;
}

/* The largest row that follows this one and is most of it. NULL: none is. */
static const struct explain_row *row_followed(const struct explanation *explanation,
					      const struct explain_row *row)
{
	const struct explain_row *end = explanation->row + explanation->row_cnt, *most = NULL;

	for (const struct explain_row *at = row + 1; at < end && at->depth > row->depth; at++) {
		if (at->depth == row->depth + 1 && (!most || row_more_ns(at) > row_more_ns(most)))
			most = at;
	}
	return most && row_more_ns(most) >= MOST * row_more_ns(row) ? most : NULL;
}

/* What nearly all others have, too, is a cause only because the slow ones have more of it. */
static void add_found_in_others(struct paragraph *line, const struct explanation *explanation,
				const struct lead *lead)
{
	const struct explain_set *base = &explanation->base;
	double share = base->count ? (double)lead->base_units / (double)base->count : 0;

	if (!base->count)
		return;
	if (share >= NEARLY_ALL)
		paragraph_add(line, "; %s the others have it, too, but less of it",
			      share < 1 ? "most of" : "all");
	else
		paragraph_add(line, "%s in %s of the others",
			      explanation->slow.count > 1 ? " and" : ", found too", PERCENT(share));
}

/* ", found in 48 of the 50 and in 2.1 % of the others" */
static void opening_add_found(struct paragraph *line, const struct explanation *explanation,
			      const struct lead *lead)
{
	uint64_t slow = explanation->slow.count, found = lead->slow_units;
	bool is_rare = (double)found < MOSTLY * (double)slow;

	if (slow > 1 && found == slow)
		paragraph_add(line, ", found in all %llu", (unsigned long long)slow);
	else if (slow > 1)
		paragraph_add(line, ", found in %s%llu of the %llu",
			      lead->rows > 1 ? "at least "
			      : is_rare      ? "only "
					     : "",
			      (unsigned long long)found, (unsigned long long)slow);
	add_found_in_others(line, explanation, lead);
}

/* ", while worker waits for CPU 1 behind hog (pid 4711, RR 50)" */
static void add_followed(struct paragraph *line, const struct explanation *explanation,
			 const struct explain_row *row)
{
	char clause[CLAUSE_LEN];
	const struct explain_row *next;

	for (int i = 0; i < CHAIN_MAX && (next = row_followed(explanation, row)); i++, row = next) {
		if (next->cost == COST_UNKNOWN || next->role == CAUSE_UNKNOWN ||
		    !row_has_culprit(row) || !row->by.comm[0])
			return;
		row_clause(&explanation->info, next, row->by.comm, clause);
		paragraph_add(line, ", while %s", clause);
	}
}

static void add_clause(struct paragraph *line, const struct explanation *explanation,
		       const struct lead *lead)
{
	const char *both_ends = explanation->unit == UNIT_CALL ? "the client or the server"
							       : "the sender or the receiver";
	char clause[CLAUSE_LEN];

	row_clause(&explanation->info, lead->row,
		   lead->is_mixed ? both_ends : row_subject(explanation, lead->row), clause);
	paragraph_add(line, "%s", clause);
	add_followed(line, explanation, lead->row);
}

/* One unit with a huge wait must not pose as the cause of all. */
static void opening_add_largest(struct paragraph *line, const struct explanation *explanation,
				const struct lead *lead)
{
	double all_ns = lead->row->slow_ns * (double)explanation->slow.count;

	if (explanation->slow.count > 1 && (double)lead->row->largest_ns > MOSTLY * all_ns)
		paragraph_add(line, "One %s alone has most of that, %s. ",
			      unit_words(explanation->unit, false),
			      SPAN((double)lead->row->largest_ns));
}

static double opening_mean_ns(const struct explain_set *set)
{
	return set->count ? (double)set->sum_ns / (double)set->count : 0;
}

/*
 * "The 50 slow ones (slowest 1%) take 812.5 us, 790.2 us more than the 2500 others (middle half)."
 */
static void add_sets(struct paragraph *line, const struct explanation *explanation)
{
	const struct explain_set *slow = &explanation->slow, *base = &explanation->base;
	double more_ns = explanation->difference_ns;

	if (slow->count == 1)
		paragraph_add(line, "It (%s) takes %s", slow->select, SPAN(opening_mean_ns(slow)));
	else
		paragraph_add(line, "The %llu slow ones (%s) take %s on average",
			      (unsigned long long)slow->count, slow->select,
			      SPAN(opening_mean_ns(slow)));
	if (!base->count) {
		paragraph_add(line, ". There are no others to compare with.");
		return;
	}
	paragraph_add(line, ", %s %s than ", SPAN(more_ns < 0 ? -more_ns : more_ns),
		      more_ns < 0 ? "less" : "more");
	if (base->sampled_of)
		paragraph_add(line, "%llu of ", (unsigned long long)base->count);
	paragraph_add(line, "the %llu other%s (%s).",
		      (unsigned long long)(base->sampled_of ?: base->count),
		      plural(base->sampled_of ?: base->count), base->select);
}

/* "the service"; empty: there are no parts, or several have the culprit. */
static const char *part_of(const struct lead *lead)
{
	static const char *const words[NR_CAUSE_PARTS] = {"", "the request", "the service",
							  "the response"};

	return lead->has_parts ? "" : words[lead->row->part];
}

/* "In slow messages, the server waits for CPU 1 behind hog (pid 4711, RR 50): 97 % of ..." */
static void add_first(struct paragraph *line, const struct explanation *explanation,
		      const struct lead *lead)
{
	double share = lead->more_ns / explanation->difference_ns;
	bool is_one = explanation->slow.count == 1;

	paragraph_add(line, "%sIn %s%s%s %s, ",
		      share < STANDS_OUT ? "No single cause stands out. " : "", part_of(lead),
		      part_of(lead)[0] ? " of " : "", is_one ? "this" : "slow",
		      unit_words(explanation->unit, !is_one));
	add_clause(line, explanation, lead);
	paragraph_add(line, ": %s%s of %s", share < MOSTLY ? "the largest part, " : "",
		      PERCENT(share < 1 ? share : 1),
		      explanation->base.count ? "the difference" : "its time");
	opening_add_found(line, explanation, lead);
	paragraph_add(line, ". ");
	opening_add_largest(line, explanation, lead);
}

static void add_next(struct paragraph *line, const struct explanation *explanation,
		     const struct lead *lead)
{
	paragraph_add(line, " Next, %s%s%s: ", PERCENT(lead->more_ns / explanation->difference_ns),
		      part_of(lead)[0] ? " in " : "", part_of(lead));
	add_clause(line, explanation, lead);
	opening_add_found(line, explanation, lead);
	paragraph_add(line, ".");
}

/* Smaller leads, until most of the difference is said. */
static void opening_add_rest(struct paragraph *line, const struct explanation *explanation,
			     const struct lead *lead, uint32_t cnt)
{
	double said_ns = lead[0].more_ns;

	for (uint32_t i = 1; i < cnt && said_ns < ALL_IS_SAID * explanation->difference_ns; i++) {
		if (lead[i].more_ns < NEXT_MATTERS * explanation->difference_ns)
			return;
		add_next(line, explanation, &lead[i]);
		said_ns += lead[i].more_ns;
	}
}

void explain_opening(struct paragraph *line, const struct explanation *explanation)
{
	struct lead lead[LEADS_MAX];
	uint32_t cnt = leads_of(explanation, lead);

	if (cnt)
		add_first(line, explanation, &lead[0]);
	add_sets(line, explanation);
	if (cnt)
		opening_add_rest(line, explanation, lead, cnt);
}

void explain_outcome_words(struct paragraph *line, const struct explanation *explanation)
{
	const char *units = unit_words(explanation->unit, true);
	unsigned long long cnt = explanation->units;

	switch (explanation->outcome) {
	case EXPLAIN_NO_UNITS:
		paragraph_add(line,
			      "There is nothing to explain: the recording has no %s of this "
			      "selection (%s). Select others, or another --unit.",
			      units, explanation->slow.select);
		break;
	case EXPLAIN_TOO_FEW:
		paragraph_add(line,
			      "There is nothing to explain: %llu %s are too few to say what is "
			      "usual. Select more of them, or trace for longer.",
			      cnt, units);
		break;
	case EXPLAIN_NONE_SLOW:
		paragraph_add(line,
			      "None of %llu %s is slow (%s). Select more of them, for example with "
			      "--slowest 10%%.",
			      cnt, units, explanation->slow.select);
		break;
	default:
		if (explanation->has_other) {
			paragraph_add(line,
				      "There is nothing to compare with: %s has no %s of this "
				      "selection. Name another recording with --against FILE.",
				      explanation->base.select, units);
			break;
		}
		paragraph_add(line,
			      "There is nothing to compare with: all of %llu %s are slow (%s). "
			      "Select fewer of them, or use --against FILE.",
			      cnt, units, explanation->slow.select);
	}
}

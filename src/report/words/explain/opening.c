/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Writes the first sentences of an explanation: what usual units wait for; what slow units wait
 * for, how much of the difference that is, and in how many of them it is found; what to do; or why
 * there is nothing to explain.
 */

#include "insight/metrics.h"
#include "model/blocked_calls.h"
#include "report/words/explain/cause_words.h"
#include "report/words/explain/explain_words.h"
#include "report/words/explain/first_view.h"
#include "report/words/explain/leads.h"
#include "report/words/explain/meanwhile_words.h"
#include "report/words/explain/usual_remarks.h"

#include <string.h>

#define MOSTLY       0.5 /* of the difference, or of the slow units */
#define ALL_IS_SAID  0.8 /* of the difference: no further lead is needed */
#define NEXT_MATTERS 0.1
#define NEARLY_WHOLE 0.8 /* of what it follows: the rest is not worth a word */
#define STANDS_OUT   0.25

/* What follows a row, if there are words for it. NULL: nothing does. */
static const struct explain_row *followed_in_words(const struct telling *telling,
						   const struct explain_row *row, double *ns)
{
	const struct explain_row *next = row_followed(&telling->view, row, ns);

	return !next || next->cost == COST_UNKNOWN || next->role == CAUSE_UNKNOWN ||
			       !row_has_culprit(row) || !row->by.comm[0]
		       ? NULL
		       : next;
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
	else if (explanation->slow.count > 1)
		paragraph_add(line, " and in %s of the others",
			      share > 0 ? PERCENT(share) : "none");
	else if (share > 0)
		paragraph_add(line, ", found in %s of the others, too", PERCENT(share));
	else
		paragraph_add(line, ", found in none of the others");
}

/*
 * The lead with the counts of what the sentence ends with: if others follow one row, those of the
 * last one.
 */
static struct lead lead_with_counts(const struct telling *telling, const struct lead *lead)
{
	const struct explain_row *last = lead->row;
	struct lead said = *lead;
	double ns;

	for (int i = 0; i < CHAIN_MAX && lead->rows == 1; i++) {
		last = followed_in_words(telling, last, &ns);
		if (!last)
			break;
		if (view_ns(&telling->view, last) >= NEARLY_WHOLE * ns) {
			said.slow_units = last->slow_units;
			said.base_units = last->base_units;
		}
	}
	return said;
}

/* ", found in 48 of the 50 and in 2.1 % of the others" */
static void opening_add_found(struct paragraph *line, const struct telling *telling,
			      const struct lead *lead)
{
	const struct explanation *explanation = telling->explanation;
	struct lead said = lead_with_counts(telling, lead);
	uint64_t slow = explanation->slow.count, found = said.slow_units;
	bool is_rare = (double)found < MOSTLY * (double)slow;

	if (slow > 1 && found == slow)
		paragraph_add(line, ", found in all %llu", (unsigned long long)slow);
	else if (slow > 1)
		paragraph_add(line, ", found in %s%llu of the %llu",
			      lead->rows > 1 ? "at least "
			      : is_rare      ? "only "
					     : "",
			      (unsigned long long)found, (unsigned long long)slow);
	add_found_in_others(line, explanation, &said);
}

/* ", while worker waits for CPU 1 behind hog (pid 4711, RR 50), 72 % of that wait" */
static void add_followed(struct paragraph *line, const struct telling *telling,
			 const struct explain_row *row)
{
	char clause[CLAUSE_LEN];
	const struct explain_row *next;
	double ns;

	for (int i = 0; i < CHAIN_MAX && (next = followed_in_words(telling, row, &ns)); i++) {
		double share = ns / view_ns(&telling->view, row);

		row_clause(&telling->explanation->info, next, row->by.comm, clause);
		paragraph_add(line, ", while %s", clause);
		if (share < NEARLY_WHOLE)
			paragraph_add(line, ", %s of that wait", PERCENT(share));
		row = next;
	}
}

/* ", with 4096 page faults a call" */
static void add_faults(struct paragraph *line, const struct telling *telling,
		       const struct lead *lead)
{
	const char *unit = unit_words(telling->explanation->unit, false);

	if (!lead_has_faults(lead))
		return;
	if (lead->row->reason == REASON_DISK_PAGE) {
		paragraph_add(line, ", in %.0f major page faults a %s", lead->majors, unit);
		return;
	}
	paragraph_add(line, ", with %.0f page faults a %s", lead->faults + lead->majors, unit);
	if (lead->majors >= 1)
		paragraph_add(line, ", %.0f of them major (not in memory)", lead->majors);
}

/* "the server is in fsync, where it mostly sleeps until jbd2/vda-8 (pid 99, nice 0) wakes it" */
static void add_call_clause(struct paragraph *line, const struct telling *telling,
			    const struct lead *lead, const char *subject)
{
	const struct run_info *info = &telling->explanation->info;
	struct explain_row row = *lead->row;
	char clause[CLAUSE_LEN];

	paragraph_add(line, "%s is in %s, where it ", subject, SYSCALL(info->host.arch, row.call));
	row.call = CALL_UNKNOWN;
	row_clause(info, &row, "mostly", clause);
	paragraph_add(line, "%s", row.cost == COST_ON_CPU ? "mostly runs" : clause);
}

/* ", 55 % of that wait": another CPU was not idle in all of it. */
static void add_spare_share(struct paragraph *line, const struct lead *lead)
{
	double ns = lead->spare[lead->row->reason == REASON_SPARE_ALLOWED].ns;

	if (reason_has_cpu(lead->row->reason) && ns < NEARLY_WHOLE * lead->ns)
		paragraph_add(line, ", %s of that wait", PERCENT(ns / lead->ns));
}

static void add_clause(struct paragraph *line, const struct telling *telling,
		       const struct lead *lead)
{
	const struct explanation *explanation = telling->explanation;
	const char *both_ends =
		explanation->unit == UNIT_CALL || explanation->unit == UNIT_CONNECTION
			? "the client or the server"
			: "the sender or the receiver";
	const char *subject = lead->is_mixed ? both_ends : row_subject(explanation, lead->row);
	char clause[CLAUSE_LEN];

	if (lead->runs && lead->sleeps) {
		add_call_clause(line, telling, lead, subject);
	} else {
		row_clause(&explanation->info, lead->row, subject, clause);
		paragraph_add(line, "%s%s", clause,
			      lead->is_kind && !lead->row->reason ? " or one like it" : "");
		add_spare_share(line, lead);
		meanwhile_add_clause(line, telling, lead);
		add_followed(line, telling, lead->row);
	}
	add_faults(line, telling, lead);
}

/* One unit with a huge wait must not pose as the cause of all. */
static void opening_add_largest(struct paragraph *line, const struct explanation *explanation,
				const struct lead *lead)
{
	double all_ns = lead->row->slow_ns * (double)explanation->slow.count;

	if (explanation->slow.count > 1 && (double)lead->row->largest_ns > MOSTLY * all_ns)
		paragraph_add(line, " One %s alone has most of that, %s.",
			      unit_words(explanation->unit, false),
			      SPAN((double)lead->row->largest_ns));
}

/*
 * "The 50 slow ones (slowest 1%) take 812.5 us, 790.2 us more than the 2500 others (middle half)."
 */
static void add_sets(struct paragraph *line, const struct explanation *explanation)
{
	const struct explain_set *slow = &explanation->slow, *base = &explanation->base;
	double more_ns = explanation->difference_ns;

	if (explanation->focus == FOCUS_SLOWEST)
		return;
	if (line->length)
		paragraph_add(line, " ");
	if (slow->count == 1)
		paragraph_add(line, "It (%s) takes %s", slow->select, SPAN(explain_mean_ns(slow)));
	else
		paragraph_add(line, "The %llu slow ones (%s) take %s on average",
			      (unsigned long long)slow->count, slow->select,
			      SPAN(explain_mean_ns(slow)));
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

/* "the service" with what is around it; nothing if there are no parts, or several. */
static void add_part(struct paragraph *line, const struct explanation *explanation,
		     const struct lead *lead, const char *before, const char *after)
{
	static const char *const words[NR_CAUSE_PARTS] = {
		"", "the connecting", "the request", "the service", "the response", "the queue"};
	bool is_connect = lead->row->part == PART_CONNECT && explanation->unit == UNIT_CONNECTION;
	const char *part = is_connect ? "connect()" : words[lead->row->part];

	if (part[0] && !lead->has_parts)
		paragraph_add(line, "%s%s%s", before, part, after);
}

/* How much is said. */
enum extent { FIRST_SENTENCE, ALL_SENTENCES };

/* "these, ", or "4 of these, ": the slow ones in which the lead is found. */
static void add_these(struct paragraph *line, const struct explanation *explanation,
		      const struct lead *lead)
{
	if (explanation->slow.count == 1)
		paragraph_add(line, "this one, ");
	else if (lead->slow_units == explanation->slow.count)
		paragraph_add(line, "these, ");
	else
		paragraph_add(line, "%s%llu of these, ", lead->rows > 1 ? "at least " : "",
			      (unsigned long long)lead->slow_units);
}

/* "In the service of slow calls, ": of what the sentence speaks. */
static void add_where(struct paragraph *line, const struct telling *telling,
		      const struct lead *lead, enum extent extent)
{
	const struct explanation *explanation = telling->explanation;
	bool is_one = explanation->slow.count == 1;
	const char *units = unit_words(explanation->unit, !is_one);
	const char *slow = !is_one                             ? "slow"
			   : explanation->focus == FOCUS_USUAL ? "the slowest"
							       : "this";

	paragraph_add(line, explanation->focus == FOCUS_TAIL ? "in " : "In ");
	add_part(line, explanation, lead, "", " of ");
	if (explanation->focus == FOCUS_SLOWEST && explanation->units == 1)
		paragraph_add(line, "the only %s (%s), ", units,
			      SPAN(explain_mean_ns(&explanation->slow)));
	else if (explanation->focus == FOCUS_SLOWEST)
		paragraph_add(line, "the slowest of %llu %s (%s), ",
			      (unsigned long long)explanation->units,
			      unit_words(explanation->unit, true),
			      SPAN(explain_mean_ns(&explanation->slow)));
	else if (explanation->focus == FOCUS_TAIL)
		add_these(line, explanation, lead);
	else if (extent == FIRST_SENTENCE)
		paragraph_add(line, "%s %s (%s), ", slow, units,
			      SPAN(explain_mean_ns(&explanation->slow)));
	else
		paragraph_add(line, "%s %s, ", slow, units);
}

/* "97 % of the time of all calls is in the slowest 1 %: " */
static void add_tail(struct paragraph *line, const struct explanation *explanation)
{
	paragraph_add(line, "%s of the time of all %s is in the %s (%llu %s): ",
		      PERCENT(explanation->tail_share), unit_words(explanation->unit, true),
		      explanation->slow.select, (unsigned long long)explanation->slow.count,
		      unit_words(explanation->unit, explanation->slow.count != 1));
}

/* "In slow messages, the server waits for CPU 1 behind hog (pid 4711, RR 50): 97 % of ..." */
static void add_first(struct paragraph *line, const struct telling *telling,
		      const struct lead *lead, enum extent extent)
{
	const struct explanation *explanation = telling->explanation;
	double share = lead->ns / telling->view.all_ns;

	if (explanation->focus == FOCUS_TAIL)
		add_tail(line, explanation);
	else if (share < STANDS_OUT)
		paragraph_add(line, "No single cause stands out. ");
	add_where(line, telling, lead, extent);
	add_clause(line, telling, lead);
	paragraph_add(line, ": %s%s of %s", share < MOSTLY ? "the largest part, " : "",
		      PERCENT(share < 1 ? share : 1),
		      explanation->base.count ? "the difference" : "its time");
	if (extent == ALL_SENTENCES)
		opening_add_found(line, telling, lead);
	paragraph_add(line, ".");
}

/* `first`: what the first sentence is about. Own work of a thread comes later, and may be more. */
static void add_next(struct paragraph *line, const struct telling *telling,
		     const struct lead *first, const struct lead *lead)
{
	paragraph_add(line, " %s, %s", lead->ns > first->ns ? "Besides" : "Next",
		      PERCENT(lead->ns / telling->view.all_ns));
	add_part(line, telling->explanation, lead, " in ", "");
	paragraph_add(line, ": ");
	add_clause(line, telling, lead);
	if (telling->view.weight == WEIGHT_MORE)
		opening_add_found(line, telling, lead);
	paragraph_add(line, ".");
}

/* The first lead, and smaller ones until most of the time is said. */
static uint32_t leads_worth_saying(const struct telling *telling, const struct lead *lead,
				   uint32_t cnt)
{
	double all_ns = telling->view.all_ns, said_ns = 0;
	uint32_t i;

	for (i = 0; i < cnt; i++) {
		if (i && (said_ns >= ALL_IS_SAID * all_ns || lead[i].ns < NEXT_MATTERS * all_ns))
			break;
		said_ns += lead[i].ns;
	}
	return i;
}

static void opening_add_rest(struct paragraph *line, const struct telling *telling,
			     const struct lead *lead, uint32_t cnt)
{
	cnt = leads_worth_saying(telling, lead, cnt);
	for (uint32_t i = 1; i < cnt; i++)
		add_next(line, telling, &lead[0], &lead[i]);
}

static void tell_usual(struct paragraph *line, const struct explanation *explanation,
		       enum extent extent)
{
	struct telling telling = telling_of(explanation, WEIGHT_USUAL);
	double usual_ns = telling.view.all_ns;
	struct lead lead[LEADS_MAX];
	uint32_t cnt = leads_of(&telling, lead);
	const char *unit = unit_words(explanation->unit, false);
	bool is_largest, repeats = cnt && usual_remark(line, explanation, &lead[0], usual_ns);

	if (!cnt || (repeats && extent == FIRST_SENTENCE))
		return;
	paragraph_add(line, repeats ? " Meanwhile, " : "In ");
	if (!repeats) {
		add_part(line, explanation, &lead[0], "", " of ");
		paragraph_add(line, "a usual %s (%s), ", unit, SPAN(usual_ns));
	}
	add_clause(line, &telling, &lead[0]);
	is_largest = cnt == 1 || lead[0].ns >= lead[1].ns;
	paragraph_add(line, ": %s%s of that time.",
		      is_largest && lead[0].ns < MOSTLY * usual_ns ? "the largest part, " : "",
		      PERCENT(lead[0].ns < usual_ns ? lead[0].ns / usual_ns : 1));
	if (extent == FIRST_SENTENCE)
		return;
	meanwhile_add_accepted(line, &telling, &lead[0]);
	opening_add_rest(line, &telling, lead, cnt);
}

void explain_usual_words(struct paragraph *line, const struct explanation *explanation)
{
	tell_usual(line, explanation, ALL_SENTENCES);
}

static void tell_slow(struct paragraph *line, const struct explanation *explanation,
		      enum extent extent)
{
	struct telling telling = telling_of(explanation, WEIGHT_MORE);
	struct lead lead[LEADS_MAX];
	uint32_t cnt = leads_of(&telling, lead);

	if (cnt)
		add_first(line, &telling, &lead[0], extent);
	if (extent == FIRST_SENTENCE)
		return;
	if (cnt) {
		meanwhile_add_accepted(line, &telling, &lead[0]);
		opening_add_largest(line, explanation, &lead[0]);
	}
	add_sets(line, explanation);
	if (cnt)
		opening_add_rest(line, &telling, lead, cnt);
}

void explain_slow_words(struct paragraph *line, const struct explanation *explanation)
{
	tell_slow(line, explanation, ALL_SENTENCES);
}

/* "In the service of the 10 slowest of 82712 calls (8.1 ms or more), the server is in ...: 78 %" */
static void add_outliers(struct paragraph *line, const struct telling *telling,
			 const struct lead *lead)
{
	const struct explanation *explanation = telling->explanation;
	const struct explain_set *outliers = &explanation->outliers;

	paragraph_add(line, "In ");
	add_part(line, explanation, lead, "", " of ");
	paragraph_add(line, "the %llu slowest of %llu %s (%s or more), ",
		      (unsigned long long)outliers->count, (unsigned long long)explanation->units,
		      unit_words(explanation->unit, true), SPAN((double)outliers->least_ns));
	add_clause(line, telling, lead);
	paragraph_add(line, ": %s%s of their time.",
		      lead->ns < MOSTLY * telling->view.all_ns ? "the largest part, " : "",
		      PERCENT(lead->ns / telling->view.all_ns));
}

/*
 * The number of leads in the sentences on outliers. 0 if these are not far longer, or if the slow
 * ones wait for the same. Where ipctrace itself comes first, the program has causes of its own,
 * too.
 */
static uint32_t outlier_leads(const struct telling *telling, struct lead lead[LEADS_MAX])
{
	const struct explanation *explanation = telling->explanation;
	struct telling slow = telling_of(explanation, WEIGHT_MORE);
	uint32_t cnt = leads_of(telling, lead);
	struct lead of_slow[LEADS_MAX];

	if (!cnt || !are_far_longer(&explanation->outliers, &explanation->slow) ||
	    (leads_of(&slow, of_slow) && leads_are_alike(&lead[0], &of_slow[0])))
		return 0;
	return lead[0].row->by.class == BLAME_IPCTRACE ? leads_worth_saying(telling, lead, cnt) : 1;
}

void explain_outlier_words(struct paragraph *line, const struct explanation *explanation)
{
	struct telling telling = telling_of(explanation, WEIGHT_OUTLIERS);
	struct lead lead[LEADS_MAX];
	uint32_t cnt = outlier_leads(&telling, lead);

	if (!cnt)
		return;
	add_outliers(line, &telling, &lead[0]);
	opening_add_rest(line, &telling, lead, cnt);
}

/* The sentences before it speak of a lead like this. */
static bool lead_is_said(const struct explanation *explanation, const struct lead *one)
{
	const enum explain_weight told[] = {explanation->focus == FOCUS_USUAL ? WEIGHT_USUAL
									      : WEIGHT_MORE,
					    WEIGHT_MORE, WEIGHT_OUTLIERS};

	for (size_t k = 0; k < sizeof(told) / sizeof(told[0]); k++) {
		struct telling telling = telling_of(explanation, told[k]);
		struct lead lead[LEADS_MAX];
		uint32_t cnt = told[k] == WEIGHT_OUTLIERS ? outlier_leads(&telling, lead)
							  : leads_of(&telling, lead) > 0;

		for (uint32_t i = 0; i < cnt; i++) {
			if (leads_are_alike(&lead[i], one))
				return true;
		}
	}
	return false;
}

/* A single one is lost in shares, even in those of outliers. */
void explain_longest_words(struct paragraph *line, const struct explanation *explanation)
{
	struct telling telling = telling_of(explanation, WEIGHT_MORE);
	const struct lead longest = {.row = row_longest(&telling)};
	char clause[CLAUSE_LEN];

	if (!longest.row ||
	    (double)longest.row->largest_ns < FAR_LONGER * explain_mean_ns(&explanation->slow) ||
	    lead_is_said(explanation, &longest))
		return;
	paragraph_add(line, "%s longest time in one %s is %s: ",
		      line->length ? " Apart from that, the" : "The",
		      unit_words(explanation->unit, false), SPAN((double)longest.row->largest_ns));
	add_part(line, explanation, &longest, "in ", ", ");
	row_clause(&explanation->info, longest.row, row_subject(explanation, longest.row), clause);
	paragraph_add(line, "%s.", clause);
}

/* Slow units of which the first sentence says nothing. */
static void add_far_longer(struct paragraph *line, const struct explanation *explanation)
{
	struct paragraph more = {0};

	if (explanation->focus == FOCUS_USUAL &&
	    are_far_longer(&explanation->slow, &explanation->base))
		tell_slow(&more, explanation, FIRST_SENTENCE);
	else
		explain_outlier_words(&more, explanation);
	if (more.length)
		paragraph_add(line, " %s", more.text);
}

static void tell_focus(struct paragraph *line, const struct explanation *explanation)
{
	if (explanation->focus == FOCUS_USUAL)
		tell_usual(line, explanation, FIRST_SENTENCE);
	else
		tell_slow(line, explanation, FIRST_SENTENCE);
}

void explain_headline(struct paragraph *line, const struct explanation *explanation)
{
	enum explain_weight first = first_view(explanation);
	struct paragraph focus = {0};
	bool has_circle;

	tell_focus(&focus, explanation);
	if (first == WEIGHT_OUTLIERS)
		explain_outlier_words(line, explanation);
	else if (first == WEIGHT_MORE && explanation->focus == FOCUS_USUAL)
		tell_slow(line, explanation, FIRST_SENTENCE);
	has_circle = line->length > 0;
	if (focus.length)
		paragraph_add(line, "%s%s", has_circle ? " " : "", focus.text);
	if (!has_circle)
		add_far_longer(line, explanation);
	explain_longest_words(line, explanation);
}

void explain_opening(struct paragraph *line, const struct explanation *explanation)
{
	switch (first_view(explanation)) {
	case WEIGHT_USUAL:
		explain_usual_words(line, explanation);
		break;
	case WEIGHT_MORE:
		explain_slow_words(line, explanation);
		break;
	case WEIGHT_OUTLIERS:
		explain_outlier_words(line, explanation);
		break;
	}
	if (explanation->outcome == EXPLAIN_TOO_FEW)
		paragraph_add(line, " %llu %s %s too few to say what is usual.",
			      (unsigned long long)explanation->units,
			      unit_words(explanation->unit, explanation->units != 1),
			      explanation->units == 1 ? "is" : "are");
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

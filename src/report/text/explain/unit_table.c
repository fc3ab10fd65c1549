/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Prints one unit in full, as rtla does: each component with its culprits, in the order of time.
 * The lines of the components add up to the latency. Below stands what the threads of the unit did,
 * from a millisecond before it until its end.
 */
#include "report/text/explain/parts.h"
#include "report/words/explain/cause_words.h"

#include <stdlib.h>
#include <string.h>

#define LABEL_WIDTH  42
#define TIME_WIDTH   13
#define SHARE_WIDTH  9
#define CPU_WIDTH    4
#define AT_WIDTH     12

#define INDENT       2
#define CULPRITS_MAX 12 /* of a component, or of a culprit that is followed */

#define MOMENTS_MAX  24

#define FOR_WIDTH    12
#define MOMENT_CPU   5
#define THREAD_WIDTH 17
#define GAP          2
#define WORDS_WIDTH  (80 - AT_WIDTH - FOR_WIDTH - MOMENT_CPU - THREAD_WIDTH - 2 * GAP)

static void unit_table_put_times(const struct text *text, const struct unit *unit, uint64_t ns)
{
	text_number(text, TIME_WIDTH, (double)ns / 1e3, 3);
	text_share(text, SHARE_WIDTH, (double)ns / (double)unit_latency_ns(unit));
}

/* From the start of the unit on, in us, with fewer decimals if they do not fit. */
static void instant_cell(char at[NAME_LEN], const struct unit *unit, uint64_t ns)
{
	double us = ((double)ns - (double)unit->from_ns) / 1e3;

	for (int decimals = 3; decimals >= 0; decimals--) {
		if (snprintf(at, NAME_LEN, "%+.*f", decimals, us) < AT_WIDTH)
			return;
	}
}

static void put_place(const struct text *text, const struct unit *unit, const struct cause *cause)
{
	char at[NAME_LEN];

	if (cause->by.cpu < BLAME_CPU_SEVERAL && cause->role != CAUSE_ITSELF)
		text_count(text, CPU_WIDTH, cause->by.cpu);
	else
		text_cell(text, CPU_WIDTH, cause->by.cpu == BLAME_CPU_SEVERAL ? "+" : "");
	instant_cell(at, unit, cause->from_ns);
	text_cell(text, AT_WIDTH, at);
}

static void cause_row(const struct text *text, const struct explanation *explanation,
		      const struct unit *unit, const struct cause *cause, int depth)
{
	struct explain_row row = row_of_cause(cause);
	int indent = INDENT * (2 + depth);
	char label[CLAUSE_LEN];

	culprit_label(&explanation->info, &row, LABEL_WIDTH - indent - 1, label);
	put_row_label(text, INK_PLAIN, indent, LABEL_WIDTH, label);
	unit_table_put_times(text, unit, cause->by.ns);
	put_place(text, unit, cause);
	text_newline(text);
}

/* What follows the cause, and what follows that. Causes stand behind the one that they follow. */
static void unit_table_followed_rows(const struct text *text, const struct explanation *explanation,
				     const struct unit *unit, uint32_t parent, int depth)
{
	uint32_t shown = 0;

	if (depth > CAUSE_DEPTH_MAX)
		return;
	for (uint32_t i = parent + 1; i < unit->cause_cnt && shown < CULPRITS_MAX; i++) {
		if (unit->cause[i].parent != parent + 1)
			continue;
		cause_row(text, explanation, unit, &unit->cause[i], depth);
		unit_table_followed_rows(text, explanation, unit, i, depth + 1);
		shown++;
	}
}

static bool unit_table_is_same_component(const struct cause *a, const struct cause *b)
{
	return !a->parent && !b->parent && a->part == b->part && a->cost == b->cost;
}

/* The causes of a component: how many, and how long. */
struct component_causes {
	uint32_t cnt;
	uint64_t ns;
};

static struct component_causes causes_of(const struct unit *unit, const struct cause *first)
{
	struct component_causes causes = {0};

	for (uint32_t i = 0; i < unit->cause_cnt; i++) {
		if (!unit_table_is_same_component(&unit->cause[i], first))
			continue;
		causes.cnt++;
		causes.ns += unit->cause[i].by.ns;
	}
	return causes;
}

static bool unit_table_is_first(const struct unit *unit, uint32_t cause)
{
	for (uint32_t i = 0; i < cause; i++) {
		if (unit_table_is_same_component(&unit->cause[i], &unit->cause[cause]))
			return false;
	}
	return true;
}

static void unit_table_rest_row(const struct text *text, const struct unit *unit,
				const struct component_causes *rest)
{
	char label[NAME_LEN];

	if (!rest->cnt)
		return;
	snprintf(label, sizeof(label), "%u more", rest->cnt);
	put_row_label(text, INK_PLAIN, 2 * INDENT, LABEL_WIDTH, label);
	unit_table_put_times(text, unit, rest->ns);
	text_newline(text);
}

static void unit_table_culprit_rows(const struct text *text, const struct explanation *explanation,
				    const struct unit *unit, uint32_t first)
{
	struct component_causes rest = {0};
	uint32_t shown = 0;

	for (uint32_t i = first; i < unit->cause_cnt; i++) {
		const struct cause *cause = &unit->cause[i];

		if (!unit_table_is_same_component(cause, &unit->cause[first]))
			continue;
		if (shown == CULPRITS_MAX) {
			rest.cnt++;
			rest.ns += cause->by.ns;
			continue;
		}
		cause_row(text, explanation, unit, cause, 0);
		unit_table_followed_rows(text, explanation, unit, i, 1);
		shown++;
	}
	unit_table_rest_row(text, unit, &rest);
}

static bool unit_table_has_only_itself(const struct component_causes *causes,
				       const struct cause *first)
{
	return causes->cnt == 1 && first->role == CAUSE_ITSELF && first->call == CALL_UNKNOWN &&
	       !first->reason;
}

/* The title, and where the component has only its own time, all that there is to say. */
static void component_rows(const struct text *text, const struct explanation *explanation,
			   const struct unit *unit, uint32_t first)
{
	const struct cause *cause = &unit->cause[first];
	struct explain_row row = row_of_cause(cause);
	struct component_causes causes = causes_of(unit, cause);

	put_row_label(text, INK_BOLD, INDENT, LABEL_WIDTH, ROW_COMPONENT(&row));
	unit_table_put_times(text, unit, causes.ns);
	if (unit_table_has_only_itself(&causes, cause))
		put_place(text, unit, cause);
	text_newline(text);
	if (!unit_table_has_only_itself(&causes, cause))
		unit_table_culprit_rows(text, explanation, unit, first);
}

static void unit_head(const struct text *text, const struct explanation *explanation,
		      const struct unit *unit)
{
	struct paragraph which = {0}, parties = {0}, when = {0};

	unit_identity(&which, unit);
	unit_parties(&parties, unit);
	paragraph_add(&when, "begins at %s", INSTANT(&explanation->info, unit->from_ns));
	if (unit->has_migrated)
		paragraph_add(&when, "; the receiver moved to another CPU meanwhile");
	paragraph_print(text, INK_BOLD, "which", &which);
	paragraph_print(text, INK_BOLD, "from, to", &parties);
	paragraph_print(text, INK_BOLD, "when", &when);
	text_newline(text);
}

static void unit_table_sum_row(const struct text *text, const struct unit *unit)
{
	static const char *const titles[NR_UNIT_KINDS] = {[UNIT_MESSAGE] = "latency",
							  [UNIT_CALL] = "round trip",
							  [UNIT_ROUND] = "last latency",
							  [UNIT_CONNECTION] = "latency"};

	put_row_label(text, INK_BOLD, INDENT, LABEL_WIDTH, titles[unit->kind]);
	unit_table_put_times(text, unit, unit_latency_ns(unit));
	text_newline(text);
}

void explain_typical(const struct text *text, const struct explanation *explanation)
{
	const struct column columns[] = {{TIME_WIDTH, "us", NULL},
					 {SHARE_WIDTH, "share", NULL},
					 {CPU_WIDTH, "CPU", NULL},
					 {AT_WIDTH, "from", NULL}};
	const struct unit *unit = &explanation->typical.unit;
	char title[NAME_LEN];

	if (!explanation->typical.is_known)
		return;
	snprintf(title, sizeof(title),
		 explanation->slow.count == 1 ? "the %s" : "a typical slow %s",
		 unit_words(unit->kind, false));
	text_rule(text, title);
	unit_head(text, explanation, unit);
	text_heading(text, "its parts", LABEL_WIDTH, columns, 4);
	for (uint32_t i = 0; i < unit->cause_cnt; i++) {
		if (!unit->cause[i].parent && unit_table_is_first(unit, i))
			component_rows(text, explanation, unit, i);
	}
	unit_table_sum_row(text, unit);
}

static const char *unit_table_name_of(const struct unit *unit, uint32_t tid)
{
	if (tid == unit->sender.tid)
		return unit->sender.comm;
	return tid == unit->receiver.tid ? unit->receiver.comm : "";
}

/* "runs", "run queue behind hog (pid 4711, RR 50)", "blocked in futex until server wakes it" */
static void moment_words(const struct run_info *info, const struct moment *moment,
			 char words[CLAUSE_LEN])
{
	struct explain_row row = row_of_moment(moment);
	const char *title = moment->cost == COST_ON_CPU ? "runs" : components[moment->cost].title;
	char label[CLAUSE_LEN];

	if (moment->role == CAUSE_ITSELF && moment->call == CALL_UNKNOWN) {
		snprintf(words, CLAUSE_LEN, "%s", title);
		return;
	}
	row_label(info, &row, WORDS_WIDTH - 2 - (int)strlen(title), label);
	snprintf(words, CLAUSE_LEN, "%s: %.*s", title, CLAUSE_LEN - NAME_LEN, label);
}

static void moment_row(const struct text *text, const struct explanation *explanation,
		       const struct moment *moment)
{
	const struct unit *unit = &explanation->typical.unit;
	const char *name = unit_table_name_of(unit, moment->tid);
	char words[CLAUSE_LEN], at[NAME_LEN];

	instant_cell(at, unit, moment->from_ns);
	text_cell(text, AT_WIDTH, at);
	text_number(text, FOR_WIDTH, (double)(moment->to_ns - moment->from_ns) / 1e3, 3);
	if (moment->cpu < BLAME_CPU_SEVERAL)
		text_count(text, MOMENT_CPU, moment->cpu);
	else
		text_cell(text, MOMENT_CPU, "");
	text_begin_cell(text);
	fprintf(text->out, "%*s", GAP, "");
	text_label(text, INK_PLAIN, THREAD_WIDTH, name[0] ? name : TID(moment->tid));
	text_begin_tail(text);
	moment_words(&explanation->info, moment, words);
	text_put(text, INK_PLAIN, words);
	text_newline(text);
}

static int unit_table_longest_first(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x < y) - (x > y);
}

/* Moments shorter than that are left out, so that the others have room. */
static uint64_t least_ns(const struct explain_typical *typical)
{
	uint64_t *ns, least = 0;

	if (typical->moment_cnt <= MOMENTS_MAX)
		return 0;
	ns = calloc(typical->moment_cnt, sizeof(*ns));
	if (!ns)
		return 0;
	for (uint32_t i = 0; i < typical->moment_cnt; i++)
		ns[i] = typical->moment[i].to_ns - typical->moment[i].from_ns;
	qsort(ns, typical->moment_cnt, sizeof(*ns), unit_table_longest_first);
	least = ns[MOMENTS_MAX - 1];
	free(ns);
	return least;
}

void explain_moments(const struct text *text, const struct explanation *explanation)
{
	const struct column columns[] = {{FOR_WIDTH, "for", NULL}, {MOMENT_CPU, "CPU", NULL}};
	const struct explain_typical *typical = &explanation->typical;
	uint64_t least = least_ns(typical);
	struct paragraph line = {0};
	uint32_t shown = 0;

	if (!typical->is_known || !typical->moment_cnt)
		return;
	text_newline(text);
	paragraph_add(&line, "What the threads at both ends did, from 1 ms before it on (us; 0: it "
			     "begins):");
	paragraph_print(text, INK_PLAIN, "", &line);
	text_heading(text, "        from", AT_WIDTH, columns, 2);
	for (uint32_t i = 0; i < typical->moment_cnt && shown < MOMENTS_MAX; i++) {
		const struct moment *moment = &typical->moment[i];

		if (moment->to_ns - moment->from_ns < least)
			continue;
		moment_row(text, explanation, moment);
		shown++;
	}
	if (shown < typical->moment_cnt)
		fprintf(text->out, "%*u shorter ones are in -f json\n", AT_WIDTH,
			typical->moment_cnt - shown);
}

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Prints the difference of the means, and what usual units consist of, as tables: components, and
 * the culprits in each of them.
 */
#include "report/text/explain/parts.h"
#include "report/words/explain/cause_words.h"

#include <math.h>
#include <stdio.h>

#define LABEL_WIDTH    42
#define MORE_WIDTH     11
#define SHARE_WIDTH    9
#define FOUND_WIDTH    9

#define INDENT         2
#define SHOWN_SHARE    0.01 /* of the difference; smaller rows are added up */
#define COMPONENTS_MAX 8
#define CULPRITS_MAX   6 /* of a component */
#define FOLLOWED_MAX   4 /* of a culprit */

/* The rows of a table, and the sets that they are of. */
struct shown {
	const struct explanation *explanation;
	struct explain_view view;
};

static struct shown shown_of(const struct explanation *explanation, enum explain_weight weight)
{
	return (struct shown){explanation, explanation_view(explanation, weight)};
}

static double explain_difference_share_of(const struct shown *shown, double ns)
{
	return shown->view.all_ns > 0 ? ns / shown->view.all_ns : NAN;
}

static bool explain_difference_is_small(const struct shown *shown, const struct explain_row *row)
{
	return !(fabs(explain_difference_share_of(shown, view_ns(&shown->view, row))) >=
		 SHOWN_SHARE);
}

/* In how many units of a set a row is found: all of them is 100 %. */
static void found_cell(const struct text *text, uint64_t units, const struct explain_set *set)
{
	text_cell(text, FOUND_WIDTH,
		  set->count ? PERCENT((double)units / (double)set->count) : "-");
}

static void slow_cell(const struct text *text, const struct explanation *explanation,
		      const struct explain_row *row)
{
	char cell[NAME_LEN];
	int length = snprintf(cell, sizeof(cell), "%llu/%llu", (unsigned long long)row->slow_units,
			      (unsigned long long)explanation->slow.count);

	if (length < FOUND_WIDTH)
		text_cell(text, FOUND_WIDTH, cell);
	else
		found_cell(text, row->slow_units, &explanation->slow);
}

/* How much more it is, and as a share of the difference. */
static void put_more(const struct text *text, const struct shown *shown, double ns)
{
	text_us(text, MORE_WIDTH, ns);
	text_share(text, SHARE_WIDTH, explain_difference_share_of(shown, ns));
}

static void put_row(const struct text *text, const struct shown *shown,
		    const struct explain_row *row)
{
	put_more(text, shown, view_ns(&shown->view, row));
	if (shown->view.weight == WEIGHT_MORE)
		slow_cell(text, shown->explanation, row);
	found_cell(text, row->base_units, &shown->explanation->base);
	text_newline(text);
}

static void difference_component_row(const struct text *text, const struct shown *shown,
				     const struct explain_row *row)
{
	put_row_label(text, INK_BOLD, INDENT, LABEL_WIDTH, ROW_COMPONENT(row));
	put_row(text, shown, row);
}

static void culprit_row(const struct text *text, const struct shown *shown,
			const struct explain_row *row)
{
	int indent = INDENT * (2 + row->depth);
	char label[CLAUSE_LEN];

	culprit_label(&shown->explanation->info, row, LABEL_WIDTH - indent - 1, label);
	put_row_label(text, INK_PLAIN, indent, LABEL_WIDTH, label);
	put_row(text, shown, row);
}

/* Rows that are not shown one by one. */
struct rest {
	double more_ns;
	uint32_t rows;
};

static void rest_add(struct rest *rest, const struct shown *shown, const struct explain_row *row)
{
	rest->more_ns += view_ns(&shown->view, row);
	rest->rows++;
}

static void difference_rest_row(const struct text *text, const struct shown *shown,
				const struct rest *rest, int indent)
{
	char label[NAME_LEN];

	if (!rest->rows)
		return;
	snprintf(label, sizeof(label), "%u other%s", rest->rows, plural(rest->rows));
	put_row_label(text, INK_PLAIN, indent, LABEL_WIDTH, label);
	put_more(text, shown, rest->more_ns);
	text_newline(text);
}

/* The end of the rows below `row`: the next one that stands no deeper. */
static const struct explain_row *below_end(const struct shown *shown, const struct explain_row *row)
{
	const struct explain_row *end = shown->view.row + shown->view.cnt, *at = row + 1;

	while (at < end && !at->is_component && (row->is_component || at->depth > row->depth))
		at++;
	return at;
}

/* What the culprit's row is followed to. Small rows, and what follows those, are left out. */
static void difference_followed_rows(const struct text *text, const struct shown *shown,
				     const struct explain_row *row)
{
	const struct explain_row *end = below_end(shown, row);
	uint32_t cnt = 0;

	for (const struct explain_row *at = row + 1; at < end && cnt < FOLLOWED_MAX;) {
		if (explain_difference_is_small(shown, at)) {
			at = below_end(shown, at);
			continue;
		}
		culprit_row(text, shown, at++);
		cnt++;
	}
}

static bool difference_has_only_itself(const struct shown *shown, const struct explain_row *row)
{
	return row->is_component && below_end(shown, row) == row + 2 &&
	       row[1].role == CAUSE_ITSELF && row[1].call == CALL_UNKNOWN && !row[1].reason;
}

static void difference_culprit_rows(const struct text *text, const struct shown *shown,
				    const struct explain_row *component)
{
	const struct explain_row *end = below_end(shown, component), *next;
	struct rest rest = {0};
	uint32_t cnt = 0;

	if (difference_has_only_itself(shown, component))
		return;
	for (const struct explain_row *row = component + 1; row < end; row = next) {
		next = below_end(shown, row);
		if (explain_difference_is_small(shown, row) || cnt == CULPRITS_MAX) {
			rest_add(&rest, shown, row);
			continue;
		}
		culprit_row(text, shown, row);
		difference_followed_rows(text, shown, row);
		cnt++;
	}
	if (cnt)
		difference_rest_row(text, shown, &rest, 2 * INDENT);
}

static void difference_heading(const struct text *text, const struct shown *shown)
{
	const struct column more[] = {
		{MORE_WIDTH, "more (us)", NULL},
		{SHARE_WIDTH, "share", NULL},
		{FOUND_WIDTH, "in slow", NULL},
		{FOUND_WIDTH, "others", NULL},
	};
	const struct column usual[] = {
		{MORE_WIDTH, "mean (us)", NULL},
		{SHARE_WIDTH, "share", NULL},
		{FOUND_WIDTH, "found in", NULL},
	};

	if (shown->view.weight == WEIGHT_MORE)
		text_heading(text, "what takes longer", LABEL_WIDTH, more, 4);
	else
		text_heading(text, "what takes time", LABEL_WIDTH, usual, 3);
}

/* A component with its own time alone needs no second row. */
void explain_difference_short(const struct text *text, const struct explanation *explanation,
			      int rows)
{
	const struct shown shown = shown_of(
		explanation, explanation->focus == FOCUS_USUAL ? WEIGHT_USUAL : WEIGHT_MORE);

	difference_heading(text, &shown);
	for (uint32_t i = 0; i < shown.view.cnt && rows > 0; i++) {
		const struct explain_row *row = &shown.view.row[i];

		if (explain_difference_is_small(&shown, row) || row->depth)
			continue;
		if (row->is_component)
			difference_component_row(text, &shown, row);
		else if (!difference_has_only_itself(&shown, row - 1))
			culprit_row(text, &shown, row);
		else
			continue;
		rows--;
	}
}

static void difference_table(const struct text *text, const struct shown *shown, const char *sum)
{
	struct rest rest = {0};
	uint32_t cnt = 0;

	difference_heading(text, shown);
	for (uint32_t i = 0; i < shown->view.cnt; i++) {
		const struct explain_row *row = &shown->view.row[i];

		if (!row->is_component)
			continue;
		if (explain_difference_is_small(shown, row) || cnt == COMPONENTS_MAX) {
			rest_add(&rest, shown, row);
			continue;
		}
		difference_component_row(text, shown, row);
		difference_culprit_rows(text, shown, row);
		cnt++;
	}
	difference_rest_row(text, shown, &rest, INDENT);
	put_row_label(text, INK_BOLD, INDENT, LABEL_WIDTH, sum);
	put_more(text, shown, shown->view.all_ns);
	text_newline(text);
}

void explain_difference(const struct text *text, const struct explanation *explanation)
{
	const struct shown shown = shown_of(explanation, WEIGHT_MORE);

	text_rule(text, explanation->base.count ? "the difference" : "where its time went");
	difference_table(text, &shown, explanation->base.count ? "difference" : "whole");
}

void explain_usual(const struct text *text, const struct explanation *explanation)
{
	const struct shown shown = shown_of(explanation, WEIGHT_USUAL);
	char title[NAME_LEN];

	if (!explanation->base.count || explanation->has_other)
		return;
	snprintf(title, sizeof(title), "a usual %s", unit_words(explanation->unit, false));
	text_rule(text, title);
	difference_table(text, &shown, "whole");
}

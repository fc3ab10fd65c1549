/* SPDX-License-Identifier: BSD-2-Clause */
/* Prints the difference of the means as a table: components, and the culprits in each of them. */
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

static double explain_difference_share_of(const struct explanation *explanation, double ns)
{
	return explanation->difference_ns > 0 ? ns / explanation->difference_ns : NAN;
}

static bool explain_difference_is_small(const struct explanation *explanation,
					const struct explain_row *row)
{
	return !(fabs(explain_difference_share_of(explanation, row_more_ns(row))) >= SHOWN_SHARE);
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
static void put_more(const struct text *text, const struct explanation *explanation, double ns)
{
	text_us(text, MORE_WIDTH, ns);
	text_share(text, SHARE_WIDTH, explain_difference_share_of(explanation, ns));
}

static void put_row(const struct text *text, const struct explanation *explanation,
		    const struct explain_row *row)
{
	put_more(text, explanation, row_more_ns(row));
	slow_cell(text, explanation, row);
	found_cell(text, row->base_units, &explanation->base);
	text_newline(text);
}

static void difference_component_row(const struct text *text, const struct explanation *explanation,
				     const struct explain_row *row)
{
	put_row_label(text, INK_BOLD, INDENT, LABEL_WIDTH, ROW_COMPONENT(row));
	put_row(text, explanation, row);
}

static void culprit_row(const struct text *text, const struct explanation *explanation,
			const struct explain_row *row)
{
	int indent = INDENT * (2 + row->depth);
	char label[CLAUSE_LEN];

	culprit_label(&explanation->info, row, LABEL_WIDTH - indent - 1, label);
	put_row_label(text, INK_PLAIN, indent, LABEL_WIDTH, label);
	put_row(text, explanation, row);
}

/* Rows that are not shown one by one. */
struct rest {
	double more_ns;
	uint32_t rows;
};

static void rest_add(struct rest *rest, const struct explain_row *row)
{
	rest->more_ns += row_more_ns(row);
	rest->rows++;
}

static void difference_rest_row(const struct text *text, const struct explanation *explanation,
				const struct rest *rest, int indent)
{
	char label[NAME_LEN];

	if (!rest->rows)
		return;
	snprintf(label, sizeof(label), "%u other%s", rest->rows, plural(rest->rows));
	put_row_label(text, INK_PLAIN, indent, LABEL_WIDTH, label);
	put_more(text, explanation, rest->more_ns);
	text_newline(text);
}

/* The end of the rows below `row`: the next one that stands no deeper. */
static const struct explain_row *below_end(const struct explanation *explanation,
					   const struct explain_row *row)
{
	const struct explain_row *end = explanation->row + explanation->row_cnt, *at = row + 1;

	while (at < end && !at->is_component && (row->is_component || at->depth > row->depth))
		at++;
	return at;
}

/* What the culprit's row is followed to. Small rows, and what follows those, are left out. */
static void difference_followed_rows(const struct text *text, const struct explanation *explanation,
				     const struct explain_row *row)
{
	const struct explain_row *end = below_end(explanation, row);
	uint32_t shown = 0;

	for (const struct explain_row *at = row + 1; at < end && shown < FOLLOWED_MAX;) {
		if (explain_difference_is_small(explanation, at)) {
			at = below_end(explanation, at);
			continue;
		}
		culprit_row(text, explanation, at++);
		shown++;
	}
}

static bool difference_has_only_itself(const struct explanation *explanation,
				       const struct explain_row *row)
{
	return row->is_component && below_end(explanation, row) == row + 2 &&
	       row[1].role == CAUSE_ITSELF && row[1].call == CALL_UNKNOWN;
}

static void difference_culprit_rows(const struct text *text, const struct explanation *explanation,
				    const struct explain_row *component)
{
	const struct explain_row *end = below_end(explanation, component), *next;
	struct rest rest = {0};
	uint32_t shown = 0;

	if (difference_has_only_itself(explanation, component))
		return;
	for (const struct explain_row *row = component + 1; row < end; row = next) {
		next = below_end(explanation, row);
		if (explain_difference_is_small(explanation, row) || shown == CULPRITS_MAX) {
			rest_add(&rest, row);
			continue;
		}
		culprit_row(text, explanation, row);
		difference_followed_rows(text, explanation, row);
		shown++;
	}
	if (shown)
		difference_rest_row(text, explanation, &rest, 2 * INDENT);
}

static void difference_heading(const struct text *text)
{
	const struct column columns[] = {
		{MORE_WIDTH, "more (us)", NULL},
		{SHARE_WIDTH, "share", NULL},
		{FOUND_WIDTH, "in slow", NULL},
		{FOUND_WIDTH, "others", NULL},
	};

	text_heading(text, "what takes longer", LABEL_WIDTH, columns, 4);
}

/* A component with its own time alone needs no second row. */
void explain_difference_short(const struct text *text, const struct explanation *explanation,
			      int rows)
{
	difference_heading(text);
	for (uint32_t i = 0; i < explanation->row_cnt && rows > 0; i++) {
		const struct explain_row *row = &explanation->row[i];

		if (explain_difference_is_small(explanation, row) || row->depth)
			continue;
		if (row->is_component)
			difference_component_row(text, explanation, row);
		else if (!difference_has_only_itself(explanation, row - 1))
			culprit_row(text, explanation, row);
		else
			continue;
		rows--;
	}
}

void explain_difference(const struct text *text, const struct explanation *explanation)
{
	struct rest rest = {0};
	uint32_t shown = 0;

	text_rule(text, "the difference");
	difference_heading(text);
	for (uint32_t i = 0; i < explanation->row_cnt; i++) {
		const struct explain_row *row = &explanation->row[i];

		if (!row->is_component)
			continue;
		if (explain_difference_is_small(explanation, row) || shown == COMPONENTS_MAX) {
			rest_add(&rest, row);
			continue;
		}
		difference_component_row(text, explanation, row);
		difference_culprit_rows(text, explanation, row);
		shown++;
	}
	difference_rest_row(text, explanation, &rest, INDENT);
	put_row_label(text, INK_BOLD, INDENT, LABEL_WIDTH, "difference");
	put_more(text, explanation, explanation->difference_ns);
	text_newline(text);
}

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Prints an explanation: first the screen that leads to the cause, then the tables with the
 * figures.
 */
#include "report/text/sections.h"

#include "report/text/explain/parts.h"
#include "report/words/explain/explain_words.h"

#include <limits.h>

#define OPENING_LINES 7

/* Below the first screen of a report there are two answers, and no table. */
#define OPENING_LINES_BELOW 4
#define ANSWER_LINES_BELOW  2

static void opening_screen(const struct text *text, const struct explanation *explanation,
			   bool has_table)
{
	struct answer opening = {"", INK_BOLD, OPENING_LINES, {0}};
	struct answer answer[EXPLAIN_ANSWERS];
	int left;

	explain_opening(&opening.words, explanation);
	for (int i = 0; i < EXPLAIN_ANSWERS; i++) {
		answer[i] = (struct answer){
			explain_answers[i].label, INK_BOLD, explain_answers[i].line_max, {0}};
		explain_answers[i].words(&answer[i].words, explanation);
	}
	/* Two lines are empty, and one is the heading of the table. */
	left = SCREEN_LINES - 3 - answers_line_cnt(text, &opening, 1) -
	       answers_line_cnt(text, answer, EXPLAIN_ANSWERS);
	if (!has_table)
		opening.line_max = INT_MAX;
	answers_print(text, &opening, 1);
	text_newline(text);
	answers_print(text, answer, EXPLAIN_ANSWERS);
	if (!has_table)
		return;
	text_newline(text);
	explain_difference_short(text, explanation, left);
}

/* What a brief report adds to its first screen. */
static void opening_below(const struct text *text, const struct explanation *explanation)
{
	struct answer answer[] = {{"", INK_BOLD, OPENING_LINES_BELOW, {0}},
				  {"without", INK_BOLD, ANSWER_LINES_BELOW, {0}},
				  {"known", INK_BOLD, ANSWER_LINES_BELOW, {0}}};

	explain_opening(&answer[0].words, explanation);
	explain_without_words(&answer[1].words, explanation);
	explain_known_words(&answer[2].words, explanation);
	answers_print(text, answer, sizeof(answer) / sizeof(answer[0]));
}

static void details(const struct text *text, const struct explanation *explanation)
{
	struct paragraph missing = {0};

	if (explanation->focus == FOCUS_USUAL)
		explain_usual(text, explanation);
	explain_difference(text, explanation);
	if (explanation->focus != FOCUS_USUAL)
		explain_usual(text, explanation);
	explain_stacks(text, explanation);
	if (explanation->slow.count > 1) {
		explain_apart(text, explanation);
		explain_when(text, explanation);
		explain_without(text, explanation);
	}
	explain_typical(text, explanation);
	explain_moments(text, explanation);
	text_rule(text, "measurement");
	text_newline(text);
	text_head(text, &explanation->info);
	explain_missing_words(&missing, explanation);
	paragraph_print(text, INK_BOLD, "not known", &missing);
}

void text_explanation(const struct text *text, const struct explanation *explanation,
		      enum explain_extent extent)
{
	struct paragraph line = {0};

	if (!explain_has_rows(explanation->outcome)) {
		explain_outcome_words(&line, explanation);
		paragraph_print(text, INK_WARNING, "", &line);
		return;
	}
	if (extent == EXPLAIN_BELOW) {
		opening_below(text, explanation);
		return;
	}
	opening_screen(text, explanation, extent == EXPLAIN_SCREEN);
	if (extent == EXPLAIN_ALL)
		details(text, explanation);
}

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Prints an explanation: first the screen that leads to the cause, then the tables with the
 * figures.
 */
#include "report/text/explain/explain.h"

#include "report/text/explain/parts.h"
#include "report/text/first_screen/first_screen.h"
#include "report/text/sections.h"
#include "report/words/explain/explain_words.h"

#include <limits.h>

#define OPENING_LINES 7
#define ANSWER_LINES  3

/* Below the first screen of a report there are two answers, and no table. */
#define OPENING_LINES_BELOW 4
#define ANSWER_LINES_BELOW  2

static void print(const struct text *text, const char *label, const struct paragraph *line)
{
	paragraph_print_lines(text, INK_BOLD, label, line, ANSWER_LINES);
}

/* The sentences of the first screen. */
struct screen {
	struct paragraph opening;
	struct paragraph apart;
	struct paragraph when;
	struct paragraph without;
	struct paragraph known;
};

/*
 * The rows of a table for which the screen has room: two lines are empty, and one is the heading.
 */
static int rows_left(const struct text *text, const struct screen *screen)
{
	return SCREEN_LINES - 3 - paragraph_line_cnt(text, "", &screen->opening, OPENING_LINES) -
	       paragraph_line_cnt(text, "apart", &screen->apart, ANSWER_LINES) -
	       paragraph_line_cnt(text, "when", &screen->when, ANSWER_LINES) -
	       paragraph_line_cnt(text, "without", &screen->without, ANSWER_LINES) -
	       paragraph_line_cnt(text, "known", &screen->known, ANSWER_LINES);
}

static void opening_screen(const struct text *text, const struct explanation *explanation,
			   bool has_table)
{
	struct screen screen = {0};

	explain_opening(&screen.opening, explanation);
	explain_apart_words(&screen.apart, explanation);
	explain_when_words(&screen.when, explanation);
	explain_without_words(&screen.without, explanation);
	explain_known_words(&screen.known, explanation);
	paragraph_print_lines(text, INK_BOLD, "", &screen.opening,
			      has_table ? OPENING_LINES : INT_MAX);
	text_newline(text);
	print(text, "apart", &screen.apart);
	print(text, "when", &screen.when);
	print(text, "without", &screen.without);
	print(text, "known", &screen.known);
	if (!has_table)
		return;
	text_newline(text);
	explain_difference_short(text, explanation, rows_left(text, &screen));
}

/* What a brief report adds to its first screen. */
static void opening_below(const struct text *text, const struct explanation *explanation)
{
	struct paragraph opening = {0}, without = {0}, known = {0};

	explain_opening(&opening, explanation);
	explain_without_words(&without, explanation);
	explain_known_words(&known, explanation);
	paragraph_print_lines(text, INK_BOLD, "", &opening, OPENING_LINES_BELOW);
	paragraph_print_lines(text, INK_BOLD, "without", &without, ANSWER_LINES_BELOW);
	paragraph_print_lines(text, INK_BOLD, "known", &known, ANSWER_LINES_BELOW);
}

static void missing(const struct text *text, const struct explanation *explanation)
{
	struct paragraph line = {0};

	explain_missing_words(&line, explanation);
	paragraph_print(text, INK_BOLD, "not known", &line);
}

static void details(const struct text *text, const struct explanation *explanation)
{
	explain_difference(text, explanation);
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
	missing(text, explanation);
}

void text_explanation(const struct text *text, const struct explanation *explanation,
		      enum explain_extent extent)
{
	struct paragraph line = {0};

	if (explanation->outcome != EXPLAIN_DONE) {
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

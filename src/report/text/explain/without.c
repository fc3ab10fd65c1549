/* SPDX-License-Identifier: BSD-2-Clause */
/* Prints how much better the percentiles would be without the largest culprits, at most. */
#include "report/text/explain/parts.h"
#include "report/words/explain/cause_words.h"

#include <stdio.h>

#define INDENT      2
#define LABEL_WIDTH 50
#define CELL_WIDTH  14

/* "hog (pid 4711, RR 50)", "service: busy" */
static void culprit_words(const struct explanation *explanation,
			  const struct explain_without *without, char words[CLAUSE_LEN])
{
	const struct explain_row *row = &explanation->row[without->row];
	char component[NAME_LEN];

	if (row_has_culprit(row)) {
		row_culprit(row, words);
		return;
	}
	row_component(row, component);
	snprintf(words, CLAUSE_LEN, "%s", component);
}

static bool is_better(const struct explanation *explanation, const struct explain_without *without)
{
	return without->p99_ns < explanation->p99_ns || without->p999_ns < explanation->p999_ns;
}

void explain_without_words(struct paragraph *line, const struct explanation *explanation)
{
	const struct explain_without *first = &explanation->without[0];
	char words[CLAUSE_LEN];

	if (!explanation->without_cnt || !is_better(explanation, first))
		return;
	culprit_words(explanation, first, words);
	paragraph_add(line,
		      "%s, the p99 of all would be %s at best instead of %s, and p99.9 %s instead "
		      "of %s",
		      words, SPAN((double)first->p99_ns), SPAN((double)explanation->p99_ns),
		      SPAN((double)first->p999_ns), SPAN((double)explanation->p999_ns));
}

static void row(const struct text *text, const char *label, uint64_t p99_ns, uint64_t p999_ns)
{
	put_row_label(text, INK_PLAIN, INDENT, LABEL_WIDTH, label);
	text_us(text, CELL_WIDTH, (double)p99_ns);
	text_us(text, CELL_WIDTH, (double)p999_ns);
	text_newline(text);
}

void explain_without(const struct text *text, const struct explanation *explanation)
{
	const struct column columns[] = {{CELL_WIDTH, "p99", NULL}, {CELL_WIDTH, "p99.9", NULL}};
	struct paragraph line = {0};

	if (!explanation->without_cnt)
		return;
	text_rule(text, "at most so much better");
	text_heading(text, "all, us", LABEL_WIDTH, columns, 2);
	row(text, "as it is", explanation->p99_ns, explanation->p999_ns);
	for (uint32_t i = 0; i < explanation->without_cnt; i++) {
		char words[CLAUSE_LEN], label[CLAUSE_LEN];

		culprit_words(explanation, &explanation->without[i], words);
		snprintf(label, CLAUSE_LEN, "without %.*s", CLAUSE_LEN - 16, words);
		row(text, label, explanation->without[i].p99_ns, explanation->without[i].p999_ns);
	}
	paragraph_add(&line, "The gain is at most that: something else may take the time instead.");
	paragraph_print(text, INK_PLAIN, "", &line);
}

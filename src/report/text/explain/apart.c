/* SPDX-License-Identifier: BSD-2-Clause */
/* Prints what sets slow units apart from the others, for example the CPU of the receiver. */
#include "report/words/explain/attribute.h"
#include "report/text/explain/parts.h"
#include "report/words/explain/cause_words.h"

#include <math.h>
#include <stdio.h>

#define NAMED_IN_WORDS 3
#define ROWS_MAX       12

#define INDENT         2
#define LABEL_WIDTH    39
#define SHARE_WIDTH    9
#define RATIO_WIDTH    7
#define INTERVAL_WIDTH 16

static void ratio_words(const struct explain_attribute *attribute, char words[NAME_LEN])
{
	if (isfinite(attribute->ratio))
		snprintf(words, NAME_LEN, "%.1f times as often", attribute->ratio);
	else
		snprintf(words, NAME_LEN, "no other has it");
}

static void nothing_words(struct paragraph *line, const struct explanation *explanation)
{
	paragraph_add(line, "Nothing sets them apart (%llu value%s looked at).",
		      (unsigned long long)explanation->attributes_looked_at,
		      plural(explanation->attributes_looked_at));
}

static void add_attribute(struct paragraph *line, const struct explain_attribute *attribute,
			  const char *separator)
{
	char words[CLAUSE_LEN], ratio[NAME_LEN];

	explain_attribute_words(attribute, words);
	ratio_words(attribute, ratio);
	paragraph_add(line, "%s%s: %s of the slow ones, %s of the others (%s)", separator, words,
		      PERCENT(attribute->slow_share), PERCENT(attribute->base_share), ratio);
}

/* If several values have the same units, the most certain one stands for all. */
void explain_apart_words(struct paragraph *line, const struct explanation *explanation)
{
	uint32_t named = 0;

	if (!explanation->attributes_looked_at)
		return;
	if (!explanation->attribute_cnt)
		nothing_words(line, explanation);
	for (uint32_t i = 0; i < explanation->attribute_cnt && named < NAMED_IN_WORDS; i++) {
		const struct explain_attribute *attribute = &explanation->attribute[i];

		if (attribute->same_as)
			continue;
		add_attribute(line, attribute, named++ ? "; " : "");
	}
}

/* Large ratios are known only roughly. */
static int decimals_of(double ratio)
{
	return ratio < 100;
}

/* "1.6 to 2.4"; the interval has no upper end if no other unit has the value. */
static void interval_cell(const struct text *text, const struct explain_attribute *attribute)
{
	char cell[NAME_LEN];

	if (isfinite(attribute->ratio_high))
		snprintf(cell, sizeof(cell), "%.*f to %.*f", decimals_of(attribute->ratio_low),
			 attribute->ratio_low, decimals_of(attribute->ratio_high),
			 attribute->ratio_high);
	else
		snprintf(cell, sizeof(cell), "at least %.*f", decimals_of(attribute->ratio_low),
			 attribute->ratio_low);
	text_cell(text, INTERVAL_WIDTH, cell);
}

static void attribute_row(const struct text *text, const struct explain_attribute *attribute)
{
	int indent = attribute->same_as ? 2 * INDENT : INDENT;
	char words[CLAUSE_LEN], label[CLAUSE_LEN];

	explain_attribute_words(attribute, words);
	snprintf(label, CLAUSE_LEN, "%s%.*s", attribute->same_as ? "= " : "", CLAUSE_LEN - 4,
		 words);
	put_row_label(text, INK_PLAIN, indent, LABEL_WIDTH, label);
	text_share(text, SHARE_WIDTH, attribute->slow_share);
	text_share(text, SHARE_WIDTH, attribute->base_share);
	text_number(text, RATIO_WIDTH, attribute->ratio, 1);
	interval_cell(text, attribute);
	text_newline(text);
}

void explain_apart(const struct text *text, const struct explanation *explanation)
{
	const struct column columns[] = {{SHARE_WIDTH, "slow", NULL},
					 {SHARE_WIDTH, "others", NULL},
					 {RATIO_WIDTH, "ratio", NULL},
					 {INTERVAL_WIDTH, "95 % interval", NULL}};
	struct paragraph line = {0};
	uint32_t cnt = explanation->attribute_cnt;

	if (!explanation->attributes_looked_at)
		return;
	text_rule(text, "what sets them apart");
	if (!cnt) {
		nothing_words(&line, explanation);
		paragraph_print(text, INK_PLAIN, "", &line);
		return;
	}
	text_heading(text, "share of", LABEL_WIDTH, columns, 4);
	for (uint32_t i = 0; i < cnt && i < ROWS_MAX; i++)
		attribute_row(text, &explanation->attribute[i]);
	if (cnt > ROWS_MAX)
		paragraph_add(&line, "%u more values are in -f json. ", cnt - ROWS_MAX);
	paragraph_add(&line,
		      "%llu value%s looked at. Shares and intervals count an episode once. A value "
		      "is listed if chance alone would show any like it in less than 5 %% of all "
		      "cases (Holm).",
		      (unsigned long long)explanation->attributes_looked_at,
		      explanation->attributes_looked_at == 1 ? " was" : "s were");
	paragraph_print(text, INK_PLAIN, "", &line);
}

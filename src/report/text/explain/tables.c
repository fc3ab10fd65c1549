/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Prints the tables behind the answers of an explanation: what sets slow units apart from the
 * others, the episodes, at which slow units overlapped or touched, and how much better the
 * percentiles would be without the largest culprits, at most.
 */
#include "report/text/explain/parts.h"
#include "report/words/explain/explain_words.h"

#include <math.h>
#include <string.h>

#define APART_ROWS     12

#define INDENT         2
#define VALUE_WIDTH    39
#define SHARE_WIDTH    9
#define RATIO_WIDTH    7
#define INTERVAL_WIDTH 16

#define EPISODE_ROWS   10

#define FROM_WIDTH     25
#define SPAN_WIDTH     9
#define UNITS_WIDTH    9
#define ROUNDS_WIDTH   7
#define CULPRIT_WIDTH  (80 - FROM_WIDTH - SPAN_WIDTH - UNITS_WIDTH - ROUNDS_WIDTH)
#define CULPRIT_INDENT 2

#define LABEL_WIDTH    50
#define CELL_WIDTH     14

/* Large ratios are known only roughly. */
static int tables_decimals_of(double ratio)
{
	return ratio < 100;
}

/* "1.6 to 2.4"; the interval has no upper end if no other unit has the value. */
static void interval_cell(const struct text *text, const struct explain_attribute *attribute)
{
	char cell[NAME_LEN];

	if (isfinite(attribute->ratio_high))
		snprintf(cell, sizeof(cell), "%.*f to %.*f",
			 tables_decimals_of(attribute->ratio_low), attribute->ratio_low,
			 tables_decimals_of(attribute->ratio_high), attribute->ratio_high);
	else
		snprintf(cell, sizeof(cell), "at least %.*f",
			 tables_decimals_of(attribute->ratio_low), attribute->ratio_low);
	text_cell(text, INTERVAL_WIDTH, cell);
}

static void attribute_row(const struct text *text, const struct explain_attribute *attribute)
{
	int indent = attribute->same_as ? 2 * INDENT : INDENT;
	char words[CLAUSE_LEN], label[CLAUSE_LEN];

	explain_attribute_words(attribute, words);
	snprintf(label, CLAUSE_LEN, "%s%.*s", attribute->same_as ? "= " : "", CLAUSE_LEN - 4,
		 words);
	put_row_label(text, INK_PLAIN, indent, VALUE_WIDTH, label);
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
		explain_nothing_apart(&line, explanation);
		paragraph_print(text, INK_PLAIN, "", &line);
		return;
	}
	text_heading(text, "share of", VALUE_WIDTH, columns, 4);
	for (uint32_t i = 0; i < cnt && i < APART_ROWS; i++)
		attribute_row(text, &explanation->attribute[i]);
	if (cnt > APART_ROWS)
		paragraph_add(&line, "%u more values are in -f json. ", cnt - APART_ROWS);
	paragraph_add(&line,
		      "%llu value%s looked at. Shares and intervals count an episode once. A value "
		      "is listed if chance alone would show any like it in less than 5 %% of all "
		      "cases (Holm).",
		      (unsigned long long)explanation->attributes_looked_at,
		      explanation->attributes_looked_at == 1 ? " was" : "s were");
	paragraph_print(text, INK_PLAIN, "", &line);
}

/* Several messages may be of one round. */
static bool shows_rounds(const struct explanation *explanation)
{
	return explanation->unit == UNIT_MESSAGE && explanation->episode[0].rounds;
}

static void episode_row(const struct text *text, const struct explanation *explanation,
			const struct explain_episode *episode)
{
	char label[CLAUSE_LEN];

	fprintf(text->out, "  ");
	text_label(text, INK_PLAIN, FROM_WIDTH - 2, INSTANT(&explanation->info, episode->from_ns));
	text_us(text, SPAN_WIDTH, (double)(episode->to_ns - episode->from_ns));
	text_count(text, UNITS_WIDTH, episode->units);
	if (shows_rounds(explanation))
		text_count(text, ROUNDS_WIDTH, episode->rounds);
	episode_label(explanation, episode, CULPRIT_WIDTH - CULPRIT_INDENT, label);
	text_begin_tail(text);
	fprintf(text->out, "%*s", CULPRIT_INDENT, "");
	text_put(text, INK_PLAIN, label);
	text_newline(text);
}

static void rest_line(const struct text *text, const struct explanation *explanation,
		      uint32_t shown)
{
	struct paragraph line = {0};
	uint64_t more = explanation->episodes - shown;
	uint64_t units = explanation->slow.count;

	for (uint32_t i = 0; i < shown; i++)
		units -= explanation->episode[i].units;
	if (explanation->period_ns) {
		explain_period(&line, explanation);
		paragraph_add(&line, ".");
	}
	if (more)
		paragraph_add(&line, "%s%llu more episode%s with %llu %s.", line.length ? " " : "",
			      (unsigned long long)more, plural(more), (unsigned long long)units,
			      unit_words(explanation->unit, units != 1));
	paragraph_print(text, INK_PLAIN, "", &line);
}

static void episodes_heading(const struct text *text, const struct explanation *explanation)
{
	struct column columns[4] = {{SPAN_WIDTH, "for (us)", NULL},
				    {UNITS_WIDTH, unit_words(explanation->unit, true), NULL}};
	int cnt = 2;

	if (shows_rounds(explanation))
		columns[cnt++] = (struct column){ROUNDS_WIDTH, "rounds", NULL};
	columns[cnt++] = (struct column){CULPRIT_INDENT + (int)strlen("mostly"), "mostly", NULL};
	text_heading(text, "largest episodes first", FROM_WIDTH, columns, cnt);
}

void explain_when(const struct text *text, const struct explanation *explanation)
{
	uint32_t shown =
		explanation->episode_cnt < EPISODE_ROWS ? explanation->episode_cnt : EPISODE_ROWS;

	if (!shown)
		return;
	text_rule(text, "when");
	episodes_heading(text, explanation);
	for (uint32_t i = 0; i < shown; i++)
		episode_row(text, explanation, &explanation->episode[i]);
	rest_line(text, explanation, shown);
}

static void percentiles_row(const struct text *text, const char *label, uint64_t p99_ns,
			    uint64_t p999_ns)
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
	percentiles_row(text, "as it is", explanation->p99_ns, explanation->p999_ns);
	for (uint32_t i = 0; i < explanation->without_cnt; i++) {
		char words[CLAUSE_LEN], label[CLAUSE_LEN];

		without_label(explanation, &explanation->without[i], words);
		snprintf(label, CLAUSE_LEN, "without %.*s", CLAUSE_LEN - 16, words);
		percentiles_row(text, label, explanation->without[i].p99_ns,
				explanation->without[i].p999_ns);
	}
	paragraph_add(&line, "The gain is at most that: something else may take the time instead.");
	paragraph_print(text, INK_PLAIN, "", &line);
}

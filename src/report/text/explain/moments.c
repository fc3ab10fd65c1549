/* SPDX-License-Identifier: BSD-2-Clause */
/* Prints what the threads of one unit did, from a millisecond before it until its end. */
#include "report/text/explain/parts.h"
#include "report/words/explain/cause_words.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ROWS_MAX     24

#define AT_WIDTH     12
#define FOR_WIDTH    12
#define CPU_WIDTH    5
#define THREAD_WIDTH 17
#define GAP          2
#define WORDS_WIDTH  (80 - AT_WIDTH - FOR_WIDTH - CPU_WIDTH - THREAD_WIDTH - 2 * GAP)

static const char *name_of(const struct unit *unit, uint32_t tid)
{
	if (tid == unit->sender.tid)
		return unit->sender.comm;
	return tid == unit->receiver.tid ? unit->receiver.comm : "";
}

static void thread_words(const struct unit *unit, const struct moment *moment,
			 char words[CLAUSE_LEN])
{
	const char *name = name_of(unit, moment->tid);
	char tid[NAME_LEN];

	tid_title(moment->tid, tid);
	snprintf(words, CLAUSE_LEN, "%s", name[0] ? name : tid);
}

/* "runs", "run queue behind hog (pid 4711, RR 50)", "blocked in futex until server wakes it" */
static void moment_words(const struct run_info *info, const struct moment *moment,
			 char words[CLAUSE_LEN])
{
	struct explain_row row = {.cost = moment->cost,
				  .role = moment->role,
				  .from_interrupt = moment->from_interrupt,
				  .call = moment->call,
				  .by = moment->by};
	const char *title = moment->cost == COST_ON_CPU ? "runs" : components[moment->cost].title;
	char label[CLAUSE_LEN];

	if (moment->role == CAUSE_ITSELF && moment->call == CALL_UNKNOWN) {
		snprintf(words, CLAUSE_LEN, "%s", title);
		return;
	}
	row_label(info, &row, WORDS_WIDTH - 2 - (int)strlen(title), label);
	snprintf(words, CLAUSE_LEN, "%s: %.*s", title, CLAUSE_LEN - NAME_LEN, label);
}

static void row(const struct text *text, const struct explanation *explanation,
		const struct moment *moment)
{
	const struct unit *unit = &explanation->typical.unit;
	char words[CLAUSE_LEN], at[NAME_LEN];

	snprintf(at, sizeof(at), "%+.3f", ((double)moment->from_ns - (double)unit->from_ns) / 1e3);
	text_cell(text, AT_WIDTH, at);
	text_number(text, FOR_WIDTH, (double)(moment->to_ns - moment->from_ns) / 1e3, 3);
	if (moment->cpu < BLAME_CPU_SEVERAL)
		text_count(text, CPU_WIDTH, moment->cpu);
	else
		text_cell(text, CPU_WIDTH, "");
	thread_words(unit, moment, words);
	text_begin_cell(text);
	fprintf(text->out, "%*s", GAP, "");
	text_label(text, INK_PLAIN, THREAD_WIDTH, words);
	text_begin_tail(text);
	moment_words(&explanation->info, moment, words);
	text_put(text, INK_PLAIN, words);
	text_newline(text);
}

static int longest_first(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x < y) - (x > y);
}

/* Moments shorter than that are left out, so that the others have room. */
static uint64_t least_ns(const struct explain_typical *typical)
{
	uint64_t *ns, least = 0;

	if (typical->moment_cnt <= ROWS_MAX)
		return 0;
	ns = calloc(typical->moment_cnt, sizeof(*ns));
	if (!ns)
		return 0;
	for (uint32_t i = 0; i < typical->moment_cnt; i++)
		ns[i] = typical->moment[i].to_ns - typical->moment[i].from_ns;
	qsort(ns, typical->moment_cnt, sizeof(*ns), longest_first);
	least = ns[ROWS_MAX - 1];
	free(ns);
	return least;
}

void explain_moments(const struct text *text, const struct explanation *explanation)
{
	const struct column columns[] = {{FOR_WIDTH, "for", NULL}, {CPU_WIDTH, "CPU", NULL}};
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
	for (uint32_t i = 0; i < typical->moment_cnt && shown < ROWS_MAX; i++) {
		const struct moment *moment = &typical->moment[i];

		if (moment->to_ns - moment->from_ns < least)
			continue;
		row(text, explanation, moment);
		shown++;
	}
	if (shown < typical->moment_cnt)
		fprintf(text->out, "%*u shorter ones are in -f json\n", AT_WIDTH,
			typical->moment_cnt - shown);
}

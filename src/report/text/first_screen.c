/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Prints the first screen of a run or an attach: what was seen, the cause, what is typical, what to
 * try, and behind the tables whether the figures can be trusted.
 */
#include "insight/metrics.h"
#include "report/text/first_parts.h"
#include "report/words/summary_words.h"
#include "report/words/whole_words.h"

#define UNSEEN_LINES   12
#define TYPICAL_LINES  2
#define NEXT_LINES     2
#define WARNING_LINES  2
#define TRUST_LINES    3
#define ROWS_FAIR      6 /* of parts: for these, remarks are left out */
#define ROWS_GOOD      3 /* for these the other answers are cut first */
#define ROWS_LEAST     2 /* where the answers have no room */
#define ROWS_MANY      6 /* where no screen has room for all */
#define COLUMNS_SCREEN 80
#define EXPLAIN_HINT   " (--explain says why)"

/* In their order: an empty line stands behind the conditions, and two tables before COMPLETE. */
enum {
	TITLE,
	CONDITIONS,
	UNRELIABLE,
	MISSED,
	CAUSE,
	TYPICAL,
	NEXT,
	WARNING,
	COMPLETE,
	DISTURBED,
	NR_ANSWERS
};

/* They are said in full, as what hangs, and what to do, is the end of a long sentence. */
static bool has_troubles(const struct summary *summary)
{
	struct paragraph troubles = {0};

	verdict_troubles(&troubles, summary);
	return troubles.length;
}

static void fill_cause(struct answer answer[NR_ANSWERS], const struct whole *whole,
		       struct paragraph *typical_words)
{
	bool is_seen = whole->summary->integrity.sent;

	bool is_long = !is_seen || has_troubles(whole->summary);

	answer[CAUSE] = (struct answer){
		is_seen ? "CAUSE" : "", INK_BOLD, is_long ? UNSEEN_LINES : VERDICT_LINES, {0}};
	answer[TYPICAL] = (struct answer){"TYPICAL", INK_BOLD, TYPICAL_LINES, {0}};
	answer[NEXT] = (struct answer){"NEXT", INK_BOLD, NEXT_LINES, {0}};
	verdict_words(&answer[CAUSE].words, whole, WORDS_ALL);
	whole_typical_words(&answer[TYPICAL].words, whole, WORDS_ALL, EXPLAIN_HINT);
	whole_typical_words(typical_words, whole, WORDS_ALL, NULL);
	whole_next_words(&answer[NEXT].words, whole);
}

/*
 * Without figures there is room to say what was there instead. The process that took the place of
 * the target is the remedy: its name must not be cut off. `all`: whether to trust the report does
 * not depend on the service that it speaks of.
 */
static void fill_answers(struct answer answer[NR_ANSWERS], const struct whole *whole,
			 const struct summary *all, struct paragraph *typical_words)
{
	enum ink ink = integrity_clean(&all->integrity) ? INK_BOLD : INK_WARNING;
	bool is_important = all->found.now.pid || choices_in_vain(all);

	fill_cause(answer, whole, typical_words);
	answer[UNRELIABLE] = (struct answer){"UNRELIABLE", INK_WARNING, WARNING_LINES, {0}};
	answer[WARNING] =
		(struct answer){"warning", INK_WARNING, is_important ? WARNING_LINES : 1, {0}};
	answer[COMPLETE] = (struct answer){"complete", ink, TRUST_LINES, {0}};
	answer[DISTURBED] = (struct answer){"disturbed", INK_BOLD, TRUST_LINES, {0}};
	answer[MISSED] = (struct answer){"MISSED", INK_WARNING, WARNING_LINES, {0}};
	unreliable_words(&answer[UNRELIABLE].words, all);
	missed_words(&answer[MISSED].words, all);
	warning_words(&answer[WARNING].words, all);
	run_complete_words(&answer[COMPLETE].words, all);
	disturbed_words(&answer[DISTURBED].words, all);
}

/* Of parts. The empty lines, and the heading of the parts, have 3 lines. */
static int rows_left(const struct text *text, const struct whole *whole,
		     const struct answer answer[NR_ANSWERS])
{
	return SCREEN_LINES - 3 - first_times_lines(whole->summary) -
	       answers_line_cnt(text, answer, NR_ANSWERS);
}

/* How many parts have room. */
static int parts_room(const struct text *text, const struct whole *whole,
		      struct answer answer[NR_ANSWERS])
{
	static const struct {
		int answer;
		int lines; /* that it keeps */
		int rows;  /* for so many of them */
	} cut_first[] = {{CONDITIONS, 1, ROWS_GOOD}, {CAUSE, 4, ROWS_LEAST},
			 {COMPLETE, 2, ROWS_LEAST},  {CAUSE, 3, ROWS_LEAST},
			 {COMPLETE, 1, ROWS_LEAST},  {NEXT, 1, ROWS_LEAST},
			 {TITLE, 1, ROWS_LEAST}};
	int left = rows_left(text, whole, answer), good = first_parts_good(whole, ROWS_FAIR);

	if (text->columns < COLUMNS_SCREEN)
		return ROWS_MANY;
	for (enum words_extent extent = WORDS_FEW;
	     extent <= WORDS_LEAST && left < (extent == WORDS_FEW ? good : ROWS_LEAST); extent++) {
		answer[CAUSE].words = (struct paragraph){0};
		verdict_words(&answer[CAUSE].words, whole, extent);
		left = rows_left(text, whole, answer);
		if (left >= ROWS_GOOD)
			continue;
		answer[TYPICAL].words = (struct paragraph){0};
		whole_typical_words(&answer[TYPICAL].words, whole, WORDS_FEW, NULL);
		left = rows_left(text, whole, answer);
	}
	if (left < ROWS_LEAST && whole->summary->info.mode == MODE_ATTACH) {
		answer[CONDITIONS].words = (struct paragraph){0}; /* the details have them, too */
		left = rows_left(text, whole, answer);
	}
	for (size_t i = 0; i < sizeof(cut_first) / sizeof(cut_first[0]); i++) {
		struct answer *cut = &answer[cut_first[i].answer];

		cut->line_max = answers_line_cnt(text, cut, 1);
		if (cut == &answer[CAUSE] && has_troubles(whole->summary))
			continue;
		for (; left < cut_first[i].rows && cut->line_max > cut_first[i].lines; left++)
			cut->line_max--;
	}
	return left;
}

static void print_screen(const struct first_screen *screen, const struct focus *focus,
			 const struct whole *whole, const struct summary *all)
{
	const struct text *text = screen->rest;
	struct answer answer[NR_ANSWERS];
	struct head_lines head = {0};
	int rows;

	head_lines_of(&head, focus, all);
	fill_answers(answer, whole, all, screen->typical_words);
	head_answers(text, &head, &answer[TITLE]);
	rows = parts_room(text, whole, answer);
	answers_print(screen->head, &answer[TITLE], 2);
	text_newline(screen->head);
	answers_print(screen->head, &answer[UNRELIABLE], 2);
	answers_print(screen->cause, &answer[CAUSE], 1);
	answers_print(screen->typical, &answer[TYPICAL], 1);
	answers_print(screen->next, &answer[NEXT], 1);
	answers_print(text, &answer[WARNING], 1);
	first_times_table(text, focus);
	text_newline(text);
	if (rows >= ROWS_LEAST || !has_troubles(all))
		first_parts_table(text, whole, rows);
	answers_print(text, &answer[COMPLETE], 2);
}

int text_first_screen(const struct first_screen *screen, const struct summary *summary)
{
	struct focus focus;
	struct whole whole;
	int err = focus_on_service(&focus, summary) ?: whole_of(&whole, &focus);

	if (!err) {
		print_screen(screen, &focus, &whole, summary);
		whole_clean(&whole);
	}
	focus_clean(&focus);
	return err;
}

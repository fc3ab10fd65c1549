/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Declares the sentences on an explanation. Each function that has a paragraph adds to it, and adds
 * nothing if there is nothing to say.
 */
#pragma once

#include "model/explanation.h"
#include "report/words/explain/cause_words.h"
#include "report/words/paragraph.h"

/* Why there is nothing to explain, and what to do: `outcome` is not EXPLAIN_DONE. */
void explain_outcome_words(struct paragraph *line, const struct explanation *explanation);

/*
 * What the slow units wait for, and which units these are; what usual units wait for; and that of
 * these two with which the explanation begins.
 */
void explain_slow_words(struct paragraph *line, const struct explanation *explanation);
void explain_usual_words(struct paragraph *line, const struct explanation *explanation);
void explain_opening(struct paragraph *line, const struct explanation *explanation);

/*
 * For the top of a report: the first sentence of the opening, and one on units that take far longer
 * than those of which it speaks. They take the place of the sentence on the summary, unless that
 * speaks of losses. Nothing without rows.
 */
void explain_headline(struct paragraph *line, const struct explanation *explanation);

/* What the slowest units wait for, if they take far longer than the others that are slow. */
void explain_outlier_words(struct paragraph *line, const struct explanation *explanation);

/*
 * The longest time that one cause has in one unit, if it is far longer than slow units are. Nothing
 * if it is one of which the opening and the words on outliers speak.
 */
void explain_longest_words(struct paragraph *line, const struct explanation *explanation);

/* What to do about the causes that it begins with. */
void explain_remedy_words(struct paragraph *line, const struct explanation *explanation);

/*
 * The answers below the opening: the part of the explanation with which it does not begin; the
 * slowest units; what sets the slow units apart, the most certain values; the episodes; the
 * percentiles without the largest culprits; how much of it is known; and what to do.
 */
enum { EXPLAIN_ANSWERS = 8 };
extern const struct explain_answer {
	const char *label;
	void (*words)(struct paragraph *line, const struct explanation *explanation);
	int line_max; /* on the first screen */
} explain_answers[EXPLAIN_ANSWERS];

/* That nothing sets them apart. */
void explain_nothing_apart(struct paragraph *line, const struct explanation *explanation);

/* "on CPU 1", "receiver asleep when the data came" */
void explain_attribute_words(const struct explain_attribute *attribute, char words[CLAUSE_LEN]);

/*
 * "6 of 9 lie 1.000 s apart"; "6 of 9 distances between those of hog (pid 4711, RR 50) are 1.000 s"
 */
void explain_period(struct paragraph *line, const struct explanation *explanation);

/* "behind hog (pid 4711, RR 50), CPU 1"; "blocked by worker (pid 62, nice 0)"; "receive" */
void episode_label(const struct explanation *explanation, const struct explain_episode *episode,
		   int width, char label[CLAUSE_LEN]);

/* The percentiles without the largest culprits. */
void explain_without_words(struct paragraph *line, const struct explanation *explanation);

/* "hog (pid 4711, RR 50)", "service: busy" */
void without_label(const struct explanation *explanation, const struct explain_without *without,
		   char words[CLAUSE_LEN]);

/* How much of it is known, and what is left out, or ipctrace's own. */
void explain_known_words(struct paragraph *line, const struct explanation *explanation);

/* What the recording does not show, and how to record it. */
void explain_missing_words(struct paragraph *line, const struct explanation *explanation);

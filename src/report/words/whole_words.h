/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Declares what the first screen and the page say of the time of a mean unit: its cause, what is
 * typical, what to try, and the names of its parts. Each function adds to a paragraph, and adds
 * nothing if there is nothing to say.
 */
#pragma once

#include "insight/whole.h"
#include "report/words/paragraph.h"

#define ROW_WORDS_LEN 64

/* Fewer units have no percentile 99 worth a name. */
#define PERCENTILES_MIN 100

/*
 * How much a screen has room for. WORDS_FEW: the largest part, its first culprit, another part that
 * is as large, and whether slow units have it. WORDS_LEAST: only troubles if there are any, else
 * the same without slow units.
 */
enum words_extent { WORDS_ALL, WORDS_FEW, WORDS_LEAST };

/* "71 % of call time is waiting for a CPU, mostly in the request: ..." */
void whole_cause_words(struct paragraph *line, const struct whole *whole, enum words_extent extent);

/* What was slow (verdict.c): troubles, then the cause, or why there is none. */
void verdict_words(struct paragraph *verdict, const struct whole *whole, enum words_extent extent);

/* "3 of 188 rounds: 2 began late, 1 took too long (a round begins every 5.34 ms)": xruns. */
void missed_words(struct paragraph *line, const struct summary *summary);

/*
 * "half of all calls take at most 34 us, 99 % at most 3.8 ms, the slowest 4.2 ms." Only WORDS_ALL
 * has the slowest one. `hint` follows if it is far from the others; NULL: none does.
 */
void whole_typical_words(struct paragraph *line, const struct whole *whole,
			 enum words_extent extent, const char *hint);

/* The same if no message was seen, and what was seen instead does not say it (verdict.c). */
void unseen_next_words(struct paragraph *line, const struct summary *summary);

/* What to try about the largest part. */
void whole_next_words(struct paragraph *line, const struct whole *whole);

/* What to try about a component of messages; NULL: it depends on what had the CPU. */
const char *component_next(enum component component);

/* "waiting for a CPU" */
const char *whole_part_title(const struct whole_part *part);
const struct bar_mark *whole_part_mark(const struct whole_part *part);

/* "hog 71 %, 7 more 0.4 %": what causes the part, in at most `columns`; shares of the whole. */
void whole_part_culprits(const struct whole *whole, const struct whole_part *part, int columns,
			 char words[ROW_WORDS_LEN]);

/* "calls", "messages" or "exchanges" */
const char *whole_units(const struct whole *whole);

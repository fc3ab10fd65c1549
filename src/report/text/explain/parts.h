/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Declares the parts of an explanation. explain.c defines their order. Functions that take a
 * paragraph add sentences to it, and the others print a table under a heading. A part that has
 * nothing to show prints nothing.
 */
#pragma once

#include "model/explanation.h"
#include "report/text/layout.h"

/* Why there is nothing to explain, and what to do: `outcome` is not EXPLAIN_DONE. */
void explain_outcome_words(struct paragraph *line, const struct explanation *explanation);

/* What the slow units wait for, and which units these are. */
void explain_opening(struct paragraph *line, const struct explanation *explanation);

/* What sets the slow units apart: the most certain values. */
void explain_apart_words(struct paragraph *line, const struct explanation *explanation);
void explain_apart(const struct text *text, const struct explanation *explanation);

/* Episodes: when there were slow units. */
void explain_when_words(struct paragraph *line, const struct explanation *explanation);
void explain_when(const struct text *text, const struct explanation *explanation);

/* The percentiles without the largest culprits. */
void explain_without_words(struct paragraph *line, const struct explanation *explanation);
void explain_without(const struct text *text, const struct explanation *explanation);

/* The difference of the means, by component and culprit. */
void explain_difference(const struct text *text, const struct explanation *explanation);

/* Its first rows, without a title. */
void explain_difference_short(const struct text *text, const struct explanation *explanation,
			      int rows);

/* What threads slept in, and what those did that kept a CPU. */
void explain_stacks(const struct text *text, const struct explanation *explanation);

/* How much of it is known, and what is left out, or ipctrace's own. */
void explain_known_words(struct paragraph *line, const struct explanation *explanation);

/* What the recording does not show, and how to record it. */
void explain_missing_words(struct paragraph *line, const struct explanation *explanation);

/* One slow unit in full. */
void explain_typical(const struct text *text, const struct explanation *explanation);

/* "message 7/1042 over uds, 64 bytes, round 12, client 3", "call 5, request message ..." */
void unit_identity(struct paragraph *line, const struct unit *unit);

/* "server (tid 4711) on CPU 0 to client (pid 4712, tid 4713) on CPU 1" */
void unit_parties(struct paragraph *line, const struct unit *unit);

/* What its threads did from 1 ms before it on. */
void explain_moments(const struct text *text, const struct explanation *explanation);

/* "06:24:44.214 (3.214 s)": the wall clock, and the time since tracing began. */
#define INSTANT_LEN 64
void instant_words(const struct run_info *info, uint64_t ns, char text[INSTANT_LEN]);

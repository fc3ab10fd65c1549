/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Declares the tables of an explanation, each under a heading. explanation_text.c defines their
 * order. A table that has nothing to show is not printed.
 */
#pragma once

#include "model/explanation.h"
#include "report/text/layout.h"

/* What sets the slow units apart. */
void explain_apart(const struct text *text, const struct explanation *explanation);

/* Episodes: when there were slow units. */
void explain_when(const struct text *text, const struct explanation *explanation);

/* The percentiles without the largest culprits. */
void explain_without(const struct text *text, const struct explanation *explanation);

/* The difference of the means, by component and culprit. */
void explain_difference(const struct text *text, const struct explanation *explanation);

/* What a usual unit consists of, in the same way. */
void explain_usual(const struct text *text, const struct explanation *explanation);

/* The first rows of that of these two with which the explanation begins, without a title. */
void explain_difference_short(const struct text *text, const struct explanation *explanation,
			      int rows);

/* What threads slept in, and what those did that kept a CPU. */
void explain_stacks(const struct text *text, const struct explanation *explanation);

/* One slow unit in full. */
void explain_typical(const struct text *text, const struct explanation *explanation);

/* What its threads did from 1 ms before it on. */
void explain_moments(const struct text *text, const struct explanation *explanation);

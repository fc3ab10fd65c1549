/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Declares the first screen of the text report: 24 lines of 80 columns. It answers, in this order:
 * what is slow, how long it took, where the time went, what is to blame, and whether the figures
 * can be trusted.
 */
#pragma once

#include "model/summary.h"
#include "report/text/layout.h"
#include "report/words/rows.h"

#define SCREEN_LINES 24

/* The first screen of one run or attach. */
void first_screen(const struct text *text, const struct summary *summary);

/* The first screen of several runs: a row for each configuration, as many as fit. */
void first_screen_of_rows(const struct text *text, const struct rows *rows);

/* SPDX-License-Identifier: BSD-2-Clause */
/* Declares the function that prints the text report of several runs. */
#pragma once

#include "report/text/layout.h"
#include "report/words/rows.h"

/*
 * `runs` has a row for each run. Silent without a run or without memory. `is_brief`: only the first
 * screen.
 */
void text_run_matrix(const struct text *text, const struct rows *runs, bool is_brief);

/* SPDX-License-Identifier: BSD-2-Clause */
/* Several runs in the text report: a table with a row per configuration, not a report per run. */
#pragma once

#include "report/text/layout.h"
#include "report/text/tables/rows.h"

/* `runs` has a row for each run. Silent without a run or without memory. */
void text_run_matrix(const struct text *text, const struct rows *runs);

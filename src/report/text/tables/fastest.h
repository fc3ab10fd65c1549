/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef IPCTRACE_REPORT_TEXT_TABLES_FASTEST_H
#define IPCTRACE_REPORT_TEXT_TABLES_FASTEST_H

#include "report/text/layout.h"
#include "report/text/tables/rows.h"

/*
 * One line: which transport is best at the pattern's main figure, compared with others under the
 * same conditions; with one set of conditions by how much, with several how often. Silent if
 * nothing can be compared, or without memory.
 */
void text_fastest(const struct text *text, const struct rows *rows, const struct filter *filter);

#endif

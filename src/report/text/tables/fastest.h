/* SPDX-License-Identifier: BSD-2-Clause */
/* The line "fastest" below a table: which transport is best. */
#ifndef IPCTRACE_REPORT_TEXT_TABLES_FASTEST_H
#define IPCTRACE_REPORT_TEXT_TABLES_FASTEST_H

#include "report/text/layout.h"
#include "report/text/tables/rows.h"

/*
 * One line: which transport has the best main figure among rows that differ in the transport only,
 * and by how much, or how often if there are several comparisons. Silent if there is nothing to
 * compare, or no memory.
 */
void text_fastest(const struct text *text, const struct rows *rows, const struct filter *filter);

#endif

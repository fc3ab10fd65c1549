/* SPDX-License-Identifier: BSD-2-Clause */
/* Tables for several runs of the push pattern. */
#ifndef IPCTRACE_REPORT_TEXT_TABLES_PUSH_H
#define IPCTRACE_REPORT_TEXT_TABLES_PUSH_H

#include "report/text/layout.h"
#include "report/text/tables/rows.h"

/* First, next and last latency over the number of clients. */
void text_push_table(const struct text *text, const struct rows *rows, const struct filter *filter,
		     const char *title);

/* Rows below text_published(): the runs with one client on an idle machine. */
void text_own_rows(const struct text *text, const struct rows *rows);

/* A line for each row of transport kernel: whether the serving order varies, and why. */
void text_orders(const struct text *text, const struct rows *rows);

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A sweep in the text report: one table with a row per configuration instead of a report per run.
 *
 *	sweep = text_sweep__new();
 *	text_sweep__add(sweep, &summary);	for every run
 *	text_sweep__print(sweep, text);
 *	text_sweep__free(sweep);
 */
#ifndef IPCTRACE_REPORT_TEXT_SWEEP_H
#define IPCTRACE_REPORT_TEXT_SWEEP_H

#include "model/summary.h"
#include "report/text/layout.h"

struct text_sweep;

/* NULL and errno on failure. */
struct text_sweep *text_sweep__new(void);

/* Copies what it needs of `summary`. Returns 0 or -ENOMEM. */
int text_sweep__add(struct text_sweep *sweep, const struct summary *summary);
void text_sweep__print(const struct text_sweep *sweep, const struct text *text);
void text_sweep__free(struct text_sweep *sweep); /* NULL allowed */

#endif

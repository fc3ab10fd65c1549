/* SPDX-License-Identifier: BSD-2-Clause */
/* The tables of a published experiment, for the report of a run matrix. */
#ifndef IPCTRACE_REPORT_TEXT_EXPERIMENTS_EXPERIMENT_H
#define IPCTRACE_REPORT_TEXT_EXPERIMENTS_EXPERIMENT_H

#include "report/text/layout.h"
#include "report/text/tables/rows.h"

#include <stdbool.h>

/*
 * Prints the tables of a published experiment: its figures beside those of `rows`, in its units and
 * words. False: there is no experiment of this name.
 */
bool text_experiment(const struct text *text, const char *name, const struct rows *rows);

#endif

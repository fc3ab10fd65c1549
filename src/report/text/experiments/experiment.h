/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef IPCTRACE_REPORT_TEXT_EXPERIMENTS_EXPERIMENT_H
#define IPCTRACE_REPORT_TEXT_EXPERIMENTS_EXPERIMENT_H

#include "report/text/layout.h"
#include "report/text/tables/rows.h"

#include <stdbool.h>

/*
 * The tables of a published experiment, in its own units and words, with the published figures
 * beside those of `rows`. False: there is no experiment of that name, and nothing was printed.
 */
bool text_experiment(const struct text *text, const char *name, const struct rows *rows);

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/* Declares functions that print the results of published experiments beside measured results. */
#pragma once

#include "report/text/layout.h"
#include "report/words/rows.h"

void text_grame(const struct text *text, const struct rows *rows);
void text_lipc(const struct text *text, const struct rows *rows);
void text_colorado(const struct text *text, const struct rows *rows);
void text_studio6(const struct text *text, const struct rows *rows);
void text_ipc_bench(const struct text *text, const struct rows *rows);

/*
 * Prints the tables of a published experiment: its figures beside those of `rows`, in its units and
 * words. False: there is no experiment of this name.
 */
bool text_experiment(const struct text *text, const char *name, const struct rows *rows);

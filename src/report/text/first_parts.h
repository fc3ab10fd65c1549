/* SPDX-License-Identifier: BSD-2-Clause */
/* Declares the tables of the first screen: how long it took, and where the time went. */
#pragma once

#include "insight/focus.h"
#include "insight/whole.h"
#include "report/text/sections.h"

/* How long it took: calls, rounds, exchanges or messages. An empty line precedes it. */
void first_times_table(const struct text *text, const struct focus *focus);
int first_times_lines(const struct summary *summary);

/* How many rows leave little to the one for all others, which is one of them; `most`: at most. */
int first_parts_good(const struct whole *whole, int most);

/*
 * The parts of the mean unit, largest first, each with its bar and its culprits: at most `row_max`
 * rows, the last of which stands for all others. Silent without parts.
 */
void first_parts_table(const struct text *text, const struct whole *whole, int row_max);

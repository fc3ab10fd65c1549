/* SPDX-License-Identifier: BSD-2-Clause */
/* Declares the part of the first screen that says where the time of messages went. */
#pragma once

#include "model/summary.h"
#include "report/text/layout.h"

/*
 * The mean latency as a bar, and a row for each component that matters, largest first: at most
 * `row_max` rows, the last of which stands for all others. If the service leads, the parts of calls
 * instead. Silent without components.
 */
void where_table(const struct text *text, const struct summary *summary, int row_max);

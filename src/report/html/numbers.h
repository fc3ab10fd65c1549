/* SPDX-License-Identifier: BSD-2-Clause */
/* Declares the tables of numbers of a run. */
#pragma once

#include "model/summary.h"
#include "report/markup.h"

/*
 * Latencies, rounds and calls, and the components of the latency. Cells have their exact numbers in
 * data- attributes, as in -f json.
 */
void numbers_write(struct markup *markup, const struct summary *summary);

/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef IPCTRACE_SINK_TEXT_FASTEST_H
#define IPCTRACE_SINK_TEXT_FASTEST_H

#include "sink/rows.h"
#include "sink/text_layout.h"

/*
 * One line: which transport is best at the pattern's main figure, compared with others under the
 * same conditions; with one set of conditions by how much, with several how often. Silent if
 * nothing can be compared, or without memory.
 */
void text_fastest(const struct text *text, const struct rows *rows, const struct filter *filter);

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Declares functions that draw a latency as a bar, in which each component has a part. A part is
 * drawn with the mark of its component: a letter, which has a color on a terminal.
 */
#pragma once

#include "model/component.h"
#include "model/spec.h"
#include "report/text/layout.h"

/*
 * A bar of `width` columns. Parts that are long enough contain the name of their component if
 * `has_titles`. Silent if the sum of `ns` is 0.
 */
void component_bar(const struct text *text, const double ns[NR_COMPONENTS], int width,
		   bool has_titles);

void put_mark(const struct text *text, const struct bar_mark *mark);

/* The mark of the largest component and its share: "q 43 %". Right-aligned, as cells are. */
void largest_component(const struct text *text, const double ns[NR_COMPONENTS], int width);

#define BAR_COLUMNS_MAX 256

/* The marks and names of all components that this measurement can have, on one line or two. */
void component_legend(const struct text *text, const struct run_info *info, const char *label);

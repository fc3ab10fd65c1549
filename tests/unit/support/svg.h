/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads figures: whether they are well-formed, and what stands in their attributes. */
#pragma once

#include "support/markup_check.h"

#include <stdbool.h>
#include <stddef.h>

/* How often `attribute` has this value, given as in printf(). */
__attribute__((format(printf, 3, 4))) size_t svg_count(const char *svg, const char *attribute,
						       const char *format, ...);

/* The sum of an attribute over all elements that have it. */
double svg_sum(const char *svg, const char *attribute);

/* Whether all coordinates of texts and bars are inside of the figure. */
void assert_inside(const char *svg);

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Declares the classes of marks, whose colours are in figure.css: a component has one colour in all
 * figures. Neighbours in the order of time differ in lightness, so that grey paper, and readers
 * with a colour deficiency, can tell them apart.
 */
#pragma once

#include "report/figure.h"

/* "k1" … "k7" for the largest culprits, from 1 on; "k0": all others, "kn": none. */
#define CULPRIT_CLASSES 7
const char *culprit_class(unsigned int place);

/* "s1" … "s8" for lines, from 0 on; each has a dash pattern of its own. They repeat. */
#define SERIES_CLASSES 8
const char *series_class(unsigned int i);

/* "h0" … "h8": how dark an area is, by its share of 1. A negative share: "hn", nothing known. */
#define HEAT_CLASSES 9
const char *heat_class(double share);

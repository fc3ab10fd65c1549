/* SPDX-License-Identifier: BSD-2-Clause */
/* Declares scales, which map numbers to places in a figure. */
#pragma once

#include "report/figure.h"

#include <stdbool.h>

/*
 *	start             place             end       in the figure
 *	  |-----------------|----------------|
 *	from              value              to       numbers
 *
 * A logarithmic scale has numbers above 0. `end` may lie before `start`, as on a vertical axis.
 */
struct scale {
	double from;
	double to;
	double start;
	double end;
	bool is_log;
};

/* Numbers outside of the scale are placed at its ends. */
double scale_place(const struct scale *scale, double value);

/* Extends a scale to `value` if that is above 0. One without numbers yet is from INFINITY to 0. */
void scale_include(struct scale *scale, double value);

/* `from` and `to` extended to round numbers. */
void scale_round(struct scale *scale);

/*
 * Round numbers on the scale, in ascending order: about `most` of them or fewer. A logarithmic
 * scale has powers of ten, with room also 2 and 5 times these, unless it is too short for them.
 * `*step` is the distance of two, 0 if they are such powers. Returns how many.
 */
#define TICKS_MAX 64
int scale_ticks(const struct scale *scale, int most, double tick[TICKS_MAX], double *step);

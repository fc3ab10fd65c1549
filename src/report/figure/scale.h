/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Declares scales, which map numbers to places in a figure, and the text of numbers on axes, in
 * legends and in tooltips.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* What a number is, which decides how it is written. */
enum measure {
	MEASURE_NS,    /* "800 ns", "12.5 µs", "3 ms", "1.5 s" */
	MEASURE_COUNT, /* "800", "12 k", "3 M" */
	MEASURE_SHARE, /* of 1: "12 %" */
	MEASURE_NUMBER /* as it is: "1200" */
};

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

/*
 * The number on an axis whose largest number is `largest`, and whose ticks are `step` apart: all
 * have one unit and the same decimals. `step` 0: the number by itself, with up to three digits.
 */
#define MEASURE_LEN 32
const char *measure_text(enum measure measure, double value, double largest, double step,
			 char text[MEASURE_LEN]);

/* By itself: "812 ns", "12.3 µs". Valid in the enclosing block. */
#define NS_TEXT(ns)       measure_text(MEASURE_NS, (ns), (ns), 0, (char[MEASURE_LEN]){0})
#define SHARE_TEXT(share) measure_text(MEASURE_SHARE, (share), 1, 0, (char[MEASURE_LEN]){0})
#define COUNT_TEXT(count) measure_text(MEASURE_COUNT, (count), (count), 0, (char[MEASURE_LEN]){0})

/* SPDX-License-Identifier: BSD-2-Clause */
/* Declares axes with round numbers. */
#pragma once

#include "report/figure/canvas.h"
#include "report/figure/scale.h"

struct axis {
	struct scale scale;
	enum measure measure;
	const char *title; /* NULL: none */
};

/*
 * The numbers of a vertical axis stand left of `x`, grid lines reach from there to `to_x`. The
 * title stands above the numbers: AXIS_TITLE_HEIGHT above the top of the scale must
 * be free.
 */
#define AXIS_TITLE_HEIGHT 22
void axis_draw_left(const struct canvas *canvas, const struct axis *axis, double x, double to_x);

/* The width that the numbers of a vertical axis take. */
double axis_left_width(const struct axis *axis);

/* Numbers and title of a horizontal axis stand below `y`; grid lines reach up to `to_y`. */
#define AXIS_BOTTOM_HEIGHT 40
void axis_draw_bottom(const struct canvas *canvas, const struct axis *axis, double y, double to_y);

/* Only its grid lines, from `y` up to `to_y`. */
void axis_draw_grid(const struct canvas *canvas, const struct axis *axis, double y, double to_y);

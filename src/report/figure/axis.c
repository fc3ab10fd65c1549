/* SPDX-License-Identifier: BSD-2-Clause */
/* Draws axes with their grid lines and round numbers. */
#include "report/figure/axis.h"

#include <math.h>

#define TICK_DISTANCE_LEAST 28 /* between the numbers of a vertical axis */
#define TICK_GAP            14 /* free between those of a horizontal one */

static const char *tick_text(const struct axis *axis, double value, double step,
			     char text[MEASURE_LEN])
{
	double largest = step > 0 ? fmax(fabs(axis->scale.from), fabs(axis->scale.to)) : value;

	return measure_text(axis->measure, value, largest, step, text);
}

static int vertical_ticks(const struct axis *axis, double tick[TICKS_MAX], double *step)
{
	double height = fabs(axis->scale.end - axis->scale.start);

	return scale_ticks(&axis->scale, (int)(height / TICK_DISTANCE_LEAST) + 1, tick, step);
}

double axis_left_width(const struct axis *axis)
{
	double tick[TICKS_MAX], step, widest = 0;
	char text[MEASURE_LEN];
	int cnt = vertical_ticks(axis, tick, &step);

	for (int i = 0; i < cnt; i++)
		widest =
			fmax(widest, label_width(tick_text(axis, tick[i], step, text), FONT_SMALL));
	return widest + 6;
}

void axis_draw_left(const struct canvas *canvas, const struct axis *axis, double x, double to_x)
{
	double tick[TICKS_MAX], step;
	double top = fmin(axis->scale.start, axis->scale.end);
	char text[MEASURE_LEN];
	int cnt = vertical_ticks(axis, tick, &step);

	group_open(canvas, "axis");
	for (int i = 0; i < cnt; i++) {
		double y = scale_place(&axis->scale, tick[i]);

		line_draw(canvas, "grid", x, y, to_x, y);
		label_draw(canvas, "tick", x - 6, y + 4, ANCHOR_END,
			   tick_text(axis, tick[i], step, text));
	}
	/* Above the numbers, and to the right of the axis only if it is wider than these. */
	if (axis->title) {
		bool fits = label_width(axis->title, FONT_SMALL) <= x - 6;

		label_draw(canvas, "axis-title", fits ? x - 6 : 0, top - AXIS_TITLE_HEIGHT + 10,
			   fits ? ANCHOR_END : ANCHOR_START, axis->title);
	}
	markup_close(canvas->markup);
}

/* The most ticks whose numbers have room beside each other. */
static int horizontal_ticks(const struct axis *axis, double tick[TICKS_MAX], double *step)
{
	double width = fabs(axis->scale.end - axis->scale.start);
	char text[MEASURE_LEN];

	for (int most = 12; most > 2; most--) {
		int cnt = scale_ticks(&axis->scale, most, tick, step);
		bool fits = true;
		double end = -INFINITY;

		for (int i = 0; i < cnt; i++) {
			double half =
				label_width(tick_text(axis, tick[i], *step, text), FONT_SMALL) / 2;
			double x = fabs(scale_place(&axis->scale, tick[i]) - axis->scale.start);

			fits &= x - half >= end + TICK_GAP;
			end = x + half;
		}
		if (fits && cnt <= 2 + width / 20)
			return cnt;
	}
	return scale_ticks(&axis->scale, 2, tick, step);
}

void axis_draw_bottom(const struct canvas *canvas, const struct axis *axis, double y, double to_y)
{
	double tick[TICKS_MAX], step;
	char text[MEASURE_LEN];
	int cnt = horizontal_ticks(axis, tick, &step);

	group_open(canvas, "axis bottom");
	markup_attrf(canvas->markup, "data-from", "%.10g", axis->scale.from);
	markup_attrf(canvas->markup, "data-to", "%.10g", axis->scale.to);
	place_attr(canvas, "data-start", axis->scale.start);
	place_attr(canvas, "data-end", axis->scale.end);
	for (int i = 0; i < cnt; i++) {
		double x = scale_place(&axis->scale, tick[i]);
		double half;

		tick_text(axis, tick[i], step, text);
		half = label_width(text, FONT_SMALL) / 2;
		line_draw(canvas, "grid", x, to_y, x, y + 4);
		/* The last number does not leave the figure. */
		label_draw(canvas, "tick", fmin(x, canvas->width - half), y + 16, ANCHOR_MIDDLE,
			   text);
	}
	line_draw(canvas, "frame", axis->scale.start, y, axis->scale.end, y);
	if (axis->title)
		label_draw(canvas, "axis-title", (axis->scale.start + axis->scale.end) / 2, y + 33,
			   ANCHOR_MIDDLE, axis->title);
	markup_close(canvas->markup);
}

void axis_draw_grid(const struct canvas *canvas, const struct axis *axis, double y, double to_y)
{
	double tick[TICKS_MAX], step;
	int cnt = horizontal_ticks(axis, tick, &step);

	group_open(canvas, "axis columns");
	for (int i = 0; i < cnt; i++) {
		double x = scale_place(&axis->scale, tick[i]);

		line_draw(canvas, "grid", x, to_y, x, y);
	}
	markup_close(canvas->markup);
}

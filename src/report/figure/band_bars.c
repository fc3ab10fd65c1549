/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Draws the bands: what the fastest half of the units spent its time for, what the slower ones did,
 * and what the slowest. A bar for each band has its mean components in the order of time, once as
 * long as they took, and once as shares.
 *
 *	            mean time                       shares
 *	0 - 50 %    |=|--|::|  5.2 us               |====|-------|:::::::::|
 *	99 - 100 %  |=|--|:::::::::::::::| 81 us    |=|--|:::::::::::::::::|
 */
#include "model/picture.h"
#include "report/figure/legend.h"
#include "report/figure/scale.h"
#include "report/words/labels.h"
#include "report/words/paragraph.h"

#include <math.h>

#define ROW_STEP      46
#define BAR_HEIGHT    24
#define LABEL_SPACE   104 /* left of the bars */
#define VALUE_SPACE   66  /* right of the bars, for the mean */
#define PANEL_GAP     26
#define TITLE_HEIGHT  26
#define POINTED_LEAST 3 /* narrower segments cannot be pointed at */
#define LEGEND_GAP    10
#define LEAST_WIDTH   0.3 /* narrower segments are not to be seen */

/* The two panels. */
enum panel { PANEL_TIME, PANEL_SHARES, NR_PANELS };

struct layout {
	const struct canvas *canvas;
	const struct picture *picture;
	struct legend legend;
	double largest_ns; /* of the means */
};

static bool bands_apply(const struct illustration *illustration)
{
	const struct picture *picture = illustration->picture;

	for (int i = 0; i < NR_BANDS; i++) {
		if (picture->band[i].known)
			return true;
	}
	return false;
}

static double cost_ns(const struct band *band, int cost)
{
	double sum = 0;

	for (int part = 0; part < NR_CAUSE_PARTS; part++)
		sum += band->part_ns[part][cost];
	return sum;
}

static int largest_cost(const struct band *band)
{
	int largest = 0;

	for (int cost = 1; cost < NR_COSTS; cost++) {
		if (cost_ns(band, cost) > cost_ns(band, largest))
			largest = cost;
	}
	return largest;
}

/* "0–50 %". Valid in the enclosing block. */
#define BAND_TITLE(i) TEXT("%.6g–%.6g %%", band_percent[i], band_percent[(i) + 1])

static void add_band(struct paragraph *words, const struct band *band)
{
	int cost = largest_cost(band);

	paragraph_add(words, "%s on average, of which %s is %s", NS_TEXT(band->mean_ns),
		      components[cost].title,
		      PERCENT(band->mean_ns > 0 ? cost_ns(band, cost) / band->mean_ns : 0));
}

/* The causes of all units of a long recording would take too long. */
static void add_sample(struct paragraph *words, const struct picture *picture)
{
	uint64_t known = 0, units = 0;

	for (int i = 0; i < NR_BANDS; i++) {
		known += picture->band[i].known;
		units += picture->band[i].units;
	}
	if (known < units)
		paragraph_add(words, " The parts are those of %llu of %llu %s.",
			      (unsigned long long)known, (unsigned long long)units,
			      unit_words(picture->unit, true));
}

static void bands_describe(const struct illustration *illustration, struct paragraph *words)
{
	const struct picture *picture = illustration->picture;
	const struct band *last = NULL;
	int i;

	for (i = NR_BANDS - 1; i > 0 && !picture->band[i].known; i--)
		;
	last = &picture->band[i];
	if (i && picture->band[0].known) {
		paragraph_add(words, "The faster half of the %s takes ",
			      unit_words(picture->unit, true));
		add_band(words, &picture->band[0]);
		paragraph_add(words, "; the band %s takes ", BAND_TITLE(i));
	} else {
		paragraph_add(words, "The %s in the band %s take ", unit_words(picture->unit, true),
			      BAND_TITLE(i));
	}
	add_band(words, last);
	paragraph_add(words, ".");
	add_sample(words, picture);
}

static struct layout band_bars_layout_of(const struct canvas *canvas, const struct picture *picture)
{
	struct layout layout = {.canvas = canvas, .picture = picture};

	for (int cost = 0; cost < NR_COSTS; cost++) {
		double sum = 0;

		for (int i = 0; i < NR_BANDS; i++)
			sum += cost_ns(&picture->band[i], cost);
		if (sum > 0)
			legend_add_cost(&layout.legend, cost);
	}
	for (int i = 0; i < NR_BANDS; i++)
		layout.largest_ns = fmax(layout.largest_ns, picture->band[i].mean_ns);
	return layout;
}

/* Where a band's stack is drawn. */
struct stack {
	const struct layout *layout;
	const struct band *band;
	int index;
	enum panel panel;
	double x;
	double y;
	double per_ns; /* user units */
};

static void band_bars_put_number(const struct stack *stack, int cost, double x, double width,
				 double ns)
{
	char number[MEASURE_LEN];

	if (stack->panel == PANEL_SHARES)
		measure_text(MEASURE_SHARE, ns / stack->band->mean_ns, 1, 0.01, number);
	else
		measure_text(MEASURE_NS, ns, ns, 0, number);
	if (label_width(number, FONT_SMALL) + 4 > width)
		return;
	label_draw(stack->layout->canvas, TEXT("on on-%s %s", cost_class(cost), cost_class(cost)),
		   x + width / 2, stack->y + BAR_HEIGHT / 2.0 + 4, ANCHOR_MIDDLE, number);
}

static void segment_data(const struct stack *stack, int part, int cost, double width)
{
	const struct canvas *canvas = stack->layout->canvas;
	double ns = stack->band->part_ns[part][cost];

	if (cause_part_names[part])
		markup_attr(canvas->markup, "data-part", cause_part_names[part]);
	markup_attr(canvas->markup, "data-cost", components[cost].name);
	data_mean(canvas, "ns", ns);
	if (stack->panel == PANEL_SHARES)
		markup_attrf(canvas->markup, "data-share", "%.6f", ns / stack->band->mean_ns);
	if (width >= POINTED_LEAST)
		tooltip_draw(canvas, "%s: %s%s%s: %s, %s of the mean", BAND_TITLE(stack->index),
			     cause_part_names[part] ?: "", cause_part_names[part] ? ": " : "",
			     components[cost].title, NS_TEXT(ns),
			     PERCENT(ns / stack->band->mean_ns));
}

static void draw_segment(const struct stack *stack, int part, int cost, double x)
{
	const struct canvas *canvas = stack->layout->canvas;
	double ns = stack->band->part_ns[part][cost];
	double width = ns * stack->per_ns;

	/* A narrow page is read on a phone: its segments have no numbers. */
	if (canvas->is_narrow && width < LEAST_WIDTH)
		return;
	rect_open(canvas, TEXT("fill %s", cost_class(cost)), x, stack->y, width, BAR_HEIGHT);
	if (!canvas->is_narrow)
		segment_data(stack, part, cost, width);
	markup_close(canvas->markup);
	band_bars_put_number(stack, cost, x, width, ns);
}

/* A line below the bar says where the parts of calls begin and end. */
static void band_bars_draw_part(const struct stack *stack, int part, double from, double to)
{
	const struct canvas *canvas = stack->layout->canvas;
	double y = stack->y + BAR_HEIGHT + 3;

	if (!cause_part_names[part] || to - from < 3)
		return;
	line_draw(canvas, "frame", from + 0.5, y, to - 0.5, y);
	if (label_width(cause_part_names[part], FONT_SMALL) <= to - from)
		label_draw(canvas, "soft", (from + to) / 2, y + 12, ANCHOR_MIDDLE,
			   cause_part_names[part]);
}

static void draw_stack(const struct stack *stack)
{
	const struct canvas *canvas = stack->layout->canvas;
	double x = stack->x;

	group_open(canvas, "stack");
	data_count(canvas, "band", stack->index);
	data_count(canvas, "above-ns", stack->band->above_ns);
	data_count(canvas, "up-to-ns", stack->band->up_to_ns);
	data_count(canvas, "units", stack->band->units);
	data_count(canvas, "known", stack->band->known);
	data_mean(canvas, "mean-ns", stack->band->mean_ns);
	for (int part = 0; part < NR_CAUSE_PARTS; part++) {
		double from = x;

		for (int cost = 0; cost < NR_COSTS; cost++) {
			if (stack->band->part_ns[part][cost] <= 0)
				continue;
			draw_segment(stack, part, cost, x);
			x += stack->band->part_ns[part][cost] * stack->per_ns;
		}
		band_bars_draw_part(stack, part, from, x);
	}
	if (stack->panel == PANEL_TIME)
		label_draw(canvas, "strong", x + 6, stack->y + BAR_HEIGHT / 2.0 + 4, ANCHOR_START,
			   NS_TEXT(stack->band->mean_ns));
	markup_close(canvas->markup);
}

static void draw_row_label(const struct layout *layout, int i, double y)
{
	const struct band *band = &layout->picture->band[i];

	label_draw(layout->canvas, "strong", 0, y + 11, ANCHOR_START, BAND_TITLE(i));
	label_draw(layout->canvas, "soft", 0, y + 25, ANCHOR_START,
		   TEXT("%s %s", COUNT_TEXT((double)band->units),
			unit_words(layout->picture->unit, band->units != 1)));
}

/* Returns where it ends. */
static double draw_panel(const struct layout *layout, enum panel panel, double x, double y,
			 double width)
{
	const struct canvas *canvas = layout->canvas;

	label_draw(canvas, "axis-title", x, y + 12, ANCHOR_START,
		   panel == PANEL_TIME ? "mean time, to scale" : "shares of the mean");
	y += TITLE_HEIGHT;
	for (int i = 0; i < NR_BANDS; i++) {
		const struct band *band = &layout->picture->band[i];
		struct stack stack = {
			.layout = layout, .band = band, .index = i, .panel = panel, .x = x, .y = y};

		/* Few units do not reach the last bands. */
		if (!band->units)
			continue;
		if (panel == PANEL_TIME)
			stack.per_ns = (width - VALUE_SPACE) / layout->largest_ns;
		else if (band->mean_ns > 0)
			stack.per_ns = width / band->mean_ns;
		if (panel == PANEL_TIME || canvas->is_narrow)
			draw_row_label(layout, i, stack.y);
		if (band->known && band->mean_ns > 0)
			draw_stack(&stack);
		else
			label_draw(canvas, "soft", x, stack.y + BAR_HEIGHT / 2.0 + 4, ANCHOR_START,
				   "not known");
		y += ROW_STEP;
	}
	return y;
}

static double bands_draw(const struct canvas *canvas, const struct illustration *illustration)
{
	struct layout layout = band_bars_layout_of(canvas, illustration->picture);
	double y = legend_draw(canvas, &layout.legend, 0) + LEGEND_GAP;
	double width = canvas->width - LABEL_SPACE;

	if (canvas->is_narrow) {
		y = draw_panel(&layout, PANEL_TIME, LABEL_SPACE, y, width) + PANEL_GAP;
		return draw_panel(&layout, PANEL_SHARES, LABEL_SPACE, y, width - 1);
	}
	width = (width - PANEL_GAP) / 2;
	draw_panel(&layout, PANEL_TIME, LABEL_SPACE, y, width);
	return draw_panel(&layout, PANEL_SHARES, LABEL_SPACE + width + PANEL_GAP, y, width - 1);
}

const struct figure figure_bands = {
	.name = "bands",
	.title = "Where the time goes, from the fastest to the slowest",
	.subject = OF_UNITS,
	.applies = bands_apply,
	.describe = bands_describe,
	.draw = bands_draw,
};

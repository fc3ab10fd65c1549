/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Draws a typical unit and a typical slow one: two bars of equal length, each cut by component in
 * the order of time. What had the CPU stands in the wait for it.
 *
 *	34.2 µs            |==|--|:::::|
 *	typical call       request   response
 *	18.5 ms            |=|:::::::: run queue 93 %, behind hog (pid 12) :::::::::|
 *	typical slow call  request
 */
#include "model/explanation.h"
#include "model/picture.h"
#include "report/figure/legend.h"
#include "report/words/explain/cause_words.h"
#include "report/words/labels.h"
#include "report/words/paragraph.h"

#include <math.h>

#define BAR_HEIGHT    26
#define ROW_STEP      48
#define WIDE_LABEL    150
#define NARROW_LABEL  104
#define POINTED_LEAST 1
#define SLOW_FROM     99 /* percent: where slow units begin, if there are as many */
#define BIG           18 /* height of text */

enum bar { BAR_USUAL, BAR_SLOW, NR_BARS };

struct two_bars {
	const struct canvas *canvas;
	const struct picture *picture;
	const struct explanation *explanation; /* NULL: there is none */
	struct band band[NR_BARS];             /* `known` 0: there is none */
	double slow_percent;                   /* of all units */
	double left;
	struct legend legend;
};

static double two_bars_cost_ns(const struct band *band, int cost)
{
	double sum = 0;

	for (int part = 0; part < NR_CAUSE_PARTS; part++)
		sum += band->part_ns[part][cost];
	return sum;
}

/* The bands above 99 % as one; the last one that there is if the units are too few for these. */
static struct band slow_band(const struct picture *picture, double *percent)
{
	struct band sum = {0};

	for (int i = NR_BANDS - 1; i > 0; i--) {
		const struct band *band = &picture->band[i];
		double units = (double)sum.units, all = units + (double)band->units;

		if (sum.known && band_percent[i] < SLOW_FROM)
			break;
		if (!band->known)
			continue;
		*percent = 100 - band_percent[i];
		sum.mean_ns = (sum.mean_ns * units + band->mean_ns * (double)band->units) / all;
		for (int part = 0; part < NR_CAUSE_PARTS; part++) {
			for (int cost = 0; cost < NR_COSTS; cost++) {
				double *ns = &sum.part_ns[part][cost];

				*ns = (*ns * units +
				       band->part_ns[part][cost] * (double)band->units) /
				      all;
			}
		}
		sum.units += band->units;
		sum.known += band->known;
	}
	return sum;
}

static bool two_bars_apply(const struct illustration *illustration)
{
	double percent;

	return illustration->picture->band[0].known &&
	       slow_band(illustration->picture, &percent).known;
}

static struct two_bars two_bars_of(const struct canvas *canvas,
				   const struct illustration *illustration)
{
	const struct explanation *explanation = illustration->explanation;
	struct two_bars bars = {.canvas = canvas, .picture = illustration->picture};

	if (explanation && explain_has_rows(explanation->outcome))
		bars.explanation = explanation;
	bars.band[BAR_USUAL] = bars.picture->band[0];
	bars.band[BAR_SLOW] = slow_band(bars.picture, &bars.slow_percent);
	bars.left = canvas && canvas->is_narrow ? NARROW_LABEL : WIDE_LABEL;
	for (int cost = 0; cost < NR_COSTS; cost++) {
		if (two_bars_cost_ns(&bars.band[BAR_USUAL], cost) +
			    two_bars_cost_ns(&bars.band[BAR_SLOW], cost) >
		    0)
			legend_add_cost(&bars.legend, cost);
	}
	return bars;
}

static void two_bars_describe(const struct illustration *illustration, struct paragraph *words)
{
	const struct two_bars bars = two_bars_of(NULL, illustration);
	const struct band *usual = &bars.band[BAR_USUAL], *slow = &bars.band[BAR_SLOW];
	const char *units = unit_words(bars.picture->unit, true);

	paragraph_add(words, "Means of the faster half of the %s and of the slowest %.6g %%", units,
		      bars.slow_percent);
	if (usual->mean_ns > 0 && slow->mean_ns >= 2 * usual->mean_ns)
		paragraph_add(words, ", %.0f times as long", slow->mean_ns / usual->mean_ns);
	paragraph_add(words, ".");
}

/* What had the CPU for most of the waits for one; NULL: none is known. */
static const struct explain_row *largest_wait(const struct explanation *explanation, enum bar bar)
{
	bool is_usual = bar == BAR_USUAL;
	const struct explain_row *rows = is_usual ? explanation->usual : explanation->row;
	uint32_t cnt = is_usual ? explanation->usual_cnt : explanation->row_cnt;
	const struct explain_row *largest = NULL;

	for (uint32_t i = 0; i < cnt; i++) {
		double ns = is_usual ? rows[i].base_ns : rows[i].slow_ns;

		if (rows[i].is_component || rows[i].depth || rows[i].is_rest ||
		    rows[i].cost != COMPONENT_RUNQUEUE || rows[i].role != CAUSE_RAN)
			continue;
		if (!largest || ns > (is_usual ? largest->base_ns : largest->slow_ns))
			largest = &rows[i];
	}
	return largest;
}

/* The most that fits: "run queue 93 %, behind hog (pid 12, RR 10)", "run queue 93 %", "93 %". */
static void segment_label(const struct two_bars *bars, enum bar bar, int cost, double share,
			  double width, char label[LABEL_LEN])
{
	const struct explain_row *row = NULL;
	char culprit[CULPRIT_LEN];

	if (cost == COMPONENT_RUNQUEUE && bars->explanation)
		row = largest_wait(bars->explanation, bar);
	for (int try = row ? 0 : 2; try < 5; try++) {
		const char *title = components[cost].title;

		if (try == 0)
			snprintf(label, LABEL_LEN, "%s %s, mostly behind %s", title, PERCENT(share),
				 row_culprit(row, culprit));
		else if (try == 1)
			snprintf(label, LABEL_LEN, "%s, behind %s", PERCENT(share),
				 row_culprit(row, culprit));
		else if (try == 2)
			snprintf(label, LABEL_LEN, "%s %s", title, PERCENT(share));
		else if (try == 3)
			snprintf(label, LABEL_LEN, "%s", PERCENT(share));
		else
			label[0] = '\0';
		if (label_width(label, FONT_SMALL) + 6 <= width)
			return;
	}
}

static void two_bars_draw_segment(const struct two_bars *bars, enum bar bar, int part, int cost,
				  double x, double y)
{
	const struct canvas *canvas = bars->canvas;
	const struct band *band = &bars->band[bar];
	double ns = band->part_ns[part][cost], share = ns / band->mean_ns;
	double width = share * (canvas->width - 1 - bars->left);
	char label[LABEL_LEN];

	rect_open(canvas, TEXT("fill %s", cost_class(cost)), x, y, width, BAR_HEIGHT);
	if (cause_part_names[part])
		markup_attr(canvas->markup, "data-part", cause_part_names[part]);
	markup_attr(canvas->markup, "data-cost", components[cost].name);
	data_mean(canvas, "ns", ns);
	data_share(canvas, "share", share);
	if (width >= POINTED_LEAST && !canvas->is_narrow)
		tooltip_draw(canvas, "%s%s%s: %s, %s of the mean", cause_part_names[part] ?: "",
			     cause_part_names[part] ? ": " : "", components[cost].title,
			     NS_TEXT(ns), PERCENT(share));
	markup_close(canvas->markup);
	segment_label(bars, bar, cost, share, width, label);
	if (label[0])
		label_draw(canvas, TEXT("on on-%s %s", cost_class(cost), cost_class(cost)),
			   x + width / 2, y + BAR_HEIGHT / 2.0 + 4, ANCHOR_MIDDLE, label);
}

/* A line below the bar says where the parts of calls begin and end. */
static void two_bars_draw_part(const struct two_bars *bars, int part, double from, double to,
			       double y)
{
	const char *name = cause_part_names[part];

	if (!name || to - from < 3)
		return;
	line_draw(bars->canvas, "frame", from + 0.5, y, to - 0.5, y);
	if (label_width(name, FONT_SMALL) <= to - from)
		label_draw(bars->canvas, "soft", (from + to) / 2, y + 12, ANCHOR_MIDDLE, name);
}

static void draw_two_bars_row(const struct two_bars *bars, enum bar bar, double y)
{
	const struct canvas *canvas = bars->canvas;
	const struct band *band = &bars->band[bar];
	const char *unit = unit_words(bars->picture->unit, false);
	double x = bars->left;

	label_draw(canvas, "big", 0, y + BIG - 2, ANCHOR_START, NS_TEXT(band->mean_ns));
	label_draw(canvas, "soft", 0, y + BIG + 13, ANCHOR_START,
		   TEXT(bar == BAR_USUAL ? "typical %s" : "typical slow %s", unit));
	group_open(canvas, "stack");
	data_count(canvas, "units", band->units);
	data_mean(canvas, "mean-ns", band->mean_ns);
	for (int part = 0; part < NR_CAUSE_PARTS; part++) {
		double from = x;

		for (int cost = 0; cost < NR_COSTS; cost++) {
			double ns = band->part_ns[part][cost];

			if (ns <= 0 || band->mean_ns <= 0)
				continue;
			two_bars_draw_segment(bars, bar, part, cost, x, y);
			x += ns / band->mean_ns * (canvas->width - 1 - bars->left);
		}
		two_bars_draw_part(bars, part, from, x, y + BAR_HEIGHT + 3);
	}
	markup_close(canvas->markup);
}

static double two_bars_draw(const struct canvas *canvas, const struct illustration *illustration)
{
	struct two_bars bars = two_bars_of(canvas, illustration);
	double y = 0;

	for (int bar = 0; bar < NR_BARS; bar++, y += ROW_STEP)
		draw_two_bars_row(&bars, bar, y);
	return y + legend_draw(canvas, &bars.legend, y);
}

const struct figure figure_typical = {
	.name = "typical",
	.title = "A typical one, and a typical slow one",
	.subject = OF_UNITS,
	.is_at_a_glance = true,
	.applies = two_bars_apply,
	.describe = two_bars_describe,
	.draw = two_bars_draw,
};

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Draws the heat map: when units began and how long they took. The slow ones have a colour of
 * their own, their largest episodes are numbered. The cells of one shade are one path, and the
 * counts of a row are one attribute: so the figure stays small however long the recording is.
 */
#include "report/figure/heat_layout.h"

#include "report/words/labels.h"
#include "report/words/paragraph.h"

#include <math.h>
#include <string.h>

#define WIDE_HEIGHT   280
#define NARROW_HEIGHT 150
#define PAGE_HEIGHT   112 /* of a wide one: there is more on the first screen */
#define LEGEND_HEIGHT 24
#define AXIS_NUMBERS  22 /* the height of an axis without a title */
#define EPISODE_LANE  30
#define STRIPS_TITLE  24
#define LEGEND_GAP    8
#define SHADE_WIDTH   13

static bool heat_applies(const struct illustration *illustration)
{
	return illustration->picture->heat.columns > 0 && illustration->picture->units > 0;
}

static const struct explanation *explanation_of(const struct illustration *illustration)
{
	const struct explanation *explanation = illustration->explanation;

	return explanation && explanation->outcome == EXPLAIN_DONE ? explanation : NULL;
}

static bool has_slow(const struct picture *picture)
{
	return picture->slow_above_ns != UINT64_MAX;
}

/* ": 259 in 225 episodes, the largest (1) of 11, mostly run queue: hog (nice 0)" */
static void add_episodes(struct paragraph *words, const struct explanation *explanation)
{
	const struct explain_episode *largest = explanation->episode;
	char title[NAME_LEN];

	if (!explanation->episode_cnt)
		return;
	paragraph_add(words, ", %llu in ", (unsigned long long)explanation->slow.count);
	if (explanation->episodes > 1)
		paragraph_add(words, "%llu episodes, the largest (1) of %llu",
			      (unsigned long long)explanation->episodes,
			      (unsigned long long)largest->units);
	else
		paragraph_add(words, "one episode (1)");
	paragraph_add(words, ", mostly %s", components[largest->cost].title);
	if (!largest->by.comm[0])
		return;
	blame_title(&largest->by, title);
	paragraph_add(words, ": %s", title);
}

static void heat_describe(const struct illustration *illustration, struct paragraph *words)
{
	const struct picture *picture = illustration->picture;
	const struct explanation *explanation = explanation_of(illustration);

	paragraph_add(words, "%llu %s.", (unsigned long long)picture->units,
		      unit_words(picture->unit, picture->units != 1));
	if (has_slow(picture)) {
		paragraph_add(words, " Red: above %s", NS_TEXT((double)picture->slow_above_ns));
		if (explanation)
			add_episodes(words, explanation);
		paragraph_add(words, ".");
	}
}

static bool row_is_empty(const struct heat_map *heat, uint32_t row)
{
	for (uint32_t column = 0; column < heat->columns; column++) {
		if (heat->cnt[row * heat->columns + column])
			return false;
	}
	return true;
}

static void find_rows(struct heat_layout *layout)
{
	const struct heat_map *heat = &layout->picture->heat;

	layout->last_row = heat->rows - 1;
	while (layout->first_row < layout->last_row && row_is_empty(heat, layout->first_row))
		layout->first_row++;
	while (layout->last_row > layout->first_row && row_is_empty(heat, layout->last_row))
		layout->last_row--;
	for (uint32_t i = 0; i < heat->rows * heat->columns; i++)
		layout->most = heat->cnt[i] > layout->most ? heat->cnt[i] : layout->most;
}

static void set_scales(struct heat_layout *layout)
{
	const struct heat_map *heat = &layout->picture->heat;
	uint64_t begin_ns = layout->picture->info.begin.ns;
	bool has_begin = begin_ns && begin_ns <= heat->from_ns;

	layout->zero_ns = has_begin ? begin_ns : heat->from_ns;
	layout->time.measure = MEASURE_NS;
	layout->time.title = has_begin ? "time since tracing began" : "time since the first one";
	layout->time.scale.from = (double)(heat->from_ns - layout->zero_ns);
	layout->time.scale.to = (double)(heat->to_ns - layout->zero_ns);
	if (heat->to_ns <= heat->from_ns)
		layout->time.scale.to = layout->time.scale.from + 1;
	layout->latency.measure = MEASURE_NS;
	layout->latency.title = "latency";
	layout->latency.scale.is_log = true;
	layout->latency.scale.from = fmax(1, (double)heat->bound_ns[layout->first_row]);
	/* A row of room above the longest. */
	layout->latency.scale.to = (double)heat->bound_ns[layout->last_row + 1] *
				   (double)heat->bound_ns[layout->last_row + 1] /
				   fmax(1, (double)heat->bound_ns[layout->last_row]);
}

/* How many shades the legend has: with few units in a cell, each count has its own. */
static int shade_cnt(const struct heat_layout *layout)
{
	return layout->most < HEAT_CLASSES ? (int)layout->most : HEAT_CLASSES;
}

/* "412 messages in a cell" */
static const char *most_words(const struct heat_layout *layout, char words[LABEL_LEN])
{
	return text_format(words, "%s %s in a cell", COUNT_TEXT((double)layout->most),
			   unit_words(layout->picture->unit, layout->most != 1));
}

/* In the legend, as in the map it would lie on slow ones. */
static const char *slow_words(const struct heat_layout *layout, char words[LABEL_LEN])
{
	return text_format(words, "slow: above %s",
			   NS_TEXT((double)layout->picture->slow_above_ns));
}

struct key_place {
	double x;
	double y;
};

/* Behind the shades, or below them if there is no room. */
static struct key_place slow_key(const struct heat_layout *layout)
{
	char most[LABEL_LEN], slow[LABEL_LEN];
	double x = layout->time.scale.start + shade_cnt(layout) * SHADE_WIDTH;
	double width;

	x += 6 + label_width(most_words(layout, most), FONT_SMALL) + 18;
	width = 18 + label_width(slow_words(layout, slow), FONT_SMALL);
	if (!has_slow(layout->picture) || x + width <= layout->canvas->width)
		return (struct key_place){x, 0};
	return (struct key_place){layout->time.scale.start, LINE_STEP};
}

static struct heat_layout heat_map_layout_of(const struct canvas *canvas,
					     const struct illustration *illustration,
					     bool shows_map, bool shows_strips)
{
	const struct picture *picture = illustration->picture;
	struct heat_layout layout = {.canvas = canvas,
				     .illustration = illustration,
				     .picture = picture,
				     .explanation = explanation_of(illustration),
				     .shows_map = shows_map,
				     .shows_strips = shows_strips && picture->strip_cnt > 0};
	double left, axis = canvas->is_alone || !shows_map ? AXIS_BOTTOM_HEIGHT : AXIS_NUMBERS;

	find_rows(&layout);
	set_scales(&layout);
	layout.latency.scale.start = canvas->is_narrow  ? NARROW_HEIGHT
				     : canvas->is_alone ? WIDE_HEIGHT
							: PAGE_HEIGHT;
	left = fmax(axis_left_width(&layout.latency), 48);
	layout.time.scale.start = left;
	layout.time.scale.end = canvas->width - 2;
	layout.top = LEGEND_HEIGHT + EPISODE_LANE + (slow_key(&layout).y > 0 ? LINE_STEP : 0);
	layout.bottom = layout.top + layout.latency.scale.start;
	layout.latency.scale.start = layout.bottom;
	layout.latency.scale.end = layout.top;
	layout.cells_top = scale_place(&layout.latency.scale,
				       (double)picture->heat.bound_ns[layout.last_row + 1]);
	if (!shows_map)
		layout.top = layout.bottom = layout.cells_top = 0;
	if (axis == AXIS_NUMBERS)
		layout.time.title = NULL;
	layout.strips = layout.bottom + (layout.shows_strips ? STRIPS_TITLE : 0);
	layout.end = layout.strips + (layout.shows_strips ? picture->strip_cnt * STRIP_HEIGHT : 0);
	if (layout.shows_strips)
		strips_fill_legend(&layout);
	layout.height = layout.end + axis +
			legend_draw(&(struct canvas){.width = canvas->width}, &layout.legend, 0) +
			(layout.legend.cnt ? LEGEND_GAP : 0);
	return layout;
}

/* From 0 for one unit to 1 for as many as the fullest cell has. */
static double shade_of(const struct heat_layout *layout, uint64_t cnt)
{
	return layout->most > 1 ? log((double)cnt) / log((double)layout->most) : 1;
}

/* "1", "412 messages", and the shades between. */
static void draw_shades(const struct heat_layout *layout)
{
	const struct canvas *canvas = layout->canvas;
	double x = layout->time.scale.start;
	int cnt = shade_cnt(layout);
	bool is_few = cnt < HEAT_CLASSES;
	struct key_place slow = slow_key(layout);
	char words[LABEL_LEN];

	if (layout->most > 1)
		label_draw(canvas, "soft", x - 6, 11, ANCHOR_END, "1");
	for (int i = 0; i < cnt; i++)
		rect_draw(canvas,
			  heat_class(is_few ? shade_of(layout, (uint64_t)i + 1)
					    : (i + 0.5) / HEAT_CLASSES),
			  x + i * SHADE_WIDTH, 1, SHADE_WIDTH, 12);
	label_draw(canvas, "soft", x + cnt * SHADE_WIDTH + 6, 11, ANCHOR_START,
		   most_words(layout, words));
	if (!has_slow(layout->picture))
		return;
	rect_draw(canvas, "slow fill", slow.x, slow.y + 1, 12, 12);
	label_draw(canvas, "soft", slow.x + 18, slow.y + 11, ANCHOR_START,
		   slow_words(layout, words));
}

/* The cells of one shade as one path, from a row on up to another one; see draw_clipped(). */
static void draw_shade(const struct heat_layout *layout, int shade, uint32_t from, uint32_t to)
{
	const char *class = heat_class((shade + 0.5) / HEAT_CLASSES);
	uint32_t columns = layout->picture->heat.columns, end;
	bool is_open = false;

	for (uint32_t row = from; row < to; row++) {
		const uint64_t *cnt = &layout->picture->heat.cnt[row * columns];
		double bottom = heat_row_y(layout, row), top = heat_row_top(layout, row);

		for (uint32_t column = 0; column < columns; column = end) {
			end = column;
			while (end < columns && cnt[end] &&
			       heat_class(shade_of(layout, cnt[end])) == class)
				end++;
			if (end == column) {
				end++;
				continue;
			}
			if (!is_open)
				outline_open(layout->canvas, class);
			is_open = true;
			outline_cells(layout->canvas, column, top, end - column, bottom - top);
		}
	}
	if (!is_open)
		return;
	outline_end(layout->canvas);
	markup_close(layout->canvas->markup);
}

/* The cells from a row on up to another one, cut at the limit: only what is above, or below it. */
static void draw_clipped(const struct heat_layout *layout, bool is_slow, uint32_t from, uint32_t to)
{
	const struct canvas *canvas = layout->canvas;
	double limit = layout->cells_top;
	double right = layout->time.scale.end;

	if (has_slow(layout->picture))
		limit = scale_place(&layout->latency.scale, (double)layout->picture->slow_above_ns);
	markup_open(canvas->markup, "clipPath");
	markup_attrf(canvas->markup, "id", "%s-%s", canvas->id, is_slow ? "slow" : "usual");
	rect_draw(canvas, NULL, 0, is_slow ? 0 : limit, right,
		  is_slow ? limit : layout->bottom - limit);
	markup_close(canvas->markup);
	group_open(canvas, is_slow ? "slow" : NULL);
	markup_attrf(canvas->markup, "clip-path", "url(#%s-%s)", canvas->id,
		     is_slow ? "slow" : "usual");
	/* Cells are 1 wide in here, which the group stretches. */
	markup_open(canvas->markup, "g");
	markup_attrf(canvas->markup, "transform", "translate(%.2f 0) scale(%.6f 1)",
		     layout->time.scale.start,
		     (right - layout->time.scale.start) / layout->picture->heat.columns);
	for (int shade = 0; shade < HEAT_CLASSES; shade++)
		draw_shade(layout, shade, from, to);
	markup_close(canvas->markup);
	markup_close(canvas->markup);
}

/* For the script, which stretches them. */
static void group_data(const struct heat_layout *layout)
{
	const struct canvas *canvas = layout->canvas;
	const struct heat_map *heat = &layout->picture->heat;

	data_count(canvas, "columns", heat->columns);
	data_count(canvas, "from-ns", heat->from_ns);
	data_count(canvas, "to-ns", heat->to_ns);
	data_count(canvas, "zero-ns", layout->zero_ns);
	place_attr(canvas, "data-top", layout->cells_top);
	place_attr(canvas, "data-bottom", layout->bottom);
	markup_attr(canvas->markup, "data-unit", unit_words(layout->picture->unit, true));
}

static void draw_cells(const struct heat_layout *layout)
{
	const struct canvas *canvas = layout->canvas;
	uint32_t slow = heat_row_above(layout, layout->picture->slow_above_ns);
	uint32_t end = layout->last_row + 1;

	group_open(canvas, "heat");
	group_data(layout);
	/* Once in a page: the script finds them in the wide figure for the narrow one, too. */
	if (!canvas->is_narrow)
		heat_draw_data(layout);
	draw_clipped(layout, false, layout->first_row, slow < end ? slow + 1 : end);
	if (slow < end)
		draw_clipped(layout, true, slow, end);
	markup_close(canvas->markup);
}

static void draw_limit(const struct heat_layout *layout)
{
	const struct canvas *canvas = layout->canvas;
	double ns = (double)layout->picture->slow_above_ns;
	double y;

	if (!has_slow(layout->picture) || ns < layout->latency.scale.from ||
	    ns > layout->latency.scale.to)
		return;
	y = scale_place(&layout->latency.scale, ns);
	outline_open(canvas, "limit");
	outline_move(canvas, layout->time.scale.start, y);
	outline_line(canvas, layout->time.scale.end, y);
	outline_end(canvas);
	data_count(canvas, "ns", layout->picture->slow_above_ns);
	markup_close(canvas->markup);
}

/* What the script stretches when a reader zooms in time. */
static void zoom_open(const struct heat_layout *layout)
{
	struct markup *markup = layout->canvas->markup;

	markup_open(markup, "clipPath");
	markup_attrf(markup, "id", "%s-clip", layout->canvas->id);
	rect_draw(layout->canvas, NULL, layout->time.scale.start, 0,
		  layout->time.scale.end - layout->time.scale.start, layout->height);
	markup_close(markup);
	group_open(layout->canvas, NULL);
	markup_attrf(markup, "clip-path", "url(#%s-clip)", layout->canvas->id);
	group_open(layout->canvas, "zoom");
}

static void draw_map_axes(const struct heat_layout *layout)
{
	draw_shades(layout);
	axis_draw_left(layout->canvas, &layout->latency, layout->time.scale.start,
		       layout->time.scale.end);
	axis_draw_grid(layout->canvas, &layout->time, layout->bottom, layout->top);
	line_draw(layout->canvas, "frame", layout->time.scale.start, layout->bottom,
		  layout->time.scale.end, layout->bottom);
}

static void draw_strips(const struct heat_layout *layout)
{
	if (!layout->shows_strips)
		return;
	group_open(layout->canvas, "strips");
	group_data(layout);
	strips_draw_cells(layout);
	markup_close(layout->canvas->markup);
}

static double draw_heat_layout(const struct heat_layout *layout)
{
	const struct canvas *canvas = layout->canvas;

	if (layout->shows_map)
		draw_map_axes(layout);
	axis_draw_bottom(canvas, &layout->time, layout->end,
			 layout->shows_strips ? layout->strips : layout->bottom);
	if (layout->shows_strips)
		strips_draw_labels(layout);
	zoom_open(layout);
	if (layout->shows_map)
		draw_cells(layout);
	draw_strips(layout);
	markup_close(canvas->markup);
	markup_close(canvas->markup);
	if (layout->shows_strips)
		strips_draw_numbers(layout);
	if (layout->shows_map) {
		draw_limit(layout);
		heat_draw_episodes(layout);
	}
	legend_draw(canvas, &layout->legend, layout->end + AXIS_BOTTOM_HEIGHT + LEGEND_GAP);
	return layout->height;
}

/* A file has both below each other. */
static double heat_draw(const struct canvas *canvas, const struct illustration *illustration)
{
	struct heat_layout layout =
		heat_map_layout_of(canvas, illustration, true, canvas->is_alone);

	return draw_heat_layout(&layout);
}

const struct figure figure_heat_map = {
	.name = "heat-map",
	.title = "When, and how long",
	.subject = OF_UNITS,
	.is_at_a_glance = true,
	.applies = heat_applies,
	.describe = heat_describe,
	.draw = heat_draw,
};

static bool cpus_apply(const struct illustration *illustration)
{
	return heat_applies(illustration) && illustration->picture->strip_cnt > 0;
}

static void cpus_describe(const struct illustration *illustration, struct paragraph *words)
{
	const struct picture *picture = illustration->picture;

	paragraph_add(words,
		      "What ran on each CPU while slow %s waited for it, over the time of the "
		      "heat map.",
		      unit_words(picture->unit, true));
	if (picture->cpus_more)
		paragraph_add(words, " %u more CPUs are not shown.", picture->cpus_more);
}

static double cpus_draw(const struct canvas *canvas, const struct illustration *illustration)
{
	struct heat_layout layout = heat_map_layout_of(canvas, illustration, false, true);

	return draw_heat_layout(&layout);
}

const struct figure figure_cpus = {
	.name = "cpus",
	.title = "What ran on the CPUs, and when",
	.subject = OF_UNITS,
	.applies = cpus_apply,
	.describe = cpus_describe,
	.draw = cpus_draw,
};

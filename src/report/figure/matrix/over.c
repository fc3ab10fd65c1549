/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Draws figures of several runs against the number of clients, or against the size of a message:
 * one panel for each figure, one curve for each transport, or whatever else the runs differ in. For
 * rounds these are the curves of the GRAME paper.
 */
#include "report/figure/axis.h"
#include "report/figure/legend.h"
#include "report/figure/matrix/matrix.h"
#include "report/figure/matrix/sheet.h"
#include "report/figure/palette.h"
#include "report/figure/rows/rows.h"
#include "report/published.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define PANEL_HEIGHT 150
#define PANEL_GAP    26
#define PANEL_STEP   (AXIS_TITLE_HEIGHT + PANEL_HEIGHT + AXIS_BOTTOM_HEIGHT + 8)
#define LEGEND_SPACE 6
#define TICK_GAP     8
#define LOG_FROM     20 /* times the least value */
#define LOG_MARGIN   1.15

static void put_value(const struct panel *panel, const struct row *row, struct paragraph *words)
{
	paragraph_add(words, "%s",
		      measure_text(panel->measure, row->figure[panel->figure],
				   row->figure[panel->figure], 0, (char[MEASURE_LEN]){0}));
}

static void describe(const struct run_points *points, enum coordinate x, char *text, size_t size)
{
	struct sheet sheet = sheet_of(points, x);
	const struct panel *panel = sheet.pattern ? sheet_main_panel(&sheet) : NULL;
	struct paragraph words = {0};

	if (!panel) {
		snprintf(text, size, "The runs do not differ in this.");
		return;
	}
	for (uint32_t i = 0; i < sheet.line_cnt && i < 3; i++) {
		const struct row *point[POINTS_MAX];
		uint32_t cnt = points_of(&sheet, sheet.line[i].first, point);

		if (i)
			paragraph_add(&words, "; ");
		else
			paragraph_add(&words, "From %llu to %llu %s, %s changes from ",
				      (unsigned long long)x_value(&sheet, point[0]),
				      (unsigned long long)x_value(&sheet, point[cnt - 1]),
				      x_title(&sheet), panel->words);
		put_value(panel, point[0], &words);
		paragraph_add(&words, " to ");
		put_value(panel, point[cnt - 1], &words);
		paragraph_add(&words, " (%s)", sheet.line[i].label);
	}
	snprintf(text, size, "%s.", words.text);
}

static int columns_of(const struct canvas *canvas, const struct sheet *sheet)
{
	if (canvas->is_narrow)
		return 1;
	return sheet->panel_cnt < 3 ? (int)sheet->panel_cnt : 3;
}

/* Returns its height. */
static double draw_legend(const struct canvas *canvas, const struct sheet *sheet)
{
	struct legend_entry entry[CURVES_MAX + 1];
	int cnt = 0;

	for (uint32_t i = 0; i < sheet->line_cnt; i++) {
		entry[cnt] = (struct legend_entry){.class = series_class(i),
						   .sample = SAMPLE_SYMBOL_ON_LINE,
						   .shape = shape_of(i)};
		snprintf(entry[cnt].label, sizeof(entry[cnt].label), "%.63s", sheet->line[i].label);
		cnt++;
	}
	if (sheet_is_of_paper(sheet))
		entry[cnt++] = (struct legend_entry){.class = "known",
						     .sample = SAMPLE_SYMBOL,
						     .shape = SHAPE_RING,
						     .label = "published (" PUBLISHED_SOURCE ")"};
	return legend_draw(canvas, entry, cnt, 0) + LEGEND_SPACE;
}

static void more_words(const struct sheet *sheet, char words[LABEL_LEN])
{
	words[0] = '\0';
	if (sheet->lines_more)
		snprintf(words, LABEL_LEN, "%u more curves are not drawn.", sheet->lines_more);
}

/* The published figure of a system for a panel; 0: there is none. With one client, unless next. */
static double published_ns(const struct panel *panel, int system)
{
	if (panel->figure == FIGURE_FIRST)
		return published[system].medium_us * 1e3;
	return panel->figure == FIGURE_NEXT ? published[system].next_us * 1e3 : 0;
}

struct plot {
	const struct canvas *canvas;
	const struct sheet *sheet;
	const struct panel *panel;
	double left;
	struct scale x;
	struct axis y;
};

static void include_value(struct plot *plot, double value)
{
	if (!(value > 0))
		return;
	plot->y.scale.from = fmin(plot->y.scale.from, value);
	plot->y.scale.to = fmax(plot->y.scale.to, value);
}

/* The gap to the next client was measured with several clients. It stands at 2. */
static double published_x(const struct panel *panel)
{
	return panel->figure == FIGURE_NEXT ? 2 : 1;
}

static void include_published(struct plot *plot, double ns)
{
	if (!(ns > 0))
		return;
	include_value(plot, ns);
	plot->x.from = fmin(plot->x.from, published_x(plot->panel));
	plot->x.to = fmax(plot->x.to, published_x(plot->panel));
}

static void include_values(struct plot *plot)
{
	const struct row *point[POINTS_MAX];

	for (uint32_t i = 0; i < plot->sheet->line_cnt; i++) {
		uint32_t cnt = points_of(plot->sheet, plot->sheet->line[i].first, point);

		for (uint32_t k = 0; k < cnt; k++) {
			double x = (double)x_value(plot->sheet, point[k]);

			plot->x.from = fmin(plot->x.from, x);
			plot->x.to = fmax(plot->x.to, x);
			include_value(plot, point[k]->figure[plot->panel->figure]);
		}
	}
	for (int i = 0; sheet_is_of_paper(plot->sheet) && i < NR_PUBLISHED; i++)
		include_published(plot, published_ns(plot->panel, i));
}

/* From 0 on, unless one value would press all others to the axis. */
static void limit_values(struct scale *scale)
{
	scale->to = scale->to > 0 ? scale->to : 1;
	scale->is_log = scale->to > LOG_FROM * scale->from;
	if (scale->is_log) {
		scale->from /= LOG_MARGIN;
		scale->to *= LOG_MARGIN;
	} else {
		scale->from = 0;
		scale_round(scale);
	}
}

static struct plot plot_of(const struct canvas *canvas, const struct sheet *sheet,
			   const struct panel *panel, double left, double top, double width)
{
	struct plot plot = {.canvas = canvas, .sheet = sheet, .panel = panel, .left = left};

	plot.x = (struct scale){.from = INFINITY};
	plot.y = (struct axis){.scale = {.from = INFINITY}, .measure = panel->measure};
	include_values(&plot);
	plot.x.is_log = plot.x.from > 0 && plot.x.to > 20 * plot.x.from;
	limit_values(&plot.y.scale);
	plot.y.scale.start = top + AXIS_TITLE_HEIGHT + PANEL_HEIGHT;
	plot.y.scale.end = top + AXIS_TITLE_HEIGHT;
	plot.x.start = left + axis_left_width(&plot.y) + 8;
	plot.x.end = left + width - 18;
	return plot;
}

static void tick_draw(const struct plot *plot, uint64_t value, double *end)
{
	double x = scale_place(&plot->x, (double)value);
	double y = plot->y.scale.start;
	const char *text = COUNT_TEXT((double)value);
	double half = label_width(text, FONT_SMALL) / 2;

	line_draw(plot->canvas, "grid", x, y, x, y + 4);
	if (x - half < *end + TICK_GAP)
		return;
	label_draw(plot->canvas, "tick", x, y + 16, ANCHOR_MIDDLE, text);
	*end = x + half;
}

/* Ticks stand where there are runs. */
static void axes_draw(const struct plot *plot)
{
	const struct rows *rows = plot->sheet->rows;
	const struct canvas *canvas = plot->canvas;
	double y = plot->y.scale.start, end = -INFINITY;
	uint64_t last = 0;
	bool has_next = true;

	axis_draw_left(canvas, &plot->y, plot->x.start - 8, plot->x.end + 8);
	group_open(canvas, "axis");
	while (has_next) {
		uint64_t next = UINT64_MAX;

		for (size_t i = 0; i < rows->cnt; i++) {
			uint64_t value = x_value(plot->sheet, &rows->row[i]);

			if (value > last && value < next && (double)value >= plot->x.from &&
			    (double)value <= plot->x.to)
				next = value;
		}
		has_next = next < UINT64_MAX;
		if (has_next)
			tick_draw(plot, next, &end);
		last = next;
	}
	line_draw(canvas, "frame", plot->x.start - 8, y, plot->x.end + 8, y);
	label_draw(canvas, "axis-title", (plot->x.start + plot->x.end) / 2, y + 33, ANCHOR_MIDDLE,
		   x_title(plot->sheet));
	markup_close(canvas->markup);
}

static void line_of_curve_draw(const struct plot *plot, uint32_t i, const struct row *const *point,
			       uint32_t cnt)
{
	bool has_begun = false;
	char class[32];

	snprintf(class, sizeof(class), "series %s", series_class(i));
	outline_open(plot->canvas, class);
	for (uint32_t k = 0; k < cnt; k++) {
		double value = point[k]->figure[plot->panel->figure];

		if (!isfinite(value))
			continue;
		(has_begun ? outline_line : outline_move)(
			plot->canvas, scale_place(&plot->x, (double)x_value(plot->sheet, point[k])),
			scale_place(&plot->y.scale, value));
		has_begun = true;
	}
	outline_end(plot->canvas);
	markup_close(plot->canvas->markup);
}

static void value_data(const struct plot *plot, double value)
{
	if (plot->panel->measure == MEASURE_NS)
		data_mean(plot->canvas, "ns", value);
	else
		data_share(plot->canvas, "value", value);
}

static void point_draw(const struct plot *plot, uint32_t i, const struct row *row)
{
	const struct canvas *canvas = plot->canvas;
	double value = row->figure[plot->panel->figure];

	if (!isfinite(value))
		return;
	symbol_open(canvas, shape_of(i), series_class(i),
		    scale_place(&plot->x, (double)x_value(plot->sheet, row)),
		    scale_place(&plot->y.scale, value));
	data_text(canvas, "panel", plot->panel->title);
	settings_data(canvas, row);
	value_data(plot, value);
	tooltip_draw(canvas, "%s, %llu %s: %s %s (%u run%s)", plot->sheet->line[i].label,
		     (unsigned long long)x_value(plot->sheet, row), x_title(plot->sheet),
		     plot->panel->title,
		     measure_text(plot->panel->measure, value, value, 0, (char[MEASURE_LEN]){0}),
		     row->counted, plural(row->counted));
	markup_close(canvas->markup);
}

static void curve_draw(const struct plot *plot, uint32_t i)
{
	const struct row *point[POINTS_MAX];
	uint32_t cnt = points_of(plot->sheet, plot->sheet->line[i].first, point);

	line_of_curve_draw(plot, i, point, cnt);
	for (uint32_t k = 0; k < cnt; k++)
		point_draw(plot, i, point[k]);
}

static void known_draw(const struct plot *plot, int system)
{
	const struct canvas *canvas = plot->canvas;
	double ns = published_ns(plot->panel, system);
	bool is_next = plot->panel->figure == FIGURE_NEXT;
	const char *name = published[system].system;

	if (ns <= 0)
		return;
	symbol_open(canvas, SHAPE_RING, "known", scale_place(&plot->x, published_x(plot->panel)),
		    scale_place(&plot->y.scale, ns));
	data_text(canvas, "panel", plot->panel->title);
	data_text(canvas, "system", name + strspn(name, " "));
	data_mean(canvas, "published-ns", ns);
	tooltip_draw(canvas, "%s, %s: %s%s", PUBLISHED_SOURCE, name + strspn(name, " "),
		     NS_TEXT(ns), is_next ? " with several clients" : " with one client");
	markup_close(canvas->markup);
}

static void panel_draw(const struct plot *plot)
{
	label_draw(plot->canvas, "axis-title", plot->left, plot->y.scale.end - 10, ANCHOR_START,
		   plot->panel->title);
	axes_draw(plot);
	for (int i = 0; sheet_is_of_paper(plot->sheet) && i < NR_PUBLISHED; i++)
		known_draw(plot, i);
	for (uint32_t i = plot->sheet->line_cnt; i-- > 0;)
		curve_draw(plot, i);
}

static double draw(const struct canvas *canvas, const struct run_points *points, enum coordinate x)
{
	struct sheet sheet = sheet_of(points, x);
	int columns = columns_of(canvas, &sheet);
	double top = draw_legend(canvas, &sheet);
	double width;
	char words[LABEL_LEN];

	if (!sheet.pattern)
		return 0;
	width = (canvas->width - PANEL_GAP * (columns - 1)) / columns;
	for (uint32_t i = 0; i < sheet.panel_cnt; i++) {
		struct plot plot = plot_of(canvas, &sheet, &sheet.panel[i],
					   (width + PANEL_GAP) * (i % columns),
					   top + PANEL_STEP * (i / columns), width);

		panel_draw(&plot);
	}
	more_words(&sheet, words);
	top += PANEL_STEP * ceil((double)sheet.panel_cnt / columns);
	return top + row_words_draw(canvas, top, words);
}

static bool clients_applies(const struct illustration *illustration)
{
	return sheet_of(illustration->points, COORDINATE_CLIENTS).pattern;
}

static void clients_describe(const struct illustration *illustration, char *text, size_t size)
{
	describe(illustration->points, COORDINATE_CLIENTS, text, size);
}

static double clients_draw(const struct canvas *canvas, const struct illustration *illustration)
{
	return draw(canvas, illustration->points, COORDINATE_CLIENTS);
}

const struct figure figure_over_clients = {
	.name = "over-clients",
	.title = "Against the number of clients",
	.subject = OF_RUNS,
	.applies = clients_applies,
	.describe = clients_describe,
	.draw = clients_draw,
};

static bool size_applies(const struct illustration *illustration)
{
	return sheet_of(illustration->points, COORDINATE_BYTES).pattern;
}

static void size_describe(const struct illustration *illustration, char *text, size_t size)
{
	describe(illustration->points, COORDINATE_BYTES, text, size);
}

static double size_draw(const struct canvas *canvas, const struct illustration *illustration)
{
	return draw(canvas, illustration->points, COORDINATE_BYTES);
}

const struct figure figure_over_size = {
	.name = "over-size",
	.title = "Against the size of a message",
	.subject = OF_RUNS,
	.applies = size_applies,
	.describe = size_describe,
	.draw = size_draw,
};

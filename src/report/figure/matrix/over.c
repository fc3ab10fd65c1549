/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Draws figures of several runs against the number of clients, or against the size of a message:
 * one panel for each figure, one curve for each transport, or whatever else the runs differ in. For
 * rounds these are the curves of the GRAME paper.
 */
#include "report/figure/axis.h"
#include "report/figure/legend.h"
#include "report/figure/matrix/settings.h"
#include "report/figure/rows/frame.h"
#include "report/published.h"

#include <math.h>
#include <string.h>

#define CURVES_MAX   8
#define POINTS_MAX   64
#define PANEL_HEIGHT 150
#define PANEL_GAP    26
#define PANEL_STEP   (AXIS_TITLE_HEIGHT + PANEL_HEIGHT + AXIS_BOTTOM_HEIGHT + 8)
#define LEGEND_SPACE 6
#define TICK_GAP     8
#define LOG_FROM     20 /* times the least value */
#define LOG_MARGIN   1.15

struct panel {
	const char *title; /* at most as wide as a third of the page */
	const char *words; /* in a sentence */
	enum row_number number;
	enum measure measure;
};

struct line {
	const struct row *first; /* the others differ from it in the coordinate only */
	char label[SETTINGS_LEN];
};

/* What is drawn: the runs of one pattern, as curves over a coordinate. */
struct sheet {
	const struct rows *rows;
	enum coordinate x;
	const char *pattern; /* NULL: there is nothing to draw */
	struct line line[CURVES_MAX];
	uint32_t line_cnt;
	uint32_t lines_more;
	const struct panel *panel;
	uint32_t panel_cnt;
};

static const struct panel panels_of_rounds[] = {
	{"first client", "the latency of the first client", NUMBER_FIRST, MEASURE_NS},
	{"gap to the next client", "the gap to the next client", NUMBER_NEXT, MEASURE_NS},
	{"last client", "the latency of the last client", NUMBER_LAST, MEASURE_NS},
	{"deviation of the last client", "the deviation of the last client", NUMBER_LAST_SD,
	 MEASURE_NS},
	{"service time (last + deviation)", "the service time", NUMBER_SERVICE_TIME, MEASURE_NS},
	{"efficiency (service time / tick)", "the efficiency", NUMBER_EFFICIENCY, MEASURE_SHARE},
};

static const struct panel panels_of_messages[] = {
	{"latency: 50 % take at most", "the time within which half of the messages arrive",
	 NUMBER_LATENCY_P50, MEASURE_NS},
	{"latency: 99 % take at most", "the time within which 99 % of the messages arrive",
	 NUMBER_LATENCY_P99, MEASURE_NS},
	{"latency: mean", "the mean latency", NUMBER_LATENCY, MEASURE_NS},
};

static const struct panel panels_of_calls[] = {
	{"round trip: 50 % take at most", "the time within which half of the calls end",
	 NUMBER_ROUND_TRIP_P50, MEASURE_NS},
	{"round trip: 99 % take at most", "the time within which 99 % of the calls end",
	 NUMBER_ROUND_TRIP_P99, MEASURE_NS},
	{"round trip: mean", "the mean round trip", NUMBER_ROUND_TRIP, MEASURE_NS},
};

static const struct panel panels_of_rates[] = {
	{"messages per second", "the number of messages per second", NUMBER_RATE, MEASURE_COUNT},
	{"bytes per second", "the number of bytes per second", NUMBER_BYTES, MEASURE_COUNT},
};

/* Whether both are points of one curve. */
static bool is_of_curve(const struct workload_spec *a, const struct workload_spec *b,
			enum coordinate x)
{
	for (enum coordinate i = 0; i < NR_COORDINATES; i++) {
		if (i != x && specs_differ_in(a, b, i))
			return false;
	}
	return true;
}

/* The number of a run on the horizontal axis. */
static uint64_t x_value(const struct sheet *sheet, const struct row *row)
{
	return coordinate_number(&row->info.workload, sheet->x);
}

/* The points of a curve from left to right. Returns how many. */
static uint32_t points_of(const struct sheet *sheet, const struct row *first,
			  const struct row *point[POINTS_MAX])
{
	uint32_t cnt = 0;

	for (size_t i = 0; i < sheet->rows->cnt && cnt < POINTS_MAX; i++) {
		const struct row *row = &sheet->rows->row[i];
		uint32_t to = cnt;

		if (!is_of_curve(&first->info.workload, &row->info.workload, sheet->x))
			continue;
		for (; to && x_value(sheet, point[to - 1]) > x_value(sheet, row); to--)
			point[to] = point[to - 1];
		point[to] = row;
		cnt++;
	}
	return cnt;
}

/* A curve has points at two places or more. */
static bool is_curve(const struct sheet *sheet, const struct row *first)
{
	const struct row *point[POINTS_MAX];
	uint32_t cnt = points_of(sheet, first, point);

	return cnt && x_value(sheet, point[0]) < x_value(sheet, point[cnt - 1]);
}

static bool is_first_of_curve(const struct sheet *sheet, const struct row *row)
{
	for (const struct row *other = sheet->rows->row; other < row; other++) {
		if (is_of_curve(&other->info.workload, &row->info.workload, sheet->x))
			return false;
	}
	return true;
}

static void find_panels(struct sheet *sheet, const struct workload_spec *spec)
{
	bool more_is_better;
	enum row_number number = main_number(spec, &more_is_better);

#define PANELS(array)                                                                              \
	sheet->panel = (array);                                                                    \
	sheet->panel_cnt = sizeof(array) / sizeof((array)[0])
	if (spec_has_rounds(spec)) {
		PANELS(panels_of_rounds);
	} else if (more_is_better) {
		PANELS(panels_of_rates);
	} else if (number == NUMBER_ROUND_TRIP) {
		PANELS(panels_of_calls);
	} else {
		PANELS(panels_of_messages);
	}
#undef PANELS
}

/* The settings in which the curves differ. */
static void name_lines(struct sheet *sheet)
{
	unsigned int set = 0;

	for (uint32_t i = 1; i < sheet->line_cnt; i++) {
		for (enum coordinate k = 0; k < NR_COORDINATES; k++) {
			if (k != sheet->x &&
			    specs_differ_in(&sheet->line[0].first->info.workload,
					    &sheet->line[i].first->info.workload, k))
				set |= 1u << k;
		}
	}
	for (uint32_t i = 0; i < sheet->line_cnt; i++)
		settings_words(&sheet->line[i].first->info.workload, set, sheet->line[i].label);
}

static struct sheet sheet_of(const struct run_points *points, enum coordinate x)
{
	struct sheet sheet = {.rows = &points->merged, .x = x};

	for (size_t i = 0; i < points->merged.cnt; i++) {
		const struct row *row = &points->merged.row[i];
		const char *pattern = row->info.workload.pattern;

		if (sheet.pattern && strcmp(sheet.pattern, pattern) != 0)
			continue;
		if (!is_first_of_curve(&sheet, row) || !is_curve(&sheet, row))
			continue;
		if (!sheet.pattern)
			find_panels(&sheet, &row->info.workload);
		sheet.pattern = pattern;
		if (sheet.line_cnt < CURVES_MAX)
			sheet.line[sheet.line_cnt++].first = row;
		else
			sheet.lines_more++;
	}
	name_lines(&sheet);
	return sheet;
}

static const char *x_title(const struct sheet *sheet)
{
	return sheet->x == COORDINATE_CLIENTS ? "clients" : "bytes of a message";
}

/* Whether it is about rounds over the number of clients, as the GRAME paper. */
static bool sheet_is_of_paper(const struct sheet *sheet)
{
	return sheet->panel == panels_of_rounds && sheet->x == COORDINATE_CLIENTS;
}

/* Valid in the enclosing block. */
#define VALUE_TEXT(panel, value)                                                                   \
	measure_text((panel)->measure, (value), (value), 0, (char[MEASURE_LEN]){0})

static void over_describe(const struct run_points *points, enum coordinate x,
			  struct paragraph *words)
{
	struct sheet sheet = sheet_of(points, x);
	/* The one that says most. */
	const struct panel *panel = &sheet.panel[sheet.panel == panels_of_rounds ? 2 : 0];

	for (uint32_t i = 0; i < sheet.line_cnt && i < 3; i++) {
		const struct row *point[POINTS_MAX];
		uint32_t cnt = points_of(&sheet, sheet.line[i].first, point);

		if (i)
			paragraph_add(words, "; ");
		else
			paragraph_add(words, "From %llu to %llu %s, %s changes from ",
				      (unsigned long long)x_value(&sheet, point[0]),
				      (unsigned long long)x_value(&sheet, point[cnt - 1]),
				      x_title(&sheet), panel->words);
		paragraph_add(words, "%s to %s (%s)",
			      VALUE_TEXT(panel, point[0]->number[panel->number]),
			      VALUE_TEXT(panel, point[cnt - 1]->number[panel->number]),
			      sheet.line[i].label);
	}
	paragraph_add(words, ".");
}

/* Returns its height. */
static double over_draw_legend(const struct canvas *canvas, const struct sheet *sheet)
{
	struct legend legend = {0};

	for (uint32_t i = 0; i < sheet->line_cnt; i++) {
		struct legend_entry *entry =
			legend_add(&legend, series_class(i), "%.63s", sheet->line[i].label);

		entry->sample = SAMPLE_SYMBOL_ON_LINE;
		entry->shape = shape_of(i);
	}
	if (sheet_is_of_paper(sheet))
		legend.entry[legend.cnt++] =
			(struct legend_entry){.class = "known",
					      .sample = SAMPLE_SYMBOL,
					      .shape = SHAPE_RING,
					      .label = "published (" PUBLISHED_SOURCE ")"};
	return legend_draw(canvas, &legend, 0) + LEGEND_SPACE;
}

/* The published figure of a system for a panel; 0: there is none. With one client, unless next. */
static double published_ns(const struct panel *panel, int system)
{
	if (panel->number == NUMBER_FIRST)
		return published[system].medium_us * 1e3;
	return panel->number == NUMBER_NEXT ? published[system].next_us * 1e3 : 0;
}

struct plot {
	const struct canvas *canvas;
	const struct sheet *sheet;
	const struct panel *panel;
	double left;
	struct scale x;
	struct axis y;
};

/* The gap to the next client was measured with several clients. It stands at 2. */
static double published_x(const struct panel *panel)
{
	return panel->number == NUMBER_NEXT ? 2 : 1;
}

static void include_published(struct plot *plot, double ns)
{
	if (!(ns > 0))
		return;
	scale_include(&plot->y.scale, ns);
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
			scale_include(&plot->y.scale, point[k]->number[plot->panel->number]);
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

static struct plot over_plot_of(const struct canvas *canvas, const struct sheet *sheet,
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

static void point_draw(const struct plot *plot, uint32_t i, const struct row *row)
{
	const struct canvas *canvas = plot->canvas;
	double value = row->number[plot->panel->number];

	if (!isfinite(value))
		return;
	symbol_open(canvas, shape_of(i), series_class(i),
		    scale_place(&plot->x, (double)x_value(plot->sheet, row)),
		    scale_place(&plot->y.scale, value));
	data_text(canvas, "panel", plot->panel->title);
	settings_data(canvas, row);
	if (plot->panel->measure == MEASURE_NS)
		data_mean(canvas, "ns", value);
	else
		data_share(canvas, "value", value);
	tooltip_draw(canvas, "%s, %llu %s: %s %s (%u run%s)", plot->sheet->line[i].label,
		     (unsigned long long)x_value(plot->sheet, row), x_title(plot->sheet),
		     plot->panel->title, VALUE_TEXT(plot->panel, value), row->counted,
		     plural(row->counted));
	markup_close(canvas->markup);
}

static void over_curve_draw(const struct plot *plot, uint32_t i)
{
	const struct row *point[POINTS_MAX];
	uint32_t cnt = points_of(plot->sheet, plot->sheet->line[i].first, point);
	bool has_begun = false;

	outline_open(plot->canvas, TEXT("series %s", series_class(i)));
	for (uint32_t k = 0; k < cnt; k++) {
		double value = point[k]->number[plot->panel->number];

		if (!isfinite(value))
			continue;
		(has_begun ? outline_line : outline_move)(
			plot->canvas, scale_place(&plot->x, (double)x_value(plot->sheet, point[k])),
			scale_place(&plot->y.scale, value));
		has_begun = true;
	}
	outline_end(plot->canvas);
	markup_close(plot->canvas->markup);
	for (uint32_t k = 0; k < cnt; k++)
		point_draw(plot, i, point[k]);
}

static void known_draw(const struct plot *plot, int system)
{
	const struct canvas *canvas = plot->canvas;
	double ns = published_ns(plot->panel, system);
	bool is_next = plot->panel->number == NUMBER_NEXT;
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
		over_curve_draw(plot, i);
}

static double over_draw(const struct canvas *canvas, const struct run_points *points,
			enum coordinate x)
{
	struct sheet sheet = sheet_of(points, x);
	int columns = canvas->is_narrow ? 1 : fmin(sheet.panel_cnt, 3);
	double top = over_draw_legend(canvas, &sheet);
	double width;
	const char *words =
		sheet.lines_more ? TEXT("%u more curves are not drawn.", sheet.lines_more) : "";

	width = (canvas->width - PANEL_GAP * (columns - 1)) / columns;
	for (uint32_t i = 0; i < sheet.panel_cnt; i++) {
		struct plot plot = over_plot_of(canvas, &sheet, &sheet.panel[i],
						(width + PANEL_GAP) * (i % columns),
						top + PANEL_STEP * (i / columns), width);

		panel_draw(&plot);
	}
	top += PANEL_STEP * ceil((double)sheet.panel_cnt / columns);
	return top + row_words_draw(canvas, top, words);
}

static bool clients_applies(const struct illustration *illustration)
{
	return sheet_of(illustration->points, COORDINATE_CLIENTS).pattern;
}

static void clients_describe(const struct illustration *illustration, struct paragraph *words)
{
	over_describe(illustration->points, COORDINATE_CLIENTS, words);
}

static double clients_draw(const struct canvas *canvas, const struct illustration *illustration)
{
	return over_draw(canvas, illustration->points, COORDINATE_CLIENTS);
}

const struct figure figure_over_clients = {
	.name = "over-clients",
	.title = "Against the number of clients",
	.subject = OF_RUNS,
	.is_at_a_glance = true,
	.applies = clients_applies,
	.describe = clients_describe,
	.draw = clients_draw,
};

static bool size_applies(const struct illustration *illustration)
{
	return sheet_of(illustration->points, COORDINATE_BYTES).pattern;
}

static void size_describe(const struct illustration *illustration, struct paragraph *words)
{
	over_describe(illustration->points, COORDINATE_BYTES, words);
}

static double size_draw(const struct canvas *canvas, const struct illustration *illustration)
{
	return over_draw(canvas, illustration->points, COORDINATE_BYTES);
}

const struct figure figure_over_size = {
	.name = "over-size",
	.title = "Against the size of a message",
	.subject = OF_RUNS,
	.is_at_a_glance = true,
	.applies = size_applies,
	.describe = size_describe,
	.draw = size_draw,
};

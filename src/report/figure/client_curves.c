/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Draws the latency against the number of the message, a curve for each client, as the GRAME paper
 * does. Where a point stands for several messages, the curve is their mean, and the area around it
 * reaches from the shortest to the longest.
 */
#include "model/picture.h"
#include "report/figure/axis.h"
#include "report/figure/legend.h"
#include "report/figure/palette.h"
#include "report/figure/rows/frame.h"
#include "report/words/paragraph.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define WIDE_HEIGHT   320
#define NARROW_HEIGHT 230
#define LABEL_STEP    13 /* between the labels of two curves */
#define LABEL_ROOM    66 /* right of the plot */
#define LEADER        14 /* from the end of a curve to its label */
#define SPACE         6

/* Points of all clients together: more would make the page too large. */
#define POINTS_WIDE   1600
#define POINTS_NARROW 800

struct plot {
	const struct canvas *canvas;
	const struct picture *picture;
	struct scale number;
	struct axis latency;
	uint32_t group; /* so many points of the picture are drawn as one */
	bool has_areas; /* a point stands for several messages */
};

static bool applies(const struct illustration *illustration)
{
	const struct picture *picture = illustration->picture;

	for (uint32_t i = 0; i < picture->series_cnt; i++) {
		if (picture->series[i].point_cnt > 1)
			return true;
	}
	return false;
}

static void point_merge(struct series_point *sum, const struct series_point *more)
{
	sum->last = more->last;
	sum->cnt += more->cnt;
	sum->sum_ns += more->sum_ns;
	if (more->least_ns < sum->least_ns)
		sum->least_ns = more->least_ns;
	if (more->most_ns > sum->most_ns)
		sum->most_ns = more->most_ns;
}

/* The next point to draw, from `*at` on, which is set behind it. */
static struct series_point next_point(const struct client_series *series, uint32_t group,
				      uint32_t *at)
{
	struct series_point point = series->point[(*at)++];

	for (uint32_t i = 1; i < group && *at < series->point_cnt; i++)
		point_merge(&point, &series->point[(*at)++]);
	return point;
}

static double mean_of(const struct series_point *point)
{
	return (double)point->sum_ns / (double)point->cnt;
}

static double middle_of(const struct series_point *point)
{
	return ((double)point->first + (double)point->last) / 2;
}

static const char *unit_of(const struct picture *picture)
{
	if (picture->unit == UNIT_CALL)
		return "call";
	return spec_has_rounds(&picture->info.workload) ? "round" : "message";
}

static void describe(const struct illustration *illustration, char *text, size_t size)
{
	const struct picture *picture = illustration->picture;
	uint64_t worst_ns = 0, last = 0;
	uint32_t client = 0;

	for (uint32_t i = 0; i < picture->series_cnt; i++) {
		const struct client_series *series = &picture->series[i];

		for (uint32_t k = 0; k < series->point_cnt; k++) {
			last = series->point[k].last > last ? series->point[k].last : last;
			if (series->point[k].most_ns <= worst_ns)
				continue;
			worst_ns = series->point[k].most_ns;
			client = series->client;
		}
	}
	snprintf(text, size,
		 "The %s of %u client%s over %llu %ss, in the order in which they began. The "
		 "longest took %s, at client %u.",
		 picture->unit == UNIT_CALL ? "round trips" : "latency", picture->series_cnt,
		 plural(picture->series_cnt), (unsigned long long)last + 1, unit_of(picture),
		 NS_TEXT((double)worst_ns), client);
}

/* How many points of the picture become one, so that there are not too many. */
static uint32_t group_of(const struct canvas *canvas, const struct picture *picture)
{
	uint32_t most = canvas->is_narrow ? POINTS_NARROW : POINTS_WIDE, all = 0;

	for (uint32_t i = 0; i < picture->series_cnt; i++)
		all += picture->series[i].point_cnt;
	return (all + most - 1) / most ?: 1;
}

static void include_points(struct plot *plot)
{
	for (uint32_t i = 0; i < plot->picture->series_cnt; i++) {
		const struct client_series *series = &plot->picture->series[i];

		for (uint32_t at = 0; at < series->point_cnt;) {
			struct series_point point = next_point(series, plot->group, &at);

			plot->has_areas |= point.cnt > 1;
			plot->number.to = fmax(plot->number.to, (double)point.last);
			if (!point.least_ns)
				continue;
			plot->latency.scale.from =
				fmin(plot->latency.scale.from, (double)point.least_ns);
			plot->latency.scale.to =
				fmax(plot->latency.scale.to, (double)point.most_ns);
		}
	}
}

static struct plot plot_of(const struct canvas *canvas, const struct picture *picture)
{
	double height = canvas->is_narrow ? NARROW_HEIGHT : WIDE_HEIGHT;
	struct plot plot = {
		.canvas = canvas,
		.picture = picture,
		.group = group_of(canvas, picture),
		.latency = {.measure = MEASURE_NS,
			    .title = picture->unit == UNIT_CALL ? "round trip" : "latency"},
	};
	struct scale *latency = &plot.latency.scale;

	*latency = (struct scale){.from = INFINITY, .is_log = true};
	include_points(&plot);
	if (!isfinite(latency->from))
		*latency = (struct scale){.from = 1, .to = 10, .is_log = true};
	latency->from *= 0.9;
	latency->to = fmax(latency->to * 1.1, latency->from * 2);
	latency->start = AXIS_TITLE_HEIGHT + height;
	latency->end = AXIS_TITLE_HEIGHT;
	plot.number.start = axis_left_width(&plot.latency);
	plot.number.end = canvas->width - LABEL_ROOM;
	plot.number.to = fmax(plot.number.to, 1);
	return plot;
}

static void more_words(const struct plot *plot, char words[LABEL_LEN])
{
	const struct picture *picture = plot->picture;
	int length = 0;

	words[0] = '\0';
	if (plot->has_areas)
		length = snprintf(words, LABEL_LEN,
				  "Lines are means of consecutive %ss, areas reach from the "
				  "shortest to the longest.",
				  unit_of(picture));
	if (picture->clients_more)
		snprintf(words + length, LABEL_LEN - length, " %u more client%s not drawn.",
			 picture->clients_more, picture->clients_more == 1 ? " is" : "s are");
}

static double y_of(const struct plot *plot, double ns)
{
	return scale_place(&plot->latency.scale, fmax(ns, 1));
}

/* From the shortest to the longest message of each point. */
static void area_draw(const struct plot *plot, uint32_t i)
{
	const struct client_series *series = &plot->picture->series[i];
	struct series_point point[SERIES_POINTS_MAX];
	uint32_t cnt = 0;

	for (uint32_t at = 0; at < series->point_cnt && cnt < SERIES_POINTS_MAX;)
		point[cnt++] = next_point(series, plot->group, &at);
	if (cnt < 2)
		return;
	outline_open(plot->canvas, TEXT("area %s", series_class(i)));
	for (uint32_t k = 0; k < cnt; k++)
		(k ? outline_line : outline_move)(plot->canvas,
						  scale_place(&plot->number, middle_of(&point[k])),
						  y_of(plot, (double)point[k].most_ns));
	for (uint32_t k = cnt; k-- > 0;)
		outline_line(plot->canvas, scale_place(&plot->number, middle_of(&point[k])),
			     y_of(plot, (double)point[k].least_ns));
	outline_close_shape(plot->canvas);
	outline_end(plot->canvas);
	markup_close(plot->canvas->markup);
}

#define POINT_LEN 136 /* six numbers */

/* "first last count least mean most;…", in nanoseconds, for those that read the figure. */
static void points_data(const struct plot *plot, const struct client_series *series)
{
	size_t size = (size_t)series->point_cnt * POINT_LEN + 1, length = 0;
	char *points = malloc(size);

	if (!points)
		return;
	points[0] = '\0'; /* a client that left in its warm-up has no point */
	for (uint32_t at = 0; at < series->point_cnt;) {
		struct series_point point = next_point(series, plot->group, &at);

		length +=
			snprintf(points + length, size - length, "%s%llu %llu %llu %llu %.3f %llu",
				 length ? ";" : "", (unsigned long long)point.first,
				 (unsigned long long)point.last, (unsigned long long)point.cnt,
				 (unsigned long long)point.least_ns, mean_of(&point),
				 (unsigned long long)point.most_ns);
	}
	markup_attr(plot->canvas->markup, "data-points", points);
	free(points);
}

static void curve_draw(const struct plot *plot, uint32_t i)
{
	const struct canvas *canvas = plot->canvas;
	const struct client_series *series = &plot->picture->series[i];
	uint64_t worst_ns = 0;
	bool has_begun = false;

	outline_open(canvas, TEXT("series %s", series_class(i)));
	for (uint32_t at = 0; at < series->point_cnt;) {
		struct series_point point = next_point(series, plot->group, &at);

		(has_begun ? outline_line
			   : outline_move)(canvas, scale_place(&plot->number, middle_of(&point)),
					   y_of(plot, mean_of(&point)));
		has_begun = true;
		worst_ns = point.most_ns > worst_ns ? point.most_ns : worst_ns;
	}
	outline_end(canvas);
	data_count(canvas, "client", series->client);
	if (!canvas->is_narrow)
		points_data(plot, series);
	tooltip_draw(canvas, "client %u: the longest took %s", series->client,
		     NS_TEXT((double)worst_ns));
	markup_close(canvas->markup);
}

/* A curve's end, and where its label stands. */
struct mark {
	uint32_t series;
	double x;
	double y;
	double label_y;
};

/* The labels in the order of the ends of their curves, apart from one another. */
static uint32_t marks_of(const struct plot *plot, struct mark mark[PICTURE_CLIENTS_MAX])
{
	uint32_t cnt = 0;
	double next = AXIS_TITLE_HEIGHT;

	for (uint32_t i = 0; i < plot->picture->series_cnt; i++) {
		const struct client_series *series = &plot->picture->series[i];
		struct series_point last = {0};
		uint32_t to = cnt;
		double y;

		for (uint32_t at = 0; at < series->point_cnt;)
			last = next_point(series, plot->group, &at);
		if (!last.cnt)
			continue;
		y = y_of(plot, mean_of(&last));
		for (; to && mark[to - 1].y > y; to--)
			mark[to] = mark[to - 1];
		mark[to] = (struct mark){i, scale_place(&plot->number, middle_of(&last)), y, y};
		cnt++;
	}
	for (uint32_t i = 0; i < cnt; i++) {
		mark[i].label_y = fmax(mark[i].y, next);
		next = mark[i].label_y + LABEL_STEP;
	}
	/* Those that were pushed below the plot move up again. */
	next = fmax(plot->latency.scale.start, AXIS_TITLE_HEIGHT + (cnt - 1.0) * LABEL_STEP);
	for (uint32_t i = cnt; i-- > 0;) {
		mark[i].label_y = fmin(mark[i].label_y, next);
		next = mark[i].label_y - LABEL_STEP;
	}
	return cnt;
}

static void labels_draw(const struct plot *plot)
{
	const struct canvas *canvas = plot->canvas;
	struct mark mark[PICTURE_CLIENTS_MAX];
	uint32_t cnt = marks_of(plot, mark);

	for (uint32_t i = 0; i < cnt; i++) {
		const char *class = series_class(mark[i].series);

		group_open(canvas, "key");
		markup_attr(canvas->markup, "data-key", class);
		line_draw(canvas, TEXT("series thin %s", class), mark[i].x, mark[i].y,
			  plot->number.end + LEADER, mark[i].label_y);
		symbol_draw(canvas, shape_of(mark[i].series), class, mark[i].x, mark[i].y);
		label_draw(canvas, "small", plot->number.end + LEADER + 3, mark[i].label_y + 4,
			   ANCHOR_START,
			   TEXT("client %u", plot->picture->series[mark[i].series].client));
		markup_close(canvas->markup);
	}
}

static double draw(const struct canvas *canvas, const struct illustration *illustration)
{
	struct plot plot = plot_of(canvas, illustration->picture);
	double bottom = plot.latency.scale.start, end;
	struct axis number = {.scale = plot.number,
			      .measure = MEASURE_COUNT,
			      .title = TEXT("number of the %s", unit_of(plot.picture))};
	char words[LABEL_LEN];

	axis_draw_left(canvas, &plot.latency, plot.number.start, plot.number.end);
	axis_draw_bottom(canvas, &number, bottom, AXIS_TITLE_HEIGHT);
	for (uint32_t i = plot.picture->series_cnt; i-- > 0 && plot.has_areas;)
		area_draw(&plot, i);
	for (uint32_t i = plot.picture->series_cnt; i-- > 0;)
		curve_draw(&plot, i);
	labels_draw(&plot);
	more_words(&plot, words);
	/* The labels of the curves may need more height than the plot. */
	end = fmax(bottom, AXIS_TITLE_HEIGHT + plot.picture->series_cnt * LABEL_STEP) +
	      AXIS_BOTTOM_HEIGHT + SPACE;
	return end + row_words_draw(canvas, end, words);
}

const struct figure figure_series = {
	.name = "series",
	.title = "Latency of each client, one message after another",
	.applies = applies,
	.describe = describe,
	.draw = draw,
};

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Draws the latency against the number of the message, a curve for each client, as the GRAME paper
 * does.
 */
#include "model/picture.h"
#include "report/figure/axis.h"
#include "report/figure/legend.h"
#include "report/figure/rows/frame.h"
#include "report/words/paragraph.h"

#include <math.h>
#include <stdio.h>

#define WIDE_HEIGHT   320
#define NARROW_HEIGHT 230
#define LABEL_STEP    13 /* between the labels of two curves */
#define LABEL_ROOM    66 /* right of the plot */
#define LEADER        14 /* from the end of a curve to its label */
#define SPACE         6

struct plot {
	const struct canvas *canvas;
	const struct picture *picture;
	struct scale number;
	struct axis latency;
};

static bool client_curves_applies(const struct illustration *illustration)
{
	const struct picture *picture = illustration->picture;

	for (uint32_t i = 0; i < picture->series_cnt; i++) {
		if (picture->series[i].point_cnt > 1)
			return true;
	}
	return false;
}

static const char *client_curves_unit_of(const struct picture *picture)
{
	if (picture->unit == UNIT_CALL)
		return "call";
	return spec_has_rounds(&picture->info.workload) ? "round" : "message";
}

static void client_curves_describe(const struct illustration *illustration, struct paragraph *words)
{
	const struct picture *picture = illustration->picture;
	uint64_t worst_ns = 0, last = 0;
	uint32_t client = 0;

	for (uint32_t i = 0; i < picture->series_cnt; i++) {
		const struct client_series *series = &picture->series[i];

		for (uint32_t k = 0; k < series->point_cnt; k++) {
			last = series->point[k].number > last ? series->point[k].number : last;
			if (series->point[k].latency_ns <= worst_ns)
				continue;
			worst_ns = series->point[k].latency_ns;
			client = series->client;
		}
	}
	paragraph_add(words,
		      "The %s of %u client%s over %llu %ss, in the order in which they began. The "
		      "longest took %s, at client %u.",
		      picture->unit == UNIT_CALL ? "round trips" : "latency", picture->series_cnt,
		      plural(picture->series_cnt), (unsigned long long)last + 1,
		      client_curves_unit_of(picture), NS_TEXT((double)worst_ns), client);
}

static void include_points(struct plot *plot)
{
	for (uint32_t i = 0; i < plot->picture->series_cnt; i++) {
		const struct client_series *series = &plot->picture->series[i];

		for (uint32_t k = 0; k < series->point_cnt; k++) {
			plot->number.to = fmax(plot->number.to, (double)series->point[k].number);
			scale_include(&plot->latency.scale, (double)series->point[k].latency_ns);
		}
	}
}

static struct plot client_curves_plot_of(const struct canvas *canvas, const struct picture *picture)
{
	double height = canvas->is_narrow ? NARROW_HEIGHT : WIDE_HEIGHT;
	struct plot plot = {
		.canvas = canvas,
		.picture = picture,
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

static double client_curves_x_of(const struct plot *plot, const struct series_point *point)
{
	return scale_place(&plot->number, (double)point->number);
}

static double y_of(const struct plot *plot, const struct series_point *point)
{
	return scale_place(&plot->latency.scale, fmax((double)point->latency_ns, 1));
}

/* "first last count least mean most;…", in nanoseconds, for those that read the figure. */
static void points_data(const struct plot *plot, const struct client_series *series)
{
	FILE *out = plot->canvas->markup->out;

	fputs(" data-points=\"", out);
	for (uint32_t i = 0; i < series->point_cnt; i++) {
		unsigned long long number = series->point[i].number;
		unsigned long long ns = series->point[i].latency_ns;

		fprintf(out, "%s%llu %llu 1 %llu %llu.000 %llu", i ? ";" : "", number, number, ns,
			ns, ns);
	}
	fputs("\"", out);
}

static void client_curves_curve_draw(const struct plot *plot, uint32_t i)
{
	const struct canvas *canvas = plot->canvas;
	const struct client_series *series = &plot->picture->series[i];
	uint64_t worst_ns = 0;

	outline_open(canvas, TEXT("series %s", series_class(i)));
	for (uint32_t k = 0; k < series->point_cnt; k++) {
		const struct series_point *point = &series->point[k];

		(k ? outline_line : outline_move)(canvas, client_curves_x_of(plot, point),
						  y_of(plot, point));
		worst_ns = point->latency_ns > worst_ns ? point->latency_ns : worst_ns;
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
		const struct series_point *last = series->point + series->point_cnt - 1;
		uint32_t to = cnt;
		double y;

		if (!series->point_cnt)
			continue;
		y = y_of(plot, last);
		for (; to && mark[to - 1].y > y; to--)
			mark[to] = mark[to - 1];
		mark[to] = (struct mark){i, client_curves_x_of(plot, last), y, y};
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

static double client_curves_draw(const struct canvas *canvas,
				 const struct illustration *illustration)
{
	struct plot plot = client_curves_plot_of(canvas, illustration->picture);
	double bottom = plot.latency.scale.start, end;
	struct axis number = {
		.scale = plot.number,
		.measure = MEASURE_COUNT,
		.title = TEXT("number of the %s", client_curves_unit_of(plot.picture))};
	const char *words =
		plot.picture->clients_more
			? TEXT(" %u more client%s not drawn.", plot.picture->clients_more,
			       plot.picture->clients_more == 1 ? " is" : "s are")
			: "";

	axis_draw_left(canvas, &plot.latency, plot.number.start, plot.number.end);
	axis_draw_bottom(canvas, &number, bottom, AXIS_TITLE_HEIGHT);
	for (uint32_t i = plot.picture->series_cnt; i-- > 0;)
		client_curves_curve_draw(&plot, i);
	labels_draw(&plot);
	/* The labels of the curves may need more height than the plot. */
	end = fmax(bottom, AXIS_TITLE_HEIGHT + plot.picture->series_cnt * LABEL_STEP) +
	      AXIS_BOTTOM_HEIGHT + SPACE;
	return end + row_words_draw(canvas, end, words);
}

const struct figure figure_series = {
	.name = "series",
	.title = "Latency of each client, one message after another",
	.applies = client_curves_applies,
	.describe = client_curves_describe,
	.draw = client_curves_draw,
};

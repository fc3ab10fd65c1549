/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Draws the percentile curve: latency over the percentile, whose axis stretches towards 100 % as
 * log(1/(1-p)) does, so that each further nine has equal room. The band around the curve holds each
 * percentile with 95 % confidence.
 */
#include "model/picture.h"
#include "report/figure/axis.h"
#include "report/figure/legend.h"
#include "report/words/labels.h"
#include "report/published.h"
#include "report/words/paragraph.h"

#include <math.h>

#define WIDE_HEIGHT   300
#define NARROW_HEIGHT 230
#define TOP           26
#define PUBLISHED_CNT 2

/* The slowest and the fastest message path of the paper. Its mean is that of the last latency,
 * which is the latency if there is one client. */
static const uint32_t shown_published[PUBLISHED_CNT] = {2, 4};

struct plot {
	const struct canvas *canvas;
	const struct picture *picture;
	struct scale nines; /* 1/(1-p) */
	struct axis latency;
	double top;
	double bottom;
};

static bool curve_applies(const struct illustration *illustration)
{
	return illustration->picture->curve.point_cnt > 1;
}

static const struct curve_point *point_at(const struct curve *curve, double percent)
{
	for (uint32_t i = 0; i < curve->point_cnt; i++) {
		if (fabs(curve->point[i].percent - percent) < 1e-9)
			return &curve->point[i];
	}
	return NULL;
}

static const struct curve_point *last_point(const struct curve *curve)
{
	return &curve->point[curve->point_cnt - 1];
}

static void curve_describe(const struct illustration *illustration, struct paragraph *words)
{
	const struct picture *picture = illustration->picture;
	const struct curve *curve = &picture->curve;
	const struct curve_point *half = point_at(curve, 50), *p99 = point_at(curve, 99);

	if (half)
		paragraph_add(words, "Half of the %llu %s took at most %s, ",
			      (unsigned long long)curve->units,
			      unit_words(picture->unit, curve->units != 1),
			      NS_TEXT((double)half->ns));
	if (half && p99)
		paragraph_add(words, "99 %% at most %s, ", NS_TEXT((double)p99->ns));
	paragraph_add(words,
		      "%s longest %s. Each step to the right is one more nine; the band "
		      "holds each percentile with 95 %% confidence.",
		      half ? "the" : "The", NS_TEXT((double)last_point(curve)->ns));
	if (!last_point(curve)->high_ns)
		paragraph_add(words,
			      " It ends where the %s are too few to say how high the "
			      "percentile may be.",
			      unit_words(picture->unit, true));
	if (picture->against.point_cnt)
		paragraph_add(words, " Dashed: %s.", picture->against_name);
}

/* The published figures are those of one client on an idle machine. */
static bool percentiles_is_comparable(const struct picture *picture)
{
	const struct workload_spec *spec = &picture->info.workload;

	return picture->info.mode == MODE_RUN && spec_has_rounds(spec) && spec->clients == 1 &&
	       !spec->load[0] && picture->unit != UNIT_CALL;
}

/* The last point is the maximum: of N values it stands for one in N. */
static double nines_of(const struct curve *curve, const struct curve_point *point)
{
	double most = fmax((double)curve->units, 2);

	return point->percent >= 100 ? most : fmin(1 / (1 - point->percent / 100), most);
}

static void scale_include_curve(struct plot *plot, const struct curve *curve)
{
	for (uint32_t i = 0; i < curve->point_cnt; i++) {
		scale_include(&plot->latency.scale, (double)curve->point[i].ns);
		scale_include(&plot->latency.scale, (double)curve->point[i].low_ns);
		scale_include(&plot->latency.scale, (double)curve->point[i].high_ns);
		scale_include(&plot->nines, nines_of(curve, &curve->point[i]));
	}
}

/* Returns its height. */
static double percentiles_draw_legend(const struct canvas *canvas, const struct picture *picture)
{
	struct legend legend = {0};

	if (!picture->against.point_cnt)
		return 0;
	legend_add(&legend, "s1", "this recording")->sample = SAMPLE_LINE;
	legend_add(&legend, "s2", "%s", picture->against_name)->sample = SAMPLE_LINE;
	return legend_draw(canvas, &legend, 0);
}

/* Percentiles below the first octave of nines are of no interest: the axis begins at 0 %. */
static struct plot percentiles_plot_of(const struct canvas *canvas, const struct picture *picture,
				       double top)
{
	struct plot plot = {.canvas = canvas, .picture = picture};
	struct scale *latency = &plot.latency.scale;

	plot.nines = (struct scale){.from = 1, .to = 10, .is_log = true};
	*latency = (struct scale){.from = INFINITY, .to = 1, .is_log = true};
	scale_include_curve(&plot, &picture->curve);
	scale_include_curve(&plot, &picture->against);
	for (int i = 0; percentiles_is_comparable(picture) && i < PUBLISHED_CNT; i++)
		scale_include(latency, published[shown_published[i]].medium_us * 1e3);
	if (latency->from > latency->to)
		latency->from = latency->to / 10;
	scale_round(latency);
	plot.top = top;
	plot.bottom = top + (canvas->is_narrow ? NARROW_HEIGHT : WIDE_HEIGHT);
	plot.latency.measure = MEASURE_NS;
	plot.latency.title = "latency";
	latency->start = plot.bottom;
	latency->end = plot.top;
	plot.nines.start = axis_left_width(&plot.latency);
	plot.nines.end = canvas->width - 10;
	return plot;
}

static void nines_tick(const struct plot *plot, double nines, double *end)
{
	double x = scale_place(&plot->nines, nines);
	int decimals = (int)fmax(0, round(log10(nines)) - 2);
	/* "99.9 %" for 1000, and so on. */
	const char *text = TEXT("%.*f %%", decimals, 100 - 100 / nines);
	double half = label_width(text, FONT_SMALL) / 2;

	line_draw(plot->canvas, "grid", x, plot->latency.scale.end, x, plot->bottom + 4);
	if (x - half < *end + 6 || x + half > plot->canvas->width)
		return;
	label_draw(plot->canvas, "tick", x, plot->bottom + 16, ANCHOR_MIDDLE, text);
	*end = x + half;
}

static void draw_axes(const struct plot *plot)
{
	const struct canvas *canvas = plot->canvas;
	double end = -INFINITY;

	axis_draw_left(canvas, &plot->latency, plot->nines.start, plot->nines.end);
	group_open(canvas, "axis");
	nines_tick(plot, 1, &end);
	nines_tick(plot, 2, &end);
	for (double nines = 10; nines <= plot->nines.to; nines *= 10)
		nines_tick(plot, nines, &end);
	if (end + 6 < plot->nines.end - label_width("max", FONT_SMALL))
		label_draw(canvas, "tick", plot->nines.end, plot->bottom + 16, ANCHOR_END, "max");
	line_draw(canvas, "frame", plot->nines.start, plot->bottom, plot->nines.end, plot->bottom);
	label_draw(canvas, "axis-title", (plot->nines.start + plot->nines.end) / 2,
		   plot->bottom + 33, ANCHOR_MIDDLE, "percentile");
	markup_close(canvas->markup);
}

static double percentiles_x_of(const struct plot *plot, const struct curve *curve,
			       const struct curve_point *point)
{
	return scale_place(&plot->nines, nines_of(curve, point));
}

/* As far as it is known how high the percentile may be. */
static void draw_band(const struct plot *plot, const struct curve *curve)
{
	uint32_t cnt = 0;

	while (cnt < curve->point_cnt && curve->point[cnt].high_ns)
		cnt++;
	if (cnt < 2)
		return;
	outline_open(plot->canvas, "band");
	for (uint32_t i = 0; i < cnt; i++)
		(i ? outline_line : outline_move)(
			plot->canvas, percentiles_x_of(plot, curve, &curve->point[i]),
			scale_place(&plot->latency.scale, (double)curve->point[i].high_ns));
	for (uint32_t i = cnt; i-- > 0;)
		outline_line(plot->canvas, percentiles_x_of(plot, curve, &curve->point[i]),
			     scale_place(&plot->latency.scale, (double)curve->point[i].low_ns));
	outline_close_shape(plot->canvas);
	outline_end(plot->canvas);
	markup_close(plot->canvas->markup);
}

static void draw_line(const struct plot *plot, const struct curve *curve, const char *class)
{
	outline_open(plot->canvas, class);
	for (uint32_t i = 0; i < curve->point_cnt; i++)
		(i ? outline_line
		   : outline_move)(plot->canvas, percentiles_x_of(plot, curve, &curve->point[i]),
				   scale_place(&plot->latency.scale, (double)curve->point[i].ns));
	outline_end(plot->canvas);
	data_count(plot->canvas, "units", curve->units);
	markup_close(plot->canvas->markup);
}

static void draw_dot(const struct plot *plot, const struct curve *curve,
		     const struct curve_point *point, const char *class)
{
	const struct canvas *canvas = plot->canvas;
	bool has_high = point->high_ns;

	circle_open(canvas, class, percentiles_x_of(plot, curve, point),
		    scale_place(&plot->latency.scale, (double)point->ns), 3.5);
	markup_attrf(canvas->markup, "data-percent", "%.10g", point->percent);
	data_count(canvas, "ns", point->ns);
	if (point->low_ns)
		data_count(canvas, "low-ns", point->low_ns);
	if (has_high)
		data_count(canvas, "high-ns", point->high_ns);
	if (point->percent >= 100)
		tooltip_draw(canvas, "the longest: %s", NS_TEXT((double)point->ns));
	else if (!point->low_ns)
		tooltip_draw(canvas, "%.10g %% took at most %s", point->percent,
			     NS_TEXT((double)point->ns));
	else
		tooltip_draw(canvas, "%.10g %% took at most %s (95 %% confidence: %s to %s)",
			     point->percent, NS_TEXT((double)point->ns),
			     NS_TEXT((double)point->low_ns),
			     has_high ? NS_TEXT((double)point->high_ns) : "not known");
	markup_close(canvas->markup);
}

static void draw_dots(const struct plot *plot, const struct curve *curve, const char *class)
{
	static const double percents[] = {50, 90, 99, 99.9, 99.99, 99.999, 99.9999, 99.99999};

	for (size_t i = 0; i < sizeof(percents) / sizeof(percents[0]); i++) {
		const struct curve_point *point = point_at(curve, percents[i]);

		if (point)
			draw_dot(plot, curve, point, class);
	}
	draw_dot(plot, curve, last_point(curve), class);
}

static void draw_published(const struct plot *plot)
{
	for (int i = 0; i < PUBLISHED_CNT; i++) {
		const struct published *figures = &published[shown_published[i]];
		double y = scale_place(&plot->latency.scale, figures->medium_us * 1e3);
		const char *words = TEXT(PUBLISHED_SOURCE ", %s: mean %u µs", figures->system,
					 figures->medium_us);

		outline_open(plot->canvas, "series thin dashed s8");
		outline_move(plot->canvas, plot->nines.start, y);
		outline_line(plot->canvas, plot->nines.end, y);
		outline_end(plot->canvas);
		data_count(plot->canvas, "published-ns", figures->medium_us * 1000ull);
		markup_close(plot->canvas->markup);
		label_draw_fitting(plot->canvas, "soft halo", plot->nines.start + 6, y - 4,
				   ANCHOR_START, plot->nines.end - plot->nines.start - 12, words);
	}
}

static double percentiles_curve_draw(const struct canvas *canvas,
				     const struct illustration *illustration)
{
	const struct picture *picture = illustration->picture;
	struct plot plot = percentiles_plot_of(canvas, picture,
					       percentiles_draw_legend(canvas, picture) + TOP);

	draw_axes(&plot);
	draw_band(&plot, &picture->curve);
	if (percentiles_is_comparable(picture))
		draw_published(&plot);
	if (picture->against.point_cnt) {
		draw_line(&plot, &picture->against, "series s2");
		draw_dots(&plot, &picture->against, "dot s2");
	}
	draw_line(&plot, &picture->curve, "series s1");
	draw_dots(&plot, &picture->curve, "dot s1");
	return plot.bottom + AXIS_BOTTOM_HEIGHT;
}

const struct figure figure_percentiles = {
	.name = "percentiles",
	.title = "Percentiles",
	.subject = OF_UNITS,
	.applies = curve_applies,
	.describe = curve_describe,
	.draw = percentiles_curve_draw,
};

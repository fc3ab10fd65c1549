/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Draws published results beside those of these runs, as pairs of points. The experiment says which
 * results are comparable. For rounds with one client these are those of the GRAME paper.
 */
#include "report/published.h"

#include "report/figure/matrix/settings.h"
#include "report/figure/matrix/points.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#define NOTE_WIDTH 120

/* "  kernel module" is a line below another one in the text report. */
static const char *system_name(const char *system)
{
	return system + strspn(system, " ");
}

static void published_points_put_data(const struct canvas *canvas, const struct point_row *point)
{
	static const char *const names[POINT_VALUES_MAX] = {"first", "second", "third"};

	if (point->of)
		settings_data(canvas, point->of);
	data_text(canvas, "source", point->is_published ? "published" : "run");
	for (int k = 0; k < POINT_VALUES_MAX; k++) {
		if (isfinite(point->value[k]))
			data_mean(canvas, names[k], point->value[k]);
	}
	tooltip_draw(canvas, "%s: %s", point->name, point->note);
}

/* Mean, its range, and peaks, in nanoseconds. */
static void add_published_rounds(struct point_chart *chart)
{
	for (int i = 0; i < NR_PUBLISHED; i++) {
		struct point_row *point = point_chart_add(chart);

		if (!point)
			return;
		*point = (struct point_row){
			.head = i ? NULL : PUBLISHED_SOURCE ", 1 client, idle machine",
			.value = {published[i].medium_us * 1e3,
				  (published[i].medium_us + published[i].width_us) * 1e3,
				  published[i].peak_max_us * 1e3},
			.is_published = true,
		};
		snprintf(point->name, sizeof(point->name), "%s", system_name(published[i].system));
		snprintf(point->note, sizeof(point->note), "%u ± %u µs", published[i].medium_us,
			 published[i].width_us);
	}
}

static bool published_points_is_comparable(const struct row *row)
{
	const struct workload_spec *spec = &row->info.workload;

	return spec_has_rounds(spec) && spec->clients == 1 && isfinite(row->number[NUMBER_FIRST]);
}

/* Without a load as the paper's first table; with a load the range is that of the run. */
static void add_own_rounds(struct point_chart *chart, const struct rows *rows)
{
	bool has_head = false;

	for (size_t i = 0; i < rows->cnt; i++) {
		const struct row *row = &rows->row[i];
		struct point_row *point =
			published_points_is_comparable(row) ? point_chart_add(chart) : NULL;
		double mean_ns = row->number[NUMBER_FIRST];
		double width_ns = 2 * row->number[NUMBER_FIRST_SD];

		if (!point)
			continue;
		*point = (struct point_row){
			.head = has_head ? NULL : "these runs, 1 client",
			.of = row,
			.value = {mean_ns, mean_ns + width_ns,
				  row->peaks.count ? (double)row->peaks.max_ns : NAN},
		};
		has_head = true;
		settings_words(&row->info.workload,
			       1u << COORDINATE_TRANSPORT | 1u << COORDINATE_BYTES |
				       1u << COORDINATE_LOAD,
			       point->name);
		snprintf(point->note, sizeof(point->note), "%s ± %s", NS_TEXT(mean_ns),
			 NS_TEXT(width_ns));
	}
}

static void add_busy_rounds(struct point_chart *chart)
{
	for (int i = 0; i < NR_PUBLISHED; i++) {
		const struct published_busy *busy = &published_busy[i];
		struct point_row *point = point_chart_add(chart);

		if (!point)
			return;
		*point = (struct point_row){
			.head = i ? NULL : PUBLISHED_SOURCE ", 1 client, the worst of three loads",
			.value = {NAN, busy->range_max_us ? busy->range_max_us * 1e3 : NAN,
				  busy->peak_us * 1e3},
			.is_published = true,
		};
		snprintf(point->name, sizeof(point->name), "%s", system_name(busy->system));
		snprintf(point->note, sizeof(point->note), "peak %s%s", busy->is_more ? "> " : "",
			 NS_TEXT(busy->peak_us * 1e3));
	}
}

static bool has_load(const struct rows *rows)
{
	for (size_t i = 0; i < rows->cnt; i++) {
		if (published_points_is_comparable(&rows->row[i]) &&
		    rows->row[i].info.workload.load[0])
			return true;
	}
	return false;
}

static void rounds_chart(struct point_chart *chart, const struct rows *rows)
{
	chart->label[0] = "mean";
	chart->label[1] = "mean and two deviations";
	chart->label[2] = "largest peak";
	chart->title = "latency";
	add_own_rounds(chart, rows);
	if (!chart->cnt)
		return;
	add_published_rounds(chart);
	if (has_load(rows))
		add_busy_rounds(chart);
}

/* A published result of a row; NAN: there is none. */
typedef double known_fn(const struct row *row);

static double colorado_known(const struct row *row)
{
	const struct workload_spec *spec = &row->info.workload;

	return 1e6 * published_colorado_ms(spec->transport, spec->clients, spec->messages);
}

static double studio6_known(const struct row *row)
{
	return 1e6 *
	       published_studio6_ms(row->info.workload.transport, row->info.workload.messages);
}

static double ipc_bench_known(const struct row *row)
{
	if (strcmp(row->info.workload.pattern, "pingpong") != 0)
		return NAN;
	return published_ipc_bench_ns(row->info.workload.transport, row->info.workload.size);
}

/* LIPC has no rows of its own: its languages are compared with the same transports. */
static double lipc_known(const struct row *row)
{
	const struct published_lipc *figures = &published_lipc[0];

	if (!strcmp(row->info.workload.transport, "uds-stream"))
		return figures->unix_per_second;
	return strcmp(row->info.workload.transport, "tcp") ? NAN : figures->tcp_per_second;
}

static const struct pairing {
	const char *experiment;
	known_fn *known;
	enum row_number own;
	double factor; /* of the own number */
	enum measure measure;
	const char *title;
} pairings[] = {
	{"colorado", colorado_known, NUMBER_ROUND_TRIP, 1, MEASURE_NS,
	 "round trip of a message, mean"},
	{"studio6", studio6_known, NUMBER_TIME, 1, MEASURE_NS, "time for all exchanges"},
	{"ipc-bench", ipc_bench_known, NUMBER_ROUND_TRIP, 0.5, MEASURE_NS,
	 "half of a round trip, mean"},
	{"lipc", lipc_known, NUMBER_RATE, 1, MEASURE_COUNT, "connections per second"},
};

static const struct pairing *pairing_of(const struct rows *rows)
{
	for (size_t i = 0; rows->cnt && i < sizeof(pairings) / sizeof(pairings[0]); i++) {
		if (!strcmp(pairings[i].experiment, rows->row[0].info.experiment))
			return &pairings[i];
	}
	return NULL;
}

/* In which settings those differ that have a published result. */
static unsigned int differ_in(const struct rows *rows, const struct pairing *pairing)
{
	const struct row *first = NULL;
	unsigned int set = 0;

	for (size_t i = 0; i < rows->cnt; i++) {
		const struct row *row = &rows->row[i];

		if (!isfinite(pairing->known(row)))
			continue;
		first = first ?: row;
		for (enum coordinate k = 0; k < NR_COORDINATES; k++) {
			if (specs_differ_in(&first->info.workload, &row->info.workload, k))
				set |= 1u << k;
		}
	}
	return set;
}

static void pairs_chart(struct point_chart *chart, const struct rows *rows,
			const struct pairing *pairing)
{
	unsigned int set = differ_in(rows, pairing);

	chart->label[0] = "these runs";
	chart->label[1] = "published";
	chart->is_pairs = true;
	chart->measure = pairing->measure;
	chart->title = pairing->title;
	for (size_t i = 0; i < rows->cnt; i++) {
		const struct row *row = &rows->row[i];
		struct point_row *point;

		if (!isfinite(pairing->known(row)) || !(point = point_chart_add(chart)))
			continue;
		*point = (struct point_row){.of = row,
					    .value = {row->number[pairing->own] * pairing->factor,
						      pairing->known(row), NAN}};
		settings_words(&row->info.workload, set, point->name);
		if (point->value[0] > 0 && point->value[1] > 0 && isfinite(point->value[0]))
			snprintf(point->note, sizeof(point->note), "%.2f ×",
				 point->value[0] / point->value[1]);
	}
}

static void published_points_chart_of(struct point_chart *chart, const struct rows *rows)
{
	const struct pairing *pairing = pairing_of(rows);

	*chart = (struct point_chart){.most = 48,
				      .things = "rows",
				      .has_range = true,
				      .note_width = NOTE_WIDTH,
				      .put_data = published_points_put_data};
	if (pairing)
		pairs_chart(chart, rows, pairing);
	else
		rounds_chart(chart, rows);
	chart->has_published = !pairing;
}

static bool published_points_applies(const struct illustration *illustration)
{
	struct point_chart chart;

	published_points_chart_of(&chart, &illustration->points->merged);
	return chart.cnt > 0;
}

static void pairs_words(const struct point_row *first, const struct pairing *pairing,
			struct paragraph *words)
{
	double ratio = first->value[0] / first->value[1];

	if (!isfinite(ratio))
		paragraph_add(words, "Published results beside those of these runs.");
	else if (pairing->measure == MEASURE_NS)
		paragraph_add(
			words,
			"Published results beside those of these runs: %s takes %.2f times as "
			"long as published.",
			first->name, ratio);
	else
		paragraph_add(
			words,
			"Published results beside those of these runs: %s reaches %.2f times the "
			"published rate.",
			first->name, ratio);
}

static void published_points_rounds_words(const struct point_row *first, struct paragraph *words)
{
	unsigned int least = UINT_MAX, most = 0;

	for (int i = 0; i < NR_PUBLISHED; i++) {
		least = published[i].medium_us < least ? published[i].medium_us : least;
		most = published[i].medium_us > most ? published[i].medium_us : most;
	}
	paragraph_add(
		words,
		"The latency of one client is %s in the mean (%s); published are %u to %u µs, on "
		"machines of 2001.",
		NS_TEXT(first->value[0]), first->name, least, most);
}

static void published_points_describe(const struct illustration *illustration,
				      struct paragraph *words)
{
	struct point_chart chart;

	published_points_chart_of(&chart, &illustration->points->merged);
	if (pairing_of(&illustration->points->merged))
		pairs_words(chart.row, pairing_of(&illustration->points->merged), words);
	else
		published_points_rounds_words(chart.row, words);
}

static double published_points_draw(const struct canvas *canvas,
				    const struct illustration *illustration)
{
	struct point_chart chart;

	published_points_chart_of(&chart, &illustration->points->merged);
	return point_chart_draw(canvas, &chart);
}

const struct figure figure_published = {
	.name = "published",
	.title = "Beside published results",
	.subject = OF_RUNS,
	.is_at_a_glance = true,
	.applies = published_points_applies,
	.describe = published_points_describe,
	.draw = published_points_draw,
};

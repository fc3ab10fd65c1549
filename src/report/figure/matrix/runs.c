/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Draws each configuration of several runs as a row: percentiles of its latency, or its rate. The
 * configurations of each pattern stand together.
 */
#include "report/figure/matrix/settings.h"
#include "report/figure/matrix/points.h"

#include <math.h>
#include <stdio.h>

#define NOTE_WIDTH 96

/* What is drawn: times, or rates. Both have no common axis. */
enum kind { KIND_TIMES, KIND_RATES };

static enum kind runs_kind_of(const struct row *row)
{
	bool more_is_better;

	main_number(&row->info.workload, &more_is_better);
	return more_is_better ? KIND_RATES : KIND_TIMES;
}

static bool is_of_calls(const struct row *row)
{
	bool more_is_better;

	return main_number(&row->info.workload, &more_is_better) == NUMBER_ROUND_TRIP;
}

/* Times are of most interest. Without any, it is rates. */
static enum kind kind_of_all(const struct rows *rows)
{
	for (size_t i = 0; i < rows->cnt; i++) {
		if (runs_kind_of(&rows->row[i]) == KIND_TIMES)
			return KIND_TIMES;
	}
	return KIND_RATES;
}

static void runs_put_data(const struct canvas *canvas, const struct point_row *point)
{
	const struct row *row = point->of;
	bool is_rate = runs_kind_of(row) == KIND_RATES;
	static const char *const names[2][POINT_VALUES_MAX] = {
		[KIND_TIMES] = {"p50-ns", "p99-ns", "max-ns"},
		[KIND_RATES] = {"per-second", "", ""},
	};

	settings_data(canvas, row);
	for (int k = 0; k < POINT_VALUES_MAX; k++) {
		if (isfinite(point->value[k]))
			data_mean(canvas, names[is_rate ? KIND_RATES : KIND_TIMES][k],
				  point->value[k]);
	}
	/* A recording that was forged, or is damaged, may lack it. */
	if (is_rate && !isfinite(point->value[0]))
		tooltip_draw(canvas, "%s: no rate is known (%u run%s)", point->name, row->counted,
			     plural(row->counted));
	else if (is_rate)
		tooltip_draw(canvas, "%s: %.0f messages per second (%u run%s)", point->name,
			     point->value[0], row->counted, plural(row->counted));
	else
		tooltip_draw(canvas, "%s: 50 %% take at most %s, 99 %% at most %s (%u run%s)",
			     point->name, NS_TEXT(point->value[0]), NS_TEXT(point->value[1]),
			     row->counted, plural(row->counted));
}

static void set_values(struct point_row *point, const struct row *row)
{
	const double *figure = row->number;

	if (runs_kind_of(row) == KIND_RATES) {
		point->value[0] = figure[NUMBER_RATE];
		point->value[1] = point->value[2] = NAN;
		return;
	}
	point->value[0] = figure[is_of_calls(row) ? NUMBER_ROUND_TRIP_P50 : NUMBER_LATENCY_P50];
	point->value[1] = figure[is_of_calls(row) ? NUMBER_ROUND_TRIP_P99 : NUMBER_LATENCY_P99];
	point->value[2] = is_of_calls(row) ? NAN : figure[NUMBER_LATENCY_MAX];
}

static void set_note(struct point_row *point, enum kind kind)
{
	if (!isfinite(point->value[0]))
		snprintf(point->note, sizeof(point->note), "not known");
	else if (kind == KIND_TIMES)
		snprintf(point->note, sizeof(point->note), "50 %%: %s", NS_TEXT(point->value[0]));
	else
		snprintf(point->note, sizeof(point->note), "%s /s", COUNT_TEXT(point->value[0]));
}

/* Messages first, then round trips, each in the order of the runs. */
static uint32_t add_rows(struct point_chart *chart, const struct rows *rows, bool of_calls,
			 enum kind kind)
{
	const struct filter all = {0};
	unsigned int set = rows_differ_in(rows, &all);
	uint32_t added = 0;

	for (size_t i = 0; i < rows->cnt; i++) {
		const struct row *row = &rows->row[i];
		struct point_row *point;

		if (runs_kind_of(row) != kind || is_of_calls(row) != of_calls)
			continue;
		point = point_chart_add(chart);
		if (!point)
			continue;
		point->of = row;
		point->head = added++ ? NULL : of_calls ? "round trips" : "messages";
		settings_words(&row->info.workload, set, point->name);
		set_values(point, row);
		set_note(point, kind);
	}
	return added;
}

static void runs_chart_of(struct point_chart *chart, const struct rows *rows)
{
	static const struct point_chart charts[] = {
		[KIND_TIMES] = {.label = {"50 % take at most", "99 %", "the longest"},
				.measure = MEASURE_NS,
				.title = "time",
				.has_range = true},
		[KIND_RATES] = {.label = {"messages per second"},
				.measure = MEASURE_COUNT,
				.title = "messages per second"},
	};
	enum kind kind = kind_of_all(rows);
	uint32_t messages, calls;

	*chart = charts[kind];
	chart->most = POINT_ROWS_MAX;
	chart->things = "configurations";
	chart->note_width = NOTE_WIDTH;
	chart->put_data = runs_put_data;
	messages = add_rows(chart, rows, false, kind);
	calls = add_rows(chart, rows, true, kind);
	if (!messages || !calls)
		chart->row[0].head = NULL;
}

static bool runs_applies(const struct illustration *illustration)
{
	return illustration->points->merged.cnt > 0;
}

static void runs_describe(const struct illustration *illustration, struct paragraph *words)
{
	const struct point_row *least = NULL, *most = NULL;
	struct point_chart chart;

	runs_chart_of(&chart, &illustration->points->merged);
	for (uint32_t i = 0; i < chart.cnt; i++) {
		const struct point_row *point = &chart.row[i];

		if (!isfinite(point->value[0]))
			continue;
		if (!least || point->value[0] < least->value[0])
			least = point;
		if (!most || point->value[0] > most->value[0])
			most = point;
	}
	if (!least)
		paragraph_add(words, "No run has a result.");
	else if (chart.measure == MEASURE_NS)
		paragraph_add(
			words,
			"Half of the times are at most %s with %s, where they are shortest, and "
			"%s with %s, where they are longest.",
			NS_TEXT(least->value[0]), least->name, NS_TEXT(most->value[0]), most->name);
	else
		paragraph_add(words, "The highest rate is %s with %s, the lowest %s with %s.",
			      most->note, most->name, least->note, least->name);
}

static double runs_draw(const struct canvas *canvas, const struct illustration *illustration)
{
	struct point_chart chart;

	runs_chart_of(&chart, &illustration->points->merged);
	return point_chart_draw(canvas, &chart);
}

const struct figure figure_runs = {
	.name = "runs",
	.title = "All configurations",
	.subject = OF_RUNS,
	.is_at_a_glance = true,
	.applies = runs_applies,
	.describe = runs_describe,
	.draw = runs_draw,
};

/* SPDX-License-Identifier: BSD-2-Clause */
/* Chooses the panels for the pattern of the runs, and groups the runs to curves. */
#include "report/figure/matrix/sheet.h"

#include <string.h>

static const struct panel panels_of_rounds[] = {
	{"first client", "the latency of the first client", FIGURE_FIRST, MEASURE_NS},
	{"gap to the next client", "the gap to the next client", FIGURE_NEXT, MEASURE_NS},
	{"last client", "the latency of the last client", FIGURE_LAST, MEASURE_NS},
	{"deviation of the last client", "the deviation of the last client", FIGURE_LAST_SD,
	 MEASURE_NS},
	{"service time (last + deviation)", "the service time", FIGURE_SERVICE_TIME, MEASURE_NS},
	{"efficiency (service time / tick)", "the efficiency", FIGURE_EFFICIENCY, MEASURE_SHARE},
};

static const struct panel panels_of_messages[] = {
	{"latency: 50 % take at most", "the time within which half of the messages arrive",
	 FIGURE_LATENCY_P50, MEASURE_NS},
	{"latency: 99 % take at most", "the time within which 99 % of the messages arrive",
	 FIGURE_LATENCY_P99, MEASURE_NS},
	{"latency: mean", "the mean latency", FIGURE_LATENCY, MEASURE_NS},
};

static const struct panel panels_of_calls[] = {
	{"round trip: 50 % take at most", "the time within which half of the calls end",
	 FIGURE_ROUND_TRIP_P50, MEASURE_NS},
	{"round trip: 99 % take at most", "the time within which 99 % of the calls end",
	 FIGURE_ROUND_TRIP_P99, MEASURE_NS},
	{"round trip: mean", "the mean round trip", FIGURE_ROUND_TRIP, MEASURE_NS},
};

static const struct panel panels_of_rates[] = {
	{"messages per second", "the number of messages per second", FIGURE_RATE, MEASURE_COUNT},
	{"bytes per second", "the number of bytes per second", FIGURE_BYTES, MEASURE_COUNT},
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

uint64_t x_value(const struct sheet *sheet, const struct row *row)
{
	return coordinate_number(&row->info.workload, sheet->x);
}

/* The points of a curve from left to right. */
uint32_t points_of(const struct sheet *sheet, const struct row *first,
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
	enum row_figure figure = main_figure(spec, &more_is_better);

#define PANELS(array)                                                                              \
	sheet->panel = (array);                                                                    \
	sheet->panel_cnt = sizeof(array) / sizeof((array)[0])
	if (spec_has_rounds(spec)) {
		PANELS(panels_of_rounds);
	} else if (more_is_better) {
		PANELS(panels_of_rates);
	} else if (figure == FIGURE_ROUND_TRIP) {
		PANELS(panels_of_calls);
	} else {
		PANELS(panels_of_messages);
	}
#undef PANELS
}

static void add_line(struct sheet *sheet, const struct row *row)
{
	if (sheet->line_cnt == CURVES_MAX)
		sheet->lines_more++;
	else
		sheet->line[sheet->line_cnt++].first = row;
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

struct sheet sheet_of(const struct run_points *points, enum coordinate x)
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
		add_line(&sheet, row);
	}
	name_lines(&sheet);
	return sheet;
}

const char *x_title(const struct sheet *sheet)
{
	return sheet->x == COORDINATE_CLIENTS ? "clients" : "bytes of a message";
}

const struct panel *sheet_main_panel(const struct sheet *sheet)
{
	return &sheet->panel[sheet->panel == panels_of_rounds ? 2 : 0];
}

bool sheet_is_of_paper(const struct sheet *sheet)
{
	return sheet->panel == panels_of_rounds && sheet->x == COORDINATE_CLIENTS;
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* Compares several runs: in the words of the text report, and in figures. */
#include "report/html/matrix.h"

#include "report/html/run.h"
#include "report/html/words.h"
#include "report/words/summary_words.h"
#include "report/words/rows_words.h"

#include <math.h>

void matrix_words(const struct run_points *points, struct paragraph *title,
		  struct paragraph *verdict)
{
	if (!points->merged.cnt)
		return;
	run_matrix_title(title, &points->merged);
	verdict_of_rows(verdict, &points->merged);
}

static unsigned int differing(const struct run_points *points)
{
	const struct filter all = {0};

	return rows_differ_in(&points->merged, &all);
}

void matrix_trust(struct markup *markup, const struct run_points *points)
{
	const struct rows *merged = &points->merged;
	struct paragraph integrity = {0}, observer = {0};
	bool is_clean;

	if (!merged->cnt)
		return;
	is_clean = run_matrix_integrity(&integrity, merged);
	run_matrix_observer(&observer, merged);
	markup_open(markup, "section");
	markup_attr(markup, "id", "trust");
	markup_element(markup, "h2", NULL, "Integrity and observer");
	markup_open(markup, "dl");
	words_term(markup, "integrity", is_clean ? NULL : "warning", &integrity);
	words_term(markup, "observer", NULL, &observer);
	for (size_t i = 0; i < merged->cnt; i++) {
		struct paragraph warning = {0};

		run_matrix_warning(&warning, &merged->row[i], differing(points));
		words_term(markup, "warning", "warning", &warning);
	}
	markup_close(markup);
	markup_close(markup);
}

static void add_time(struct paragraph *title, const char *what, double ns)
{
	if (isfinite(ns))
		paragraph_add(title, "%s %.1f us", what, ns / 1e3);
}

/* The main times: those of rounds, of calls, or of messages. NAN: there is none. */
static void add_times(struct paragraph *title, const double *figure)
{
	if (isfinite(figure[FIGURE_LAST])) {
		add_time(title, ": last", figure[FIGURE_LAST]);
		add_time(title, ", service time", figure[FIGURE_SERVICE_TIME]);
	} else if (isfinite(figure[FIGURE_ROUND_TRIP])) {
		add_time(title, ": round trip", figure[FIGURE_ROUND_TRIP]);
		add_time(title, ", 99 % within", figure[FIGURE_ROUND_TRIP_P99]);
	} else {
		add_time(title, ": latency", figure[FIGURE_LATENCY]);
		add_time(title, ", 99 % within", figure[FIGURE_LATENCY_P99]);
	}
}

void matrix_run_title(const struct run_points *points, size_t i, struct paragraph *title)
{
	const struct workload_spec *spec = &points->runs.row[i].info.workload;

	add_coordinates(title, spec, differing(points));
	if (spec->run)
		paragraph_add(title, ", run %u", spec->run);
	add_times(title, points->runs.row[i].figure);
}

size_t matrix_slowest_run(const struct run_points *points)
{
	const struct row *slowest = points->runs.cnt ? slowest_row(&points->runs) : NULL;

	return slowest ? (size_t)(slowest - points->runs.row) : 0;
}

void matrix_contents(struct markup *markup, const struct run_points *points)
{
	contents_item(markup, "trust", "Integrity and observer");
	contents_figures(markup, &(struct illustration){.points = points});
	contents_item(markup, "each-run", "The runs");
	contents_item(markup, "text", "The report as text");
}

int matrix_figures(struct markup *markup, const struct run_points *points)
{
	const struct run_place place = {.prefix = "", .level = 2};

	return figures_write(markup, &(struct illustration){.points = points}, &place);
}

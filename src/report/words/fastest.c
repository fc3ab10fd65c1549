/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Prints the line "fastest" below a table. The line says which transport is best if all other
 * settings are equal.
 */
#include "report/text/tables/table.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The rows of a filter, and which of them are the best under their conditions. */
struct contest {
	const struct rows *rows;
	const struct filter *filter;
	bool *wins; /* [rows->cnt] */
	size_t wins_cnt;
	const struct row *winner; /* the last row that wins */
};

/* Whether two rows differ in the transport only. */
static bool compete(const struct row *a, const struct row *b)
{
	for (enum coordinate i = 0; i < NR_COORDINATES; i++) {
		if (i != COORDINATE_TRANSPORT &&
		    specs_differ_in(&a->info.workload, &b->info.workload, i))
			return false;
	}
	return a != b;
}

/* The main figure, inverted if less is better. NAN: not measured. */
static double merit(const struct row *row)
{
	bool more_is_better;
	double value = row->figure[main_figure(&row->info.workload, &more_is_better)];

	if (!(value > 0))
		return NAN;
	return more_is_better ? value : 1 / value;
}

/* Whether a row has competitors and none is better. The first of several equal rows wins. */
static bool wins(const struct contest *contest, const struct row *row)
{
	bool has_competitor = false;

	if (isnan(merit(row)))
		return false;
	for (const struct row *other = NULL;
	     (other = rows_next(contest->rows, contest->filter, other));) {
		if (isnan(merit(other)) || !compete(row, other))
			continue;
		if (merit(other) > merit(row) || (merit(other) == merit(row) && other < row))
			return false;
		has_competitor = true;
	}
	return has_competitor;
}

static void find_winners(struct contest *contest)
{
	const struct rows *rows = contest->rows;

	for (const struct row *row = NULL; (row = rows_next(rows, contest->filter, row));) {
		if (!wins(contest, row))
			continue;
		contest->wins[row - rows->row] = true;
		contest->winner = row;
		contest->wins_cnt++;
	}
}

/* With one winner: by how much it is better. */
static void add_factors(struct paragraph *line, const struct contest *contest)
{
	const struct row *best = contest->winner;
	bool more_is_better;
	enum row_figure figure = main_figure(&best->info.workload, &more_is_better);
	const char *separator = "; ";

	if (more_is_better)
		paragraph_add(line, "%s with %.0f /s", best->info.workload.transport,
			      best->figure[figure]);
	else
		paragraph_add(line, "%s with %s %.1f us", best->info.workload.transport,
			      figure == FIGURE_ROUND_TRIP ? "a round trip of" : "a latency of",
			      best->figure[figure] / 1e3);
	for (const struct row *row = NULL;
	     (row = rows_next(contest->rows, contest->filter, row));) {
		double factor = merit(best) / merit(row);

		if (isnan(factor) || !compete(best, row))
			continue;
		paragraph_add(line, "%s%s ", separator, row->info.workload.transport);
		if (more_is_better)
			paragraph_add(line, "does %s of that", PERCENT(1 / factor));
		else
			paragraph_add(line, "takes %.2f times as long", factor);
		separator = ", ";
	}
}

/* With several winners: how often each transport wins. */
static void add_wins(struct paragraph *line, const struct contest *contest)
{
	const struct row *row = contest->rows->row;
	const char *separator = "";

	for (size_t i = 0; i < contest->rows->cnt; i++) {
		const char *name = row[i].info.workload.transport;
		size_t cnt = 0, first = i;

		for (size_t k = 0; k < contest->rows->cnt; k++) {
			if (!contest->wins[k] || strcmp(row[k].info.workload.transport, name))
				continue;
			first = cnt ? first : k;
			cnt++;
		}
		if (!cnt || first != i)
			continue;
		paragraph_add(line, "%s%s in %zu of %zu comparisons", separator, name, cnt,
			      contest->wins_cnt);
		separator = ", ";
	}
}

void fastest_words(struct paragraph *paragraph, const struct rows *rows,
		   const struct filter *filter)
{
	struct contest contest = {
		.rows = rows, .filter = filter, .wins = calloc(rows->cnt + 1, sizeof(bool))};

	if (!contest.wins)
		return;
	find_winners(&contest);
	if (contest.wins_cnt == 1)
		add_factors(paragraph, &contest);
	else
		add_wins(paragraph, &contest);
	free(contest.wins);
}

void text_fastest(const struct text *text, const struct rows *rows, const struct filter *filter)
{
	struct paragraph line = {0};

	fastest_words(&line, rows, filter);
	paragraph_print(text, INK_BOLD, "fastest", &line);
}

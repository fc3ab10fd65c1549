/* SPDX-License-Identifier: BSD-2-Clause */
/* Lists the figures, and finds one by its name. A new figure needs an entry here. */
#include "report/figure/figure.h"

#include <string.h>

static const struct figure *const figures[] = {
	&figure_heat_map,  &figure_bands,      &figure_slowest, &figure_percentiles,
	&figure_apart,     &figure_difference, &figure_blame,   &figure_graph,
	&figure_chains,    &figure_clients,    &figure_series,  &figure_over_clients,
	&figure_over_size, &figure_published,  &figure_runs,
};

const struct figure *figure_at(size_t i)
{
	return i < sizeof(figures) / sizeof(figures[0]) ? figures[i] : NULL;
}

const struct figure *figure_find(const char *name)
{
	const struct figure *figure;

	for (size_t i = 0; (figure = figure_at(i)); i++) {
		if (!strcmp(figure->name, name))
			break;
	}
	return figure;
}

bool figure_shows(const struct figure *figure, const struct illustration *illustration)
{
	return (figure->subject == OF_RUNS) == !!illustration->points &&
	       figure->applies(illustration);
}

int run_points_add(struct run_points *points, const struct illustration *illustration)
{
	return rows_add(&points->runs, illustration->summary);
}

int run_points_merge(struct run_points *points)
{
	rows_free(&points->merged);
	return rows_merge(&points->runs, &points->merged);
}

void run_points_clean(struct run_points *points)
{
	rows_free(&points->runs);
	rows_free(&points->merged);
}

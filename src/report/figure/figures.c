/* SPDX-License-Identifier: BSD-2-Clause */
/* Lists the figures of a run, and finds one by its name. A new figure needs an entry here. */
#include "report/figure/figure.h"

#include <string.h>

static const struct figure *const figures[] = {
	&figure_heat_map, &figure_bands,      &figure_slowest, &figure_percentiles,
	&figure_apart,    &figure_difference, &figure_blame,   &figure_graph,
	&figure_chains,   &figure_clients,    &figure_series,
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

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Lists the figures of several runs, and finds one by its name. A new figure needs an entry here.
 */
#include "report/figure/matrix/matrix.h"

#include <string.h>

static const struct matrix_figure *const figures[] = {
	&figure_over_clients,
	&figure_over_size,
	&figure_published,
	&figure_runs,
};

const struct matrix_figure *matrix_figure_at(size_t i)
{
	return i < sizeof(figures) / sizeof(figures[0]) ? figures[i] : NULL;
}

const struct matrix_figure *matrix_figure_find(const char *name)
{
	const struct matrix_figure *figure;

	for (size_t i = 0; (figure = matrix_figure_at(i)); i++) {
		if (!strcmp(figure->name, name))
			break;
	}
	return figure;
}

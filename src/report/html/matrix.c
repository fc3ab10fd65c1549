/* SPDX-License-Identifier: BSD-2-Clause */
/* Compares several runs in words, as the text report does. */
#include "report/html/matrix.h"

#include "report/text/first_screen/answers.h"
#include "report/text/run_matrix.h"

#include <stdlib.h>

struct matrix {
	struct rows rows; /* one for each run */
};

struct matrix *matrix__new(void)
{
	return calloc(1, sizeof(struct matrix));
}

void matrix__free(struct matrix *matrix)
{
	if (!matrix)
		return;
	rows_free(&matrix->rows);
	free(matrix);
}

int matrix__add(struct matrix *matrix, const struct summary *summary)
{
	return rows_add(&matrix->rows, summary);
}

void matrix__words(const struct matrix *matrix, struct paragraph *title, struct paragraph *verdict)
{
	struct rows merged;

	if (!matrix->rows.cnt || rows_merge(&matrix->rows, &merged))
		return;
	run_matrix_title(title, &merged);
	verdict_of_rows(verdict, &merged);
	rows_free(&merged);
}

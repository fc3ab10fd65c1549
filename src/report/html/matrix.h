/* SPDX-License-Identifier: BSD-2-Clause */
/* Declares the parts of the page that compare several runs. */
#pragma once

#include "model/summary.h"
#include "report/markup.h"
#include "report/text/layout.h"

struct matrix;

/* NULL: out of memory. */
struct matrix *matrix__new(void);
void matrix__free(struct matrix *matrix);

/* 0 or -ENOMEM. */
int matrix__add(struct matrix *matrix, const struct summary *summary);

/* What was run, and how the runs differ. Nothing without a run, or without memory. */
void matrix__words(const struct matrix *matrix, struct paragraph *title, struct paragraph *verdict);

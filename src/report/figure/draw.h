/* SPDX-License-Identifier: BSD-2-Clause */
/* Declares functions that write a figure as one <svg> element, in a page or in a file. */
#pragma once

#include "report/figure/figure.h"

/* What a figure's sentence has room for. */
#define FIGURE_WORDS_LEN 1024

/*
 * Opens the <svg> element, with its title and description for those that do not see it. Then the
 * marks follow, then figure_close().
 */
void figure_open(const struct canvas *canvas, const char *name, double height, const char *title,
		 const char *description);
void figure_close(const struct canvas *canvas);

/* The whole figure. */
void figure_draw(const struct figure *figure, const struct canvas *canvas,
		 const struct illustration *illustration);

/* The style sheet of figures. */
extern const char figure_style[];

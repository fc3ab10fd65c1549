/* SPDX-License-Identifier: BSD-2-Clause */
/* Declares how a figure is written as one <svg> element, in a page or in a file. */
#pragma once

#include "report/figure/figure.h"

/* What a figure's sentence has room for. */
#define FIGURE_WORDS_LEN 1024

/* The whole figure. 0 or -errno: there is no memory. */
int figure_draw(const struct figure *figure, const struct canvas *canvas,
		const struct illustration *illustration);

/* The style sheet of figures. */
extern const char figure_style[];

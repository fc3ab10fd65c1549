/* SPDX-License-Identifier: BSD-2-Clause */
/* Declares functions that find the width of a terminal and decide whether a report has colours. */
#pragma once

#include "cli/options.h"

#include <stdbool.h>
#include <stdio.h>

/*
 * Whether to use colours. With COLOR_AUTO: if `file` is a terminal, NO_COLOR is not set and TERM is
 * not "dumb".
 */
bool terminal_color(enum color color, FILE *file);

/* The width in columns. 0: `file` is no terminal, or its width is unknown. */
int terminal_columns(FILE *file);

/* SPDX-License-Identifier: BSD-2-Clause */
/* What a report may use of where it goes. */
#ifndef IPCTRACE_CLI_TERMINAL_H
#define IPCTRACE_CLI_TERMINAL_H

#include "cli/options.h"

#include <stdbool.h>
#include <stdio.h>

/* What the user wants; left to us, if `file` is a terminal and neither NO_COLOR nor TERM object. */
bool terminal_color(enum color color, FILE *file);

/* Its width; 0: `file` is no terminal, or does not tell. */
int terminal_columns(FILE *file);

#endif

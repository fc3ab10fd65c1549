/* SPDX-License-Identifier: BSD-2-Clause */
/* Declares functions that find out what a terminal shows: its width, colours, block characters. */
#pragma once

#include "cli/options.h"

#include <stdbool.h>
#include <stdio.h>

/*
 * Whether to use colours. With COLOR_AUTO: if `file` is a terminal, NO_COLOR is not set and TERM is
 * not "dumb".
 */
bool terminal_color(enum color color, FILE *file);

/*
 * Whether bars and rules may have block characters: `file` is a terminal, or colours are forced,
 * and the locale's characters are UTF-8. Call it after plain_set_up(), which sets the locale.
 */
bool terminal_unicode(enum color color, FILE *file);

/* The width in columns. 0: `file` is no terminal, or its width is unknown. */
int terminal_columns(FILE *file);

/*
 * The columns that a line may have which is rewritten in place (util/status_line.h). 0: `fd` is no
 * terminal that can do that, or another process has the terminal, because this one is in the
 * background.
 */
int terminal_status_columns(int fd);

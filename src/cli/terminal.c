/* SPDX-License-Identifier: BSD-2-Clause */
/* Finds the width of a terminal. Decides whether a report has colours and block characters. */
#include "cli/terminal.h"

#include <langinfo.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

bool terminal_color(enum color color, FILE *file)
{
	const char *no_color = getenv("NO_COLOR"), *terminal = getenv("TERM");

	if (color != COLOR_AUTO)
		return color == COLOR_ALWAYS;
	return isatty(fileno(file)) && (!no_color || !*no_color) &&
	       (!terminal || strcmp(terminal, "dumb"));
}

bool terminal_unicode(enum color color, FILE *file)
{
	const char *terminal = getenv("TERM");
	bool is_terminal = isatty(fileno(file)) && (!terminal || strcmp(terminal, "dumb"));

	return (color == COLOR_ALWAYS || is_terminal) && !strcmp(nl_langinfo(CODESET), "UTF-8");
}

int terminal_columns(FILE *file)
{
	struct winsize window;

	return isatty(fileno(file)) && !ioctl(fileno(file), TIOCGWINSZ, &window) ? window.ws_col
										 : 0;
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* Finds the width of a terminal. Decides whether a report has colours and block characters. */
#include "cli/terminal.h"

#include <langinfo.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

/* Of a terminal whose width is unknown. */
#define USUAL_COLUMNS 80

/* Whether it is a terminal that knows escape codes. */
static bool knows_codes(int fd)
{
	const char *terminal = getenv("TERM");

	return isatty(fd) && (!terminal || strcmp(terminal, "dumb"));
}

bool terminal_color(enum color color, FILE *file)
{
	const char *no_color = getenv("NO_COLOR");

	if (color != COLOR_AUTO)
		return color == COLOR_ALWAYS;
	return (!no_color || !*no_color) && knows_codes(fileno(file));
}

bool terminal_unicode(enum color color, FILE *file)
{
	return (color == COLOR_ALWAYS || knows_codes(fileno(file))) &&
	       !strcmp(nl_langinfo(CODESET), "UTF-8");
}

static int terminal_columns_of(int fd)
{
	struct winsize window;

	return isatty(fd) && !ioctl(fd, TIOCGWINSZ, &window) ? window.ws_col : 0;
}

int terminal_columns(FILE *file)
{
	return terminal_columns_of(fileno(file));
}

/* A terminal that is not the controlling one of this process has no foreground. */
static bool is_in_background(int fd)
{
	pid_t foreground = tcgetpgrp(fd);

	return foreground >= 0 && foreground != getpgrp();
}

/* The last column stays empty: terminals differ in when they break a line that fills it. */
int terminal_status_columns(int fd)
{
	if (!knows_codes(fd) || is_in_background(fd))
		return 0;
	return (terminal_columns_of(fd) ?: USUAL_COLUMNS) - 1;
}

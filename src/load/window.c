/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Implements the background load "window". On an X server without a screen, xdotool moves one
 * window over another window. Both windows are repainted all the time.
 */
#include "load/kind.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MOVE_MS 10 /* as often as a mouse is moved by hand */

static const struct need window_needs[] = {
	{"Xvfb", "xvfb"},       {"xdotool", "xdotool"}, {"xeyes", "x11-apps"},
	{"xclock", "x11-apps"}, {NULL, NULL},
};

/* xdotool, which reads commands line by line and answers. */
struct mover {
	FILE *orders;
	FILE *answers;
};

/*
 * The server chooses a free display number and prints it. "-nolisten unix" leaves no socket file in
 * /tmp; the abstract socket of Linux is enough.
 */
static bool window_server_start(void)
{
	static const char *const argv[] = {"Xvfb",      "-displayfd", "1",         "-screen",
					   "0",         "640x480x24", "-nolisten", "tcp",
					   "-nolisten", "unix",       "-noreset",  NULL};
	char display[16] = ":";

	if (!site_first_line(argv, display + 1, sizeof(display) - 1))
		return false;
	setenv("DISPLAY", display, 1);
	unsetenv("XAUTHORITY");
	return true;
}

static bool mover_start(struct mover *mover)
{
	static const char *const argv[] = {"xdotool", "-", NULL};
	int orders[2], answers[2];

	if (pipe2(orders, O_CLOEXEC) || pipe2(answers, O_CLOEXEC))
		return false;
	site_spawn(argv, (struct streams){orders[0], answers[1]});
	close(orders[0]);
	close(answers[1]);
	mover->orders = fdopen(orders[1], "w");
	mover->answers = fdopen(answers[0], "r");
	return mover->orders && mover->answers;
}

/* The window has moved when the server reports its position. */
static bool window_move(const struct mover *mover, unsigned int step)
{
	char answer[128];

	fprintf(mover->orders, "windowmove %u %u getwindowgeometry\n", step * 7 % 490,
		step * 5 % 380);
	if (fflush(mover->orders))
		return false;
	while (fgets(answer, sizeof(answer), mover->answers))
		if (strstr(answer, "Geometry"))
			return true;
	return false;
}

static int window_run(struct site *site)
{
	static const char *const below[] = {"xclock",    "-update",        "1",
					    "-geometry", "300x300+150+80", NULL};
	static const char *const moved[] = {"xeyes", "-geometry", "150x100+0+0", NULL};
	struct mover mover;

	if (!window_server_start())
		return site_fail(site, "Xvfb did not start");
	site_spawn(below, NO_STREAMS);
	site_spawn(moved, NO_STREAMS);
	/* All further commands apply to the window that this one finds. */
	if (!mover_start(&mover) ||
	    fputs("search --sync --onlyvisible --class XEyes\n", mover.orders) < 0)
		return site_fail(site, "xdotool did not start");
	/* If xdotool has ended, writing to it must fail and not kill this process. */
	signal(SIGPIPE, SIG_IGN);
	for (unsigned int step = 0; window_move(&mover, step); step++) {
		site_count(site);
		site_ready(site);
		site_sleep_ms(MOVE_MS);
	}
	return site_fail(site,
			 "the window cannot be moved any more: Xvfb, xeyes or xdotool has ended");
}

const struct load_kind window_load = {
	.name = "window",
	.summary = "move a window over another window",
	.needs = window_needs,
	.run = window_run,
};
